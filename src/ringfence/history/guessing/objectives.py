"""Which column of numbers is the objective: the only one that is called like a metric, or the only
one of them that was measured on held-out data. If several could be, they are named."""

from __future__ import annotations

from collections.abc import Callable, Collection

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.directions import guess_direction, words_in
from ringfence.history.guessing.names import PARAMETER_PREFIXES, is_label, is_time
from ringfence.history.guessing.results import (
    FOLDS,
    METRICS,
    is_rate,
    is_result,
    name_words,
    was_measured,
)
from ringfence.words import some

VALIDATION = {
    "val", "valid", "validation", "validate", "eval", "evaluation", "dev", "holdout", "oof", "cv",
}  # fmt: skip
"""Data that runs are compared on; those for the test come second, since they are kept for last."""
TRAINING = {"train", "training"}
BESIDES = {"cost", "costs", "latency", "throughput", "fps", "speedup", "memory"}
"""What is looked at besides how good a run was."""


def guess_objective(frame: pl.DataFrame, ignored: Collection[str]) -> tuple[str, list[str]]:
    """The column that is called like an objective, and the others that are called like a metric;
    one that is to be ignored only if there is no other."""
    metrics = [column.name for column in frame if _is_metric(column)]
    if not metrics:
        raise HistoryError(
            "cannot tell which column is the objective; name it with objective=… (--objective …); "
            f"the columns are {some(frame.columns, 30)}{_texts(frame)}"
        )
    names = [name for name in metrics if name.lower() == "objective"] or metrics
    names = [name for name in names if name not in ignored] or names
    for is_preferred in _preferences(frame):
        names = [name for name in names if is_preferred(name)] or names
    if len(names) > 1:
        raise HistoryError(
            f"which column is the objective? candidates: {some(names, 30)}; name it with "
            "objective=… (--objective …)"
        )
    return names[0], [name for name in metrics if name != names[0]]


def _is_metric(column: pl.Series) -> bool:
    if not column.count():
        return column.name.lower() in METRICS  # formulas, maybe; any other column comes first
    if not column.dtype.is_numeric() or is_label(column.name) or is_time(name_words(column.name)):
        return False
    if column.name.lower() in METRICS:
        return True
    is_known = guess_direction(column.name) is not None and was_measured(column)
    return is_known and not column.name.lower().startswith(PARAMETER_PREFIXES)


def _texts(frame: pl.DataFrame) -> str:
    """Why a column that is called like a metric is none, in words; empty if there is no such."""
    texts = [c for c in frame if c.dtype == pl.String and c.count() and is_result(c.name)]
    if not texts:
        return ""
    cell = texts[0].drop_nulls()[0]
    return (
        f"; {texts[0].name!r} holds text such as {cell!r}: write numbers alone, and spreads apart"
    )


def _preferences(frame: pl.DataFrame) -> list[Callable[[str], bool]]:
    """What speaks for a column, the weightiest first."""
    return [
        lambda name: frame[name].drop_nulls().n_unique() > 1,
        lambda name: not (BESIDES.intersection(words_in(name)) or is_rate(name_words(name))),
        lambda name: not any(FOLDS.fullmatch(word) for word in name_words(name)),
        lambda name: bool(VALIDATION.intersection(words_in(name))),
        lambda name: bool({"test", "testing"}.intersection(words_in(name))),
        lambda name: not TRAINING.intersection(words_in(name)),
    ]
