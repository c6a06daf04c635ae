"""The results as text: where each method of each figure ends."""

from __future__ import annotations

import polars as pl

from ringfence.bench.metrics import METRICS, final


def summary(results: pl.DataFrame) -> str:
    """One block a figure, one line a method: each measure after the last trial ± its error."""
    ends = final(results)
    blocks = []
    for (figure,), group in results.group_by("figure", maintain_order=True):
        own = ends.filter(pl.col("figure") == figure)
        width = max(len(name) for name in own["method"])
        lines = [heading(group), f"{'':{width}}  " + "  ".join(f"{name:>16}" for name in METRICS)]
        for method in own.sort("order")["method"].unique(maintain_order=True):
            cells = (_cell(own, method, metric) for metric in METRICS)
            lines.append(f"{method:{width}}  " + "  ".join(cells) + _exhausted(group, method))
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _exhausted(group: pl.DataFrame, method: str) -> str:
    """In how many cells the space held fewer configurations than trials, where in any."""
    cells = group.filter(pl.col("method") == method, pl.col("trial") == 1)["exhausted"]
    return f"  ran out in {cells.sum()} of {cells.len()} cells" if cells.any() else ""


def heading(group: pl.DataFrame) -> str:
    """What a figure shows and what it rests on."""
    title, scale, evaluation = group.select("title", "scale", "evaluation").row(0)
    counts = group.group_by("method").agg(
        tasks=pl.struct("suite", "task").n_unique(), replications=pl.col("replication").n_unique()
    )
    tasks = _counted(counts["tasks"].to_list(), "task")
    times = _counted(counts["replications"].to_list(), "replication")
    origins = "; ".join(group["origin"].unique(maintain_order=True))
    return (
        f"Figure {group['figure'][0]}: {title}\n"
        f"{origins}. {scale} scale, evaluation: {evaluation}, {tasks} left out, "
        f"{times}, {max(group['trial'])} trials"
    )


def _counted(counts: list[int], noun: str) -> str:
    """'10 tasks', or '10 to 30 tasks' where methods differ."""
    least, most = min(counts), max(counts)
    number = f"{most}" if least == most else f"{least} to {most}"
    return f"{number} {noun}" + "s" * (most != 1)


def _cell(ends: pl.DataFrame, method: str, metric: str) -> str:
    row = ends.filter(pl.col("method") == method, pl.col("metric") == metric)
    if row.is_empty():
        return f"{'-':>16}"
    mean, error = row.select("mean", "error").row(0)
    shown = f"{mean:.3f}" if error is None else f"{mean:.3f} ± {error:.3f}"
    return f"{shown:>16}"
