"""The numbers of docs/tables.md, from the tables in benchmarks/data/tables-own.

python -m benchmarks.own_tables.page            # prints them
python -m benchmarks.own_tables.page --write    # puts them into the page
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.own_tables.learners import LEARNERS
from benchmarks.own_tables.pieces import BLOCKS, OWN, SHARED
from benchmarks.own_tables.spaces import space_of

ROOT = Path(__file__).parents[2]
TABLES = ROOT / "benchmarks" / "data" / "tables-own"
PAGE = ROOT / "docs" / "tables.md"
NEAR_BEST = 0.05
"""The best 5 % of a task's configurations: one alone is chance."""
PLANNED = BLOCKS * (SHARED + OWN)
"""Configurations of a task, when all its pieces are done."""
LEAST = 20
"""Finished runs of a task that a share of them says something about."""
TREES = {"forest": "num.trees", "xgboost": "nrounds"}
STEPS = (400, 1000, 1500)
Rows = list[dict[str, str]]


def main() -> None:
    """Prints or writes the numbers."""
    text = numbers()
    if "--write" not in sys.argv:
        print(text)
        return
    marked = r"(<!-- numbers -->\n).*?(<!-- /numbers -->)"
    old = PAGE.read_text(encoding="utf-8")
    new = re.sub(marked, lambda m: f"{m[1]}\n{text}\n\n{m[2]}", old, flags=re.DOTALL)
    PAGE.write_text(new, encoding="utf-8")


def numbers(folder: Path = TABLES) -> str:
    """All tables of the page."""
    tables = {
        learner: judged(pl.read_parquet(folder / f"{learner}.parquet"))
        for learner in LEARNERS
        if (folder / f"{learner}.parquet").exists()
    }
    shown = (
        ("What there is", overview(tables)),
        ("What failed", failures(tables)),
        ("Where the time limit ends", limits(tables)),
        ("The library's default", defaults(tables)),
        ("Off, or a number", switches(tables)),
    )
    return "\n\n".join(f"### {title}\n\n{markdown(rows)}" for title, rows in shown if rows)


def judged(table: pl.DataFrame) -> pl.DataFrame:
    """With `loss` (error, or RMSE for a regression), and `regret`: 0 for the task's best
    configuration, 1 for the median one that finished; null if all that finished are alike."""
    measures = [pl.col(name) for name in ("error", "rmse") if name in table.columns]
    table = table.with_columns(
        pl.coalesce(measures).alias("loss"),
        *([] if "rmse" in table.columns else [pl.lit(None, pl.Float32).alias("rmse")]),
    )
    drawn = pl.col("loss").filter(pl.col("origin") != "default")
    best, middle = drawn.min().over("task"), drawn.median().over("task")
    regret = pl.when(middle > best).then((pl.col("loss") - best) / (middle - best))
    return table.with_columns(regret.alias("regret"))


def overview(tables: Mapping[str, pl.DataFrame]) -> Rows:
    """Rows, tasks, configurations and seconds of each learner."""
    found = []
    for learner, table in tables.items():
        kinds = table.group_by("task").agg(
            (pl.col("origin") != "default").sum().alias("drawn"),
            pl.col("rmse").is_not_null().any().alias("regression"),
        )
        drawn, whole = kinds["drawn"], kinds.filter(pl.col("drawn") == PLANNED)["regression"]
        seconds = table.select(pl.col("fit_seconds") + pl.col("predict_seconds")).to_series()
        found.append({
            "learner": learner,
            "parameters": str(len(space_of(learner, True)["parameters"])),
            "classification tasks": str(kinds.height - int(kinds["regression"].sum())),
            "regression tasks": str(int(kinds["regression"].sum())),
            "configurations a task": f"{drawn.min()} to {drawn.max()}",
            f"with all {PLANNED}": f"{whole.len() - int(whole.sum())} + {int(whole.sum())}",
            "rows": f"{table.height:,}",
            "median seconds": f"{seconds.median():.2f}",
        })  # fmt: skip
    return found


def failures(tables: Mapping[str, pl.DataFrame]) -> Rows:
    """How many rows of each learner did not finish, and why; learners without any are left out."""
    found = []
    for learner, table in tables.items():
        counts = dict(table["status"].value_counts().iter_rows())
        counts.pop("ok", None)
        tasks = table.filter(pl.col("status") != "ok")["task"].value_counts(sort=True)["task"]
        if counts:
            found.append({
                "learner": learner,
                "failed": f"{100 * sum(counts.values()) / table.height:.1f} %",
                "why": ", ".join(f"{n:,} {k}" for k, n in sorted(counts.items())),
                "most of them on": ", ".join(tasks.head(3)),
            })  # fmt: skip
    return found


def limits(tables: Mapping[str, pl.DataFrame]) -> Rows:
    """The share of timeouts by the number of trees."""
    found = []
    for learner, parameter in TREES.items():
        if learner not in tables:
            continue
        trees, late = tables[learner][parameter], tables[learner]["status"] == "timeout"
        row = {"learner": learner, "parameter": f"`{parameter}`"}
        for low, high in pairwise((1, *STEPS, 5001)):
            inside = trees.is_between(low, high, closed="left")
            name = f"{low:,} to {high - 1:,}" if high <= STEPS[-1] else f"{low:,} and more"
            row[name] = f"{100 * float(late.filter(inside).mean() or 0):.0f} %"
        found.append(row)
    return found


def defaults(tables: Mapping[str, pl.DataFrame]) -> Rows:
    """How good the library's default is among the task's own configurations."""
    found = []
    for learner, table in tables.items():
        default = table.filter(pl.col("origin") == "default", pl.col("regret").is_not_null())
        beaten = [
            float((others["loss"] < loss).sum()) / others.height
            for task, loss in default.select("task", "loss").iter_rows()
            if (
                others := table.filter(pl.col("task") == task, pl.col("origin") != "default")
            ).height
        ]
        if beaten:
            found.append({
                "learner": learner,
                "tasks": str(default.height),
                "median regret": f"{default['regret'].median():.2f}",
                "mean regret (at most 1)": f"{default['regret'].clip(upper_bound=1.0).mean():.2f}",
                "random configurations that beat it": f"{100 * float(np.mean(beaten)):.0f} %",
            })  # fmt: skip
    return found


def switches(tables: Mapping[str, pl.DataFrame]) -> Rows:
    """For parameters that can be off: how often they are, among all and among the best."""
    found = []
    for learner, table in tables.items():
        finished = table.filter(pl.col("origin") != "default", pl.col("loss").is_not_null())
        finished = finished.filter(pl.len().over("task") >= LEAST)
        rank = pl.col("loss").rank("average").over("task") / pl.len().over("task")
        best = finished.filter(rank <= NEAR_BEST)
        for name, what in space_of(learner, False)["parameters"].items():
            if "off" in what and best.height:
                off = [100 * float((t[name] == what["off"]).mean()) for t in (finished, best)]
                found.append({
                    "learner": learner,
                    "parameter": f"`{name}`",
                    "off": f"{what['off']:g}",
                    "of all": f"{off[0]:.0f} %",
                    f"of each task's best {NEAR_BEST:.0%}": f"{off[1]:.0f} %",
                })  # fmt: skip
    return found


def markdown(rows: Rows) -> str:
    """A table, as Markdown."""
    head = list(rows[0])
    lines = [head, ["---"] * len(head), *([row[name] for name in head] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


if __name__ == "__main__":
    main()
