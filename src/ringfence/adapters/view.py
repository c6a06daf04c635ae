"""A learned space for tools that only know boxes, choices and perhaps conditions.

A box is shown as it is, in the user's units, but a parameter that a value switches off as a number
from 0 to 1, its place in the box. Any other region is shown as a unit cube (learned/cube.py): each
numeric parameter is a number from 0 to 1, and every point stands for a configuration inside. Either
way `decode` turns what the tool proposes into a plain configuration of the learned space, and
`encode` goes back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from ringfence.adapters.values import any_choices, middle, nearest
from ringfence.errors import SettingError
from ringfence.learned.cube import UnitCube
from ringfence.learned.full import full_space
from ringfence.learned.space import LearnedSpace
from ringfence.space import (
    Axis,
    Categorical,
    Choice,
    Condition,
    Config,
    Constant,
    Float,
    Parameter,
    Space,
    value_of,
)
from ringfence.space.inference import Inferred
from ringfence.space.pairs import has_off, switched

Native = TypeVar("Native")


@dataclass(frozen=True)
class Translated(Generic[Native]):
    """A tool's own search space, and the way from its proposals to configurations and back.

    Args:
        space: the tool's search space.
        decode: from what the tool proposes to a plain configuration inside.
        encode: from a plain configuration to what the tool would call it.

    Examples:
        >>> import ringfence as rf
        >>> from ringfence.adapters import hyperopt
        >>> learned = rf.learn(rf.example_history(), starts=0)
        >>> translated = hyperopt.search_space(learned)
        >>> config = learned.sample(1, seed=0)[0]
        >>> translated.decode(translated.encode(config)) == config
        True
    """

    space: Native
    decode: Callable[[Any], Config]
    encode: Callable[[Mapping[str, Any]], Any]


@dataclass(frozen=True)
class Place:
    """One side of a box as a number from 0 to 1."""

    parameter: Parameter
    axis: Axis
    lower: float
    upper: float

    def value(self, share: float) -> Choice:
        """A number from 0 to 1 → the value of the parameter."""
        unit = np.array([self.lower + share * (self.upper - self.lower)])
        low, high = self.axis.span(self.lower, self.upper)
        return value_of(self.parameter, min(max(float(self.axis.decode(unit)[0]), low), high))

    def coordinate(self, value: Any) -> float:
        """The way back; what lies outside goes to the end."""
        unit = float(self.axis.encode(np.array([float(value)]))[0])
        return min(max((unit - self.lower) / (self.upper - self.lower), 0.0), 1.0)


@dataclass(frozen=True, eq=False)
class ToolView:
    """What a tool is shown of a learned space."""

    learned: LearnedSpace
    flat: bool = False
    """Whether conditions are hidden: the tool then sets every parameter, and `decode` leaves
    inactive ones out."""
    can_represent: Callable[[Sequence[Choice]], bool] = any_choices
    """Whether the tool can represent the choices of a category; if not, they are shown as text."""

    @cached_property
    def cube(self) -> UnitCube | None:
        """The cube of an ellipsoid or a union; None if the space is shown as it is."""
        return None if is_box(self.learned) else UnitCube(self.learned)

    @cached_property
    def space(self) -> Space:
        """The space that the tool searches."""
        parameters = {name: self._shown(name) for name in self._unlabeled}
        conditions = [
            Condition(c.child, c.parent, [self._label(c.parent, value) for value in c.values])
            for c in self._unlabeled.conditions
            if not self.flat and not self.is_coordinate(c.parent) and c.child not in self._mixed
        ]
        return Space(parameters, conditions)

    def decode(self, values: Mapping[str, Any]) -> Config:
        """The tool's values → a configuration of the learned space, in plain Python types."""
        known = {
            name: self._unlabel(name, nearest(name, self.space[name], value))
            for name, value in values.items()
            if name in self.space
        }
        if self.cube is not None:
            return self.cube.decode(known)
        for name in self._switched.keys() & known.keys():
            known[name] = self._switched[name].value(float(known[name]))
        for name, parameter in self._unlabeled.parameters.items():
            if isinstance(parameter, Constant):
                known[name] = parameter.value
        active = self._unlabeled.active(known)
        config = {name: known[name] for name in active if name in known}
        self._unlabeled.check(config)
        return config

    def encode(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """A configuration of the full space → the tool's values; one outside the learned space
        goes to its boundary."""
        self.learned.space.check(config)
        values = self._own_values(config) if self.cube is None else self.cube.encode(config)
        active = self.learned.space.active(config)
        encoded: dict[str, Any] = {}
        for name, parameter in self.space.parameters.items():
            if isinstance(parameter, Constant):
                value: Any = parameter.value
            elif name in values and (name in active or name in self._mixed):
                value = self._label(name, values[name])
            else:
                value = middle(parameter)
            if self.flat or name in active or name in self._mixed:
                encoded[name] = nearest(name, parameter, value)
        return encoded

    @cached_property
    def _unlabeled(self) -> Space:
        return self.learned.as_space()

    @cached_property
    def _mixed(self) -> frozenset[str]:
        """Parameters whose coordinates a tool sets even where they are inactive: they say where in
        their common region a configuration lies."""
        return mixed_names(self.learned)

    @cached_property
    def _switched(self) -> dict[str, Place]:
        """Of a box, the parameters that a value switches off, which tools do not know."""
        return {
            name: Place(parameter, axis, float(lower), float(upper))
            for block in self.learned.blocks
            for name, parameter, axis, lower, upper in zip(
                block.names, block.encoding.parameters, block.encoding.axes, *block.spans
            )
            if self.cube is None and has_off(self._unlabeled.parameters.get(name))
        }

    def _own_values(self, config: Mapping[str, Any]) -> dict[str, Any]:
        places = {n: at.coordinate(config[n]) for n, at in self._switched.items() if n in config}
        return {**config, **places}

    def is_coordinate(self, name: str) -> bool:
        """Whether a parameter is shown as a number from 0 to 1, whatever its range is."""
        return name in self._switched or (self.cube is not None and name in self.cube.names)

    def _shown(self, name: str) -> Parameter:
        parameter = self._unlabeled[name]
        if self.is_coordinate(name):
            return Float(0.0, 1.0)
        if isinstance(parameter, Categorical) and name in self._labels:
            return Categorical(list(self._labels[name]), parameter.ordered)
        return parameter

    @cached_property
    def _labels(self) -> dict[str, dict[str, Choice]]:
        """By parameter, the text that stands for each choice that the tool cannot represent."""
        return {
            name: {json.dumps(choice): choice for choice in parameter.choices}
            for name, parameter in self._unlabeled.parameters.items()
            if isinstance(parameter, Categorical) and not self.can_represent(parameter.choices)
        }

    def _label(self, name: str, value: Any) -> Any:
        if name not in self._labels or self.is_coordinate(name):
            return value
        return json.dumps(nearest(name, self._unlabeled[name], value))

    def _unlabel(self, name: str, value: Any) -> Any:
        labels = {} if self.is_coordinate(name) else self._labels.get(name, {})
        return labels.get(value, value)


def as_learned(learned: LearnedSpace | Space) -> LearnedSpace:
    """The argument as a learned space; a plain one is learned from nothing."""
    if isinstance(learned, LearnedSpace):
        return learned
    if isinstance(learned, Space):
        return full_space(learned)
    hint = "; pass its .space" if isinstance(learned, Inferred) else ""
    if isinstance(learned, Mapping):
        hint = "; a Space is rf.Space({'C': rf.Float(0.1, 10, log=True)})"
    raise SettingError(f"a LearnedSpace or a Space is needed, not {type(learned).__name__}{hint}")


def mixed_names(learned: LearnedSpace) -> frozenset[str]:
    """The parameters that share a region with some that have other conditions (`one_cloud`)."""
    return frozenset(name for block in learned.blocks if block.mixed for name in block.names)


def is_box(learned: LearnedSpace) -> bool:
    """Whether ranges and choices describe the space completely."""
    return all(block.region.is_box for block in learned.blocks)


def refuse_off(space: Space, what: str, instead: str) -> None:
    """SettingError if a value switches a parameter off, for what holds plain ranges only."""
    for name, parameter in switched(space).items():
        raise SettingError(
            f"{what} holds plain ranges, and {name!r} may be off ({parameter.off:g}) beside its "
            f"range: use {instead}"
        )


def require_box(learned: LearnedSpace, what: str, instead: str) -> None:
    """SettingError for any other shape, with the ways that work."""
    if not is_box(learned):
        raise SettingError(
            f"{what} can only be a box, and this learned space has the shape {learned.shape!r}: "
            f"use {instead}, or learn with shape='box', or pass learned.as_space(), the box "
            "around it"
        )
