"""The tables of docs/cost.md from the committed results of benchmarks.cost."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl

from benchmarks.mismatch_page import over_draws
from benchmarks.transfer_curves import interval, markdown, short
from benchmarks.transfer_page import filled
from ringfence.bench.pairs import Difference

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "cost.md"
RESULTS = HERE / "results" / "cost" / "cells.parquet"
SHOWN = (0.5, 1, 2, 5, 10, 20)
TODAY, OURS = "transfer by trials", "transfer by cost"
MOST, MOST_WORSE = 0.65, 0.02
"""What is asked of the ratio to random search at 2 and 5, and of the loss after ten trials."""


def take(folder: Path) -> None:
    """The finished cells of a folder become the results."""
    cells = [
        line for path in sorted(folder.glob("*.json")) for line in json.loads(path.read_text())
    ]
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    frame = pl.DataFrame(cells, infer_schema_length=None).with_columns(pl.col("target").cast(str))
    order = ["table", "draw", "target", "method"]
    frame.select(*order, pl.exclude(order)).sort(order).write_parquet(RESULTS, compression="zstd")


def write(*, check: bool) -> int:
    """Write the page, or say whether it is what the results give."""
    text = PAGE.read_text("utf-8")
    new = filled(text, tables(pl.read_parquet(RESULTS)))
    if check:
        print("the page is what the results give" if new == text else "it differs: write it again")
        return 0 if new == text else 1
    PAGE.write_text(new, "utf-8")
    return 0


def tables(frame: pl.DataFrame) -> dict[str, str]:
    """By name."""
    return {
        "ratios": ratio_table(frame),
        "trials": trial_table(frame),
        "goals": goal_table(frame),
        "by-table": by_table(frame),
    }


def ratio_table(frame: pl.DataFrame) -> str:
    """Mean regret over that of random search when so much is spent."""
    rows = []
    for method in (TODAY, "starts by cost", OURS):
        for name, one in _by_table(frame):
            ratios = [mean(one, method, f"cost{c:g}") / mean(one, "random", f"cost{c:g}")
                      for c in SHOWN]  # fmt: skip
            rows.append([_words(method), short(name), *(f"{ratio:.2f}" for ratio in ratios)])
    return markdown(["", "table", *(f"{c:g}" for c in SHOWN)], rows)


def trial_table(frame: pl.DataFrame) -> str:
    """Regret after ten trials by cost, less that by trials."""
    rows = []
    for name, one in _by_table(frame):
        row = [short(name)]
        for kind in ("starts", "transfer"):
            by_trials, by_cost = f"{kind} by trials", f"{kind} by cost"
            row += [
                f"{mean(one, by_trials, 'trial10'):.3f}",
                f"{mean(one, by_cost, 'trial10'):.3f}",
            ]
            row.append(interval(gap(one, by_cost, by_trials, "trial10")))
        rows.append(row)
    head = [f"{kind}, {what}" for kind in ("starts", "transfer")
            for what in ("by trials", "by cost", "difference")]  # fmt: skip
    return markdown(["table", *head], rows)


def goal_table(frame: pl.DataFrame) -> str:
    """What was asked of `transfer` by cost, and on how many tables it is so."""
    parts = [one for _, one in _by_table(frame)]
    ratios = {c: [mean(one, OURS, f"cost{c:g}") / mean(one, "random", f"cost{c:g}")
                  for one in parts] for c in SHOWN}  # fmt: skip
    both = [max(two, five) for two, five in zip(ratios[2], ratios[5])]
    worst = [max(ratios[c][i] for c in SHOWN) for i in range(len(parts))]
    losses = [mean(one, OURS, "trial10") - mean(one, TODAY, "trial10") for one in parts]
    n = len(parts)
    rows = [
        [f"at 2 and 5 median trials at most {MOST:g} of random search's regret",
         f"{sum(ratio <= MOST for ratio in both)} of {n}", f"{max(both):.2f}"],
        ["at most 0.3 of it, on two tables", f"{sum(ratio <= 0.3 for ratio in both)} of {n}", ""],
        ["never above random search's", f"{sum(ratio <= 1 for ratio in worst)} of {n}",
         f"{max(worst):.2f}"],
        [f"after 10 trials at most {MOST_WORSE:g} worse than by trials",
         f"{sum(loss <= MOST_WORSE for loss in losses)} of {n}", f"{max(losses):+.3f}"],
    ]  # fmt: skip
    return markdown(["asked", "tables on which it is so", "the worst"], rows)


def by_table(frame: pl.DataFrame) -> str:
    """Mean regret of every method, by table."""
    rows = []
    for name, one in _by_table(frame):
        for (method,), mine in one.group_by("method", maintain_order=True):
            columns = [*(f"cost{c:g}" for c in SHOWN), "trial5", "trial10"]
            rows.append([short(name), str(method), *(f"{mine[c].mean():.3f}" for c in columns)])
    head = [*(f"cost {c:g}" for c in SHOWN), "5 trials", "10 trials"]
    return markdown(["table", "", *head], rows)


def mean(frame: pl.DataFrame, method: str, column: str) -> float:
    """Over draws and targets."""
    return float(frame.filter(method=method)[column].mean())  # type: ignore[arg-type]


def gap(frame: pl.DataFrame, one: str, other: str, column: str) -> Difference:
    """Regret of one method less that of another, paired by draw."""
    wide = frame.pivot("method", index=["draw", "target"], values=column)
    difference = (pl.col(one) - pl.col(other)).mean().alias("gap")
    return over_draws(wide.group_by("draw").agg(difference)["gap"].to_list())


def _by_table(frame: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    return [(str(name), one) for (name,), one in frame.group_by("table", maintain_order=True)]


def _words(method: str) -> str:
    return method.replace("transfer", "`transfer`").replace("starts", "starting points")
