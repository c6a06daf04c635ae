"""Cases: a history cut out of a table, what the check says of it, and the truth.

A case is a table, a draw of tasks, a number of tasks, a way in which rows were chosen and a number
of rows a task. For each of several settings the check leaves each task out; the truth is what the
same leave-one-out regions give on all rows of the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import ringfence as rf
from benchmarks.calibration.tables import OTHER_OBJECTIVES, CalibrationTable
from benchmarks.calibration.traces import WAYS, recorded
from ringfence.arrays import FloatArray, IntArray
from ringfence.checking.api import compare_settings
from ringfence.checking.belief.regret_scale import FULL_DRAWS
from ringfence.checking.comparison import SETTINGS
from ringfence.checking.leave_one_out import LeaveOneOut
from ringfence.checking.left_out.speedup import worth
from ringfence.checking.left_out.tasks import DRAWS
from ringfence.checking.starting_points import judge_starts, starts_by_task
from ringfence.checking.verdict import JUDGED_AT
from ringfence.history import PreparedHistory, RowChoice
from ringfence.learned.records import Settings
from ringfence.learned.settings import checked_settings, describe

ROWS = (16, 24, 32, 64, 128, 256)
LONGEST = {"pruned tpe": 64}  # complete trials; most of the later ones are pruned
SIZES = (12, 30, 1000)  # numbers of tasks; 1000 stands for all
DRAWS_OF_SIZE = {12: 8, 30: 8, 1000: 1}
CHECKED: tuple[dict[str, Any], ...] = (
    {"shape": "box"},
    {"shape": "ellipsoid", "outliers": 0.1, "refit": True},
    {"shape": "box", "outliers": 0.5},
)
TRUE_ROWS = 40  # rows inside on which the truth of a task must rest: fewer are biased by 10 %
UNKNOWN = 0.1  # share of tasks that may have fewer


@dataclass(frozen=True)
class Case:
    table: str
    draw: int
    size: int
    way: str
    rows: int

    @property
    def key(self) -> str:
        return f"{self.table} {self.draw} {self.size} {self.way} {self.rows}"


def cases_of(table: CalibrationTable, sizes: Sequence[int], ways: Sequence[str]) -> Iterator[Case]:
    """The cases of one table; a size that the table does not have is left out."""
    n_tasks = len(table.tasks)
    for size in sizes:
        if size < 1000 and size > max(n_tasks, 12):
            continue
        if size == 1000 and n_tasks <= 30:  # the same as twelve or thirty
            continue
        n_draws = 4 if table.name in OTHER_OBJECTIVES else DRAWS_OF_SIZE[size]
        for draw in range(n_draws):
            for way in ways:
                for rows in ROWS:
                    if rows <= LONGEST.get(way, rows):
                        yield Case(table.name, draw, size, way, rows)


class Traces:
    """The order in which each way records the rows of a task, kept in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read: dict[Path, dict[str, IntArray]] = {}

    def rows(self, table: CalibrationTable, number: int, way: str, draw: int, n: int) -> IntArray:
        task = table.tasks[number]
        if way == "random":
            rng = np.random.default_rng([draw, number, WAYS.index(way)])
            size, chances = min(max(ROWS), len(task.values)), task.weights
            return rng.choice(len(task.values), size, replace=False, p=chances)[:n]
        path = self.folder / f"{table.name.replace(':', '--')}-{way}-{draw}.npz".replace(" ", "-")
        if path not in self._read:
            self._read[path] = dict(np.load(path)) if path.exists() else {}
        known = self._read[path]
        if str(number) not in known:
            longest = LONGEST.get(way, max(ROWS))
            seed = [draw, number, WAYS.index(way)]
            known[str(number)] = recorded(way, task.rows, task.values, table.choices, longest, seed)
            self.folder.mkdir(parents=True, exist_ok=True)
            np.savez_compressed(path, **known)
        return known[str(number)][:n]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A case with its history."""

    table: CalibrationTable
    case: Case
    tasks: list[int]
    left_out: LeaveOneOut

    @classmethod
    def of(cls, table: CalibrationTable, case: Case, traces: Traces) -> Prepared:
        order = np.random.default_rng([case.draw, 1]).permutation(len(table.tasks))
        tasks = order[: case.size].tolist()
        chosen = {t: traces.rows(table, t, case.way, case.draw, case.rows) for t in tasks}
        prepared = PreparedHistory.of(table.history(tasks, chosen), table.space, rf.check)
        return cls(table, case, tasks, LeaveOneOut.of(prepared, RowChoice()))

    @property
    def median_rows(self) -> float:
        """Rows of a task: fewer than asked for if the trace is shorter."""
        return float(np.median([task.n_rows for task in self.left_out.tasks]))

    def truth(self, settings: Settings) -> tuple[FloatArray, FloatArray, float]:
        """Mean regret inside (k,) and in the full space, and the share of tasks without enough rows
        for the truth."""
        everyone = np.ones(len(self.tasks), dtype=bool)
        sources = self.left_out.sources(settings)
        curves, short = [], 0
        for position, number in enumerate(self.tasks):
            curve, n_rows = self.table.inside(number, *sources.fit(settings, everyone, [position]))
            curves.append(curve)
            short += n_rows < TRUE_ROWS
        return np.mean(curves, axis=0), self.full, short / len(self.tasks)

    @property
    def full(self) -> FloatArray:
        return np.asarray(np.mean([self.table.tasks[t].full for t in self.tasks], axis=0))

    def settings(self, arguments: dict[str, Any]) -> Settings:
        return self.left_out.completed(checked_settings(**arguments))


def check_case(prepared: Prepared) -> list[dict[str, Any]]:
    """What the check says of each setting, and the truth."""
    found = []
    for arguments in CHECKED:
        settings = prepared.settings(arguments)
        inside, full, short = prepared.truth(settings)
        check = prepared.left_out.check(settings, lambda: None)
        found.append(_record(prepared, describe(settings), check, inside, full, short))
    return found


def starts_case(prepared: Prepared, n: int = 10) -> list[dict[str, Any]]:
    """The same for starting points; they are chosen among the rows of the table inside."""
    table, left_out = prepared.table, prepared.left_out
    numbers = {table.tasks[number].name: number for number in prepared.tasks}
    candidates = {name: table.tasks[number].rows for name, number in numbers.items()}
    chosen = starts_by_task(left_out, prepared.settings(CHECKED[0]), n, candidates)
    check = judge_starts(left_out, chosen, n)
    if not check.speed_ups:
        return []
    curves = [_true_starts(table, numbers[name], rows) for name, rows in chosen.items()]
    full = np.mean([table.tasks[numbers[name]].full for name in chosen], axis=0)
    setting = f"first {n} starts"
    return [_record(prepared, setting, check, np.mean(curves, axis=0), full, 0.0)]


def _true_starts(table: CalibrationTable, number: int, rows: FloatArray) -> FloatArray:
    """Regret after each number of DRAWS of these rows of the table."""
    task, keys = table.tasks[number], table.layout.keys
    by_key = dict(zip(reversed(keys(task.rows)), reversed(task.regret.tolist())))
    best = np.minimum.accumulate([by_key[key] for key in keys(rows)])
    return np.array([best[min(k, len(best)) - 1] for k in DRAWS])


def choice_case(prepared: Prepared) -> list[dict[str, Any]]:
    """What `auto` takes, and the true regret after ten draws of each setting, of that choice and of
    the full space."""
    comparison = compare_settings(
        prepared.left_out, nested=False, settings=[*SETTINGS, {"shape": "full"}]
    )
    column = DRAWS.index(JUDGED_AT)
    outcomes = {}
    for check in comparison.checks:
        inside, full, short = prepared.truth(check.settings)
        if check.settings.shape == "full":
            inside, short = expected_full(full), 0.0
        up = next((up for up in check.speed_ups if up.draws == JUDGED_AT), None)
        outcomes[describe(check.settings)] = {
            "regret": float(inside[column]) if short <= UNKNOWN else None,
            "verdict": check.verdict,
            "speed_up": None if up is None else [up.value, up.low, up.high],
        }
    return [_name(prepared) | {"chosen": describe(comparison.settings), "outcomes": outcomes}]


def expected_full(full: FloatArray) -> FloatArray:
    """Of a curve over FULL_DRAWS, the entries of DRAWS."""
    return full[[FULL_DRAWS.index(k) for k in DRAWS]]


def _name(prepared: Prepared) -> dict[str, Any]:
    case = prepared.case
    return {
        "table": case.table,
        "draw": case.draw,
        "size": case.size,
        "tasks": len(prepared.tasks),
        "way": case.way,
        "asked_rows": case.rows,
        "rows": prepared.median_rows,
    }


def _record(
    prepared: Prepared, setting: str, check: Any, inside: FloatArray, full: FloatArray, short: float
) -> dict[str, Any]:
    true = worth(inside[None], full[None], DRAWS)[0]
    up = next((up for up in check.speed_ups if up.draws == JUDGED_AT), None)
    record = _name(prepared) | {
        "setting": setting,
        "short": short,
        "verdict": check.verdict,
        "true_speed_up": float(true[DRAWS.index(JUDGED_AT)]) if short <= UNKNOWN else None,
        "speed_up": None if up is None else up.value,
        "low": None if up is None else up.low,
        "high": None if up is None else up.high,
        "between": None if up is None else up.between_tasks,
        "within": None if up is None else up.within_tasks,
    }
    at_draws = expected_full(full)
    for up in check.speed_ups:
        column = DRAWS.index(up.draws)
        record[f"regret_{up.draws}"] = [
            float(inside[column]), up.inside, up.inside_low, up.inside_high,
            float(at_draws[column]), up.full,
        ]  # fmt: skip
    return record
