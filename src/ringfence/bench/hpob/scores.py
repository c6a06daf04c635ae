"""HPO-B's measures: mean regret and mean rank after 25, 50 and 100 trials.

measure   meaning
regret    (best row - reached) / (best row - worst row) of the task, in accuracy: 0 is the best
          recorded row, 1 the worst. A mean is over tasks and seeds; its standard error is over
          tasks, of the means over their seeds.
rank      among the methods on the same task and seed, 1 the best, ties shared; regrets are compared
          to eight digits. Only tasks and seeds that all methods have count.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

CHECKPOINTS = (25, 50, 100)
DIGITS = 8
"""To which HPO-B's own evaluation rounds before it ranks."""
SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "method": pl.String,
    "order": pl.Int32,
    "space": pl.String,
    "task": pl.String,
    "replication": pl.Int32,
    "trial": pl.Int32,
    "regret": pl.Float64,
}
"""Curves: a row for each method, task, seed and trial."""
PLACE = ("space", "task", "replication")


def curves_of(results: pl.DataFrame, spaces: dict[str, str]) -> pl.DataFrame:
    """The curves in a plan's results on official suites, whose losses are regrets; `spaces` names
    the search space of each suite."""
    return results.select(
        "method",
        "order",
        pl.col("suite").replace_strict(spaces, return_dtype=pl.String).alias("space"),
        "task",
        "replication",
        "trial",
        pl.col("loss").alias("regret"),
    )


def scores(curves: pl.DataFrame, checkpoints: Sequence[int] = CHECKPOINTS) -> pl.DataFrame:
    """method, trial, regret, error, rank, tasks: a row for each method and checkpoint."""
    at = curves.filter(pl.col("trial").is_in(list(checkpoints)))
    n_methods = curves["method"].n_unique()
    regret = pl.col("regret")
    ranks = regret.round(DIGITS).rank("average").over(*PLACE, "trial")
    complete = pl.len().over(*PLACE, "trial") == n_methods
    at = at.with_columns(rank=pl.when(complete).then(ranks))
    line = ("order", "method", "trial")
    tasks = at.group_by(*line, "space", "task").agg(regret.mean())
    errors = tasks.group_by(line).agg(error=regret.std() / pl.len().sqrt(), tasks=pl.len())
    means = at.group_by(line).agg(regret.mean(), pl.col("rank").mean())
    return (
        means.join(errors, on=line)
        .sort("order", "trial")
        .select("method", "trial", "regret", "error", "rank", "tasks")
    )
