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
from ringfence.history.regret import capped_regret
from ringfence.optimize.transfer.cover import greedy_cover

MAKE = {
    "extra trees": lambda: ExtraTreesRegressor(50, min_samples_leaf=2, random_state=0),
    "neighbors": lambda: KNeighborsRegressor(5),
}


def predictions(case: Case) -> dict[str, FloatArray]:
    """By model, the predicted regrets of every source task at the target's rows."""
    features = case.table.layout.features
    X = features(case.scored.rows)
    by_model = {"process": case.scored.F}
    regrets = [(t, r) for t in case.sources.tasks if (r := capped_regret(t.values)) is not None]
    for name, make in MAKE.items():
        fits = [make().fit(features(task.rows), regret[0]) for task, regret in regrets]
        by_model[name] = np.array([fit.predict(X) for fit in fits])
    for name in MAKE:
        by_model[f"process and {name}"] = (by_model["process"] + by_model[name]) / 2.0
    return by_model


def best_regrets(case: Case, F: FloatArray) -> list[float]:
    """Of the target after 5 and 10 starting points."""
    rows = case.scored.rows[greedy_cover(F, 10)[0]]
    regrets = [case.regrets[key] for key in case.table.layout.keys(rows)]
    return [min(regrets[:5]), min(regrets)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--tables", nargs="+", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--targets", type=int, default=16)
    options = parser.parse_args()
    means: dict[str, list[FloatArray]] = {}
    print("| table | model | after 5 | after 10 |\n|---|---|---|---|")
    for name in options.tables:
        table, cells_by_model = Table(options.data, name), {}
        for target in table.targets(options.targets):
            case = Case(table, target, 0)
            for model, F in predictions(case).items():
                cells_by_model.setdefault(model, []).append(best_regrets(case, F))
        for model, cells in cells_by_model.items():
            mean, error = np.mean(cells, axis=0), np.std(cells, axis=0) / np.sqrt(len(cells))
            means.setdefault(model, []).append(mean)
            columns = " | ".join(f"{m:.3f} ± {e:.3f}" for m, e in zip(mean, error))
            print(f"| {name} | {model} | {columns} |", flush=True)
    for model, by_table in means.items():
        five, ten = np.mean(by_table, axis=0)
        print(f"| mean of {len(by_table)} tables | {model} | {five:.3f} | {ten:.3f} |")


if __name__ == "__main__":
    main()
