"""report: from a history to one HTML page, in one call."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from ringfence.checking.api import check_choice, check_prepared, compare_settings
from ringfence.checking.leave_one_out import LeaveOneOut
from ringfence.errors import FileError
from ringfence.files import write_atomically
from ringfence.history import Direction, PreparedHistory, Runs
from ringfence.incoming.content import local_file
from ringfence.learned.settings import Starts, checked_settings
from ringfence.learning import learn_prepared
from ringfence.reporting.facts import gather
from ringfence.reporting.page.document import page_html
from ringfence.reporting.recipe import python_call
from ringfence.reporting.versions import past_of
from ringfence.space import Space
from ringfence.threads import one_thread

NO_SETTINGS = {
    "history", "space", "path", "command", "progress", "task", "objective", "direction", "reading",
}  # fmt: skip


@one_thread
def report(
    history: Runs,
    space: Space | Literal["latest"] | None = None,
    *,
    path: str | PathLike[str] = "report.html",
    shape: str = "box",
    outliers: float | Literal["paper"] = 0.0,
    refit: bool = False,
    literal: bool = False,
    one_cloud: bool = False,
    categories: Literal["all", "observed"] = "all",
    top: float = 0.0,
    tolerance: float = 0.0,
    n_evaluations: int | None = None,
    seed: int | None = None,
    average_repeats: bool = False,
    compare: bool = False,
    starts: Starts = "auto",
    refreshed: str | PathLike[str] | None = None,
    command: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    task: str | None = None,
    objective: str | int | None = None,
    direction: Direction | None = None,
    **reading: Any,
) -> Path:
    """Learn a space, check it, and write both to one HTML file that needs no network.

    The same history and settings give the same bytes.

    Args:
        history: the past runs: a History, or whatever `read_history` reads, such as a path, a data
            frame, an Optuna study, or a list of such.
        space: the full space; None takes that of the history, or infers one, and 'latest' that of
            the task that ran last.
        path: of the page.
        shape: as in `learn`.
        outliers: as in `learn`.
        refit: as in `learn`.
        literal: as in `learn`.
        one_cloud: as in `learn`.
        categories: as in `learn`.
        top: as in `learn`.
        tolerance: as in `learn`.
        n_evaluations: use only this many rows of each task, as in `learn`.
        seed: of the random choice of these rows.
        average_repeats: average the rows of a task that have the same configuration.
        compare: also try other settings and show them side by side; shape='auto' does, and takes
            the one that is recommended.
        starts: number of starting points to find and judge, as in `learn` and `check`.
        refreshed: a learned space that `ringfence refresh` keeps, whose versions the page then
            tells.
        progress: called with the number of steps done and of all steps.
        command: what the page names as the way to make it again; by default this call.
        task: the column that names the task, if `history` is still to be read.
        objective: the column of the objective, likewise.
        direction: 'minimize' or 'maximize'; None goes by the name of the objective.
        reading: the other arguments of `read_history`, such as parameters, ignore or studies.

    Returns:
        The path of the page.

    Examples:
        >>> import ringfence as rf
        >>> history = rf.example_history()
        >>> rf.report(history.only(history.tasks[:6]), path="report.html", starts=0).name
        'report.html'
    """
    given = dict(locals())
    path = Path(path)
    if not path.parent.is_dir():
        raise FileError(f"cannot write {path}: there is no such folder")
    settings = checked_settings(
        shape,
        outliers,
        refit=refit,
        literal=literal,
        one_cloud=one_cloud,
        categories=categories,
        top=top,
        tolerance=tolerance,
        n_evaluations=n_evaluations,
        seed=seed,
        average_repeats=average_repeats,
    )
    versions = None if refreshed is None else past_of(local_file(refreshed, "a learned space"))
    columns = {"task": task, "objective": objective, "direction": direction}
    prepared = PreparedHistory.of(history, space, report, {**columns, **reading})
    check = comparison = None
    if shape == "auto":
        comparison, check = check_choice(prepared, settings.rows, starts, progress)
        settings = comparison.settings
    learned = learn_prepared(prepared, settings, starts)
    if check is None and len(learned.tasks) > 1:
        check = check_prepared(prepared, settings, starts, progress)
        if compare:
            left_out = LeaveOneOut.of(prepared, settings.rows)
            comparison = compare_settings(left_out, progress=progress)
    made = command or python_call(prepared.history, space, path, _changed(given))
    facts = gather(prepared.history, learned, check, comparison, made, versions)
    write_atomically(path, page_html(facts).encode())
    return path


def _changed(given: dict[str, Any]) -> dict[str, Any]:
    """The settings that are not at their defaults; how the runs are read is said elsewhere."""
    defaults = {name: p.default for name, p in signature(report).parameters.items()}
    return {k: v for k, v in given.items() if k not in NO_SETTINGS and v != defaults[k]}
