"""report: from a history to one HTML page, in one call."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Literal

from ringfence.checking.api import check_choice, check_prepared, compare_settings
from ringfence.checking.leave_one_out import LeaveOneOut
from ringfence.errors import FileError
from ringfence.files import write_atomically
from ringfence.history import History, PreparedHistory
from ringfence.learned.settings import Starts, checked_settings
from ringfence.learning import learn_prepared
from ringfence.reporting.facts import gather
from ringfence.reporting.page.document import page_html, require_packages
from ringfence.space import Space


def report(
    history: History,
    space: Space | None = None,
    *,
    path: str | PathLike[str] = "report.html",
    shape: str = "box",
    outliers: float | Literal["paper"] = 0.0,
    refit: bool = False,
    categories: Literal["all", "observed"] = "all",
    top: float = 0.0,
    n_evaluations: int | None = None,
    seed: int | None = None,
    average_repeats: bool = False,
    compare: bool = False,
    starts: Starts = "auto",
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Learn a space, check it, and write both to one HTML file that needs no network.

    The arguments are those of `check`; `compare` also tries other settings, and shape='auto' takes
    the one that is recommended. The same history and settings give the same bytes. Returns the path
    of the page.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise FileError(f"cannot write {path}: there is no such folder")
    require_packages()  # before the work begins
    settings = checked_settings(
        shape,
        outliers,
        refit=refit,
        categories=categories,
        top=top,
        n_evaluations=n_evaluations,
        seed=seed,
        average_repeats=average_repeats,
    )
    prepared = PreparedHistory.of(history, space, "report")
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
    write_atomically(path, page_html(gather(history, learned, check, comparison)).encode())
    return path
