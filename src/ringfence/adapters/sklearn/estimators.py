"""Estimators that the hub knows: by their class, the entry and what its parameters are there.

An entry has the names of the estimator's arguments, as far as one parameter is one argument. A
network has a width for each layer, and some arguments held for all runs: both become arguments.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ringfence.adapters.sklearn.names import prefix_of
from ringfence.errors import SettingError
from ringfence.space import Config
from ringfence.words import some

MOST_LAYERS = 2  # of the networks of the hub
NOT_SET = "deprecated"
"""What `penalty` of a LogisticRegression is if nobody set it, since scikit-learn 1.8, which tells
the penalty by l1_ratio. Before, and wherever `penalty` is set, l1_ratio counts with 'elasticnet'
alone."""


@dataclass(frozen=True)
class Known:
    """What the hub knows of an estimator."""

    entry: str
    """The name of the entry."""
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Arguments that held for all runs of the entry."""
    mend: Callable[[Config], Config] = dict
    """Values that mean something else here."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other names that the estimator has for its arguments; set, they win over these."""

    def arguments(self, config: Config) -> Config:
        """A configuration of the entry as arguments of the estimator."""
        return {**self.fixed, **self.mend(dict(config))}


def _layers(arguments: Config) -> Config:
    kept = {k: v for k, v in arguments.items() if not k.startswith(("layers", "width_"))}
    count = int(str(arguments.get("layers", MOST_LAYERS)))
    widths = [arguments.get(f"width_{layer}") for layer in range(1, count + 1)]
    given: Any = tuple(int(str(width)) for width in widths if width is not None)
    return kept | {"hidden_layer_sizes": given}


def _class_weight(arguments: Config) -> Config:
    none = arguments.get("class_weight") == "none"
    return arguments | {"class_weight": None} if none else arguments


def _linear(arguments: Config) -> Config:
    """The runs of linear boosters had the updater that gives the same on any number of threads, and
    no subsample: trees alone have it, and XGBoost warns at each fit."""
    if arguments.get("booster") != "gblinear":
        return arguments
    kept = {name: value for name, value in arguments.items() if name != "subsample"}
    return kept | {"updater": "coord_descent"}


LIGHTGBM_NAMES = {
    "n_estimators": "num_iterations num_iteration n_iter num_tree num_trees num_round num_rounds "
    "nrounds num_boost_round max_iter",
    "learning_rate": "shrinkage_rate eta",
    "num_leaves": "num_leaf max_leaves max_leaf max_leaf_nodes",
    "min_child_samples": "min_data_in_leaf min_data_per_leaf min_data min_samples_leaf",
    "subsample": "bagging_fraction sub_row bagging",
    "subsample_freq": "bagging_freq",
    "colsample_bytree": "feature_fraction sub_feature",
    "reg_alpha": "lambda_l1 l1_regularization",
    "reg_lambda": "lambda_l2 lambda l2_regularization",
    "min_split_gain": "min_gain_to_split",
    "max_bin": "max_bins",
}
XGBOOST_NAMES = {"learning_rate": "eta", "reg_alpha": "alpha", "reg_lambda": "lambda",
                 "gamma": "min_split_loss"}  # fmt: skip


def _aliases(names: Mapping[str, str]) -> dict[str, str]:
    return {alias: name for name, others in names.items() for alias in others.split()}


SVM = Known("svm")
XGBOOST = Known("xgboost", mend=_linear, aliases=_aliases(XGBOOST_NAMES))
FOREST = Known("random_forest", {"bootstrap": True})  # else max_samples is an error
LIGHTGBM = Known("lightgbm", {"subsample_freq": 1}, aliases=_aliases(LIGHTGBM_NAMES))
HIST = Known("hist_gradient_boosting", {"early_stopping": False})
MLP = Known("mlp", {"solver": "adam", "early_stopping": False}, _layers)
LOGISTIC = Known("elastic_net", {"solver": "saga"}, _class_weight)
WITH_PENALTY = replace(LOGISTIC, fixed={**LOGISTIC.fixed, "penalty": "elasticnet"})
ELASTIC_NET = Known("elastic_net")
KNN = Known("knn")
CATBOOST = Known("catboost-tabr")

ESTIMATORS: Mapping[str, Known] = {
    "SVC": SVM,
    "XGBClassifier": XGBOOST,
    "XGBRegressor": XGBOOST,
    "RandomForestClassifier": FOREST,
    "RandomForestRegressor": FOREST,
    "LGBMClassifier": LIGHTGBM,
    "LGBMRegressor": LIGHTGBM,
    "CatBoostClassifier": CATBOOST,
    "CatBoostRegressor": CATBOOST,
    "HistGradientBoostingClassifier": HIST,
    "HistGradientBoostingRegressor": HIST,
    "MLPClassifier": MLP,
    "MLPRegressor": MLP,
    "LogisticRegression": LOGISTIC,
    "ElasticNet": ELASTIC_NET,
    "KNeighborsClassifier": KNN,
    "KNeighborsRegressor": KNN,
}
"""By the name of the class, so that no package needs to be imported for it."""
FOREIGN = ("mlp-tabr",)
"""Entries of a learner that scikit-learn has, too, but with other parameters."""


@dataclass(frozen=True)
class Naming:
    """How the parameters of a space are called in an estimator."""

    prefix: str
    """What leads to the step that has them."""
    known: Known | None = None
    """The estimator, if the names are those of its entry."""

    def arguments(self, config: Config) -> Config:
        """A configuration of the space as parameters of the estimator."""
        given = dict(config) if self.known is None else self.known.arguments(config)
        return {self.prefix + name: value for name, value in given.items()}


def naming_of_own(estimator: Any, names: list[str]) -> Naming:
    """How the parameters of a space of one's own are called in the estimator: as in the space.

    Raises:
        SettingError: it does not have them, or several of its steps do.
    """
    parameters = set(estimator.get_params())
    for prefix, part in parts_of(estimator):
        if _takes_any(part) and any(prefix + name in parameters for name in names):
            parameters |= {prefix + name for name in names}
    return Naming(prefix_of(parameters, names))


def _takes_any(part: Any) -> bool:
    """Whether an estimator takes arguments that it does not name, as boosters of LightGBM and
    XGBoost do."""
    kinds = {each.kind for each in inspect.signature(type(part)).parameters.values()}
    return inspect.Parameter.VAR_KEYWORD in kinds


def naming_of_hub(estimator: Any, origin: str | None = None) -> Naming:
    """How the parameters of its entry in the hub are called in the estimator, or in the one part of
    it that the hub knows.

    Args:
        estimator: what is tuned.
        origin: the entry that a space is from, as the space has it; None is that of the estimator.

    Raises:
        SettingError: the hub knows none or several, or the entry is of another learner.
    """
    found = {
        prefix: _known_part(part)
        for prefix, part in parts_of(estimator)
        if type(part).__name__ in ESTIMATORS
    }
    if not found:
        kinds = {name.removesuffix("Classifier").removesuffix("Regressor") for name in ESTIMATORS}
        raise SettingError(
            f"the hub has no space for {type(_last(estimator)).__name__}: pass space=, a learned "
            f"or a plain one; it knows {', '.join(sorted(kinds))}"
        )
    if origin is not None:
        found = _fitting(found, origin, type(_last(estimator)).__name__)
    ends = {prefix: known for prefix, known in found.items() if prefix == _last_prefix(estimator)}
    if len(found) == 1 or ends:  # of a selection of features and a learner, the learner
        return next(Naming(*each) for each in (ends or found).items())
    raise SettingError(
        f"the hub knows several parts of the estimator, {some(sorted(found))}: pass space=, an "
        f"rf.Space whose names lead to one of them and begin with {min(found)!r}, say"
    )


def _last_prefix(estimator: Any) -> str:
    """What leads to the parameters of the last step of a pipeline."""
    steps = getattr(estimator, "steps", None)
    return f"{steps[-1][0]}__{_last_prefix(steps[-1][1])}" if steps else ""


def _fitting(parts: Mapping[str, Known], origin: str, learner: str) -> dict[str, Known]:
    """Those of the parts whose parameters a space of the hub has; SettingError if none is."""
    entry = origin.partition("/")[0]
    same = {p: of_entry(known, entry) for p, known in parts.items() if _same(known.entry, entry)}
    fitting = {p: known for p, known in same.items() if _of_kind(known, origin)}
    if not fitting:
        raise SettingError(
            f"the space is the hub's {origin if same else entry!r}, which {learner} has not the "
            "parameters of"
        )
    return fitting


def of_entry(known: Known, entry: str) -> Known:
    """What is known of an estimator for this entry: what held for all runs of one's own entry did
    not hold for those of a published one."""
    return known if entry == known.entry else replace(known, entry=entry, fixed={})


def known_of(origin: str) -> Known | None:
    """What the hub knows of the estimator that a space of it is for, by the entry and the kind that
    the space has; None if scikit-learn's interface has none."""
    entry, _, kind = origin.partition("/")
    if entry == ELASTIC_NET.entry:
        if kind.startswith("regression"):
            return ELASTIC_NET
        return WITH_PENALTY if _needs_penalty() else LOGISTIC
    fitting = [known for known in ESTIMATORS.values() if _same(known.entry, entry)]
    return of_entry(fitting[0], entry) if fitting else None


def _known_part(part: Any) -> Known:
    """What is known of an estimator, as it is set."""
    known = ESTIMATORS[type(part).__name__]
    is_set = part.get_params(deep=False).get("penalty", NOT_SET) != NOT_SET
    return WITH_PENALTY if known is LOGISTIC and is_set else known


def _needs_penalty() -> bool:
    """Whether scikit-learn is older than 1.8; if it is not there, the next one will not be."""
    try:
        major, minor = version("scikit-learn").split(".")[:2]
    except PackageNotFoundError:
        return False
    return (int(major), int(minor)) < (1, 8)


def _same(one: str, other: str) -> bool:
    """Whether two entries are of one learner with one interface."""
    return other not in FOREIGN and one.partition("-")[0] == other.partition("-")[0]


def _of_kind(known: Known, origin: str) -> bool:
    """Whether a space of an entry is for the kind of task of an estimator; those of elastic nets
    alone have other parameters for regression."""
    if known.entry != ELASTIC_NET.entry:
        return True
    return (known is ELASTIC_NET) == origin.partition("/")[2].startswith("regression")


def _last(estimator: Any) -> Any:
    """The last step of a pipeline, where the learner is."""
    steps = getattr(estimator, "steps", None)
    return _last(steps[-1][1]) if steps else estimator


def parts_of(estimator: Any) -> list[tuple[str, Any]]:
    """The estimator and those inside it, each with what leads to its parameters."""
    inner = estimator.get_params(deep=True)
    parts = [(f"{name}__", part) for name, part in inner.items() if hasattr(part, "get_params")]
    return [("", estimator), *sorted(parts, key=lambda each: each[0])]
