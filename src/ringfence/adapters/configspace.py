"""ConfigSpace: a learned space as a ConfigurationSpace, and a ConfigurationSpace as a space."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any

import numpy as np

from ringfence.adapters.values import nearest, unequal
from ringfence.adapters.view import ToolView, Translated, as_learned, is_box
from ringfence.checks import integer
from ringfence.errors import MissingExtraError, SpaceError
from ringfence.learned.full import full_space
from ringfence.learned.space import LearnedSpace
from ringfence.space import Categorical, Condition, Config, Constant, Float, Int, Parameter, Space
from ringfence.space.pairs import from_pairs, paired, switched, to_pairs, without_flags

try:
    import ConfigSpace as CS
except ModuleNotFoundError as error:
    raise MissingExtraError("ConfigSpace", "configspace") from error

CORNERS = 9  # of the zone of a product or ratio, which together hold most of it
OFF = "off"  # in the `meta` of a range: the value of the parameter if its flag is False
FINEST = 1e-10  # ConfigSpace rounds bounds to 13 decimals


def to_configspace(
    learned: LearnedSpace | Space, seed: int | None = None
) -> Translated[CS.ConfigurationSpace]:
    """The ConfigurationSpace to search: a box as it is, any other region as its cube. In a box, a
    parameter that a value switches off becomes a flag and a range that is active if it is True.

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
    given = as_learned(learned)
    box = _box_with_off(given)
    shown = given if box is None else full_space(paired(box))
    view = ToolView(shown, can_represent=unequal)
    space = CS.ConfigurationSpace(seed=integer(seed, "seed", 0))
    space.add(*[_hyperparameter(name, p) for name, p in view.space.parameters.items()])
    for _, conditions in groupby(_by_child(view.space), key=lambda c: c.child):
        space.add(_condition(space, list(conditions)))

    for name, parameter in switched(box).items() if box is not None else ():
        space[name].meta = {OFF: parameter.off}
    _forbid_zone(space, ToolView(given, can_represent=unequal))

    def decode(values: Mapping[str, Any]) -> Config:
        config = view.decode(values)
        return config if box is None else from_pairs(box, config)

    def encode(config: Mapping[str, Any]) -> CS.Configuration:
        if box is not None:
            given.space.check(config)
            near = {n: nearest(n, box[n], value) for n, value in config.items() if n in box}
            config = to_pairs(box, near)
        try:
            return CS.Configuration(space, values=view.encode(config))
        except CS.ForbiddenValueError:
            raise SpaceError(
                f"the configuration {dict(config)} lies in the no-go zone, which the "
                "ConfigurationSpace forbids; a history read with failures='ignore' has none"
            ) from None

    return Translated(space, decode, encode)


def _box_with_off(learned: LearnedSpace) -> Space | None:
    """The space of a box in which a value switches a parameter off; None of any other region."""
    space = learned.as_space() if is_box(learned) else None
    return space if space is not None and switched(space) else None


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
    off = {name: (one.meta or {}).get(OFF) for name, one in space.items()}
    known = {name: value for name, value in off.items() if value is not None}
    return without_flags(Space(parameters, conditions), known)


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


def _forbid_zone(space: CS.ConfigurationSpace, view: ToolView) -> None:
    """Forbid what ConfigSpace can say of the no-go zone: what lies above a bound, or corners within
    that of a product of two. Its clauses for what lies below hold nothing back (1.2), and a cube
    has no parameters to forbid."""
    zone = view.learned.zone
    if zone is None or len(zone.parameters) > 2 or any(map(view.is_coordinate, zone.parameters)):
        return
    shown = [view.space[name] for name in zone.parameters]
    numbers = [one for one in shown if isinstance(one, (Int, Float))]
    if len(numbers) < len(shown) or any(view.space[n] != view.learned.space[n] for n in zone.only):
        return  # a range that shrank to a constant, or choices that are shown as text
    for corner in [] if zone.below or zone.ratio else _corners(zone.threshold, numbers):
        bounds = zip(zone.parameters, numbers, corner)
        clauses = [CS.ForbiddenGreaterThanClause(space[n], _before(p, at)) for n, p, at in bounds]
        clauses += [CS.ForbiddenEqualsClause(space[n], choice) for n, choice in zone.only.items()]
        with suppress(CS.ForbiddenValueError):  # it holds the default, which ConfigSpace needs
            space.add(clauses[0] if len(clauses) == 1 else CS.ForbiddenAndConjunction(*clauses))


def _corners(threshold: float, numbers: Sequence[Int | Float]) -> list[list[float]]:
    """Lower bounds of all parameters from which on their product is above the threshold."""
    first, *others = numbers
    if not others:
        corners = [[threshold]]
    else:
        shares = np.linspace(0.0, 1.0, CORNERS)
        at = first.low * (first.high / first.low) ** shares
        corners = [[float(bound), threshold / float(bound)] for bound in at]
    bounds = [[_bound(p, at) for p, at in zip(numbers, corner)] for corner in corners]
    return [b for b in bounds if all(at <= p.high for p, at in zip(numbers, b))]


def _bound(parameter: Int | Float, at: float) -> float:
    """The least value of the parameter from `at` on."""
    return max(math.ceil(at - 1e-9) if isinstance(parameter, Int) else at, parameter.low)


def _before(parameter: Int | Float, bound: float) -> float:
    """The greatest value that is not forbidden: ConfigSpace's clause for values from a bound on
    prints every vector that it is asked about (1.2)."""
    return max(bound - 1, parameter.low) if isinstance(parameter, Int) else bound


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
