"""The tables of real and surrogate evaluations that measurements use, and what their columns mean.

The tables are not part of the repository; their folder is named on the command line.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ringfence import History, read_history


@dataclass(frozen=True)
class Table:
    objective: str
    direction: str
    parameters: tuple[str, ...]
    tasks: int
    cost: str | None = None


XGB = ("nrounds", "eta", "subsample", "max_depth", "min_child_weight", "colsample_bytree",
       "colsample_bylevel")  # fmt: skip
TABLES = {
    "fcnet_tabular": Table(
        "val_loss_0", "minimize",
        ("activation_fn_1", "activation_fn_2", "batch_size", "dropout_1", "dropout_2", "init_lr",
         "lr_schedule", "n_units_1", "n_units_2"), 4,
    ),
    "mlp_hpobench": Table(
        "val_acc_0", "maximize", ("alpha", "batch_size", "depth", "learning_rate_init", "width"), 8
    ),
    "rf_sklearn_openml100": Table(
        "accuracy", "maximize",
        ("bootstrap", "criterion", "max_features", "min_samples_leaf", "min_samples_split",
         "imputer_strategy"), 94,
    ),
    "svc_pmlb164": Table("accuracy", "maximize", ("C", "gamma", "kernel", "degree", "coef0"), 164),
    "gbc_pmlb16": Table(
        "accuracy", "maximize",
        ("loss", "learning_rate", "n_estimators", "max_depth", "max_features"), 16,
    ),
    "rf_pmlb16": Table(
        "accuracy", "maximize",
        ("n_estimators", "min_weight_fraction_leaf", "max_features", "criterion"), 16,
    ),
    "xgboost_memento_openml": Table("auc", "maximize", ("booster", *XGB), 22),
    "xgboost_libsvm10": Table(
        "error", "minimize",
        ("min_child_weight", "subsample", "colsample_bytree", "gamma", "lambda", "alpha", "eta",
         "max_depth_index"), 10,
    ),
    "svm_rbv2_surrogate": Table("mmce", "minimize", ("kernel", "cost", "gamma", "degree"), 68),
    "xgboost_rbv2_surrogate": Table("acc", "maximize", ("booster", *XGB, "lambda", "alpha"), 77),
    "ranger_rbv2_surrogate": Table(
        "acc", "maximize",
        ("num_trees", "sample_fraction", "mtry_power", "replace", "respect_unordered_factors"), 75,
    ),
}  # fmt: skip


CHARGED = {
    "lightgbm_tabrepo93": Table(
        "error", "minimize",
        ("learning_rate", "num_leaves", "feature_fraction", "min_data_in_leaf", "extra_trees"), 93,
        "train_seconds",
    ),
    "mlp_hpobench": replace(TABLES["mlp_hpobench"], cost="train_time"),
    "fcnet_tabular": replace(TABLES["fcnet_tabular"], cost="train_time"),
    "svm_rbv2_surrogate": replace(TABLES["svm_rbv2_surrogate"], cost="timetrain"),
    "xgboost_rbv2_surrogate": replace(TABLES["xgboost_rbv2_surrogate"], cost="timetrain"),
    "ranger_rbv2_surrogate": replace(TABLES["ranger_rbv2_surrogate"], cost="timetrain"),
    "kernel_convolution_gpus": Table(
        "time_ms", "minimize",
        ("block_size_x", "block_size_y", "tile_size_x", "tile_size_y", "read_only", "use_padding"),
        11, "trial_seconds",
    ),
}  # fmt: skip
"""The tables that say what each run cost."""


def read_table(folder: Path, name: str, *, charged: bool = False) -> History:
    """The history of one table, with its costs if they are asked for."""
    table = (CHARGED if charged else TABLES)[name]
    return read_history(
        folder / f"{name}.parquet",
        task="task",
        objective=table.objective,
        direction=table.direction,
        parameters=list(table.parameters),
        cost=table.cost,
    )
