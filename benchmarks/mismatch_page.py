"""The tables of docs/mismatch.md from the committed results of benchmarks.mismatch."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import polars as pl
from scipy.stats import t as student

from benchmarks.mismatch_knowers import WAYS
from benchmarks.transfer_curves import interval, markdown, short
from benchmarks.transfer_page import filled
from ringfence.bench.pairs import Difference

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "mismatch.md"
RESULTS = HERE / "results" / "mismatch" / "cells.parquet"
BUDGETS = (5, 10)
METHODS = {"starts": "starting points", "transfer": "`transfer`"}


def take(folder: Path) -> None:
    """The finished cells of a folder become the results."""
    cells = [
        line for path in sorted(folder.glob("*.json")) for line in json.loads(path.read_text())
    ]
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    frame = pl.DataFrame(cells, infer_schema_length=None).with_columns(pl.col("target").cast(str))
    order = ["part", "table", "draw", "target", "history", "method"]
    frame.select(*order, pl.exclude(order)).sort(order).write_parquet(RESULTS, compression="zstd")


def write(*, check: bool) -> int:
    """Write the page, or say whether it is what the results give."""
    frame = pl.read_parquet(RESULTS)
    text = PAGE.read_text("utf-8")
    new = filled(text, tables(frame))
    if check:
        print("the page is what the results give" if new == text else "it differs: make results")
        return 0 if new == text else 1
    PAGE.write_text(new, "utf-8")
    return 0


def tables(frame: pl.DataFrame) -> dict[str, str]:
    """By name."""
    parts = {part: frame.filter(part=part) for part in frame["part"].unique()}
    return {
        "kept": kept_table(parts["tables"]),
        "worse": worse_table(parts["tables"]),
        "by-table": by_table(parts["tables"]),
        "families": family_table(parts["families"]),
        "published": published_table(parts["families"]),
        "incumbents": incumbents_table(parts["incumbents"]),
        "ranges": ranges_table(parts["ranges"]),
        "knowers": knowers_table(parts["knowers"]),
        "check": check_table(parts["check"]),
    }


def kept_table(frame: pl.DataFrame) -> str:
    """Which share of the gain over random search each history keeps, all tables together."""
    rows = []
    for method, words in METHODS.items():
        for history in ("left out", "hidden", "cut"):
            row = [words, history]
            for n in BUDGETS:
                kept = [gain(one, method, history, n) for _, one in frame.group_by("table")]
                whole = [gain(one, method, "intact", n) for _, one in frame.group_by("table")]
                row.append(f"{np.mean(kept) / np.mean(whole):.0%}")
            rows.append(row)
    return markdown(["", "history", *(f"at {n}" for n in BUDGETS)], rows)


def worse_table(frame: pl.DataFrame) -> str:
    """On how many tables a changed history is better / not told apart / worse than leaving the
    changed half out; and which those are."""
    kinds = ("better", "no difference seen", "worse")
    rows = []
    for method, words in METHODS.items():
        for history in ("hidden", "cut"):
            row, where = [words, history], []
            for n in BUDGETS:
                gaps = {
                    str(name): gap(one, method, history, "left out", n)
                    for (name,), one in frame.group_by("table", maintain_order=True)
                }
                answers = [each.answer for each in gaps.values()]
                row.append(" / ".join(str(answers.count(kind)) for kind in kinds))
                where += [
                    f"{short(name)} at {n}: {interval(each)}"
                    for name, each in gaps.items()
                    if each.answer == "worse"
                ]
            rows.append([*row, "; ".join(where)])
    return markdown(["", "history", *(f"at {n}" for n in BUDGETS), "worse on"], rows)


def by_table(frame: pl.DataFrame) -> str:
    """Random search, the intact history and what the changed ones keep of its gain, by table."""
    rows = []
    for (name,), one in frame.group_by("table", maintain_order=True):
        for method, words in METHODS.items():
            row = [short(str(name)), words]
            for n in BUDGETS:
                random = one.filter(method=method, history="intact")[f"random{n}"].mean()
                whole = gain(one, method, "intact", n)
                row += [f"{random:.3f}", f"{random - whole:.3f}"]
                row += [
                    f"{gain(one, method, h, n) / whole:.0%}" for h in ("left out", "hidden", "cut")
                ]
            rows.append(row)
    head = [f"{what}, {n}" for n in BUDGETS
            for what in ("random", "intact", "left out", "hidden", "cut")]  # fmt: skip
    return markdown(["table", "", *head], rows)


def family_table(frame: pl.DataFrame) -> str:
    """The joint history against the target's own table, by regret."""
    rows = []
    for (name,), one in frame.group_by("table", maintain_order=True):
        if not str(name).startswith("mlp"):
            for method, words in METHODS.items():
                rows.append([str(name), words, *_own_and_joint(one, method)])
    return markdown(["targets of", "", *_heads()], rows)


def published_table(frame: pl.DataFrame) -> str:
    """The same by distance, for histories of one row a task."""
    rows = []
    for (name,), one in frame.group_by("table", maintain_order=True):
        if str(name).startswith("mlp"):
            rows.append([str(name), *_own_and_joint(one, "starts")])
    return markdown(["targets of", *_heads()], rows)


def incumbents_table(frame: pl.DataFrame) -> str:
    """Mean regret over the tables after 1, 5 and 10 trials, and less that of random draws inside
    the box, paired by draw."""
    rows = []
    for method in ("random", "box", "any", "cover"):
        mine = frame.filter(method=method)
        row = [method, *(f"{mine[f'at{n}'].mean():.3f}" for n in (1, *BUDGETS))]
        row += [
            "" if method == "box" else interval(over_tables(frame, method, "box", n))
            for n in (1, *BUDGETS)
        ]
        rows.append(row)
    head = [*(f"at {n}" for n in (1, *BUDGETS)), *(f"less box, {n}" for n in (1, *BUDGETS))]
    return markdown(["", *head], rows)


def ranges_table(frame: pl.DataFrame) -> str:
    """The box with and without open sides, random search inside it, means over the tables."""
    rows = []
    for history in ("half", "all"):
        one = frame.filter(history=history)
        row = [history]
        for n in BUDGETS:
            row.append(f"{one[f'random{n}'].mean():.3f}")
            row += [f"{one.filter(method=m)[f'at{n}'].mean():.3f}"
                    for m in ("intact box", "box", "open box")]  # fmt: skip
            row.append(interval(over_tables(one, "open box", "box", n)))
        rows.append(row)
    head = [f"{what}, {n}" for n in BUDGETS
            for what in ("random", "intact box", "box", "open box", "open less box")]  # fmt: skip
    return markdown(["sources cut", *head], rows)


def knowers_table(frame: pl.DataFrame) -> str:
    """Random search inside the box by the number of tasks that know a third of the parameters."""
    rows = []
    for (history,), one in sorted(frame.group_by("history")):
        row = [str(history)]
        for n in BUDGETS:
            row += [f"{one.filter(method=way)[f'at{n}'].mean():.3f}" for way in WAYS]
            row += [interval(over_tables(one, "room", other, n)) for other in ("plain", "whole")]
        rows.append(row)
    head = [f"{what}, {n}" for n in BUDGETS
            for what in (*WAYS, "room less plain", "room less whole")]  # fmt: skip
    return markdown(["tasks that know", *head], rows)


def check_table(frame: pl.DataFrame) -> str:
    """How often the 90 % interval of the speed-up of a box holds the true one."""
    rows = []
    for history in ("none", "half", "all but one"):
        one = frame.filter(history=history).drop_nulls(["true_speed_up", "low"])
        true = one["true_speed_up"]
        inside = (one["low"] <= true) & (true <= one["high"])
        error, width = ((one["speed_up"] / true).log(), (one["high"] / one["low"]).log())
        false = (one["verdict"] == "helps") & (true < 1.0)
        false |= (one["verdict"] == "hurts") & (true > 1.0)
        spread = float(np.sqrt((error**2).mean()))
        half = width.mean() / 2  # type: ignore[operator]
        cells = [f"{inside.mean():.0%}", f"{spread:.2f}", f"± {half:.2f}", str(false.sum())]
        rows.append([history, str(one.height), *cells])
    head = ["tasks that lack", "checks", "truth in the interval", "error of log", "interval of log",
            "false verdicts"]  # fmt: skip
    return markdown(head, rows)


def gain(frame: pl.DataFrame, method: str, history: str, n: int) -> float:
    """Regret of random search less that of a method, the mean over draws and targets."""
    one = frame.filter(method=method, history=history)
    return float((one[f"random{n}"] - one[f"at{n}"]).mean())  # type: ignore[arg-type, operator]


def gap(frame: pl.DataFrame, method: str, one: str, other: str, n: int) -> Difference:
    """Regret with one history less that with another, paired by draw."""
    wide = frame.filter(method=method).pivot(
        "history", index=["draw", "target"], values=f"at{n}", aggregate_function="mean"
    )
    difference = (pl.col(one) - pl.col(other)).mean().alias("gap")
    return over_draws(wide.group_by("draw").agg(difference)["gap"].to_list())


def over_tables(frame: pl.DataFrame, one: str, other: str, n: int) -> Difference:
    """Regret of one method less that of another: the mean over tables, paired by draw."""
    wide = frame.pivot(
        "method", index=["table", "draw", "target"], values=f"at{n}", aggregate_function="mean"
    )
    difference = (pl.col(one) - pl.col(other)).mean().alias("gap")
    by_cell = wide.group_by("table", "draw").agg(difference)
    return over_draws(by_cell.group_by("draw").agg(pl.col("gap").mean())["gap"].to_list())


def over_draws(gaps: Iterable[float]) -> Difference:
    """The mean with its 95 % t interval; draws are independent."""
    values = np.array(list(gaps))
    half = student.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    mean = float(values.mean())
    return Difference(mean, mean - half, mean + half, len(values))


def _own_and_joint(frame: pl.DataFrame, method: str) -> list[str]:
    row = []
    for n in BUDGETS:
        one = frame.filter(method=method)
        row.append(f"{one[f'random{n}'].mean():.3f}")
        row += [f"{one.filter(history=h)[f'at{n}'].mean():.3f}" for h in ("own", "joint")]
        row.append(interval(gap(frame, method, "joint", "own", n)))
    return row


def _heads() -> list[str]:
    return [
        f"{what}, {n}" for n in BUDGETS for what in ("random", "own", "joint", "joint less own")
    ]
