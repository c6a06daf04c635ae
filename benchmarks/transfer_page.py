"""The numbers of docs/transfer.md, the page behind them, and the picture, from committed results.

    python -m benchmarks.transfer_page            write them
    python -m benchmarks.transfer_page --check    only say whether they are what the results give
    python -m benchmarks.transfer_page --take FOLDER ... [--long FOLDER ...]
                                                  take the finished cells of benchmarks.transfer for
                                                  the results first; --long: those of 800 trials

In docs/transfer.md the tables stand between lines `<!-- numbers: NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.cells import cells_file, read_lines
from benchmarks.folding import folded
from benchmarks.transfer_curves import (
    EIGHT,
    Curves,
    by_target,
    gaps_table,
    losses,
    means_table,
    needed_table,
    one_table,
    parts_table,
    unsolved_table,
    verdicts_table,
    worth_table,
)

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
TEXT, DETAILS, PICTURE = (
    DOCS / name for name in ("transfer.md", "transfer-results.md", "pictures/transfer.png")
)
FIFTY, LONG = (HERE / "results" / "transfer" / f"{name}.parquet" for name in ("fifty", "long"))
OURS = ("transfer", "starts + gp", "starts + random")
RIVALS = ("random", "gp", "box", "slack box", "ellipsoid", "box + gp", "gp-warm-start")
SHAPES = (
    ("box", "random"),
    ("slack box", "random"),
    ("ellipsoid", "random"),
    ("box + gp", "gp"),
    ("box + starts + gp, guarded", "starts + gp"),
    ("box + transfer, guarded", "transfer"),
)
GUARDED = ("box + starts + gp, guarded", "box + transfer, guarded")
PARTS = ("transfer, equal weights", "transfer, no stall rule", "transfer, mean only",
         "transfer, no prior", "transfer, cover only", "transfer, process only")  # fmt: skip
COLORS = {
    "random": "#9aa0a6",
    "gp": "#5f6368",
    "box": "#c58b00",
    "box + gp": "#8a6100",
    "starts + random": "#7fb3d5",
    "starts + gp": "#1f77b4",
    "transfer": "#b3261e",
}
HEAD = """\
# Starting points and transfer: all numbers

Behind [the tables of the method's page](transfer.md#numbers); `python -m benchmarks.transfer_page`
writes both. Mean regret ± its standard error, 0 at the best row of the target's candidates and 1 at
the median one; then one method's regret less another's, paired by target, with a 95 % t interval:
below zero where the first is better. *CPU ms* is the median time of a suggestion from the eleventh
trial on; a cell ends where the best row is found.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the pages, or compare them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--take", type=Path, nargs="+", default=[], metavar="FOLDER")
    parser.add_argument("--long", type=Path, nargs="+", default=[], metavar="FOLDER")
    options = parser.parse_args(arguments)
    for folders, path in ((options.take, FIFTY), (options.long, LONG)):
        if folders:
            cells = [cell for folder in folders for cell in read_lines(cells_file(folder))]
            path.parent.mkdir(exist_ok=True)
            by_target(cells).write_parquet(path, compression="zstd")
    curves, long = (Curves(pl.read_parquet(path)) for path in (FIFTY, LONG))
    text = filled(TEXT.read_text("utf-8"), numbers(curves, long))
    pages = {TEXT: text, DETAILS: details(curves, long)}
    if options.check:
        same = all(p.exists() and p.read_text("utf-8") == new for p, new in pages.items())
        print("the pages are what the results give" if same else "a page differs: make results")
        return 0 if same else 1
    for page, new in pages.items():
        page.write_text(new, "utf-8")
    draw(curves, PICTURE)
    return 0


def numbers(curves: Curves, long: Curves) -> dict[str, str]:
    """The tables of docs/transfer.md by name."""
    others = [table for table in curves.tables if table not in EIGHT]
    main_ones = [*RIVALS, *reversed(OURS)]
    return {
        "eight": means_table(curves, EIGHT, main_ones),
        "others": means_table(curves, others, main_ones),
        "needed": needed_table(curves, [*EIGHT, *others], ["gp", "box + gp", *reversed(OURS)]),
        "worth": worth_table(curves, [*RIVALS, *reversed(OURS)]),
        "verdicts": verdicts_table(curves, product(OURS, RIVALS)),
        "shapes": verdicts_table(curves, SHAPES),
        "parts": parts_table(curves, "transfer", PARTS),
        "box": means_table(
            curves,
            curves.tables,
            [*RIVALS[:6], "starts + random", "starts + gp", GUARDED[0], "transfer", GUARDED[1]],
        ),
        "long": means_table(long, long.tables, long.methods(long.tables)),
        "long-verdicts": verdicts_table(long, [("transfer", "gp")]),
    }


def filled(text: str, tables: dict[str, str]) -> str:
    """The page with its numbers replaced."""
    for name, table in tables.items():
        begin = f"<!-- numbers: {name} -->"
        if begin not in text:
            raise ValueError(f"{TEXT.name} has no line {begin}")
        block = re.compile(re.escape(begin) + r".*?<!-- end -->", re.DOTALL)
        text = block.sub(lambda _, new=f"{begin}\n{table}\n<!-- end -->": new, text)
    return text


def details(curves: Curves, long: Curves) -> str:
    """The text of docs/transfer-results.md."""
    worse = folded("By table", losses(curves, OURS, RIVALS), is_open=True)
    parts = [HEAD.strip(), "## Where one of ours is worse", worse]
    for table in [*EIGHT, *(table for table in curves.tables if table not in EIGHT)]:
        targets, cells = _sizes(curves, table)
        parts += [f"## {table}", f"{targets} targets, {cells:,} cells."]
        parts.append(folded("Mean regret of each method", one_table(curves, table)))
        gaps = [gaps_table(curves, table, one) for one in OURS]
        parts.append(folded("Paired differences", *gaps))
    parts += ["## Sixteen times the trials", "Targets whose best row was not found:"]
    parts.append(unsolved_table(long))
    for table in long.tables:
        targets, cells = _sizes(long, table)
        parts += [f"### {table}, {long.budgets[-1]} trials", f"{targets} targets, {cells:,} cells."]
        long_tables = one_table(long, table), gaps_table(long, table, "transfer")
        parts.append(folded("Mean regret, and paired differences", *long_tables))
    return "\n\n".join(parts) + "\n"


def draw(curves: Curves, path: Path) -> None:
    """Mean regret over all tables against trials."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
    for method, color in COLORS.items():
        mean = curves.over(curves.tables, method)
        axes.plot(np.arange(1, len(mean) + 1), mean, color=color, label=method, lw=1.8)
    axes.set(xscale="log", yscale="log", xlabel="trials", ylabel="mean regret (0 best, 1 median)")
    axes.set_xticks([1, 2, 5, 10, 25, 50], labels=["1", "2", "5", "10", "25", "50"])
    axes.set_yticks([0.5, 0.2, 0.1, 0.05, 0.02], labels=["0.5", "0.2", "0.1", "0.05", "0.02"])
    axes.minorticks_off()
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize=8)
    axes.set_title(f"a new task, mean over {len(curves.tables)} tables", fontsize=10)
    figure.savefig(path, dpi=130)


def _sizes(curves: Curves, table: str) -> tuple[int, int]:
    rows = curves.frame.filter(table=table)
    return rows["target"].n_unique(), int(rows["cells"].sum())


if __name__ == "__main__":
    sys.exit(main())
