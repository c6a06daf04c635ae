"""The four kinds of parameter. Each is a frozen value that checks itself when it is made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import msgspec

from ringfence.errors import SpaceError

Choice: TypeAlias = bool | int | float | str | None
"""What a category may be: anything that JSON can say in one word."""

LARGEST_INTEGER = 2**40
"""Integers up to here survive the way to unit coordinates and back, log scale included."""


class Float(msgspec.Struct, frozen=True, tag_field="type", tag="float", forbid_unknown_fields=True):
    """A real number in [low, high]; with `log`, equal ratios count as equal distances."""

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        _store(self, "low", _number(self.low, "low"))
        _store(self, "high", _number(self.high, "high"))
        _check_order(self.low, self.high)
        if not math.isfinite(self.high - self.low):
            raise SpaceError(f"the range {self.low} to {self.high} is too wide for a float")
        if self.log and self.low <= 0:
            raise SpaceError(f"a log scale needs low > 0, not {self.low}")


class Int(msgspec.Struct, frozen=True, tag_field="type", tag="int", forbid_unknown_fields=True):
    """A whole number from low to high, both included."""

    low: int
    high: int
    log: bool = False

    def __post_init__(self) -> None:
        _store(self, "low", _whole_number(self.low, "low"))
        _store(self, "high", _whole_number(self.high, "high"))
        _check_order(self.low, self.high)
        if max(abs(self.low), abs(self.high)) > LARGEST_INTEGER:
            raise SpaceError(f"integers beyond ±{LARGEST_INTEGER} are not exact; use Float")
        if self.log and self.low < 1:
            raise SpaceError(f"a log scale needs low >= 1 for integers, not {self.low}")


class Categorical(
    msgspec.Struct, frozen=True, tag_field="type", tag="categorical", forbid_unknown_fields=True
):
    """One of several choices; `ordered` choices keep their order and are learned as a range."""

    choices: tuple[Choice, ...]
    ordered: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.choices, str) or not isinstance(self.choices, Sequence):
            raise SpaceError(f"choices must be a list of values, not {self.choices!r}")
        choices = tuple(_choice(value) for value in self.choices)
        if not choices:
            raise SpaceError("a categorical parameter needs at least one choice")
        labels = [choice_key(value) for value in choices]
        if len(set(labels)) < len(labels):
            raise SpaceError(f"a choice occurs twice in {list(choices)!r}")
        _store(self, "choices", choices)

    def index(self, value: object) -> int | None:
        """Position of `value` among the choices, or None."""
        key = choice_key(value)
        for position, choice in enumerate(self.choices):
            if choice_key(choice) == key:
                return position
        return None


class Constant(
    msgspec.Struct, frozen=True, tag_field="type", tag="constant", forbid_unknown_fields=True
):
    """A parameter with one value."""

    value: Choice

    def __post_init__(self) -> None:
        _store(self, "value", _choice(self.value))


Parameter: TypeAlias = Float | Int | Categorical | Constant


def choice_key(value: object) -> tuple[str, object]:
    """What makes two choices the same: 1 and 1.0 are, 1 and True and "1" are not."""
    if value is None or isinstance(value, (bool, str)):
        return type(value).__name__, value
    value = _unbox(value)
    if isinstance(value, bool):
        return "bool", value
    if isinstance(value, (int, float)):
        return "number", float(value)
    return type(value).__name__, value


def _choice(value: object) -> Choice:
    value = _unbox(value)
    if value is not None and not isinstance(value, (bool, int, float, str)):
        raise SpaceError(f"a choice must be text, a number, a boolean or None, not {value!r}")
    if isinstance(value, float) and not math.isfinite(value):
        raise SpaceError(f"a choice must be finite, not {value}")
    return value


def _unbox(value: Any) -> Any:
    """A numpy scalar as the plain Python value it stands for."""
    return value.item() if hasattr(value, "item") and not isinstance(value, (int, float)) else value


def _number(value: Any, name: str) -> float:
    value = _unbox(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise SpaceError(f"{name} must be a number, not {value!r}")
    if not math.isfinite(value):
        raise SpaceError(f"{name} must be finite, not {value}")
    return float(value)


def _whole_number(value: Any, name: str) -> int:
    number = _number(value, name)
    if number != int(number):
        raise SpaceError(f"{name} of an integer parameter must be whole, not {value!r}")
    return int(number)


def _check_order(low: float, high: float) -> None:
    if low > high:
        raise SpaceError(f"low = {low} lies above high = {high}")
    if low == high:
        raise SpaceError(f"low and high are both {low}; write Constant({low}) instead")


def _store(struct: msgspec.Struct, field: str, value: object) -> None:
    msgspec.structs.force_setattr(struct, field, value)
