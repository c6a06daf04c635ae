"""ConfigSpace: a learned space as a ConfigurationSpace, and a ConfigurationSpace as a space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from ringfence.adapters.values import unequal
from ringfence.adapters.view import ToolView, Translated, as_learned
from ringfence.checks import integer
from ringfence.errors import MissingExtraError, SpaceError
from ringfence.learned.space import LearnedSpace
from ringfence.space import Categorical, Condition, Constant, Float, Int, Parameter, Space

try:
    import ConfigSpace as CS
except ModuleNotFoundError as error:
    raise MissingExtraError("ConfigSpace", "configspace") from error

FINEST = 1e-10  # ConfigSpace rounds bounds to 13 decimals


def to_configspace(
    learned: LearnedSpace | Space, seed: int | None = None
) -> Translated[CS.ConfigurationSpace]:
    """The ConfigurationSpace to search: a box as it is, any other region as its cube.

    Args:
        learned: the learned space, or a plain one.
        seed: of the ConfigurationSpace.

    Returns:
        The ConfigurationSpace, with `decode` from a Configuration to a plain dict, and `encode`
        back.

    Examples:
        >>> import ringfence as rf
        >>> from ringfence.adapters import configspace
        >>> learned = rf.learn(rf.example_history(), shape="ellipsoid", starts=0)
        >>> translated = configspace.to_configspace(learned, seed=0)
        >>> learned.contains(translated.decode(translated.space.sample_configuration()))
        True
    """
    view = ToolView(as_learned(learned), can_represent=unequal)
    space = CS.ConfigurationSpace(seed=integer(seed, "seed", 0))
    space.add(*[_hyperparameter(name, p) for name, p in view.space.parameters.items()])
    for _, conditions in groupby(_by_child(view.space), key=lambda c: c.child):
        space.add(_condition(space, list(conditions)))

    def encode(config: Mapping[str, Any]) -> CS.Configuration:
        return CS.Configuration(space, values=view.encode(config))

    return Translated(space, view.decode, encode)


def from_configspace(space: CS.ConfigurationSpace) -> Space:
    """The same space in ringfence's terms.

    Args:
        space: a ConfigurationSpace.

    Raises:
        SpaceError: what has no counterpart, such as a forbidden clause.

    Examples:
        >>> import ConfigSpace
        >>> from ringfence.adapters import configspace
        >>> space = ConfigSpace.ConfigurationSpace({"depth": (1, 12)})
        >>> configspace.from_configspace(space)["depth"]
        Int(low=1, high=12, log=False)
    """
    if space.forbidden_clauses:
        raise SpaceError(
            f"the forbidden clause {space.forbidden_clauses[0]} has no counterpart: take it out"
        )
    parameters = {name: _parameter(hyperparameter) for name, hyperparameter in space.items()}
    conditions = [simple for condition in space.conditions for simple in _conditions(condition)]
    return Space(parameters, conditions)


def _hyperparameter(name: str, parameter: Parameter) -> Any:
    if isinstance(parameter, Float):
        if parameter.high - parameter.low < FINEST or (parameter.log and parameter.low < FINEST):
            raise SpaceError(
                f"parameter {name!r}: ConfigSpace keeps 13 decimals, too few for {parameter.low} "
                f"to {parameter.high}: take another unit"
            )
        return CS.UniformFloatHyperparameter(name, parameter.low, parameter.high, log=parameter.log)
    if isinstance(parameter, Int):
        return CS.UniformIntegerHyperparameter(
            name, parameter.low, parameter.high, log=parameter.log
        )
    if isinstance(parameter, Constant):
        return CS.Constant(name, parameter.value)
    if parameter.ordered:
        return CS.OrdinalHyperparameter(name, parameter.choices)
    return CS.CategoricalHyperparameter(name, parameter.choices)


def _by_child(space: Space) -> list[Condition]:
    return sorted(space.conditions, key=lambda condition: condition.child)


def _condition(space: CS.ConfigurationSpace, conditions: Sequence[Condition]) -> Any:
    """All conditions of one child as a single condition of ConfigSpace."""
    parts = []
    for condition in conditions:
        child, parent = space[condition.child], space[condition.parent]
        values = list(condition.values)
        parts.append(
            CS.EqualsCondition(child, parent, values[0])
            if len(values) == 1
            else CS.InCondition(child, parent, values)
        )
    return parts[0] if len(parts) == 1 else CS.AndConjunction(*parts)


def _parameter(hyperparameter: Any) -> Parameter:
    if isinstance(hyperparameter, CS.UniformFloatHyperparameter):
        return Float(hyperparameter.lower, hyperparameter.upper, hyperparameter.log)
    if isinstance(hyperparameter, CS.UniformIntegerHyperparameter):
        return Int(hyperparameter.lower, hyperparameter.upper, hyperparameter.log)
    if isinstance(hyperparameter, CS.Constant):
        return Constant(hyperparameter.value)
    if isinstance(hyperparameter, CS.OrdinalHyperparameter):
        return Categorical(hyperparameter.sequence, ordered=True)
    if isinstance(hyperparameter, CS.CategoricalHyperparameter):
        if len(set(hyperparameter.probabilities)) > 1:
            raise SpaceError(
                f"parameter {hyperparameter.name!r} weighs its choices, which has no counterpart: "
                "leave the weights out"
            )
        return Categorical(hyperparameter.choices)
    raise SpaceError(
        f"parameter {hyperparameter.name!r} is a {type(hyperparameter).__name__}, which has no "
        "counterpart: declare it uniform over its range"
    )


def _conditions(condition: Any) -> list[Condition]:
    if isinstance(condition, CS.AndConjunction):
        return [simple for part in condition.components for simple in _conditions(part)]
    if isinstance(condition, CS.EqualsCondition):
        return [Condition(condition.child.name, condition.parent.name, [condition.value])]
    if isinstance(condition, CS.InCondition):
        return [Condition(condition.child.name, condition.parent.name, list(condition.values))]
    raise SpaceError(
        f"the condition {condition} has no counterpart: say it with EqualsCondition or InCondition"
    )
