"""The finished cells of benchmarks.transfer: a mean curve for each target, and tables of them.

Means are over targets, each the mean of its cells; standard errors and the 95 % intervals of paired
differences treat the targets of a table as independent. A mean over tables counts each table once.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl

from benchmarks.tables import TABLES
from benchmarks.transfer_methods import WAYS
from ringfence.arrays import FloatArray
from ringfence.bench.significance import Difference, difference

BUDGETS = (5, 10, 25, 50, 100, 200, 400, 800)
"""Numbers of trials to show, as far as the curves go."""
EIGHT = ("svm_rbv2_surrogate", "xgboost_rbv2_surrogate", "ranger_rbv2_surrogate",
         "rf_sklearn_openml100", "xgboost_memento_openml", "xgboost_libsvm10", "mlp_hpobench",
         "fcnet_tabular")  # fmt: skip
"""The tables on which the method was first tried out."""
RANDOM_TRIALS = 50  # of random search, whose regret is the goal for the others


def by_target(cells: Iterable[dict[str, Any]]) -> pl.DataFrame:
    """table, method, target, cells, regret (after each trial), cpu_ms (of a suggestion)."""
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for cell in cells:
        groups[cell["table"], cell["method"], cell["target"]].append(cell)
    rows = [
        {
            "table": table,
            "method": method,
            "target": target,
            "cells": len(group),
            "regret": np.round(np.mean([c["regret"] for c in group], axis=0), 5).tolist(),
            "cpu_ms": round(1e3 * float(np.median([c["cpu"] for c in group])), 2),
        }
        for (table, method, target), group in groups.items()
    ]
    order = {name: i for i, name in enumerate([*TABLES, *WAYS])}
    frame = pl.DataFrame(rows, schema_overrides={"regret": pl.List(pl.Float64)})
    return frame.sort(
        pl.col("table").replace_strict(order), pl.col("method").replace_strict(order), "target"
    )


class Curves:
    """Mean regret after each trial, by table, method and target."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame
        self.by_target: dict[tuple[str, str], dict[str, FloatArray]] = defaultdict(dict)
        for table, method, target, regret in frame.select(
            "table", "method", "target", "regret"
        ).iter_rows():
            self.by_target[table, method][target] = np.array(regret)
        self.tables = [name for name in TABLES if any(name == table for table, _ in self.by_target)]
        shortest = min(len(c) for curves in self.by_target.values() for c in curves.values())
        self.budgets = [n for n in BUDGETS if n <= shortest]

    def methods(self, tables: Sequence[str]) -> list[str]:
        """The methods that ran on each of these tables."""
        return [m for m in WAYS if all((table, m) in self.by_target for table in tables)]

    def curve(self, table: str, method: str) -> FloatArray:
        """The mean over a table's targets."""
        return np.mean(list(self.by_target[table, method].values()), axis=0)

    def over(self, tables: Sequence[str], method: str) -> FloatArray:
        """The mean over tables."""
        return np.mean([self.curve(table, method) for table in tables], axis=0)

    def gap(self, table: str, one: str, other: str, n: int) -> Difference:
        """One method's regret less the other's after `n` trials, paired by target."""
        first, second = self.by_target[table, one], self.by_target[table, other]
        both = [target for target in first if target in second]
        return difference(np.array([first[t][n - 1] - second[t][n - 1] for t in both]))

    def gap_over(self, tables: Sequence[str], one: str, other: str, n: int) -> Difference:
        """The same, the mean over tables: an interval of ±1.96 standard errors."""
        means, errors = [], []
        for table in tables:
            first, second = self.by_target[table, one], self.by_target[table, other]
            gaps = [first[t][n - 1] - second[t][n - 1] for t in first if t in second]
            means.append(np.mean(gaps))
            errors.append(np.var(gaps, ddof=1) / len(gaps))
        mean, half = float(np.mean(means)), 1.96 * math.sqrt(sum(errors)) / len(tables)
        return Difference(mean, mean - half, mean + half, len(tables))

    def needed(self, table: str, method: str) -> str:
        """The trials until the mean regret is at most random search's after 50."""
        goal = self.curve(table, "random")[RANDOM_TRIALS - 1]
        return trials_to(goal, self.curve(table, method))


def trials_to(goal: float, curve: FloatArray) -> str:
    """The trials until a curve is at the goal."""
    reached = np.flatnonzero(curve <= goal + 1e-12)
    return str(reached[0] + 1) if len(reached) else f"> {len(curve)}"


def worth_table(curves: Curves, methods: Sequence[str]) -> str:
    """The mean over all tables in trials of random search and of a Gaussian process."""
    random, gp = (curves.over(curves.tables, rival) for rival in ("random", "gp"))
    last = RANDOM_TRIALS - 1
    rows = []
    for method in methods:
        mean = curves.over(curves.tables, method)
        goals = [
            trials_to(mean[4], random),
            trials_to(random[last], mean),
            trials_to(gp[last], mean),
        ]
        rows.append([method, *goals])
    head = ["", "its first 5 are worth so many of random", "random's 50 after", "gp's 50 after"]
    return markdown(head, rows)


def unsolved_table(curves: Curves) -> str:
    """The targets whose best row was not found, with the regret at the end."""
    frame = curves.frame.with_columns(last=pl.col("regret").list.last()).filter(pl.col("last") > 0)
    cells = frame.select("table", "target", "method", "last").sort("table", "target", "method")
    rows = [[t, target, method, f"{last:.3f}"] for t, target, method, last in cells.iter_rows()]
    return markdown(["table", "target", "method", "regret at the end"], rows)


def means_table(curves: Curves, tables: Sequence[str], methods: Sequence[str]) -> str:
    """Mean regret over tables after some trials."""
    rows = [
        [method, *(f"{curves.over(tables, method)[n - 1]:.3f}" for n in curves.budgets)]
        for method in methods
    ]
    return markdown(["after so many trials", *map(str, curves.budgets)], rows)


def needed_table(curves: Curves, tables: Sequence[str], methods: Sequence[str]) -> str:
    """Trials to random search's regret after 50, by table."""
    rows = [[method, *(curves.needed(table, method) for table in tables)] for method in methods]
    return markdown(["", *map(short, tables)], rows)


def verdicts_table(curves: Curves, pairs: Iterable[tuple[str, str]]) -> str:
    """On how many tables the first of two methods is better / not told apart / worse."""
    kinds = ("better", "no difference seen", "worse")
    rows = []
    for one, other in pairs:
        row = [one, other]
        for n in curves.budgets:
            answers = [curves.gap(table, one, other, n).answer for table in curves.tables]
            row.append(" / ".join(str(answers.count(kind)) for kind in kinds))
        rows.append(row)
    return markdown(["", "than", *(f"at {n}" for n in curves.budgets)], rows)


def losses(curves: Curves, ours: Sequence[str], rivals: Sequence[str]) -> str:
    """The tables and trials at which one of ours is worse, with the difference."""
    rows = [
        [one, rival, short(table), str(n), interval(gap)]
        for one in ours
        for rival in rivals
        for table in curves.tables
        for n in curves.budgets
        if (gap := curves.gap(table, one, rival, n)).answer == "worse"
    ]
    return markdown(["", "than", "table", "trials", "difference"], rows)


def parts_table(curves: Curves, method: str, variants: Sequence[str]) -> str:
    """How much more regret a method has without one of its parts, the mean over tables."""
    rows = [
        [v, *(interval(curves.gap_over(curves.tables, v, method, n)) for n in curves.budgets)]
        for v in variants
    ]
    return markdown(["", *(f"at {n}" for n in curves.budgets)], rows)


def one_table(curves: Curves, table: str) -> str:
    """A table's mean regrets with standard errors, and the CPU time of a suggestion."""
    rows = []
    for method in curves.methods([table]):
        regrets = np.array(list(curves.by_target[table, method].values()))
        cpu = curves.frame.filter(table=table, method=method)["cpu_ms"].median()
        rows.append([method, *(_mean(regrets[:, n - 1]) for n in curves.budgets), f"{cpu:.1f}"])
    return markdown(["after so many trials", *map(str, curves.budgets), "CPU ms"], rows)


def gaps_table(curves: Curves, table: str, one: str) -> str:
    """One method's regret less each other's on a table: below zero if it is better."""
    others = [method for method in curves.methods([table]) if method != one]
    rows = [
        [other, *(interval(curves.gap(table, one, other, n)) for n in curves.budgets)]
        for other in others
    ]
    return markdown([f"{one} less", *map(str, curves.budgets)], rows)


def short(table: str) -> str:
    """A table's name in a column's head."""
    for ending in ("_surrogate", "_tabular", "_hpobench", "_openml"):
        table = table.removesuffix(ending)
    return table.replace("_sklearn", "")


def interval(gap: Difference) -> str:
    return f"{gap.mean:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]"


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _mean(regrets: FloatArray) -> str:
    """The mean over targets and its standard error."""
    error = regrets.std(ddof=1) / math.sqrt(len(regrets)) if len(regrets) > 1 else 0.0
    return f"{regrets.mean():.3f} ± {error:.3f}"
