"""Published tunings: one finished tuning a row, its best configuration alone.

The files are those of ../shared/data (hub_*.parquet, hub_declared_spaces.json). Splits of one data
set, and data sets that are the same under two names, are one data set here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

import ringfence as rf
from benchmarks.hub.runs import ANY, HubRuns
from ringfence.learned.hub.past import DATA_SET, KIND, LOSS, ROWS, TASK

SAME = (
    ("california", "house", "house_16H", "houses"),
    ("diamond", "diamonds"),
    ("black-friday", "black_friday"),
    ("covtype", "covertype"),
    ("higgs-small", "Higgs"),
    ("wine", "wine_quality"),
)
"""Names of data that are the same, or drawn from the same source."""
SAME_IN_TABREPO = {
    "wine-quality-white": "wine_quality",
    "KDDCup09-Upselling": "KDDCup09_appetency",
    "topo_2_1": "yprop_4_1",
}
"""White wines are among all wines; the others are of the same customers and the same molecules."""
MOST_TRAINED = {"medium": 10_000, "large": 50_000}
"""Training rows to which the benchmark of Grinsztajn et al. cuts its data sets."""
SIZE_BOUND = 10_000
TRAINED_SHARE = 0.64
"""Of the rows of a data set in the main collection, where the number is not told."""
HELD_IN = 0.9
"""Share of the rows that are trained on, one fold of ten being tested."""
GBDT = "4,000 trees at most, early stopping after 200 rounds; best of 200 trials of Optuna's TPE"
NET = "AdamW, early stopping; best of 100 trials of Optuna's TPE by validation score"
TABR = "github.com/yandex-research/tabular-dl-tabr, exp/ (report.json of every tuning)"
TABM = "github.com/yandex-research/tabm, paper/exp/ (report.json of every tuning)"

ENTRIES = {
    "xgboost-tabr": ("hub_xgboost_tabr", "tabr/xgboost/plain#0", f"XGBoost, {GBDT}. To run it so, "
                     "set n_estimators=4000 and early_stopping_rounds=200, and pass an eval_set"),
    "lightgbm-tabr": ("hub_lightgbm_tabr", "tabr/lightgbm/plain#0", f"LightGBM, {GBDT}; "
                      "bagging_fraction had no effect, since bagging_freq was 0. To run it so, "
                      "set n_estimators=4000, and pass early_stopping(200) and an eval_set"),
    "catboost-tabr": ("hub_catboost_tabr", "tabr/catboost/plain#0", f"CatBoost, {GBDT}. To run "
                      "it so, set iterations=4000 and early_stopping_rounds=200, and pass an "
                      "eval_set"),
    "fttransformer-tabr": ("hub_fttransformer_tabr", "tabr/fttransformer/plain#0",
                           f"FT-Transformer, {NET}"),
    "mlp-tabr": ("hub_mlp_tabr", "tabr/mlp/plain#0", f"Plain MLP, {NET}"),
    "tabm-tabm": ("hub_tabm_tabm", "tabm/tabm/plain#0", f"TabM (k = 32), {NET}"),
}  # fmt: skip
"""By name: file, declared space, and what was tuned."""


def published(folder: Path) -> Iterator[HubRuns]:
    """All entries that are learned from published bests."""
    spaces = declared_spaces(folder)
    for name, (file, key, about) in ENTRIES.items():
        record = spaces[key]
        table = pl.read_parquet(folder / f"{file}.parquet").filter(pl.col("space") == key)
        yield HubRuns(
            name,
            record["learner"],
            about + ".",
            TABR if record["source"] == "tabr" else TABM,
            record["licence"],
            False,
            {ANY: space_of(record)},
            tidy(table, list(record["parameters"])),
            SIZE_BOUND,
            steps=steps_of(record),
        )
    yield tabrepo(folder)


def tabrepo(folder: Path) -> HubRuns:
    """LightGBM with the same configurations on many tasks, the default among them."""
    record = declared_spaces(folder)["tabrepo/lightgbm/plain#0"]
    table = pl.read_parquet(folder / "lightgbm_tabrepo93.parquet")
    kind = pl.when(pl.col("task_type") == "regression").then(pl.lit("regression"))
    frame = table.select(
        pl.col("task").cast(str).alias(TASK),
        pl.col("dataset_name").replace(SAME_IN_TABREPO).alias(DATA_SET),
        kind.otherwise(pl.lit("classification")).alias(KIND),
        (pl.col("n_rows") * HELD_IN).cast(pl.Int64).alias(ROWS),
        pl.col("error").alias(LOSS),
        *record["parameters"],
        pl.col("config"),
    )
    by_default = frame.filter(config="c1")
    return HubRuns(
        "lightgbm-tabrepo",
        "lightgbm",
        "LightGBM within AutoGluon, 10,000 trees at most, early stopping; the same 104 "
        "configurations on one fold of ten of each task; 1 - AUC, log loss or RMSE. To run it so, "
        "set n_estimators=10000, and pass early_stopping(…) and an eval_set.",
        "github.com/autogluon/tabrepo, results_ranked_by_dataset_valid.csv",
        "Apache-2.0 (github autogluon/tabrepo, commit c027dbd)",
        True,
        {ANY: space_of(record)},
        frame.drop("config"),
        SIZE_BOUND,
        dict(zip(by_default[TASK], by_default[LOSS])),
        _meta(table),
    )


def _meta(table: pl.DataFrame) -> dict[str, tuple[float, ...]]:
    """Size, features, classes and share of what is missing of each task."""
    some = table.unique("task", keep="first", maintain_order=True)
    missing = pl.col("n_missing") / (pl.col("n_rows") * pl.col("n_features"))
    numbers = some.select(
        pl.col("task").cast(str),
        pl.col("n_rows").log(),
        pl.col("n_features").log(),
        (pl.col("n_classes") == 0).cast(float).alias("is_regression"),
        pl.col("n_classes").clip(1).log(),
        missing.alias("missing"),
    )
    return {str(task): numbers for task, *numbers in numbers.iter_rows()}


def declared_spaces(folder: Path) -> dict[str, Any]:
    """The declared spaces as published, by key."""
    spaces: dict[str, Any] = json.loads((folder / "hub_declared_spaces.json").read_text())
    return dict(spaces["spaces"])


def space_of(record: Mapping[str, Any]) -> rf.Space:
    """A declared space."""
    return rf.Space({name: parameter_of(p) for name, p in record["parameters"].items()})


def steps_of(record: Mapping[str, Any]) -> dict[str, int]:
    """The steps of its integers, where they are declared."""
    return {name: int(p["step"]) for name, p in record["parameters"].items() if p.get("step")}


def parameter_of(record: Mapping[str, Any]) -> rf.Float | rf.Int | rf.Categorical:
    """A declared parameter; the step of an integer is kept beside the space (`steps_of`)."""
    if record["type"] == "categorical":
        return rf.Categorical(record["choices"])
    if record["type"] == "int":
        return rf.Int(record["low"], record["high"], bool(record.get("log")))
    off = record.get("or")
    off = None if off is None else float(off)
    return rf.Float(record["low"], record["high"], bool(record.get("log")), off=off)


def tidy(table: pl.DataFrame, parameters: list[str]) -> pl.DataFrame:
    """The table in the form of the hub."""
    plain = pl.col("dataset").str.split(" (").list.first()
    first = {name: group[0] for group in SAME for name in group}
    limits = [
        pl.when(pl.col("task").str.contains(f"-{word}-", literal=True)).then(n)
        for word, n in MOST_TRAINED.items()
    ]
    told = pl.coalesce("n_train", pl.col("n_rows") * TRAINED_SHARE)
    return table.select(
        pl.col("task").alias(TASK),
        plain.replace(first).alias(DATA_SET),
        pl.when(pl.col("task_type") == "regression")
        .then(pl.lit("regression"))
        .otherwise(pl.lit("classification"))
        .alias(KIND),
        pl.min_horizontal(told, *limits).cast(pl.Int64).alias(ROWS),
        (-pl.col("val_score")).alias(LOSS),
        *parameters,
        pl.col("split"),
    )
