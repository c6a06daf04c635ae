"""Configurations of which some parameters are unknown: which values they must have."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ringfence.space.parameters import Constant
from ringfence.space.space import Space, allows


def maybe_active(
    space: Space, config: Mapping[str, Any], unknown: Collection[str]
) -> tuple[str, ...]:
    """The parameters that are active, or would be for some values of the unknown ones."""
    off: set[str] = set()
    for name in space.parents_first:
        for condition in space.conditions_of(name):
            parent = condition.parent
            parameter = space[parent]
            value = parameter.value if isinstance(parameter, Constant) else config.get(parent)
            if parent in off or not (parent in unknown or condition.holds(value)):
                off.add(name)
    return tuple(name for name in space if name not in off)


def is_of_space(space: Space, config: Mapping[str, Any], unknown: Collection[str]) -> bool:
    """Whether a configuration without the unknown parameters is one of the space."""
    active = maybe_active(space, config, unknown)
    if not all(name in active and allows(space[name], value) for name, value in config.items()):
        return False
    if not all(name in space and name not in config for name in unknown):
        return False
    missing = [n for n in active if n not in config and not isinstance(space[n], Constant)]
    return all(
        name in unknown or any(c.parent in unknown for c in space.conditions_of(name))
        for name in missing
    )
