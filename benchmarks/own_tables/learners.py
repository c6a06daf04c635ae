"""The learners: how each is built from a configuration, what it sees, and its library's default.

All run on one thread. The paper's three were run in R there; these are scikit-learn's and XGBoost's
implementations of the same learners in the same spaces, and differ as follows. SVM: the kernels are
libsvm's in both. XGBoost: numbers are scaled, which matters to `gblinear` alone, and trees are
grown on histograms. Forest: `mtry` is drawn from 1 … 36 and counts as that share of the features
(of at most 36), rounded up, and the table has the count; a draw without replacement is bagging of
the same trees; `respect.unordered.factors` orders levels by the response.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.own_tables.encoding import Fold
from benchmarks.own_tables.prepare import Task
from benchmarks.own_tables.spaces import Config

MOST_MTRY = 36  # the paper's range


@dataclass(frozen=True)
class Learner:
    """A learner: `build` makes an estimator, or takes one from the default's arguments."""

    build: Callable[[Config, Task, int], Any]
    default: Callable[[Task], Config]
    sees: Callable[[Fold, Config], tuple[Any, Any]] = lambda fold, config: fold.scaled
    regression: bool = True
    probabilities: bool = True
    depth: int = 1
    """Blocks of a task in one turn: cheap learners go ahead."""


class Boosted:
    """XGBoost by its own functions, which cost less than its scikit-learn classes."""

    def __init__(self, config: Config, classes: int, seed: int) -> None:
        self.rounds, self.classes = config["nrounds"], classes
        self.params = {k: v for k, v in config.items() if k != "nrounds"}
        self.params |= {"nthread": 1, "seed": seed, "verbosity": 0}
        if classes > 2:
            self.params |= {"objective": "multi:softprob", "num_class": classes}
        else:
            self.params["objective"] = "binary:logistic" if classes else "reg:squarederror"
        if config["booster"] == "gblinear":  # the other updater depends on threads
            self.params["updater"] = "coord_descent"
            del self.params["subsample"]  # trees alone have it

    def fit(self, features: Any, target: Any) -> None:
        import xgboost

        data = xgboost.DMatrix(features, target, nthread=1)
        self.model = xgboost.train(self.params, data, self.rounds)

    def predict(self, features: Any) -> Any:
        import xgboost

        return self.model.predict(xgboost.DMatrix(features, nthread=1))

    def predict_proba(self, features: Any) -> Any:
        found = self.predict(features)
        return found if self.classes > 2 else np.column_stack([1 - found, found])


def _svm(config: Config, task: Task, seed: int) -> Any:
    from sklearn.svm import SVC

    kernel = {"polynomial": "poly", "radial": "rbf"}.get(config["kernel"], config["kernel"])
    more = {k: config[k] for k in ("gamma", "degree") if k in config}
    return SVC(C=config["cost"], kernel=kernel, **({"gamma": "auto"} | more))


def _xgboost(config: Config, task: Task, seed: int) -> Any:
    return Boosted(config, task.classes, seed)


def mtry(config: Config, task: Task) -> int:
    """The number of features that a split chooses from."""
    return math.ceil(config["mtry"] / MOST_MTRY * min(task.features.shape[1], MOST_MTRY))


def _forest(config: Config, task: Task, seed: int) -> Any:
    from sklearn import ensemble, tree

    kind = "Classifier" if task.classes else "Regressor"
    features = config["max_features"] if "max_features" in config else mtry(config, task)
    fraction = config["sample.fraction"]
    if config["replace"] == "TRUE":
        return getattr(ensemble, f"RandomForest{kind}")(
            config["num.trees"],
            max_features=features,
            max_samples=None if fraction == 1 else fraction,
            random_state=seed,
        )
    grown = getattr(tree, f"DecisionTree{kind}")(max_features=features)
    return getattr(ensemble, f"Bagging{kind}")(
        grown, config["num.trees"], max_samples=fraction, bootstrap=False, random_state=seed
    )


def _forest_default(task: Task) -> Config:
    """100 trees; a split chooses from √p features, or from all in a regression."""
    p = task.features.shape[1]
    return {
        "num.trees": 100,
        "mtry": max(1, int(math.sqrt(p))) if task.classes else p,
        "sample.fraction": 1.0,
        "replace": "TRUE",
        "respect.unordered.factors": "FALSE",
        "max_features": "sqrt" if task.classes else 1.0,
    }


def _lightgbm(config: Config, task: Task, seed: int) -> Any:
    import lightgbm

    make = lightgbm.LGBMClassifier if task.classes else lightgbm.LGBMRegressor
    return make(**config, subsample_freq=1, n_jobs=1, random_state=seed, verbose=-1,
                deterministic=True, force_row_wise=True)  # fmt: skip


def _hist(config: Config, task: Task, seed: int) -> Any:
    from sklearn import ensemble

    kind = "Classifier" if task.classes else "Regressor"
    return getattr(ensemble, f"HistGradientBoosting{kind}")(
        **config, early_stopping=False, random_state=seed
    )


def _mlp(config: Config, task: Task, seed: int) -> Any:
    from sklearn import neural_network

    widths = tuple(config[f"width_{k}"] for k in range(1, config["layers"] + 1))
    more = {k: v for k, v in config.items() if not k.startswith(("layers", "width"))}
    kind = "Classifier" if task.classes else "Regressor"
    return getattr(neural_network, f"MLP{kind}")(
        hidden_layer_sizes=widths, **more, random_state=seed
    )


def _elastic_net(config: Config, task: Task, seed: int) -> Any:
    import sklearn
    from sklearn import linear_model

    if not task.classes:
        return linear_model.ElasticNet(**config, random_state=seed)
    more: dict[str, Any] = dict(config)
    if more["class_weight"] == "none":
        more["class_weight"] = None
    if "solver" not in more:
        more["solver"] = "saga"
        if tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 8):
            more["penalty"] = "elasticnet"  # later versions know it by l1_ratio
    return linear_model.LogisticRegression(**more, random_state=seed)


def _elastic_net_default(task: Task) -> Config:
    if task.classes:
        more = {"class_weight": "none", "max_iter": 100, "solver": "lbfgs"}
        return {"C": 1.0, "l1_ratio": 0.0} | more
    return {"alpha": 1.0, "l1_ratio": 0.5, "max_iter": 1000, "selection": "cyclic"}


def _knn(config: Config, task: Task, seed: int) -> Any:
    from sklearn import neighbors

    kind = "Classifier" if task.classes else "Regressor"
    return getattr(neighbors, f"KNeighbors{kind}")(**config, algorithm="brute")


def _forest_sees(fold: Fold, config: Config) -> tuple[Any, Any]:
    respected = config["respect.unordered.factors"] == "TRUE"
    return fold.ordered_codes if respected else fold.codes


def _codes(fold: Fold, config: Config) -> tuple[Any, Any]:
    return fold.codes


def _always(**config: Any) -> Callable[[Task], Config]:
    return lambda task: dict(config)


def _svm_default(task: Task) -> Config:
    """gamma = 1/p over the scaled columns, the rule of both libraries."""
    return {"kernel": "radial", "cost": 1.0, "gamma": 1.0 / Fold(task, 0).scaled[0].shape[1]}


LEARNERS: Mapping[str, Learner] = {
    "svm": Learner(_svm, _svm_default, regression=False, probabilities=False, depth=2),
    "xgboost": Learner(
        _xgboost,
        _always(booster="gbtree", nrounds=100, eta=0.3, subsample=1.0, max_depth=6,
                min_child_weight=1.0, colsample_bytree=1.0, colsample_bylevel=1.0,
                **{"lambda": 1.0, "alpha": 0.0}),
        depth=2,
    ),
    "forest": Learner(_forest, _forest_default, _forest_sees),
    "lightgbm": Learner(
        _lightgbm,
        _always(n_estimators=100, learning_rate=0.1, num_leaves=31, min_child_samples=20,
                subsample=1.0, colsample_bytree=1.0, reg_alpha=0.0, reg_lambda=0.0,
                min_split_gain=0.0, max_bin=255),
        _codes,
        depth=2,
    ),
    "hist_gradient_boosting": Learner(
        _hist,
        _always(max_iter=100, learning_rate=0.1, max_leaf_nodes=31, min_samples_leaf=20,
                l2_regularization=0.0, max_features=1.0, max_bins=255),
        _codes,
    ),
    "mlp": Learner(
        _mlp,
        _always(layers=1, width_1=100, activation="relu", learning_rate_init=0.001,
                alpha=0.0001, batch_size=200, max_iter=200),
    ),
    "elastic_net": Learner(_elastic_net, _elastic_net_default, depth=3),
    "knn": Learner(_knn, _always(n_neighbors=5, weights="uniform", metric="euclidean"), depth=3),
}  # fmt: skip
