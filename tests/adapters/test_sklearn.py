"""scikit-learn: its randomized searches go through the draws, and only those."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from problems import SPACES, region
from ringfence.adapters.sklearn import param_list

from .contract import CELLS, inside

pytest.importorskip("sklearn")
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import HalvingRandomSearchCV, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


@pytest.fixture(scope="module")
def svm():
    space = rf.Space(
        {
            "kernel": rf.Categorical(["poly", "rbf"]),
            "C": rf.Float(0.01, 100, log=True),
            "degree": rf.Int(2, 4),
        },
        [rf.Condition("degree", "kernel", ["poly"])],
    )
    rows = [
        {"task": f"t{i}", "kernel": "rbf" if i % 2 else "poly", "C": 0.1 * 2**i,
         "degree": None if i % 2 else 2 + i % 3, "e": 0.0}
        for i in range(8)
    ]  # fmt: skip
    history = rf.History.from_frame(
        pl.DataFrame(rows), task="task", objective="e", direction="minimize", parameters=list(space)
    )
    return rf.learn(history, space, shape="ellipsoid")


@pytest.mark.parametrize("kind, name", CELLS)
def test_the_list_holds_the_draws(kind, name):
    learned = region(kind, name)
    grid = param_list(learned, 20, seed=3, prefix="svc__")
    assert all(len(values) == 1 for entry in grid for values in entry.values())
    configs = [{n.removeprefix("svc__"): v[0] for n, v in entry.items()} for entry in grid]
    assert configs == learned.sample(20, seed=3)
    for config in configs:
        inside(learned, config)


def test_randomized_search_tries_each_of_them_once(data, svm):
    model = make_pipeline(StandardScaler(), SVC())
    grid = param_list(svm, 8, seed=0, prefix="svc__")
    search = RandomizedSearchCV(model, grid, n_iter=8, cv=3, random_state=0).fit(*data)
    tried = search.cv_results_["params"]
    given = [{name: values[0] for name, values in entry.items()} for entry in grid]
    assert len(tried) == 8 and all(entry in tried for entry in given)
    assert any("svc__degree" in entry for entry in tried)
    assert any("svc__degree" not in entry for entry in tried)


def test_halving_search(data, svm):
    grid = param_list(svm, 6, seed=0)
    search = HalvingRandomSearchCV(
        SVC(), grid, n_candidates=6, cv=3, random_state=0, min_resources=30, factor=2
    ).fit(*data)
    assert all(svm.contains(config) for config in search.cv_results_["params"])
    assert search.best_params_ in [{n: v[0] for n, v in entry.items()} for entry in grid]


def test_errors_say_what_is_wrong():
    with pytest.raises(rf.SettingError, match="'svc__'"):
        param_list(SPACES["mixed"], 3, prefix="svc")
    with pytest.raises(rf.SettingError, match="n must be at least 1"):
        param_list(SPACES["mixed"], 0)
