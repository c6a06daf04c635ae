"""How well the surrogates predict rows of a task that they have not seen.

    python -m benchmarks.surrogates FOLDER [TABLE ...] [--targets 5] [--rows 50] [--sources 30]

For every table in FOLDER: some tasks take turns as the target, of which a few rows are known; 256
rows of each of the other tasks are the sources. Scores on up to 500 other rows of the target, in
units of their spread: the mean log density (nats; higher is better) and the root mean square error
(lower is better; 1 is a constant guess). Values are compressed as the optimizers see them, once for
all rows of a task, so that all models predict the same numbers.

model        meaning
normal       mean and variance of the known rows
gp           Gaussian process on the known rows
ablr         ABLR on the known rows alone
ablr joint   ABLR whose network learns from the sources and the target's known rows together
ablr apart   ABLR whose network learns from the sources; the known rows fit the target's head
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.tables import TABLES, read_table
from ringfence import Space, infer_space
from ringfence.history import TASK, VALUE, usable_rows
from ringfence.optimize.surrogates.ablr.fit import fit_ablr
from ringfence.optimize.surrogates.ablr.objective import ABLROptions
from ringfence.optimize.surrogates.ablr.task import TaskModel
from ringfence.optimize.surrogates.gp.fit import GPOptions, fit_gp
from ringfence.optimize.surrogates.standardize import compress
from ringfence.space import Encoding

HELD_OUT = 500
SOURCE_ROWS = 256
OPTIONS = ABLROptions(compressed=False)

Task = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Case:
    """A target task: known rows, held-out rows, the other tasks and the columns' groups."""

    known: Task
    held_out: Task
    sources: list[Task]
    groups: np.ndarray


def features(space: Space, columns: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Features (n, d) as the optimizers see them, and which columns belong together."""
    encoding, choices = Encoding.of(space), space.unordered_choices()
    numeric = np.nan_to_num(encoding.encode(columns), nan=0.5)
    flags = [(columns[n] == i) / np.sqrt(2) for n, c in choices.items() for i in range(len(c))]
    sizes = [1] * numeric.shape[1] + [len(c) for c in choices.values()]
    return np.column_stack([numeric, *flags]), np.repeat(np.arange(len(sizes)), sizes)


def cases(folder: Path, name: str, args: argparse.Namespace) -> Iterator[Case]:
    """Targets of one table whose known and held-out rows differ in value."""
    history = read_table(folder, name)
    space = infer_space(history).space
    rng = np.random.default_rng(0)
    tasks: list[Task] = []
    for _, rows in usable_rows(history, space).frame.group_by(TASK, maintain_order=True):
        rows = rows[rng.permutation(rows.height)[: args.rows + HELD_OUT]]
        X, groups = features(space, {n: rows[n].to_numpy() for n in space if n in rows.columns})
        y = compress(rows[VALUE].to_numpy())
        if len(y) >= args.rows + 50 and np.ptp(y[: args.rows]) > 0 and np.ptp(y[args.rows :]) > 0:
            tasks.append((X, y))
    n = args.rows
    for t in rng.permutation(len(tasks))[: args.targets]:
        others = rng.permutation([s for s in range(len(tasks)) if s != t])[: args.sources]
        sources = [(tasks[s][0][:SOURCE_ROWS], tasks[s][1][:SOURCE_ROWS]) for s in others]
        X, y = tasks[t]
        yield Case((X[:n], y[:n]), (X[n:], y[n:]), sources, groups)


def normal(case: Case) -> tuple[np.ndarray, np.ndarray]:
    X, y = case.held_out[0], case.known[1]
    return np.full(len(X), y.mean()), np.full(len(X), y.var(ddof=1) * (1 + 1 / len(y)))


def gp(case: Case) -> tuple[np.ndarray, np.ndarray]:
    model = fit_gp(*case.known, case.groups, options=GPOptions(compressed=False))
    mean, variance = model.predict(case.held_out[0])
    return mean, variance + model.noise * model.values.scale**2


def observed(model: TaskModel, case: Case) -> tuple[np.ndarray, np.ndarray]:
    mean, variance = model.predict(case.held_out[0])
    return mean, variance + model.noise * model.data.values.scale**2


def ablr(case: Case) -> tuple[np.ndarray, np.ndarray]:
    return observed(fit_ablr([case.known], options=OPTIONS).task(0), case)


def ablr_joint(case: Case) -> tuple[np.ndarray, np.ndarray]:
    model = fit_ablr([*case.sources, case.known], options=OPTIONS)
    return observed(model.task(len(case.sources)), case)


def ablr_apart(case: Case) -> tuple[np.ndarray, np.ndarray]:
    last = len(case.sources)
    model = fit_ablr(case.sources, options=OPTIONS).with_task(last, *case.known)
    return observed(model.task(last), case)


MODELS: dict[str, Callable[[Case], tuple[np.ndarray, np.ndarray]]] = {
    "normal": normal,
    "gp": gp,
    "ablr": ablr,
    "ablr joint": ablr_joint,
    "ablr apart": ablr_apart,
}


def score(case: Case, mean: np.ndarray, variance: np.ndarray) -> tuple[float, float]:
    """Mean log density and root mean square error, in units of the held-out rows' spread."""
    y = case.held_out[1]
    spread = y.std()
    error, variance = (y - mean) / spread, variance / spread**2
    density = -0.5 * (np.log(2 * np.pi * variance) + error**2 / variance)
    return float(density.mean()), float(np.sqrt((error**2).mean()))


def main(args: argparse.Namespace) -> None:
    print(f"{args.rows} known rows; mean over targets: log density, root mean square error\n")
    print(f"| table | tasks | {' | '.join(args.models)} | CPU s |")
    print("|---" * (len(args.models) + 3) + "|")
    table = []
    for name in args.tables or TABLES:
        scores, start, sources = [], time.process_time(), 0
        for case in cases(args.folder, name, args):
            sources = len(case.sources)
            scores.append([score(case, *MODELS[model](case)) for model in args.models])
        table.append(np.mean(scores, axis=0))
        seconds = time.process_time() - start
        print(
            f"| {name} | {len(scores)} of {sources + 1} | {cells(table[-1])} | {seconds:.0f} |",
            flush=True,
        )
    print(f"| median of the tables | | {cells(np.median(table, axis=0))} | |")


def cells(row: np.ndarray) -> str:
    return " | ".join(f"{density:.2f}, {error:.2f}" for density, error in row)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="how well the surrogates predict held-out rows")
    parser.add_argument("folder", type=Path)
    parser.add_argument("tables", nargs="*", metavar="TABLE")
    parser.add_argument("--targets", type=int, default=5)
    parser.add_argument("--rows", type=int, default=50)
    parser.add_argument("--sources", type=int, default=30)
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS))
    main(parser.parse_args())
