"""What the curves of the figures are: four measures of a method, each with its standard error.

    normalized   loss / L, or loss - L where losses are logarithms; L is what Random reached in the
                 same replication of the same task by its last trial. Missing where L is 0.
    regret       (loss - best) / (median - best): 0 is the best loss known of the task, in all
                 figures of its suite, 1 that of its median configuration
    distance     mean regret / mean regret of Random after as many trials
    rank         among the methods of the figure, 1 the best, ties shared; over the replications
                 that all of them have

A mean is over tasks and replications, as in the paper, and so is its standard error.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from ringfence.bench.plan import BASELINE

METRICS = ("normalized", "regret", "distance", "rank")
PLACE = ("figure", "suite", "task", "replication")
LINE = ("figure", "order", "method", "trial")


def curves(results: pl.DataFrame) -> pl.DataFrame:
    """figure, order, method, trial, metric, mean, error, n: one row a point of a curve."""
    parts: list[pl.DataFrame] = []
    for judged in measured(results):
        parts += [_mean(judged, name) for name in ("normalized", "regret", "rank")]
        parts.append(_distance(judged))
    return pl.concat(parts).sort("figure", "metric", "order", "trial")


def final(results: pl.DataFrame) -> pl.DataFrame:
    """The last point of every curve."""
    made = curves(results)
    return made.filter(pl.col("trial") == pl.col("trial").max().over("figure"))


def measured(results: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Each figure with a column for each measure that is a cell's own, and Random's regret.

    One by one: a plan's results are millions of rows.
    """
    seen = pl.min_horizontal(pl.col("loss").min(), pl.col("best").min())
    least = results.group_by("suite", "task").agg(least=seen)
    for _, own in results.group_by("figure", maintain_order=True):
        yield _measured(own.join(least, on=["suite", "task"], maintain_order="left"))


def _measured(frame: pl.DataFrame) -> pl.DataFrame:
    loss, least = pl.col("loss"), pl.col("least")
    spread = pl.col("median") - least
    frame = frame.with_columns(
        pl.when(spread > 0).then((loss - least) / spread).otherwise(0.0).alias("regret")
    )
    is_last = pl.col("trial") == pl.col("trial").max()
    baseline = frame.filter(pl.col("method") == BASELINE)
    reached = baseline.filter(is_last).select(*PLACE, reached="loss")
    same = baseline.select(*PLACE, "trial", random_regret="regret")
    frame = frame.join(reached, on=PLACE, how="left")
    frame = frame.join(same, on=[*PLACE, "trial"], how="left")
    ratio = pl.when(pl.col("reached") > 0).then(loss / pl.col("reached"))
    log_loss = pl.col("log_loss")
    normalized = pl.when(log_loss).then(loss - pl.col("reached")).otherwise(ratio)
    rank = loss.rank("average").over(*PLACE, "trial")
    everyone = pl.col("method").n_unique()
    complete = pl.len().over(*PLACE, "trial") == everyone
    return frame.with_columns(normalized=normalized, rank=pl.when(complete).then(rank))


def _mean(judged: pl.DataFrame, metric: str) -> pl.DataFrame:
    value = pl.col(metric)
    return (
        judged.filter(value.is_not_null())
        .group_by(LINE)
        .agg(
            mean=value.mean(),
            error=value.std() / pl.len().sqrt(),
            n=pl.len(),
        )
        .with_columns(metric=pl.lit(metric))
        .select(*LINE, "metric", "mean", "error", "n")
    )


def _distance(judged: pl.DataFrame) -> pl.DataFrame:
    """A ratio of means; its error is that of the mean of (regret - ratio · Random's) / Random's."""
    own, base = pl.col("regret"), pl.col("random_regret")
    paired = judged.filter(base.is_not_null())
    ratio = own.mean().over(LINE) / base.mean().over(LINE)
    paired = paired.with_columns(ratio=ratio)
    paired = paired.with_columns(rest=own - pl.col("ratio") * base)
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
