"""New results over old ones: what a plan's new run has not reached yet keeps its old cells.

python -m benchmarks.renew_results plans/sgd.toml new.parquet benchmarks/results/sgd.parquet

writes the second file anew: the cells of the first, and those of the second that the plan still has
and the first lacks. The column `protocol` says which is which.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import polars as pl

from ringfence.bench.plan import read_plan
from ringfence.bench.results import packed, read_results
from ringfence.files import write_atomically

CELL = ("figure", "suite", "task", "method", "replication")


def renewed(new: pl.DataFrame, old: pl.DataFrame, plan: Path) -> pl.DataFrame:
    """The new cells, and the old ones of the plan's figures that are not among them."""
    lines = pl.DataFrame(
        [
            {"figure": e.figure, "suite": Path(suite).stem, "method": name, "place": place}
            for e in read_plan(plan).experiment
            for suite in e.suites
            for place, name in enumerate(e.methods)
        ]
    )
    kept = (
        old.join(new.select(CELL).unique(), on=CELL, how="anti")
        .join(lines, on=("figure", "suite", "method"), how="inner")
        .with_columns(order=pl.col("place").cast(pl.Int32))
    )
    titles = new.group_by("figure").agg(new_title=pl.first("title"))
    kept = kept.join(titles, on="figure", how="left").with_columns(
        title=pl.coalesce("new_title", "title")
    )
    figures = {e.figure: i for i, e in enumerate(read_plan(plan).experiment)}
    both = pl.concat([new, kept.select(new.columns)])
    place = pl.col("figure").replace_strict(figures, return_dtype=pl.Int32)
    return both.sort(place, "suite", "order", "task", "replication", "trial", maintain_order=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("plan", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("old", type=Path)
    options = parser.parse_args()
    frame = renewed(read_results(options.new), read_results(options.old), options.plan)
    write_atomically(options.old, packed(frame))
    cells = frame.select(*CELL, "protocol").unique()
    print(cells.group_by("protocol").len().sort("protocol"))


if __name__ == "__main__":
    main()
