"""Drift: how often a refresh raises an alarm, for nothing and for a reason.

    python -m benchmarks.drift --data FOLDER

For each table of FOLDER, sequences of past tasks and three new ones, all drawn at random, with 64
random rows each. A refresh looks when the second of the new tasks is there and when the third is,
as `ringfence refresh` does; the table says in how many sequences one of the looks raised an alarm,
and after how many tasks in the mean. Shifts are made in the new tasks: `half
moved` moves a random half of the parameters by half of their range, round its end; `narrow half
moved` does so with the half along which the best configurations of the tasks vary least, those that
have a range to move; `order reversed` makes the best the worst.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from benchmarks.tables import TABLES, read_table
from ringfence.arrays import FloatArray, IntArray
from ringfence.history import PreparedHistory
from ringfence.learned.full import full_space
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.transfer.sources import Source, tasks_of
from ringfence.refreshing.drift import ROWS, Compared
from ringfence.refreshing.watch import ALLOWED
from ringfence.threads import one_thread

NEW = len(ALLOWED)
PAST = 30
FEWEST = 12  # past tasks of a table that is used
SHIFTS = ("none", "half moved", "order reversed", "narrow half moved")


@dataclass(frozen=True)
class Tasks:
    """The tasks of a table."""

    layout: Layout
    tasks: tuple[Source, ...]

    @classmethod
    def of(cls, folder: Path, name: str) -> Tasks:
        prepared = PreparedHistory.of(read_table(folder, name), None, read_table)
        layout = Layout(full_space(prepared.space))
        tasks = [t for t in tasks_of(prepared.rows, layout) if len(t.values) >= ROWS]
        return cls(layout, tuple(tasks))

    def sequence(self, past: int, shift: str, rng: np.random.Generator) -> Compared:
        """The past tasks, then the new ones."""
        half = round(len(self.layout.names) / 2)
        moved = rng.choice(len(self.layout.names), half, replace=False)
        moved = self.narrow[:half] if shift == "narrow half moved" else moved
        X, values = [], []
        for place, number in enumerate(rng.choice(len(self.tasks), past + NEW, replace=False)):
            task = self.tasks[number]
            chosen = rng.choice(len(task.values), ROWS, replace=False)
            rows, y = task.rows[chosen], task.values[chosen]
            is_new = place >= past
            if is_new and shift.endswith("half moved"):
                rows = self.moved(rows, moved)
            X.append(self.layout.features(rows))
            values.append(-y if is_new and shift == "order reversed" else y)
        return Compared.of(X, values)

    @cached_property
    def narrow(self) -> IntArray:
        """The columns by how much the best configurations of the tasks vary, the least first."""
        best = np.array([task.rows[task.values.argmin()] for task in self.tasks])
        spread = np.nanstd(best, axis=0) / np.sqrt(1 / 12)  # 1 if they are anywhere
        for column, axis in enumerate(self.layout.axes):
            if axis is None:
                counts = np.unique(best[:, column], return_counts=True)[1]
                spread[column] = 2 * (1 - counts.max() / len(best))
        return np.argsort(spread, kind="stable")

    def moved(self, rows: FloatArray, columns: IntArray) -> FloatArray:
        """Rows whose values in some columns are half of the range further on."""
        rows = rows.copy()
        for column in columns:
            name, axis = self.layout.names[column], self.layout.axes[column]
            n = 1 if axis is not None else len(self.layout.space.unordered_choices()[name])
            rows[:, column] = (rows[:, column] + (0.5 if axis is not None else n // 2)) % n
        return rows


def alarm_after(compared: Compared, past: int) -> int | None:
    """The number of new tasks at which an alarm is raised."""
    spent = 0.0
    for new, used in enumerate(ALLOWED, 1):
        level = used - spent
        if level and compared.first(past + new).judged(new).p <= level:
            return new
        spent = used
    return None


@one_thread
def measure(tasks: Tasks, past: int, shift: str, sequences: int) -> list[int | None]:
    """After how many new tasks each sequence raises an alarm."""
    rng = np.random.default_rng([past, SHIFTS.index(shift)])
    return [alarm_after(tasks.sequence(past, shift, rng), past) for _ in range(sequences)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drift", description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tables", default=",".join(TABLES), help="names, separated by commas")
    parser.add_argument("--without", type=int, default=1000, help="sequences of a table, no shift")
    parser.add_argument("--shifted", type=int, default=200, help="sequences of a table and shift")
    parser.add_argument("--shifts", default=",".join(SHIFTS), help="likewise")
    options = parser.parse_args()
    shifts = options.shifts.split(",")
    print(f"| table | past tasks | {' | '.join(shifts)} |")
    print("|---|---" + len(shifts) * "|---" + "|")
    totals: dict[str, list[int | None]] = {shift: [] for shift in shifts}
    for name in options.tables.split(","):
        if TABLES[name].tasks < FEWEST + NEW:
            continue
        tasks = Tasks.of(options.data, name)
        past = min(PAST, len(tasks.tasks) - NEW)
        cells = []
        for shift in shifts:
            n = options.without if shift == "none" else options.shifted
            found = measure(tasks, past, shift, n)
            totals[shift] += found
            cells.append(cell(found))
        print(f"| {name} | {past} | {' | '.join(cells)} |", flush=True)
    print(f"| all | | {' | '.join(cell(totals[shift]) for shift in shifts)} |")


def cell(found: list[int | None]) -> str:
    """The share of alarms, and after how many tasks they came."""
    after = [new for new in found if new is not None]
    mean = f", after {np.mean(after):.1f}" if after else ""
    return f"{len(after) / max(len(found), 1):.1%}{mean} (of {len(found):,})"


if __name__ == "__main__":
    main()
