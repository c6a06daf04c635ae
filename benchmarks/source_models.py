"""Which model of an earlier task makes the better starting points? Needs scikit-learn.

    python -m benchmarks.source_models DATA [--tables ...] [--targets 16]

Mean regret of the target after 5 and 10 starting points, for our Gaussian process, extra trees,
nearest neighbors and averages of two of them; protocol as in benchmarks.transfer, one draw.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.neighbors import KNeighborsRegressor

from benchmarks.tables import TABLES
from benchmarks.transfer_cases import Case, Table
from ringfence.arrays import FloatArray
from ringfence.optimize.transfer.cover import greedy_cover
from ringfence.optimize.transfer.source_models import capped_regret

MAKE = {
    "extra trees": lambda: ExtraTreesRegressor(50, min_samples_leaf=2, random_state=0),
    "neighbors": lambda: KNeighborsRegressor(5),
}


def predictions(case: Case) -> dict[str, FloatArray]:
    """By model, the predicted regrets of every source task at the target's rows."""
    features = case.table.layout.features
    X = features(case.scored.rows)
    found = {"process": case.scored.F}
    telling = [(t, r) for t in case.sources.tasks if (r := capped_regret(t.values)) is not None]
    for name, make in MAKE.items():
        fits = [make().fit(features(task.rows), regret[0]) for task, regret in telling]
        found[name] = np.array([fit.predict(X) for fit in fits])
    for name in MAKE:
        found[f"process and {name}"] = (found["process"] + found[name]) / 2.0
    return found


def regrets(case: Case, F: FloatArray) -> list[float]:
    """Of the target after 5 and 10 starting points."""
    rows = case.scored.rows[greedy_cover(F, 10)[0]]
    seen = [case.regrets[key] for key in case.table.layout.keys(rows)]
    return [min(seen[:5]), min(seen)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--tables", nargs="+", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--targets", type=int, default=16)
    chosen = parser.parse_args()
    over: dict[str, list[FloatArray]] = {}
    print("| table | model | after 5 | after 10 |\n|---|---|---|---|")
    for name in chosen.tables:
        table, found = Table(chosen.data, name), {}
        for target in table.targets(chosen.targets):
            case = Case(table, target, 0)
            for model, F in predictions(case).items():
                found.setdefault(model, []).append(regrets(case, F))
        for model, cells in found.items():
            mean, error = np.mean(cells, axis=0), np.std(cells, axis=0) / np.sqrt(len(cells))
            over.setdefault(model, []).append(mean)
            columns = " | ".join(f"{m:.3f} ± {e:.3f}" for m, e in zip(mean, error))
            print(f"| {name} | {model} | {columns} |", flush=True)
    for model, means in over.items():
        five, ten = np.mean(means, axis=0)
        print(f"| mean of {len(means)} tables | {model} | {five:.3f} | {ten:.3f} |")


if __name__ == "__main__":
    main()
