"""The tables of docs/failures.md from the committed results of benchmarks.failures."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.transfer_curves import markdown
from benchmarks.transfer_page import filled

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "failures.md"
RESULTS = HERE / "results" / "failures"
WORDS = {
    "random": "random search",
    "transfer clean": "`transfer`, nothing fails",
    "transfer ignore": "`transfer`, failures ignored",
    "transfer keep": "`transfer`",
    "transfer unseen": "`transfer`, failed trials have no value",
    "gp ignore": "`gp`, failures ignored",
    "gp keep": "`gp`, by the learned space alone",
}
Cells = Sequence[dict[str, Any]]


def write(*, check: bool) -> int:
    """Write the page, or say whether it is what the results give."""
    text = PAGE.read_text("utf-8")
    new = filled(text, {name: table(_cells(PART.get(name, name))) for name, table in ALL.items()})
    if check:
        print("the page is what the results give" if new == text else "it differs: write it again")
        return 0 if new == text else 1
    PAGE.write_text(new, "utf-8")
    return 0


def _cells(part: str) -> Cells:
    cells: Cells = json.loads((RESULTS / f"{part}.json").read_text("utf-8"))
    return cells


def searches(cells: Cells) -> str:
    """By table and method: failed trials, and regrets."""
    frame = pl.DataFrame(cells)
    head = ["table", "search", "failed of 20", "worst task", "regret at 5", "at 10", "at 20",
            "at 20, kept - ignored"]  # fmt: skip
    rows = []
    for (table, method), some in frame.group_by("table", "method", maintain_order=True):
        regrets = [f"{some[f'regret_{n}'].mean():.3f}" for n in (5, 10, 20)]
        worst = some.group_by("target").agg(pl.col("failed").mean())["failed"].max()
        failed = [f"{some['failed'].mean():.1%}", f"{worst:.0%}"]
        name, _, way = str(method).partition(" ")
        ignored = frame.filter(table=table, method=f"{name} ignore")
        gap = _gap(some, ignored) if way == "keep" else ""
        rows.append([str(table), WORDS[str(method)], *failed, *regrets, gap])
    return markdown(head, rows)


def _gap(some: pl.DataFrame, others: pl.DataFrame) -> str:
    """The mean over tasks of the difference in regret at 20, and its standard error."""
    pairs = some.join(others, on=["target", "draw"], suffix="_other")
    gap = pl.col("regret_20") - pl.col("regret_20_other")
    gaps = pairs.group_by("target").agg(gap.mean())["regret_20"].to_numpy()
    return f"{gaps.mean():+.4f} ± {gaps.std(ddof=1) / np.sqrt(len(gaps)):.4f}"


def injected(cells: Cells) -> str:
    """By table: regrets with and without random failures, and the paired difference."""
    frame = pl.DataFrame(cells)
    head = ["table", "nothing fails", "failures ignored", "failures kept", "kept - ignored", "same"]
    rows = []
    for (table,), some in frame.group_by("table", maintain_order=True):
        wide = some.pivot("method", index=["target", "draw"], values="regret_20")
        gap = wide["transfer keep"] - wide["transfer ignore"]
        means = [f"{wide[f'transfer {way}'].mean():.3f}" for way in ("clean", "ignore", "keep")]
        same = f"{(gap == 0).sum()} of {len(gap)}"
        rows.append([str(table), *means, f"{gap.mean():+.4f}", same])
    return markdown(head, rows)


def alarms(cells: Cells) -> str:
    """By table and rate: how many histories have evidence, and a zone."""
    frame = pl.DataFrame(cells)
    head = ["table", "tasks", "histories", "5 % fail", "10 %", "30 %", "a zone", "best runs in it"]
    rows = []
    total = pl.DataFrame(cells).with_columns(pl.lit("all").alias("table"))
    for (table,), some in [*frame.group_by("table", maintain_order=True), (("all",), total)]:
        by_rate = [
            f"{here['evidence'].sum()} of {len(here)}"
            for _, here in some.group_by("rate", maintain_order=True)
        ]
        tasks = "" if table == "all" else str(some["tasks"][0])
        found = [str(some["zone"].sum()), str(some["best_inside"].sum())]
        rows.append([str(table), tasks, str(len(some)), *by_rate, *found])
    return markdown(head, rows)


def models(cells: Cells) -> str:
    """By table and way: log loss and ranking of a task left out."""
    head = ["table", "known", "log loss", "ranking"]
    rows = []
    for (table, way), some in pl.DataFrame(cells).group_by("table", "way", maintain_order=True):
        ranks = some["ranking"].drop_nulls()
        rank = f"{ranks.mean():.3f}" if len(ranks) else ""
        rows.append([str(table), str(way), f"{some['log_loss'].mean():.3f}", rank])
    return markdown(head, rows)


def calibration(cells: Cells) -> str:
    """Predicted and seen shares of failures, by ranges of the prediction."""
    head = ["table", "known", "to 5 %", "5 to 10", "10 to 30", "30 to 50", "50 to 70", "70 to 90",
            "from 90"]  # fmt: skip
    rows = []
    for (table, way), some in pl.DataFrame(cells).group_by("table", "way", maintain_order=True):
        if way not in ("slopes of the others", "and 20 runs of its own"):
            continue
        predicted = np.array(some["predicted"].to_list()).sum(axis=0)
        seen = np.array(some["seen"].to_list()).sum(axis=0)
        texts = [
            f"{p / n:.0%} / {s / n:.0%} ({n:.0f})" if n else "–"
            for (n, p), (_, s) in zip(predicted, seen)
        ]
        rows.append([str(table), str(way), *texts])
    return markdown(head, rows)


def zones(cells: Cells) -> str:
    """By table: zones of the others, and what they hold of the task left out."""
    head = [
        "table",
        "tasks × draws",
        "with a zone",
        "of the space",
        "failed in it",
        "best run in it",
    ]
    rows = []
    for (table,), some in pl.DataFrame(cells, infer_schema_length=None).group_by(
        "table", maintain_order=True
    ):
        found = some.filter(pl.col("zone").is_not_null())
        share = (
            f"{found['share'].mean():.0%}, at most {found['share'].max():.0%}" if len(found) else ""
        )
        failed = f"{found['failed'].sum():,} of {found['runs'].sum():,}"
        best = f"{found['best_inside'].sum()} of {len(found)}"
        rows.append([str(table), str(len(some)), str(len(found)), share, failed, best])
    return markdown(head, rows)


def rules(cells: Cells) -> str:
    """The rules that were found, by how often."""
    rows = []
    frame = pl.DataFrame(cells, infer_schema_length=None)
    frame = frame.filter(pl.col("zone").is_not_null()).with_columns(
        pl.col("zone").str.replace(r"([≥≤]) [\d.,e+-]+", "$1 …")
    )
    for (table,), some in frame.group_by("table", maintain_order=True):
        counts = some["zone"].value_counts(sort=True)
        rows += [[str(table), rule, str(n)] for rule, n in counts.head(4).iter_rows()]
    return markdown(["table", "rule", "times"], rows)


TABLES: dict[str, Callable[[Cells], str]] = {
    "searches": searches,
    "injected": injected,
    "alarms": alarms,
    "models": models,
    "zones": zones,
}
ALL = TABLES | {"calibration": calibration, "rules": rules}
PART = {"calibration": "models", "rules": "zones"}
