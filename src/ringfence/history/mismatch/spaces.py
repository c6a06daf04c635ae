"""Spaces that differ: under other names, and as one that holds them all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ringfence.errors import SpaceError
from ringfence.history.values import one_of_each
from ringfence.space import (
    Categorical,
    Choice,
    Condition,
    Constant,
    Float,
    Int,
    Parameter,
    Space,
    choice_key,
)
from ringfence.space.display import range_of


def under_names(space: Space, names: Mapping[str, str]) -> Space:
    """The space with some parameters under new names; several under one name are their union."""
    conditions = [
        Condition(names.get(c.child, c.child), names.get(c.parent, c.parent), c.values)
        for c in space.conditions
    ]
    return _joined([(names.get(name, name), space[name]) for name in space], conditions)[0]


def union_of(spaces: Sequence[Space]) -> tuple[Space, list[str]]:
    """The smallest space that holds all of these, the oldest first, and what had to be decided. A
    parameter that is of another kind here and there is that of the last space that has it. A
    condition of one of them counts: where its parent is not known, the child may be active."""
    parameters = [(name, space[name]) for space in spaces for name in space]
    return _joined(parameters, [c for space in spaces for c in space.conditions])


def restricted(space: Space, names: Sequence[str]) -> Space:
    """The space of these parameters; a condition on one that is left out goes with it."""
    kept = {name: space[name] for name in names if name in space}
    conditions = [c for c in space.conditions if c.child in kept and c.parent in kept]
    return Space(kept, conditions)


def _joined(
    named: Sequence[tuple[str, Parameter]], conditions: Sequence[Condition]
) -> tuple[Space, list[str]]:
    kinds: dict[str, list[Parameter]] = {}
    for name, parameter in named:
        kinds.setdefault(name, []).append(parameter)
    notes, parameters = [], {}
    for name, each in kinds.items():
        parameters[name] = widest(each) or each[-1]
        if widest(each) is None:
            others = " or ".join(dict.fromkeys(range_of(k) for k in each if k != each[-1]))
            notes.append(
                f"{name} is {others} in some sources; took {range_of(each[-1])}, which the last "
                "has: other values are converted if they can be, else dropped and counted"
            )
    values: dict[tuple[str, str], list[Choice]] = {}
    for condition in conditions:
        values.setdefault((condition.child, condition.parent), []).extend(condition.values)
    kept: list[Condition] = []
    for (child, parent), active in values.items():
        condition = Condition(child, parent, _distinct(active))
        try:
            Space(parameters, (*kept, condition))
        except SpaceError as error:
            notes.append(f"left out that {child} depends on {parent}: {error}")
        else:
            kept.append(condition)
    return Space(parameters, kept), notes


def widest(parameters: Sequence[Parameter]) -> Parameter | None:
    """The smallest parameter that holds all of these; None if they are of different kinds."""
    first = parameters[0]
    if all(parameter == first for parameter in parameters):
        return first
    numbers = [_numbers(parameter) for parameter in parameters]
    ranges = [p for p in parameters if isinstance(p, (Float, Int))]
    if all(numbers) and (ranges or all(isinstance(p, Constant) for p in parameters)):
        off = {p.off for p in ranges if p.off is not None}
        ends = [end for p, each in zip(parameters, numbers) for end in _beside(p, each, off)]
        low, high = min(ends), max(ends)
        if len(off) > 1 or any(low < value < high for value in off):  # it is a number as others are
            low, high = min(low, *off), max(high, *off)
            ends, off = [low, high, *ends], set()
        switch = min(off, default=None)
        log = any(p.log for p in ranges) and low > 0
        if all(float(end).is_integer() for end in ends) and not _has_float(parameters):
            return Int(int(low), int(high), log, None if switch is None else int(switch))
        return Float(float(low), float(high), log, switch)
    if ranges:
        return None
    choices = [p for p in parameters if isinstance(p, Categorical)]
    values = one_of_each(value for p in parameters for value in _values(p))
    if any(p.ordered for p in choices):
        if not (all(numbers) and all(p.ordered for p in choices)):
            return None
        return Categorical(sorted(values, key=float), ordered=True)  # type: ignore[arg-type]
    return Categorical(values)


def _numbers(parameter: Parameter) -> list[float]:
    """The ends of a range, or the numbers that a parameter lists; none if it has others."""
    if isinstance(parameter, (Float, Int)):
        return [parameter.low, parameter.high]
    values = _values(parameter)
    plain = [v for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)]
    return plain if len(plain) == len(values) else []


def _beside(parameter: Parameter, ends: list[float], off: set[float]) -> list[float]:
    """The numbers of a parameter without those that switch another task's off, if it is fixed."""
    return [end for end in ends if end not in off] if isinstance(parameter, Constant) else ends


def _values(parameter: Parameter) -> list[Choice]:
    if isinstance(parameter, Constant):
        return [parameter.value]
    return list(parameter.choices) if isinstance(parameter, Categorical) else []


def _has_float(parameters: Sequence[Parameter]) -> bool:
    listed = [value for p in parameters for value in _values(p)]
    return any(isinstance(p, Float) for p in parameters) or any(
        isinstance(value, float) for value in listed
    )


def _distinct(values: Sequence[Choice]) -> list[Choice]:
    return list({choice_key(value): value for value in values}.values())
