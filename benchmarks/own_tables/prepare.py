"""From data sets to small files: one .npz a task, with folds, and a table of the tasks.

Rows above a number are left out by a seeded draw. Categories become numbers in the order of their
names, what is missing stays NaN. Classes with fewer than ten of the rows are left out, so that each
fold holds two of each class. The target of a regression is scaled to mean 0 and deviation 1 over
the rows that are kept: its RMSE is in standard deviations.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.own_tables.datasets import Source

MOST_ROWS = 1000
"""A configuration then takes about 0.1 to 1 s for five folds on one core."""
FOLDS = 5
LEAST_OF_A_CLASS = 10
SEED = 0


@dataclass(frozen=True, eq=False)
class Task:
    """One prepared data set."""

    name: str
    features: Any  # (n, p), float32, NaN where missing
    categorical: Any  # (p,), bool
    target: Any  # (n,): 0 … k-1, or scaled numbers
    fold: Any  # (n,): 0 … FOLDS-1
    classes: int  # 0: regression


def prepared(source: Source, most_rows: int = MOST_ROWS, seed: int = SEED) -> Task:
    """The rows that are used, encoded, with their folds."""
    import pandas as pd

    table = source.table.drop(columns=list(source.dropped)).dropna(subset=[source.target])
    rng = np.random.default_rng([seed, zlib.crc32(source.name.encode())])
    table = table.iloc[np.sort(rng.permutation(len(table))[:most_rows])].reset_index(drop=True)
    if source.classification:
        counts = table[source.target].map(table[source.target].value_counts())
        table = table[counts >= LEAST_OF_A_CLASS].reset_index(drop=True)
    goal = table.pop(source.target)
    categorical = [not pd.api.types.is_numeric_dtype(table[c]) for c in table.columns]
    columns = []
    for name, is_category in zip(table.columns, categorical, strict=True):
        column = table[name]
        if is_category:
            column = column.astype("category").cat.codes.replace(-1, float("nan"))
        columns.append(column.to_numpy(dtype=np.float32, na_value=np.nan))
    features, kinds = np.column_stack(columns), np.array(categorical)
    varied = [np.unique(c[~np.isnan(c)]).size > 1 for c in features.T]
    if source.classification:
        target = goal.astype("category").cat.codes.to_numpy().astype(np.int64)
        classes = int(target.max()) + 1
    else:
        values = goal.to_numpy(dtype=np.float64)
        target, classes = (values - values.mean()) / values.std(), 0
    fold = folds(target, classes, rng)
    return Task(source.name, features[:, varied], kinds[varied], target, fold, classes)


def folds(target: Any, classes: int, rng: np.random.Generator) -> Any:
    """The fold of each row: shuffled, and for classes with equal shares."""
    order = rng.permutation(len(target))
    if classes:
        order = order[np.argsort(target[order], kind="stable")]
    fold = np.empty(len(target), np.int8)
    fold[order] = np.arange(len(target)) % FOLDS
    return fold


def save(task: Task, folder: Path) -> None:
    """One file, as small as it gets."""
    arrays = {k: getattr(task, k) for k in ("features", "categorical", "target", "fold")}
    np.savez_compressed(folder / f"{task.name}.npz", classes=task.classes, **arrays)


def load(folder: Path, name: str) -> Task:
    """A task by its name."""
    with np.load(folder / f"{name}.npz") as file:
        arrays = {k: file[k] for k in ("features", "categorical", "target", "fold")}
        return Task(name, classes=int(file["classes"]), **arrays)


def prepare(wanted: Sequence[Source], folder: Path, most_rows: int) -> None:
    """All tasks, and `tasks.json`, which says what they are."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = []
    for source in wanted:
        task = prepared(source, most_rows)
        save(task, folder)
        facts = {
            "task": task.name,
            "kind": "classification" if task.classes else "regression",
            "package": source.package.split(":")[0],
            "file": source.file,
            "target": source.target,
            "data": source.data,
            "rows_in_package": len(source.table),
        }
        listed.append(facts)
        print(f"{task.name}: {task.features.shape}, {task.classes} classes", flush=True)
    content = {"most_rows": most_rows, "seed": SEED, "folds": FOLDS, "tasks": listed}
    (folder / "tasks.json").write_text(json.dumps(content, indent=1))


def describe(folder: Path) -> None:
    """Adds meta-features to `tasks.json`; needs ringfence."""
    from benchmarks.own_tables.meta import meta_features

    path = folder / "tasks.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    for facts in content["tasks"]:
        facts |= meta_features(load(folder, facts["task"]))
        print(facts["task"], flush=True)
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
