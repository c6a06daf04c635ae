"""report: from a history to one HTML page, in one call."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import msgspec

from ringfence import checking
from ringfence.errors import FileError
from ringfence.files import write_atomically
from ringfence.history import History
from ringfence.learning import learn
from ringfence.reporting.facts import gather
from ringfence.reporting.page import page, plotly_source
from ringfence.settings import Shape, Starts
from ringfence.space import Space


def report(
    history: History,
    space: Space | None = None,
    *,
    path: str | PathLike[str] = "report.html",
    shape: Shape = "box",
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
    the one that is recommended. The same history and settings give the same bytes. Returns where
    the page was written.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise FileError(f"cannot write {path}: there is no such folder")
    plotly_source()  # if it is missing, say so before the work begins
    rows: dict[str, Any] = {
        "n_evaluations": n_evaluations,
        "seed": seed,
        "average_repeats": average_repeats,
    }
    how: dict[str, Any] = {
        "shape": shape,
        "outliers": outliers,
        "refit": refit,
        "categories": categories,
        "top": top,
        **rows,
    }
    check = comparison = None
    if shape == "auto":
        comparison = checking.compare(history, space, starts=starts, progress=progress, **rows)
        assert comparison.nested is not None
        check = msgspec.structs.replace(comparison.nested, starts=comparison.starts)
        how = msgspec.structs.asdict(comparison.settings)
    learned = learn(history, space, starts=starts, **how)
    if check is None and len(learned.tasks) > 1:
        check = checking.check(history, space, starts=starts, progress=progress, **how)
        if compare:
            comparison = checking.compare(history, space, starts=0, progress=progress, **rows)
    write_atomically(path, page(gather(history, learned, check, comparison)).encode())
    return path
