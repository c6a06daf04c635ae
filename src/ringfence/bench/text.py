"""The results as text: each method of each figure after its last trial."""

from __future__ import annotations

import polars as pl

from ringfence.bench.metrics import METRICS, final
from ringfence.rendering.layout import Part, Table, lay_out

METHOD = 16  # columns that the name of a method keeps in a narrow table


def summary(results: pl.DataFrame) -> str:
    """A block for each figure, a line for each method: the measures after the last trial."""
    return "\n".join(lay_out(summary_parts(results)))


def summary_parts(results: pl.DataFrame) -> list[Part]:
    """The same, to be laid out in a given width."""
    ends = final(results)
    parts: list[Part] = []
    for (figure,), group in results.group_by("figure", maintain_order=True):
        points = ends.filter(pl.col("figure") == figure)
        methods = points.sort("order")["method"].unique(maintain_order=True)
        rows = [["", *METRICS]]
        rows += [
            [method, *(_cell(points, method, metric) for metric in METRICS)] for method in methods
        ]
        notes = [note for method in methods for note in _short_of_rows(group, method)]
        table = Table(rows, floors={0: METHOD}, right=range(1, len(METRICS) + 1))
        parts += [*([""] if parts else []), *heading(group).split("\n"), table, *notes]
    return parts


def _short_of_rows(group: pl.DataFrame, method: str) -> list[str]:
    """In how many cells the space held fewer configurations than trials, or none, if in any."""
    cells = group.filter(pl.col("method") == method, pl.col("trial") == 1)
    out, empty = cells["exhausted"].sum(), cells["loss"].is_infinite().sum()
    notes = [f"{method} ran out in {out} of {cells.height} cells"] if out else []
    if empty:
        notes.append(f"{method} had nothing to try in {empty} of them, counted as the median")
    return notes


def heading(group: pl.DataFrame) -> str:
    """What a figure shows, and on which data."""
    title, scale, evaluation = group.select("title", "scale", "evaluation").row(0)
    left_out = group.group_by("method", "suite", "task").agg(pl.col("replication").n_unique())
    tasks = _counted(left_out["method"].value_counts()["count"].to_list(), "task")
    times = _counted(left_out["replication"].to_list(), "replication")
    origins = "; ".join(group["origin"].unique(maintain_order=True))
    return (
        f"Figure {group['figure'][0]}: {title}\n"
        f"{origins}. {scale} scale, evaluation: {evaluation}, {tasks} left out, "
        f"{times}, {max(group['trial'])} trials"
    )


def _counted(counts: list[int], noun: str) -> str:
    """'10 tasks', or '10 to 30 tasks' if methods differ."""
    least, most = min(counts), max(counts)
    number = f"{most}" if least == most else f"{least} to {most}"
    return f"{number} {noun}" + "s" * (most != 1)


def _cell(ends: pl.DataFrame, method: str, metric: str) -> str:
    row = ends.filter(pl.col("method") == method, pl.col("metric") == metric)
    if row.is_empty():
        return "-"
    mean, error = row.select("mean", "error").row(0)
    return f"{mean:.3f}" if error is None else f"{mean:.3f} ± {error:.3f}"
