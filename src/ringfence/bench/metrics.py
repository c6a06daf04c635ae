"""The curves of the figures: four measures of a method, each with its standard error.

measure      meaning
normalized   loss / L, or loss - L if losses are logarithms; L is what Random reached in the same
             replication of the same task by its last trial. Missing if L is 0.
regret       (loss - best) / (median - best): 0 is the best known loss of the task, in all figures
             of its suite, 1 that of its median configuration
distance     mean regret / mean regret of Random after as many trials
rank         among the methods of the figure, 1 the best, ties shared; over the replications that
             all of them have

A mean is over tasks and replications, as in the paper, and so is its standard error. A search that
had nothing to try is charged the median configuration's loss, that of a blind choice (regret 1).
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from ringfence.bench.plan import BASELINE

METRICS = ("normalized", "regret", "distance", "rank")
PLACE = ("figure", "suite", "task", "replication")
"""What methods are compared on."""
LINE = ("figure", "order", "method", "trial")
"""A point of a curve."""


def curves(results: pl.DataFrame) -> pl.DataFrame:
    """figure, order, method, trial, metric, mean, error, n: a row for each point of a curve."""
    parts: list[pl.DataFrame] = []
    for cells in measured(results):
        parts += [_mean(cells, name) for name in ("normalized", "regret", "rank")]
        parts.append(_distance(cells))
    return pl.concat(parts).sort("figure", "metric", "order", "trial")


def final(results: pl.DataFrame) -> pl.DataFrame:
    """The last point of every curve."""
    points = curves(results)
    return points.filter(pl.col("trial") == pl.col("trial").max().over("figure"))


def measured(results: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Each figure with a column for each measure of a single cell, for Random's regret, and for
    whether there was anything to try.

    One by one: a plan's results are millions of rows.
    """
    smallest = pl.min_horizontal(pl.col("loss").min(), pl.col("best").min())
    least = results.group_by("suite", "task").agg(least=smallest)
    for _, figure in results.group_by("figure", maintain_order=True):
        yield _measured(figure.join(least, on=["suite", "task"], maintain_order="left"))


def _measured(frame: pl.DataFrame) -> pl.DataFrame:
    loss, least = pl.col("loss"), pl.col("least")
    frame = frame.with_columns(searched=loss.is_finite())
    frame = frame.with_columns(loss=pl.when("searched").then(loss).otherwise(pl.col("median")))
    spread = pl.col("median") - least
    frame = frame.with_columns(
        pl.when(spread > 0).then((loss - least) / spread).otherwise(0.0).alias("regret")
    )
    is_last = pl.col("trial") == pl.col("trial").max()
    baseline = frame.filter(pl.col("method") == BASELINE)
    random_loss = baseline.filter(is_last).select(*PLACE, random_loss="loss")
    random_regret = baseline.select(*PLACE, "trial", random_regret="regret")
    frame = frame.join(random_loss, on=PLACE, how="left")
    frame = frame.join(random_regret, on=[*PLACE, "trial"], how="left")
    ratio = pl.when(pl.col("random_loss") > 0).then(loss / pl.col("random_loss"))
    log_loss = pl.col("log_loss")
    normalized = pl.when(log_loss).then(loss - pl.col("random_loss")).otherwise(ratio)
    rank = loss.rank("average").over(*PLACE, "trial")
    n_methods = pl.col("method").n_unique()
    complete = pl.len().over(*PLACE, "trial") == n_methods
    return frame.with_columns(normalized=normalized, rank=pl.when(complete).then(rank))


def _mean(cells: pl.DataFrame, metric: str) -> pl.DataFrame:
    value = pl.col(metric)
    return (
        cells.filter(value.is_not_null())
        .group_by(LINE)
        .agg(
            mean=value.mean(),
            error=value.std() / pl.len().sqrt(),
            n=pl.len(),
        )
        .with_columns(metric=pl.lit(metric))
        .select(*LINE, "metric", "mean", "error", "n")
    )


def _distance(cells: pl.DataFrame) -> pl.DataFrame:
    """A ratio of means; its error is that of the mean of (regret - ratio · Random's) / Random's."""
    regret, base = pl.col("regret"), pl.col("random_regret")
    paired = cells.filter(base.is_not_null())
    ratio = regret.mean().over(LINE) / base.mean().over(LINE)
    paired = paired.with_columns(ratio=ratio)
    paired = paired.with_columns(rest=regret - pl.col("ratio") * base)
    return (
        paired.group_by(LINE)
        .agg(
            mean=pl.col("ratio").first(),
            error=pl.col("rest").std() / pl.len().sqrt() / base.mean(),
            n=pl.len(),
        )
        .with_columns(metric=pl.lit("distance"))
        .select(*LINE, "metric", "mean", "error", "n")
    )
