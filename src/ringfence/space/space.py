"""The space: named parameters and the conditions between them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import msgspec

from ringfence.errors import SpaceError
from ringfence.space.conditions import Condition, check_conditions
from ringfence.space.display import space_html, space_text
from ringfence.space.parameters import (
    Categorical,
    Choice,
    Constant,
    Float,
    Int,
    Parameter,
    choice_key,
)
from ringfence.words import Brief

Config: TypeAlias = dict[str, Choice]
"""One configuration in the user's units; inactive parameters are left out."""


class Space(Brief, msgspec.Struct, frozen=True, dict=True, forbid_unknown_fields=True):
    """What may be tuned: the full space, before anything is learned.

    It reads like a mapping: `space["C"]`, `len(space)`, `for name in space`.

    Args:
        parameters: each parameter by its name.
        conditions: which parameters are active only sometimes.

    Raises:
        SpaceError: conditions that name what is not there, or that go in a circle.

    Examples:
        >>> import ringfence as rf
        >>> space = rf.Space(
        ...     {
        ...         "C": rf.Float(1e-3, 1e3, log=True),
        ...         "kernel": rf.Categorical(["linear", "rbf"]),
        ...         "gamma": rf.Float(1e-4, 10, log=True),
        ...     },
        ...     [rf.Condition("gamma", "kernel", ["rbf"])],
        ... )
        >>> list(space)
        ['C', 'kernel', 'gamma']
    """

    parameters: dict[str, Parameter]
    conditions: Sequence[Condition] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.parameters, Mapping):
            raise SpaceError(f"parameters must map names to parameters, not {self.parameters!r}")
        for name, parameter in self.parameters.items():
            if not isinstance(name, str) or not name:
                raise SpaceError(f"a parameter's name must be text, not {name!r}")
            if name.startswith(":"):
                raise SpaceError(f"{name!r}: a parameter's name cannot begin with a colon")
            if not isinstance(parameter, (Float, Int, Categorical, Constant)):
                raise SpaceError(
                    f"parameter {name!r} must be Float, Int, Categorical or Constant, "
                    f"not {parameter!r}"
                )
        if not self.parameters:
            raise SpaceError("a space needs at least one parameter")
        conditions = self.conditions
        if not isinstance(conditions, Sequence) or not all(
            isinstance(condition, Condition) for condition in conditions
        ):
            raise SpaceError(f"conditions must be a list of Condition, not {conditions!r}")
        msgspec.structs.force_setattr(self, "parameters", dict(self.parameters))
        msgspec.structs.force_setattr(self, "conditions", tuple(self.conditions))
        check_conditions(self.parameters, self.conditions)

    def __str__(self) -> str:
        return space_text(self)

    def _repr_html_(self) -> str:
        return space_html(self)

    def __getitem__(self, name: str) -> Parameter:
        return self.parameters[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.parameters)

    def __len__(self) -> int:
        return len(self.parameters)

    def __contains__(self, name: object) -> bool:
        return name in self.parameters

    @cached_property
    def parents_first(self) -> tuple[str, ...]:
        """The names in an order in which every parent comes before its children."""
        return check_conditions(self.parameters, self.conditions)

    def unordered_choices(self) -> dict[str, tuple[Choice, ...]]:
        """The choices of each categorical parameter that has no scale.

        Examples:
            >>> import ringfence as rf
            >>> rf.Space({"a": rf.Categorical(["x", "y"]), "b": rf.Int(1, 3)}).unordered_choices()
            {'a': ('x', 'y')}
        """
        return {
            name: tuple(parameter.choices)
            for name, parameter in self.parameters.items()
            if isinstance(parameter, Categorical)
            and not (parameter.ordered and len(parameter.choices) > 1)
        }

    @cached_property
    def parents(self) -> tuple[str, ...]:
        """The parameters on whose values others depend."""
        return tuple(dict.fromkeys(condition.parent for condition in self.conditions))

    def conditions_of(self, name: str) -> tuple[Condition, ...]:
        """The conditions under which `name` is active (none: always).

        Args:
            name: of a parameter.

        Examples:
            >>> import ringfence as rf
            >>> space = rf.example_history().space
            >>> space.conditions_of("degree")
            (Condition(child='degree', parent='kernel', values=('poly',)),)
        """
        return self._conditions[name]

    @cached_property
    def _conditions(self) -> dict[str, tuple[Condition, ...]]:
        return {name: tuple(c for c in self.conditions if c.child == name) for name in self}

    def active(self, config: Mapping[str, Any]) -> tuple[str, ...]:
        """Names of the parameters that are active in `config`, in the order of the space.

        Args:
            config: values by name; those of inactive parameters do not matter.

        Examples:
            >>> import ringfence as rf
            >>> rf.example_history().space.active({"kernel": "sigmoid"})
            ('kernel', 'C', 'gamma', 'components', 'coef0')
        """
        if not self.conditions:
            return tuple(self.parameters)
        active: set[str] = set()
        for name in self.parents_first:
            if all(
                c.parent in active and c.holds(self._value(config, c.parent))
                for c in self.conditions_of(name)
            ):
                active.add(name)
        return tuple(name for name in self if name in active)

    def check(self, config: Mapping[str, Any]) -> None:
        """Raise SpaceError with what is wrong with `config`, if anything is.

        Args:
            config: values by name, one for each active parameter.

        Raises:
            SpaceError: a name that is missing or unknown, or a value that is out of range.

        Examples:
            >>> import ringfence as rf
            >>> rf.Space({"depth": rf.Int(1, 12)}).check({"depth": 3})
        """
        unknown = [name for name in config if name not in self]
        if unknown:
            raise SpaceError(f"{unknown[0]!r} is not a parameter of this space ({', '.join(self)})")
        for name in self.active(config):
            parameter = self[name]
            if name not in config:
                if not isinstance(parameter, Constant):
                    raise SpaceError(f"parameter {name!r} has no value")
            elif not allows(parameter, config[name]):
                raise SpaceError(f"parameter {name!r}: {config[name]!r} is not in {parameter}")

    def contains(self, config: Mapping[str, Any]) -> bool:
        """Whether every active parameter has a value inside its range.

        Args:
            config: values by name.

        Examples:
            >>> import ringfence as rf
            >>> rf.Space({"depth": rf.Int(1, 12)}).contains({"depth": 13})
            False
        """
        try:
            self.check(config)
        except SpaceError:
            return False
        return True

    def _value(self, config: Mapping[str, Any], name: str) -> Any:
        parameter = self[name]
        return parameter.value if isinstance(parameter, Constant) else config.get(name)


def allows(parameter: Parameter, value: Any) -> bool:
    """Whether `value` is one that `parameter` can take."""
    if isinstance(parameter, Categorical):
        return parameter.index(value) is not None
    if isinstance(parameter, Constant):
        return choice_key(value) == choice_key(parameter.value)
    kind, number = choice_key(value)
    if kind != "number" or not isinstance(number, float) or not math.isfinite(number):
        return False
    if isinstance(parameter, Int) and number != round(number):
        return False
    return number == parameter.off or parameter.low <= number <= parameter.high
