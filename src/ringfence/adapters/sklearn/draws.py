"""Configurations drawn from a learned space, for scikit-learn's randomized searches.

    RandomizedSearchCV(model, sklearn.param_list(learned, 50, seed=0), n_iter=50)

The searches take a list of dicts and draw from it without replacement, so that the values of a
configuration stay together and inactive parameters are left alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ringfence.adapters.sklearn.estimators import known_of
from ringfence.adapters.view import as_learned
from ringfence.checks import integer
from ringfence.errors import SettingError
from ringfence.learned.space import LearnedSpace
from ringfence.space import Choice, Config, Space


def param_list(
    learned: LearnedSpace | Space,
    n: int,
    seed: int | np.random.Generator | None = None,
    prefix: str = "",
) -> list[dict[str, list[Choice]]]:
    """Configurations for `RandomizedSearchCV`: dicts of one-value lists. Those of a space of the
    hub have the names of the estimator, as `arguments` gives them.

    Args:
        learned: the learned space, or a plain one.
        n: how many.
        seed: a number or a numpy Generator.
        prefix: leads to a step of a pipeline, such as "svc__".

    Examples:
        >>> import ringfence as rf
        >>> from ringfence.adapters import sklearn
        >>> space = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True), "depth": rf.Int(1, 12)})
        >>> len(sklearn.param_list(space, 50, seed=0, prefix="forest__"))
        50
    """
    if prefix and not prefix.endswith("__"):
        raise SettingError(f"the prefix must end with two underscores, as in {prefix + '__'!r}")
    count: Any = integer(n, "n", 1)
    space = as_learned(learned)
    configs = [arguments(space, config) for config in space.sample(count, seed=seed)]
    return [{prefix + name: [value] for name, value in config.items()} for config in configs]


def arguments(learned: LearnedSpace | Space, config: Mapping[str, Any]) -> Config:
    """A configuration as arguments of the estimator: a network of the hub has a width for each
    layer, and the runs of some entries had arguments that were not tuned.

    Args:
        learned: the space that the configuration is of. One that is not from the hub changes
            nothing.
        config: the configuration.

    Examples:
        >>> import ringfence as rf
        >>> from ringfence.adapters import sklearn
        >>> sklearn.arguments(rf.hub("mlp"), {"layers": 2, "width_1": 64, "width_2": 16})
        {'solver': 'adam', 'early_stopping': False, 'hidden_layer_sizes': (64, 16)}
    """
    origin = as_learned(learned).hub
    known = known_of(origin) if origin else None
    return dict(config) if known is None else known.arguments(dict(config))
