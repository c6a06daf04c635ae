"""A parameter that a value switches off as a pair, for tools that know plain ranges and conditions:
a flag, and the range, which is active only if the flag is True."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from ringfence.errors import SpaceError
from ringfence.space.conditions import Condition
from ringfence.space.parameters import Categorical, Choice, Float, Int, Parameter
from ringfence.space.space import Config, Space

FLAG = "use_"
"""What goes before a parameter's name in that of its flag."""


def switched(space: Space) -> dict[str, Float | Int]:
    """The parameters of a space that a value switches off."""
    return {
        name: parameter
        for name, parameter in space.parameters.items()
        if isinstance(parameter, (Float, Int)) and parameter.off is not None
    }


def has_off(parameter: Parameter | None) -> bool:
    """Whether a value switches the parameter off."""
    return parameter is not None and off_of(parameter) is not None


def off_of(parameter: Parameter) -> float | None:
    """The value that switches the parameter off; None if there is none."""
    return parameter.off if isinstance(parameter, (Float, Int)) else None


def flag_of(space: Space, name: str) -> str:
    """The name of a parameter's flag."""
    flag = f"{FLAG}{name}"
    while flag in space:
        flag += "_"
    return flag


def flags(space: Space) -> dict[str, str]:
    """The flags, and the parameter that each switches."""
    return {flag_of(space, name): name for name in switched(space)}


def paired(space: Space) -> Space:
    """The space with a pair for each parameter that a value switches off."""
    pairs = switched(space)
    parameters: dict[str, Parameter] = {}
    conditions: list[Condition] = []
    for name, parameter in space.parameters.items():
        own = space.conditions_of(name)
        if name in pairs:
            flag = flag_of(space, name)
            parameters[flag] = Categorical([True, False])
            parameters[name] = plain_range(pairs[name])
            own = tuple(Condition(flag, c.parent, c.values) for c in own)
            conditions.append(Condition(name, flag, [True]))
        else:
            parameters[name] = parameter
        conditions += [_of_pairs(space, condition) for condition in own]
    return Space(parameters, conditions)


def plain_range(parameter: Float | Int) -> Float | Int:
    """The range without the value that switches off."""
    return msgspec.structs.replace(parameter, off=None)


def to_pairs(space: Space, config: Mapping[str, Any]) -> Config:
    """A configuration of the space as one of the pairs."""
    pairs = switched(space)
    values: Config = {}
    for name, value in config.items():
        if name in pairs:
            values[flag_of(space, name)] = value != pairs[name].off
        if name not in pairs or value != pairs[name].off:
            values[name] = value
    return values


def from_pairs(space: Space, values: Mapping[str, Any]) -> Config:
    """A configuration of the pairs as one of the space, in its order; flags that are missing do not
    matter, and what the space does not know stays."""
    switches = flags(space)
    off = {
        name: switched(space)[name].off for f, name in switches.items() if values.get(f) is False
    }
    known = {**values, **off}
    names = dict.fromkeys([*(name for name in space if name in known), *known])
    return {name: known[name] for name in names if name not in switches}


def flag_candidates(space: Space) -> dict[str, tuple[str, tuple[Choice, ...]]]:
    """What looks like a pair: a range that depends on nothing but one value of a parameter with two
    choices, on which nothing else depends. By the name of the range: the flag, and its value that
    switches the range on."""
    found = {}
    for name, parameter in space.parameters.items():
        own = space.conditions_of(name)
        if not isinstance(parameter, (Float, Int)) or parameter.off is not None or len(own) != 1:
            continue
        flag = space[own[0].parent]
        alone = sum(c.parent == own[0].parent for c in space.conditions) == 1
        two = isinstance(flag, Categorical) and len(flag.choices) == 2
        if alone and two and len(own[0].values) == 1:
            found[name] = own[0].parent, tuple(own[0].values)
    return found


def off_for_flags(flagged: Space, space: Space) -> dict[str, float]:
    """The values for off in a space, of the numbers that a flag switches in a `flagged` one, or
    that have one by its name, which was on in every run."""
    candidates = flag_candidates(flagged)
    shared = [n for n in flagged if (n in candidates or f"{FLAG}{n}" in flagged) and n in space]
    return {name: off for name in shared if (off := off_of(space[name])) is not None}


def without_flags(space: Space, off: Mapping[str, float]) -> Space:
    """The space with one parameter in place of each pair whose value for off is known."""
    switches = {name: flag for name, (flag, _) in flag_candidates(space).items() if name in off}
    gone = set(switches.values())
    parameters: dict[str, Parameter] = {
        name: _with_off(parameter, off[name]) if name in switches else parameter
        for name, parameter in space.parameters.items()
        if name not in gone
    }
    conditions = [c for c in space.conditions if c.child not in gone and c.parent not in gone]
    for name, flag in switches.items():
        conditions += [Condition(name, c.parent, c.values) for c in space.conditions_of(flag)]
    return Space(parameters, conditions)


def _with_off(parameter: Parameter, off: float) -> Parameter:
    assert isinstance(parameter, (Float, Int))
    return type(parameter)(parameter.low, parameter.high, parameter.log, off)  # type: ignore[arg-type]


def _of_pairs(space: Space, condition: Condition) -> Condition:
    """A condition on a number that may be off as one on its flag or its range."""
    off = off_of(space[condition.parent])
    if off is None or off not in condition.values:
        return condition
    if len(condition.values) > 1:
        raise SpaceError(
            f"{condition.child!r} depends on {condition.parent!r} = {off} and on other values; a "
            "flag and a range cannot say that: write two conditions' parameters, or one value"
        )
    return Condition(condition.child, flag_of(space, condition.parent), [False])
