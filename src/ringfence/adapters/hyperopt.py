"""Hyperopt: a search space for `fmin`.

Hyperopt does not see the conditions: it sets every parameter, and `decode` leaves inactive ones
out. `fmin` returns positions instead of choices; `decode(space_eval(space.space, best))` is the
configuration.
"""

from __future__ import annotations

import math
from typing import Any

from ringfence.adapters.view import ToolView, Translated, as_learned
from ringfence.errors import MissingExtraError
from ringfence.learned.space import LearnedSpace
from ringfence.space import Categorical, Constant, Int, Parameter, Space

try:
    from hyperopt import hp
except ModuleNotFoundError as error:
    raise MissingExtraError("hyperopt", "hyperopt") from error


def search_space(learned: LearnedSpace | Space) -> Translated[dict[str, Any]]:
    """What `fmin` searches: a box as it is, any other region as its cube.

    Args:
        learned: the learned space, or a plain one.

    Returns:
        Hyperopt's space, with `decode` for what `fmin` passes to the objective.

    Examples:
        >>> import numpy as np
        >>> from hyperopt.pyll.stochastic import sample
        >>> import ringfence as rf
        >>> from ringfence.adapters import hyperopt
        >>> learned = rf.learn(rf.example_history(), shape="ellipsoid", starts=0)
        >>> translated = hyperopt.search_space(learned)
        >>> learned.contains(translated.decode(sample(translated.space, np.random.default_rng(0))))
        True
    """
    view = ToolView(as_learned(learned), flat=True)
    space = {name: _expression(name, p) for name, p in view.space.parameters.items()}
    return Translated(space, view.decode, view.encode)


def _expression(name: str, parameter: Parameter) -> Any:
    if isinstance(parameter, Constant):
        return parameter.value
    if isinstance(parameter, Categorical):
        return hp.choice(name, list(parameter.choices))
    low, high = parameter.low, parameter.high
    if isinstance(parameter, Int):  # half a step on either side, so that both ends count fully
        low, high = low - 0.5, high + 0.5
        if parameter.log:
            return hp.qloguniform(name, math.log(low), math.log(high), 1)
        return hp.quniform(name, low, high, 1)
    if parameter.log:
        return hp.loguniform(name, math.log(low), math.log(high))
    return hp.uniform(name, low, high)
