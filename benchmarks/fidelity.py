"""How well the XGBoost surrogate ranks configurations that were really run.

    python -m benchmarks.fidelity FOLDER     from the tables in FOLDER; writes results/fidelity.csv

On every data set that both tables have: Spearman's correlation of the AUC of MementoML's real runs
(`xgboost_memento_openml`) with what the surrogate's table (`xgboost_rbv2_surrogate`) predicts for
the same configurations. The surrogate itself is not at hand, only 2,000 of its answers a data set,
so a random forest fitted to those answers speaks for it; `itself` is how well the forest ranks
answers that it has not seen, the best that could come out. The real runs left lambda and alpha at
their defaults, 1 and 0; a log scale has no 0, so alpha is the lowest that the surrogate knows, and
lambda is taken as 1 and as the lowest.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.folding import folded
from benchmarks.kept import keep, kept, table
from ringfence.bench.suites.description import read_description
from ringfence.bench.suites.loading import description_of

REAL, SURROGATE = "xgboost_memento_openml", "xgboost_rbv2_surrogate"
COLUMNS = ("data set", "all", "trees", "linear", "lambda lowest", "itself")
HELD_OUT = 500  # of 2,000 answers


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description="Spearman's correlation of surrogate and runs.")
    parser.add_argument("folder", type=Path)
    keep("fidelity", COLUMNS, [[t, *v] for t, v in correlations(parser.parse_args().folder)])
    print(fidelity_text())


def correlations(folder: Path) -> list[tuple[str, list[float]]]:
    """For each common data set: all runs, trees alone, linear models alone, all with the lowest
    lambda, and the forest on the surrogate's own answers."""
    from scipy.stats import spearmanr
    from sklearn.ensemble import RandomForestRegressor

    real, surrogate = (pl.read_parquet(folder / f"{name}.parquet") for name in (REAL, SURROGATE))
    rows = []
    for task in sorted(set(real["task"]) & set(surrogate["task"])):
        runs, answers = (table.filter(pl.col("task") == task) for table in (real, surrogate))
        known, value = inputs(answers), answers["auc"].to_numpy()
        auc, linear = runs["auc"].to_numpy(), (runs["booster"] == "gblinear").to_numpy()

        def forest(x: np.ndarray, y: np.ndarray) -> RandomForestRegressor:
            return RandomForestRegressor(200, min_samples_leaf=2, random_state=0).fit(x, y)

        def rank(one: np.ndarray, other: np.ndarray) -> float:
            return float(spearmanr(one, other).statistic)

        model = forest(known, value)
        predicted = model.predict(inputs(runs.with_columns(pl.lit(1.0).alias("lambda"))))
        lowest = model.predict(inputs(runs))
        apart = forest(known[HELD_OUT:], value[HELD_OUT:]).predict(known[:HELD_OUT])
        found = [
            rank(predicted, auc),
            rank(predicted[~linear], auc[~linear]),
            rank(predicted[linear], auc[linear]),
            rank(lowest, auc),
            rank(apart, value[:HELD_OUT]),
        ]
        rows.append((str(task), found))
    return rows


def inputs(rows: pl.DataFrame) -> np.ndarray:
    """Unit coordinates of the surrogate's space; what is not given is at its lowest, what a linear
    model ignores is 0."""
    _, space = read_description(description_of(SURROGATE))
    linear = (rows["booster"] == "gblinear").to_numpy()
    columns = [linear.astype(float)]
    for name, parameter in space.parameters.items():
        if name == "booster":
            continue
        low, high = float(parameter.low), float(parameter.high)
        value = rows[name].to_numpy().astype(float) if name in rows.columns else low
        value = np.clip(np.broadcast_to(value, len(linear)), low, high)
        if parameter.log:
            low, high, value = np.log(low), np.log(high), np.log(value)
        unit = (value - low) / (high - low)
        trees_only = name not in ("nrounds", "subsample", "lambda", "alpha")
        columns.append(np.where(linear & trees_only, 0.0, unit))
    return np.column_stack(columns)


def fidelity_text() -> str:
    """What the page says of it, from the file."""
    rows = kept("fidelity")
    values = {name: [float(row[name]) for row in rows] for name in COLUMNS[1:]}
    middle = {name: f"{statistics.median(column):.2f}" for name, column in values.items()}
    negative = sum(value < 0 for value in values["all"])
    return "\n\n".join(
        [
            "**How far the surrogates can be trusted.** On the "
            f"{len(rows)} data sets that the XGBoost surrogate shares with real runs (MementoML), "
            "Spearman's correlation of its ranking of the same configurations with the real AUC is "
            f"{middle['all']} in the median ({middle['lambda lowest']} if the default lambda is "
            f"taken as the lowest), negative on {negative} of {len(rows)}; for trees alone "
            f"{middle['trees']}, for linear models alone {middle['linear']}. Read off the table, "
            f"the surrogate agrees with itself by {middle['itself']}. So `tables-surrogate` is a "
            "realistic made-up benchmark, not the paper's tables: trust what also holds on real "
            "runs (`python -m benchmarks.fidelity FOLDER`).",
            folded("The correlations by data set", table(rows)),
        ]
    )


if __name__ == "__main__":
    main()
