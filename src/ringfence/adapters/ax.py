"""Ax: parameter configurations for `Client.configure_experiment`.

    space = ax.parameters(learned)
    client.configure_experiment(parameters=space.space)
    for index, values in client.get_next_trials(max_trials=1).items():
        client.complete_trial(index, raw_data={"loss": objective(space.decode(values))})

Ax knows only linear constraints, and none on a log scale, so an ellipsoid is given as its cube. Ax
does not see the conditions: `decode` leaves inactive parameters out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringfence.adapters.values import one_type
from ringfence.adapters.view import ToolView, Translated, as_learned
from ringfence.errors import MissingExtraError
from ringfence.learned.space import LearnedSpace
from ringfence.space import Categorical, Constant, Int, Parameter, Space

try:
    from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
except ModuleNotFoundError as error:
    raise MissingExtraError("ax-platform", "ax") from error


def parameters(learned: LearnedSpace | Space) -> Translated[list[Any]]:
    """The parameters for `Client.configure_experiment`. Constants are left out; `decode` puts them
    in.

    Args:
        learned: the learned space, or a plain one.

    Returns:
        Ax's parameters, with `decode` for what `get_next_trials` gives and `encode` for
        `attach_trial`.

    Examples:
        >>> import ringfence as rf
        >>> from ringfence.adapters import ax
        >>> space = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True), "depth": rf.Int(1, 12)})
        >>> translated = ax.parameters(space)
        >>> [parameter.name for parameter in translated.space]
        ['lr', 'depth']
        >>> translated.decode({"lr": 0.1, "depth": 3})
        {'lr': 0.1, 'depth': 3}
    """
    view = ToolView(as_learned(learned), flat=True, can_represent=one_type)
    searched = {n: p for n, p in view.space.parameters.items() if not isinstance(p, Constant)}
    configs = [_config(name, parameter) for name, parameter in searched.items()]

    def encode(config: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in view.encode(config).items() if name in searched}

    return Translated(configs, view.decode, encode)


def _config(name: str, parameter: Parameter) -> Any:
    if isinstance(parameter, Categorical):
        return ChoiceParameterConfig(
            name=name,
            values=list(parameter.choices),
            parameter_type=type(parameter.choices[0]).__name__,
            is_ordered=parameter.ordered,
        )
    assert not isinstance(parameter, Constant)
    return RangeParameterConfig(
        name=name,
        bounds=(parameter.low, parameter.high),
        parameter_type="int" if isinstance(parameter, Int) else "float",
        scaling="log" if parameter.log else "linear",
    )
