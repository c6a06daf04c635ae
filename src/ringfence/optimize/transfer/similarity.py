"""Meta-features: a few numbers that describe a data set, to find the most similar earlier task.

The paper names four (section 6.2) and defines none of them. Ours:

name                meaning
n_rows              data set size
n_features          columns, before categories become indicators
class_imbalance     share of the largest class, as tables of OpenML and PMLB have it
naive_bayes_error   share that Gaussian Naive Bayes misclassifies, 10 stratified folds

The last two need classes. A regression task has only the first two and compares with other
regression tasks; mixing the two kinds is an error that names the missing feature.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from ringfence.arrays import FloatArray, IntArray
from ringfence.checks import generator
from ringfence.errors import SettingError
from ringfence.history.tables import as_table, from_objects
from ringfence.optimize.transfer.naive_bayes import cross_validated_error, stratified_folds

FOLDS = 10
MOST_LEVELS = 50  # of a categorical column; rarer ones have no indicator
FEW_CLASSES = 10  # distinct integers that always count as classes


def meta_features(
    X: Any, y: Any, *, classification: bool | None = None, seed: int = 0
) -> dict[str, float]:
    """The paper's four numbers for a data set, or two for regression.

    Args:
        X: features (n, p): a numpy array, or a pandas or polars table. Numbers that are missing
            count as their column's mean; text and categories become indicators, one for missing.
        y: target (n,).
        classification: whether y holds classes; None: unless it holds numbers that are not
            integers, or more distinct ones than 10 and than √n.
        seed: of the folds.

    Examples:
        >>> import numpy as np
        >>> import ringfence as rf
        >>> rng = np.random.default_rng(0)
        >>> X, y = rng.normal(size=(100, 3)), rng.integers(2, size=100)
        >>> sorted(rf.meta_features(X, y))
        ['class_imbalance', 'n_features', 'n_rows', 'naive_bayes_error']
    """
    columns, target = _columns(X), _column("y", y)
    n = target.len()
    if not columns or columns[0].len() != n or n < 2:
        shape = (columns[0].len() if columns else 0, len(columns))
        raise SettingError(f"X of shape {shape} and y of length {n}: expected (n, p), n, n > 1")
    if target.null_count():
        row = int(target.is_null().arg_max() or 0)
        raise SettingError(f"y is missing in row {row}: leave rows without a target out")
    numbers = {"n_rows": float(n), "n_features": float(len(columns))}
    if classification if classification is not None else _has_classes(target):
        _, labels, counts = np.unique(target.to_numpy(), return_inverse=True, return_counts=True)
        folds = stratified_folds(labels, min(FOLDS, n), generator(seed))
        features = np.column_stack([_numbers(column) for column in columns])
        numbers["class_imbalance"] = class_imbalance(counts)
        numbers["naive_bayes_error"] = cross_validated_error(features, labels, folds)
    return numbers


def class_imbalance(rows_per_class: Sequence[int] | IntArray) -> float:
    """The share of the largest class: the one definition, for data at hand as for tables."""
    return float(max(rows_per_class) / sum(rows_per_class))


def distances(
    target: Mapping[str, float], sources: Mapping[str, Mapping[str, float]]
) -> dict[str, float]:
    """ℓ1 distance of each source's normalized meta-features from the target's, by task."""
    context, contexts = normalized(target, sources)
    return {task: float(np.abs(source - context).sum()) for task, source in contexts.items()}


def normalized(
    target: Mapping[str, float], sources: Mapping[str, Mapping[str, float]]
) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Meta-features of the target (k,) and of each source, in alphabetical order.

    Each is scaled to [0, 1] over all tasks, target included; one that all tasks share is 0. The
    paper does not say how it normalizes.
    """
    names = sorted({name for task in (target, *sources.values()) for name in task})
    if not names:
        raise SettingError("the tasks have no meta-features to compare")
    rows = {"the target": target} | {f"task {task!r}": row for task, row in sources.items()}
    table = np.array([[_value(row, name, task) for name in names] for task, row in rows.items()])
    low, spread = table.min(axis=0), np.ptp(table, axis=0)
    table = (table - low) / np.where(spread > 0, spread, 1.0)
    return table[0], dict(zip(sources, table[1:]))


def _value(row: Mapping[str, float], name: str, task: str) -> float:
    value = row.get(name)
    try:
        number = math.nan if value is None else float(value)
    except (TypeError, ValueError):
        raise SettingError(f"meta-feature {name!r} of {task} is not a number: {value!r}") from None
    if not math.isfinite(number):
        raise SettingError(
            f"meta-feature {name!r} of {task} is missing: give a number, or leave that feature "
            "out for all tasks"
        )
    return number


def _columns(X: Any) -> list[pl.Series]:
    if not isinstance(X, np.ndarray):
        return as_table(X, index=False).get_columns()
    if X.ndim != 2:
        raise SettingError(f"X has shape {X.shape}: expected (n, p)")
    return [_column(f"column {j}", X[:, j]) for j in range(X.shape[1])]


def _column(name: str, values: Any) -> pl.Series:
    """Values as numbers, booleans or text; missing is null."""
    array = np.asarray(values)
    if array.dtype.kind == "f":
        return pl.Series(name, array.astype(np.float64)).fill_nan(None)
    if array.dtype.kind in "biu":
        return pl.Series(name, array)
    # NaN, and pandas' NA and NaT, are not equal to themselves.
    return from_objects(name, [v if (v == v) is True else None for v in array.tolist()])


def _has_classes(target: pl.Series) -> bool:
    if not target.dtype.is_numeric():
        return True
    integers = bool((target == target.round(0)).all())
    return integers and target.n_unique() <= max(FEW_CLASSES, math.sqrt(target.len()))


def _numbers(column: pl.Series) -> FloatArray:
    """The column as one of numbers, or as indicators of its levels, shape (n, 1) or (n, levels)."""
    if column.dtype.is_numeric() or column.dtype == pl.Boolean:
        values = column.cast(pl.Float64)
        if not values.is_finite().all():
            raise SettingError(f"{column.name} of X has an infinite value: replace it")
        present = values.drop_nulls().to_numpy()
        return values.fill_null(present.mean() if present.size else 0.0).to_numpy()[:, None]
    text = column.cast(pl.String).alias("level")
    counts = text.value_counts().sort(["count", "level"], descending=[True, False])
    levels = counts["level"].head(MOST_LEVELS)
    return np.column_stack([text.eq_missing(level).to_numpy() for level in levels]).astype(float)
