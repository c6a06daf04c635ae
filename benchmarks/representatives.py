"""Do 64 tasks that stand for all serve as well as all: regret of `transfer`, paired.

    python -m benchmarks.representatives [DATA] [--draws 0:8] [--targets 16]

Families of 400 tasks in five dimensions, of six usual kinds and four rare ones (1 % each), a new
family in each draw; with DATA the tables svc_pmlb164 and rf_sklearn_openml100. A task is left out;
the sources are 64 random rows of each of the others. Differences from a model of every task, with
standard errors over the draws.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

import ringfence as rf
from benchmarks.transfer_cases import Case, Table
from ringfence import Optimizer
from ringfence.arrays import FloatArray
from ringfence.history import TASK, RowChoice, considered_rows
from ringfence.optimize.method import Setup
from ringfence.optimize.transfer.candidates import Candidates
from ringfence.optimize.transfer.representatives import MOST_SOURCES, representatives

TABLES = ("svc_pmlb164", "rf_sklearn_openml100")
TASKS, USUAL, RARE, OF_A_RARE_KIND, DIM = 400, 6, 4, 4, 5
SOURCE_ROWS, TARGET_ROWS, TRIALS = 64, 500, 25
SHOWN = (1, 5, 10, 25)


def family(draw: int) -> rf.History:
    """Bowls with ripples around the optimum of their kind; the last tasks are of rare kinds."""
    rng = np.random.default_rng([draw, TASKS])
    share = rng.dirichlet(np.ones(USUAL))
    center = rng.uniform(0.1, 0.9, (USUAL + RARE, DIM))
    matters = rng.dirichlet(np.full(DIM, 0.7), USUAL + RARE) * DIM
    usual = rng.choice(USUAL, TASKS - RARE * OF_A_RARE_KIND, p=share)
    kinds = np.concatenate([usual, np.repeat(np.arange(USUAL, USUAL + RARE), OF_A_RARE_KIND)])
    frames = []
    for number, kind in enumerate(kinds):
        rows = rng.random((TARGET_ROWS, DIM))
        weight = matters[kind] * np.exp(rng.normal(0.0, 0.3, DIM))
        loss = (weight * (rows - center[kind] - rng.normal(0.0, 0.06, DIM)) ** 2).sum(axis=1)
        loss += 0.1 * np.sin(7.0 * rows @ weight)
        loss += rng.normal(0.0, 0.05 * loss.std(), TARGET_ROWS)
        name = f"{'rare' if kind >= USUAL else 'usual'} {number}"
        columns = {f"x{j}": rows[:, j] for j in range(DIM)}
        frames.append(pl.DataFrame({**columns, "loss": loss}).with_columns(task=pl.lit(name)))
    space = rf.Space({f"x{j}": rf.Float(0.0, 1.0) for j in range(DIM)})
    past = rf.History.from_frame(
        pl.concat(frames), task="task", objective="loss", direction="minimize"
    )
    return replace(past, space=space)


def weights_of(case: Case, way: str) -> dict[str, float]:
    """The tasks that have a model, and how many each stands for."""
    if way == "all":
        return dict.fromkeys(case.tasks, 1.0)
    if way == "at random":
        return dict.fromkeys(case.tasks[:MOST_SOURCES], 1.0)  # they are in random order
    table = case.table
    rows = considered_rows(table.frame, RowChoice(n_evaluations=table.rows, seed=case.draw))
    found = representatives(rows.filter(pl.col(TASK).is_in(case.tasks)), table.layout)
    assert found is not None
    return {name: float(count) for name, count in found.weights.items()}


def curve(case: Case, way: str) -> FloatArray:
    """The regret after SHOWN trials."""
    weights = weights_of(case, way)
    models = case.table.models(case.draw, list(weights))
    tasks = tuple(replace(task, weight=weights[task.name]) for task in models.tasks)
    models = replace(models, tasks=tasks)
    by_name = case.table.sources_of(case.draw)
    sources = tuple(by_name[name] for name in weights)
    engine = Optimizer("transfer", Setup(case.domain, 0, case.sources), {})
    engine.method.models = models
    engine.method.candidates = Candidates(case.domain, models, sources, 0)
    layout, best, regrets = case.table.layout, 1.0, []
    for _ in range(TRIALS):
        trial = engine.ask()
        key = layout.keys(layout.encode([trial.config]))[0]
        engine.tell(trial, case.values[key])
        best = min(best, case.regrets[key])
        regrets.append(best)
        if best == 0.0:  # nothing more can change
            break
    regrets += [best] * (TRIALS - len(regrets))
    return np.array([regrets[trials - 1] for trials in SHOWN])


def groups(data: Path | None, draw: int, targets: int) -> Iterator[tuple[str, list[Case]]]:
    """What is measured in one draw: for each line of the table its cases."""
    table = Table(Path(), "a family", rows=SOURCE_ROWS, sources=TASKS, history=family(draw))
    for kind in ("usual", "rare"):
        names = [name for name in table.targets(TASKS) if name.startswith(kind)]
        yield f"families, {kind} kinds", [Case(table, name, draw) for name in names[:targets]]
    for name in TABLES if data else ():
        table = Table(data or Path(), name, rows=SOURCE_ROWS, sources=TASKS)
        every = table.targets(TASKS)
        order = np.random.default_rng([draw, TASKS]).permutation(len(every))[:targets]
        yield name, [Case(table, every[number], draw) for number in order]


def line(name: str, way: str, curves: list[FloatArray]) -> str:
    """One line: of all tasks the regrets, else differences with standard errors over draws."""
    mean = np.mean(curves, axis=0)
    error = np.std(curves, axis=0, ddof=min(1, len(curves) - 1)) / np.sqrt(len(curves))
    sign = "" if way == "all" else "+"
    cells = [f"{m:{sign}.3f} ± {e:.3f}" for m, e in zip(mean, error)]
    return f"| {name} | {way} | {' | '.join(cells)} |"


def show(found: dict[tuple[str, str], list[FloatArray]], draws: int) -> None:
    """The table of all draws so far."""
    print(f"\ndraws up to {draws}\n")
    print(f"| | {MOST_SOURCES} tasks | {' | '.join(f'at {n}' for n in SHOWN)} |")
    print(f"|---|---|{'---|' * len(SHOWN)}")
    for (name, way), curves in sorted(found.items(), key=lambda one: one[0][0]):
        print(line(name, way, curves), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--draws", default="0:8")
    parser.add_argument("--targets", type=int, default=16)
    arguments = parser.parse_args()
    found: dict[tuple[str, str], list[FloatArray]] = {}
    for draw in range(*map(int, arguments.draws.split(":"))):
        for name, cases in groups(arguments.data, draw, arguments.targets):
            all_tasks = [curve(case, "all") for case in cases]
            found.setdefault((name, "all"), []).append(np.mean(all_tasks, axis=0))
            for way in ("chosen", "at random"):
                gaps = [curve(case, way) - base for case, base in zip(cases, all_tasks)]
                found.setdefault((name, way), []).append(np.mean(gaps, axis=0))
        show(found, draw + 1)


if __name__ == "__main__":
    main()
