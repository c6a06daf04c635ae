"""What costs and failures of the past take: CPU seconds with them, against without.

    python -m benchmarks.weighing_speed

The same histories, with costs and with failed runs that are kept, and without costs and with failed
runs that are ignored. `rf.learn` finds the odds of failure, the no-go zone and starting points by
cost; a search suggests by both. Each is the sum over HISTORIES, in turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

import ringfence as rf
from benchmarks.cells import need_one_thread
from benchmarks.timing import Row

DIM, ROWS = 10, 256
TASKS = (3, 10, 30)
HISTORIES = 4
TRIALS = 25
EARLY = 8  # trials before a search is timed: the first ones choose among starting points
NAMES = [f"x{j}" for j in range(DIM)]


def runs_of(tasks: int, seed: int) -> pl.DataFrame:
    """Bowls, costs that grow along two parameters, and failures beyond a sum of two others."""
    rng, frames = np.random.default_rng([tasks, seed]), []
    for task in range(tasks):
        X = rng.random((ROWS, DIM))
        optimum = 0.5 + 0.15 * rng.standard_normal(DIM)
        error = ((X - optimum) ** 2).sum(axis=1) + 0.05 * rng.standard_normal(ROWS)
        cost = np.exp(2.0 * X[:, 0] + X[:, 1] + 0.2 * rng.standard_normal(ROWS))
        fails = X[:, 2] + X[:, 3] + 0.1 * rng.standard_normal(ROWS) > 1.5
        frame = pl.DataFrame(X, schema=NAMES).with_columns(
            task=pl.lit(str(task)),
            error=pl.Series(error),
            spent=pl.Series(cost),
            status=pl.Series(np.where(fails, "failed", "ok")),
        )
        frames.append(frame)
    return pl.concat(frames)


def history(runs: pl.DataFrame, *, both: bool) -> rf.History:
    """With costs and failures, or without."""
    return rf.read_history(
        runs,
        task="task",
        objective="error",
        direction="minimize",
        parameters=NAMES,
        status="status",
        cost="spent" if both else None,
        ignore=() if both else ["spent"],
        failures="keep" if both else "ignore",
    )


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    answer = call()
    return time.process_time() - start, answer


def suggestions(engine: rf.Optimizer) -> float:
    """The median CPU seconds of a suggestion."""
    spent = []
    for _ in range(TRIALS):
        seconds, trial = timed(engine.ask)
        spent.append(seconds)
        x = np.array([trial.config[name] for name in NAMES])
        engine.tell(trial, float(((x - 0.6) ** 2).sum()), cost=float(np.exp(2.0 * x[0] + x[1])))
    return float(np.median(spent[EARLY:]))


def measured(tasks: int, seed: int, *, both: bool) -> dict[str, float]:
    """One history: a fit, the first suggestion that follows it, and later ones."""
    # no history comes twice, since fits are remembered
    past = history(runs_of(tasks, 2 * seed + both), both=both)
    fit, learned = timed(lambda: rf.learn(past))
    found = {"a fit": fit}
    for name in ("transfer", "gp"):
        given = {"history": past} if name == "transfer" else {}
        engine = rf.optimizer(name, learned, seed=seed, **given)
        found[f"a suggestion of {name}"] = suggestions(engine)
    return found


def rows() -> list[Row]:
    """With costs and failures (the last number) and without."""
    measured(TASKS[0], HISTORIES, both=True)  # imports
    found = []
    for tasks in TASKS:
        sums: dict[tuple[str, bool], float] = {}
        for seed in range(HISTORIES):
            for both in (False, True):
                for what, seconds in measured(tasks, seed, both=both).items():
                    sums[what, both] = sums.get((what, both), 0.0) + seconds / HISTORIES
        for what in dict.fromkeys(what for what, _ in sums):
            goal = "≤ 1.5×" if what == "a fit" else "≤ 1.3×"
            what_of = f"{what}, {tasks} tasks: without, and with"
            found.append(Row(what_of, sums[what, False], sums[what, True], goal))
    return found


def main() -> None:
    need_one_thread()
    for row in rows():
        print(f"{row.what}: {row.ours:.4f} s, {row.other:.4f} s, {row.ratio:.2f}× ({row.goal})")


if __name__ == "__main__":
    main()
