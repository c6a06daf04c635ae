"""Values that an objective cannot have, by its name: a negative error, an AUC of 9.1.

Only names that leave no doubt are judged: a metric with a known range, and words that say where or
when it was measured. If most values lie outside, the name misleads, and nothing is judged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.directions import INDIFFERENT, guess_direction, words_in
from ringfence.history.guessing.statuses import GOOD_STATUS
from ringfence.history.places import Places
from ringfence.history.roles import Roles
from ringfence.history.values import as_number, without_values
from ringfence.words import some

NOT_NEGATIVE = {
    "rmse", "mse", "mae", "mape", "smape", "rmsle", "msle", "medae",
    "mmce", "merror", "logloss", "mlogloss", "crossentropy", "xent", "bce", "wer", "cer", "eer",
    "fpr", "fnr", "fdr", "misclassification", "brier", "hinge", "pinball", "ece", "nrmse", "nmse",
    "nmae", "mase", "perplexity", "ppl", "time", "runtime", "duration", "seconds", "latency",
    "errorrate", "fehlerrate",
}  # fmt: skip
"""A loss may be negative, as that of a density is, and so may a cost; these are not."""
ERRORS = {"error", "errors", "err", "fehler", "erreur", "errore"}
"""What many call whatever is minimized, so that a few negative values may be right; an error rate
is none of these."""
SHARES = {
    "accuracy", "acc", "auc", "auroc", "rocauc", "auprc", "aucpr", "prauc", "f1", "fbeta", "f2",
    "precision", "recall", "sensitivity", "specificity", "tpr", "tnr", "ap", "map", "miou", "iou",
    "jaccard", "dice", "ndcg", "mrr", "hitrate", "winrate", "genauigkeit", "exactitude",
}  # fmt: skip
"""From 0 to 1, or from 0 to 100 in per cent."""
AT_MOST_ONE = {"r2", "mcc", "kappa", "qwk"}
PHRASES = {
    "error rate": "errorrate",
    "log loss": "logloss",
    "cross entropy": "crossentropy",
    "average precision": "ap",
    "explained variance": "r2",
    "hit rate": "hitrate",
    "win rate": "winrate",
}
"""Names of several words, as one."""
BESIDE = (INDIFFERENT - {"adjusted"}) | {"root", "squared", "absolute", "roc", "pr", "bal"}
"""What may stand beside a metric and leaves its range as it is; adjusted for chance, an accuracy
may be negative."""
MARKERS = (-1.0, -9.0, -99.0, -999.0, -9999.0, -99999.0)
"""What programs write for no value."""
REPEATED = 3
"""The same impossible value in so many rows is such a mark, too, and no slip."""
ROUNDING = 1e-6
"""An AUC of 1 + 1e-9 is 1, as sums of floats give it."""
ENOUGH_RUNS = 3
"""With fewer runs of a task, all tasks together tell whether shares are in per cent."""


@dataclass(frozen=True)
class MetricRange:
    """What a metric can be."""

    low: float
    high: float
    is_share: bool = False
    """Whether it may be in per cent."""
    is_strict: bool = True
    """Whether other impossible values than marks are asked about; else they show that the name is
    meant loosely."""

    def in_words(self, high: float) -> str:
        """What it is where the largest value is `high`."""
        if math.isinf(high):
            return "never negative"
        return f"from {self.low:g} to {high:g}" if self.is_share else f"at most {high:g}"


def range_of(name: str) -> MetricRange | None:
    """What a metric of this name can be; None if the name leaves a doubt."""
    text = " ".join(words_in(name))
    for phrase, word in PHRASES.items():
        text = text.replace(phrase, word)
    words = {word for word in text.split() if not word.isdigit()}
    for metrics, limits in (
        (NOT_NEGATIVE, MetricRange(0.0, math.inf)),
        (ERRORS, MetricRange(0.0, math.inf, is_strict=False)),
        (SHARES, MetricRange(0.0, 1.0, is_share=True)),
        (AT_MOST_ONE, MetricRange(-math.inf, 1.0)),
    ):
        if words & metrics and words <= metrics | BESIDE:
            return limits
    return None


def without_impossible(
    table: pl.DataFrame, roles: Roles, places: Places
) -> tuple[pl.DataFrame, list[str]]:
    """The table without objectives that cannot be and stand for failed runs, such as an error of
    -1, and a note on them; HistoryError for others that cannot be, such as an AUC of 9.1."""
    name = roles.objective
    limits = range_of(name) if guess_direction(name) == roles.direction else None
    if limits is None:
        return table, []
    column = as_number(table[name])
    counted = _is_finished(table, roles) & column.is_finite().fill_null(value=False)
    high = _highest(column, table[roles.task], limits)
    beyond = (column < limits.low - ROUNDING) | (column > high + ROUNDING)
    beyond = counted & beyond.fill_null(value=False)
    marks = _marks(column.filter(beyond))
    is_mark = beyond & column.is_in(marks)
    slips = beyond & ~is_mark
    odd = beyond & ~column.is_in(MARKERS)
    misleads = 2 * int(odd.sum()) > int(counted.sum()) or (odd.any() and not limits.is_strict)
    if not beyond.any() or misleads:
        return table, []
    row = (slips if slips.any() else is_mark).arg_max() or 0
    said = f"since {name!r} is {limits.in_words(high[row])}"
    if slips.any():
        raise HistoryError(_question(column, slips, row, places, said))
    shown = some([f"{mark:g}" for mark in marks])
    note = (
        f"{_rows(is_mark)} with {name} = {shown} count{'s' * (is_mark.sum() == 1)} as failed, "
        f"{said} (first: {places.of(row)})"
    )
    return without_values(table, name, is_mark), [note]


def _is_finished(table: pl.DataFrame, roles: Roles) -> pl.Series:
    """Which rows count as far as their task and status say."""
    named = table[roles.task].is_not_null()
    if roles.status is None:
        return named
    status = table[roles.status].cast(pl.String).str.to_lowercase()
    return named & status.is_in(list(GOOD_STATUS)).fill_null(value=False)


def _highest(column: pl.Series, tasks: pl.Series, limits: MetricRange) -> pl.Series:
    """The largest possible value in each row: of a share 100 where most runs of the task have more
    than 1. Objectives of different tasks need not be alike."""
    value = pl.col("value")
    alone = value.count().over("task") < ENOUGH_RUNS
    middle = pl.when(alone).then(value.median()).otherwise(value.median().over("task"))
    percent = (middle > 1.0) & limits.is_share
    high = pl.when(percent).then(100.0).otherwise(limits.high)
    return pl.DataFrame({"task": tasks, "value": column}).select(high.alias("high")).to_series()


def _marks(values: pl.Series) -> list[float]:
    """Those of the impossible values that programs write for none, and the only other one if it
    comes again and again."""
    usual = values.filter(values.is_in(MARKERS)).unique().sort().to_list()
    others = values.filter(~values.is_in(MARKERS))
    repeated = others.n_unique() == 1 and len(others) >= REPEATED
    return [*usual, *others.head(repeated)]


def _question(column: pl.Series, slips: pl.Series, row: int, places: Places, said: str) -> str:
    others = f" (the first of {_rows(slips)})" if slips.sum() > 1 else ""
    return (
        f"{places.of(row)}, column {column.name!r}: {column[row]:g} cannot be{others}, {said}; "
        "correct the cell; if the run failed, empty it, or say so in a column called status; if "
        "the value is right, give the column another name"
    )


def _rows(mask: pl.Series) -> str:
    count = int(mask.sum())
    return f"{count:,} row{'s' * (count != 1)}"
