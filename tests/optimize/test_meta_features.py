"""Meta-features of data sets and distances between tasks; scikit-learn is the oracle."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.naive_bayes import GaussianNB

from ringfence.errors import SettingError
from ringfence.optimize.transfer.naive_bayes import cross_validated_error, stratified_folds
from ringfence.optimize.transfer.similarity import distances, meta_features, normalized


def blobs(n: int = 300, dim: int = 4, classes: int = 3, seed: int = 0):
    """Overlapping clouds of different widths, scales and sizes."""
    rng = np.random.default_rng(seed)
    labels = np.sort(rng.choice(classes, n, p=np.arange(1, classes + 1) / sum(range(classes + 1))))
    centers, widths = rng.normal(size=(classes, dim)), rng.uniform(0.5, 2.0, (classes, dim))
    X = centers[labels] + widths[labels] * rng.normal(size=(n, dim))
    return X * 10.0 ** np.arange(-2, dim - 2), labels


@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("seed", [0, 1])
def test_landmark_is_the_error_of_scikit_learn_on_the_same_folds(classes, seed):
    X, labels = blobs(classes=classes, seed=seed)
    folds = stratified_folds(labels, 10, np.random.default_rng(seed))
    predicted = cross_val_predict(GaussianNB(), X, labels, cv=PredefinedSplit(folds))
    assert cross_validated_error(X, labels, folds) == np.mean(predicted != labels) > 0.05
    assert meta_features(X, labels, seed=seed)["naive_bayes_error"] == np.mean(predicted != labels)


def test_folds_share_rows_and_classes_evenly():
    labels = np.repeat([0, 1, 2], [47, 30, 6])
    folds = stratified_folds(labels, 10, np.random.default_rng(0))
    assert set(np.bincount(folds)) == {8, 9}
    for label in range(3):
        sizes = np.bincount(folds[labels == label], minlength=10)
        assert sizes.max() - sizes.min() <= 1
    others = stratified_folds(labels, 10, np.random.default_rng(1))
    assert (folds != others).any()


def test_the_four_numbers():
    X, labels = blobs()
    found = meta_features(X, labels)
    sizes = np.bincount(labels)
    assert found["n_rows"] == 300 and found["n_features"] == 4
    assert found["class_imbalance"] == pytest.approx(sizes.max() / sizes.sum())
    assert meta_features(X, np.arange(300) % 2)["class_imbalance"] == 0.5
    assert list(found) == ["n_rows", "n_features", "class_imbalance", "naive_bayes_error"]


def test_names_of_classes_and_kind_of_table_do_not_matter():
    X, labels = blobs()
    text = np.array(["cat", "dog", "eel"])[labels]
    expected = meta_features(X, labels)
    frame = pd.DataFrame(X, columns=list("abcd"), index=np.arange(300) + 7)
    for table, target in [
        (X, text),
        (frame, pd.Series(text, dtype="category")),
        (frame, pd.Series(labels, dtype="Int64")),
        (pl.DataFrame(X), pl.Series(text)),
        (X.astype(object), list(text)),
    ]:
        assert meta_features(table, target) == expected


def test_categories_become_indicators_and_count_as_one_feature():
    X, labels = blobs()
    color = np.array(["blue", "red", None], dtype=object)[(labels + (X[:, 0] > 0)) % 3]
    found = meta_features(pd.DataFrame({"a": X[:, 0], "color": color}), labels)
    flags = [color == "blue", color == "red", color == None]  # noqa: E711
    numeric = meta_features(np.column_stack([X[:, 0], *flags]), labels)
    assert found == numeric | {"n_features": 2.0}


def test_missing_numbers_count_as_the_mean():
    X, labels = blobs()
    holes = X.copy()
    holes[::7, 1], holes[:, 3] = np.nan, np.nan
    filled = holes.copy()
    filled[::7, 1], filled[:, 3] = np.nanmean(holes[:, 1]), 0.0
    assert meta_features(holes, labels) == meta_features(filled, labels)


def test_constant_features_and_a_single_class():
    labels = np.repeat([0, 1], [30, 10])
    found = meta_features(np.ones((40, 2)), labels)
    assert found["naive_bayes_error"] == 0.25  # the larger class is always chosen
    alone = meta_features(np.ones((40, 2)), np.zeros(40, dtype=int))
    assert (alone["class_imbalance"], alone["naive_bayes_error"]) == (1, 0)


def test_regression_has_size_and_features_only():
    X, _ = blobs()
    rng = np.random.default_rng(0)
    for y in (rng.normal(size=300), rng.permutation(300)):
        assert meta_features(X, y) == {"n_rows": 300.0, "n_features": 4.0}
    assert "naive_bayes_error" in meta_features(X, rng.permutation(300), classification=True)
    assert "naive_bayes_error" not in meta_features(X, np.arange(300) % 2, classification=False)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.ones(5), np.zeros(5), r"X has shape \(5,\)"),
        (np.ones((5, 2)), np.zeros(4), r"X of shape \(5, 2\) and y of length 4"),
        (np.ones((1, 2)), np.zeros(1), "n > 1"),
        (np.ones((3, 0)), np.zeros(3), r"X of shape \(0, 0\)"),
        (np.ones((3, 1)), [1, None, 2], "y is missing in row 1"),
        (np.array([[1.0], [np.inf]]), [0, 1], "column 0 of X has an infinite value"),
    ],
)
def test_bad_data_is_named(X, y, message):
    with pytest.raises(SettingError, match=message):
        meta_features(X, y)


TARGET = {"n_rows": 100, "n_features": 10, "same": 3.0}
SOURCES = {
    "small": {"n_rows": 0, "n_features": 20, "same": 3.0},
    "large": {"n_rows": 1000, "n_features": 10, "same": 3.0},
}


def test_distances_by_hand():
    gaps = distances(TARGET, SOURCES)
    assert gaps == {"small": pytest.approx(0.1 + 1.0), "large": pytest.approx(0.9)}
    context, contexts = normalized(TARGET, SOURCES)
    assert context == pytest.approx([0.0, 0.1, 0.0])  # n_features, n_rows, same
    assert contexts["small"] == pytest.approx([1.0, 0.0, 0.0])
    context, contexts = normalized(TARGET | {"n_rows": -1000}, SOURCES)
    assert (context[1], contexts["small"][1], contexts["large"][1]) == (0.0, 0.5, 1.0)


def test_distances_do_not_depend_on_units_or_order():
    scaled = {
        task: {"same": 3.0, "n_rows": 5e200 * own["n_rows"], "n_features": own["n_features"] - 4}
        for task, own in reversed(({"": TARGET} | SOURCES).items())
    }
    gaps = distances(scaled.pop(""), scaled)
    assert gaps == {task: pytest.approx(gap) for task, gap in distances(TARGET, SOURCES).items()}


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_a_missing_meta_feature_names_task_and_feature(value):
    with pytest.raises(SettingError, match="'n_rows' of task 'small' is missing"):
        distances(TARGET, SOURCES | {"small": SOURCES["small"] | {"n_rows": value}})


def test_features_of_the_target_alone_and_of_none():
    with pytest.raises(SettingError, match="'extra' of task 'small' is missing"):
        distances(TARGET | {"extra": 1.0}, SOURCES)
    with pytest.raises(SettingError, match="'n_features' of the target is missing"):
        distances({}, SOURCES)
    with pytest.raises(SettingError, match="no meta-features"):
        distances({}, {"a": {}})
    with pytest.raises(SettingError, match="'n_rows' of the target is not a number: 'many'"):
        distances(TARGET | {"n_rows": "many"}, SOURCES)
