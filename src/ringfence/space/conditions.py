"""Conditions: a parameter that exists only for some values of another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import msgspec

from ringfence.errors import SpaceError
from ringfence.space.parameters import (
    Categorical,
    Choice,
    Constant,
    Float,
    Int,
    Parameter,
    choice_key,
    plain_choice,
)
from ringfence.words import Brief, choices


class Condition(Brief, msgspec.Struct, frozen=True, dict=True, forbid_unknown_fields=True):
    """`child` is active only if `parent` is active and takes one of `values`.

    Several conditions on one child must all hold.

    Args:
        child: the parameter that is not always there.
        parent: the parameter on which that depends.
        values: values of the parent.

    Examples:
        >>> import ringfence as rf
        >>> space = rf.Space(
        ...     {"kernel": rf.Categorical(["linear", "rbf"]), "gamma": rf.Float(0.0, 10.0)},
        ...     [rf.Condition("gamma", "kernel", ["rbf"])],
        ... )
        >>> space.active({"kernel": "linear"})
        ('kernel',)
    """

    child: str
    parent: str
    values: Sequence[Choice]

    def __post_init__(self) -> None:
        if isinstance(self.values, str) or not isinstance(self.values, Sequence):
            raise SpaceError(
                f"the values of a condition must be a list, not {self.values!r} "
                f"({self.child!r} depends on {self.parent!r})"
            )
        values = tuple(plain_choice(value) for value in self.values)
        msgspec.structs.force_setattr(self, "values", values)

    def holds(self, value: object) -> bool:
        """Whether the child is active when the parent has this value.

        Args:
            value: of the parent.

        Examples:
            >>> import ringfence as rf
            >>> rf.Condition("gamma", "kernel", ["rbf"]).holds("linear")
            False
        """
        return choice_key(value) in self._keys

    @cached_property
    def _keys(self) -> frozenset[tuple[str, object]]:
        return frozenset(map(choice_key, self.values))


def in_words(condition: Condition) -> str:
    """The condition as a sentence."""
    values = choices(condition.values)
    return f"{condition.child} is active only if {condition.parent} is {values}"


def check_conditions(
    parameters: Mapping[str, Parameter], conditions: Sequence[Condition]
) -> tuple[str, ...]:
    """Raise what is wrong with the conditions; return the names, every parent before its child."""
    for condition in conditions:
        for role, name in (("child", condition.child), ("parent", condition.parent)):
            if name not in parameters:
                raise SpaceError(f"a condition names the {role} {name!r}, which is not a parameter")
        _check_values(condition, parameters[condition.parent])
    return _parents_first(parameters, conditions)


def _check_values(condition: Condition, parent: Parameter) -> None:
    where = f"{condition.child!r} depends on {condition.parent!r}"
    if isinstance(parent, (Float, Constant)):
        kind = type(parent).__name__
        raise SpaceError(f"{where}, but a {kind} cannot switch another parameter on and off")
    if not condition.values:
        raise SpaceError(f"{where}, but the condition lists no values: it would never be active")
    for value in condition.values:
        if not can_be(parent, value):
            raise SpaceError(f"{where} = {value!r}, which {condition.parent!r} never is")


def can_be(parent: Parameter, value: Choice) -> bool:
    """Whether a parameter that switches others can have this value."""
    if isinstance(parent, Categorical):
        return parent.index(value) is not None
    return (
        isinstance(parent, Int)
        and isinstance(value, (int, float))
        and not isinstance(value, bool)
        and value == int(value)
        and (value == parent.off or parent.low <= value <= parent.high)
    )


def _parents_first(
    parameters: Mapping[str, Parameter], conditions: Sequence[Condition]
) -> tuple[str, ...]:
    waiting = {name: {c.parent for c in conditions if c.child == name} for name in parameters}
    order: list[str] = []
    while waiting:
        ready = [name for name, parents in waiting.items() if not parents & waiting.keys()]
        if not ready:
            raise SpaceError(f"the conditions go in a circle among {sorted(waiting)}")
        order += ready
        waiting = {name: parents for name, parents in waiting.items() if name not in ready}
    return tuple(order)
