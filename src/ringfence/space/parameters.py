"""The four kinds of parameter. Each is a frozen value that checks itself when it is made."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from enum import Enum
from functools import cached_property
from typing import Annotated, Any, TypeAlias

import msgspec

from ringfence.errors import SpaceError
from ringfence.words import Brief, is_text

Choice: TypeAlias = bool | int | float | str | None
"""What a category may be: anything that JSON can say in one word."""

LARGEST_INTEGER = 2**40
"""Integers up to here survive the way to unit coordinates and back, even on a log scale."""


Written: TypeAlias = Annotated[bool, msgspec.Meta(extra_json_schema={"default": False})]
"""A flag that files hold even where it is False: its default is made by a factory, which
`omit_defaults` does not see."""


class Ranged:
    """A `repr` that says `off` only where there is one."""

    __slots__ = ()
    off: float | None

    def __repr__(self) -> str:
        names = getattr(self, "__struct_fields__", ())
        fields = (f"{n}={getattr(self, n)!r}" for n in names if n != "off" or self.off is not None)
        return f"{type(self).__name__}({', '.join(fields)})"


class Float(
    Ranged,
    msgspec.Struct,
    frozen=True,
    tag_field="type",
    tag="float",
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """A real number in [low, high]; with `log`, equal ratios count as equal distances.

    Args:
        low: the smallest value.
        high: the largest value.
        log: whether the scale is logarithmic; `low` must then be positive.
        off: a value outside the range, or at its end, that switches the parameter off, as 0 does
            for a penalty on a log scale; None if there is none. It counts like a quarter of the
            scale.

    Raises:
        SpaceError: bounds that are not finite, equal or the wrong way round, or `off` inside them.

    Examples:
        >>> import ringfence as rf
        >>> rf.Float(1e-5, 1.0, log=True)
        Float(low=1e-05, high=1.0, log=True)
        >>> rf.Float(1e-3, 10, log=True, off=0.0)
        Float(low=0.001, high=10.0, log=True, off=0.0)
    """

    low: float
    high: float
    log: Written = msgspec.field(default_factory=bool)
    off: float | None = None

    def __post_init__(self) -> None:
        _store(self, "low", _number(self.low, "low"))
        _store(self, "high", _number(self.high, "high"))
        _check_order(self.low, self.high)
        if not math.isfinite(self.high - self.low):
            raise SpaceError(f"the range {self.low} to {self.high} is too wide for a float")
        _check_log(self.log)
        if self.log and self.low <= 0:
            raise SpaceError(f"a log scale needs low > 0, not {self.low}")
        if self.log and self.high / self.low < 1 + 1e-9:
            raise SpaceError(f"{self.low} to {self.high} is too narrow for a log scale")
        if self.off is not None:
            _store(self, "off", _number(self.off, "off"))
            _check_off(self.low, self.high, self.off)
            _check_room(self.low, self.high, self.off)


class Int(
    Ranged,
    msgspec.Struct,
    frozen=True,
    tag_field="type",
    tag="int",
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """An integer from low to high, both included.

    Args:
        low: the smallest value.
        high: the largest value.
        log: whether the scale is logarithmic; `low` must then be positive.
        off: an integer outside the range, or at its end, that switches the parameter off, as -1 for
            no limit does; None if there is none. It counts like a quarter of the scale.

    Raises:
        SpaceError: bounds that are no integers, equal or the wrong way round, or `off` inside them.

    Examples:
        >>> import ringfence as rf
        >>> rf.Int(1, 12)
        Int(low=1, high=12, log=False)
        >>> rf.Int(1, 12, off=-1)
        Int(low=1, high=12, log=False, off=-1)
    """

    low: int
    high: int
    log: Written = msgspec.field(default_factory=bool)
    off: int | None = None

    def __post_init__(self) -> None:
        _store(self, "low", _integer(self.low, "low"))
        _store(self, "high", _integer(self.high, "high"))
        _check_order(self.low, self.high)
        _check_log(self.log)
        if self.off is not None:
            _store(self, "off", _integer(self.off, "off"))
            _check_off(self.low, self.high, self.off)
        if max(abs(self.low), abs(self.high), abs(self.off or 0)) > LARGEST_INTEGER:
            raise SpaceError(f"integers beyond ±{LARGEST_INTEGER} are not exact; use Float")
        if self.log and self.low < 1:
            raise SpaceError(f"a log scale needs low >= 1 for integers, not {self.low}")


class Categorical(
    Brief,
    msgspec.Struct,
    frozen=True,
    dict=True,
    tag_field="type",
    tag="categorical",
    forbid_unknown_fields=True,
):
    """One of several choices; `ordered` choices keep their order and are learned as a range.

    Args:
        choices: text, numbers, booleans or None, each once.
        ordered: whether neighbors are alike, as sizes of a batch are.

    Raises:
        SpaceError: no choices, a choice that occurs twice, or one that JSON cannot say.

    Examples:
        >>> import ringfence as rf
        >>> rf.Categorical(["relu", "tanh"]).choices
        ('relu', 'tanh')
        >>> rf.Categorical([16, 32, 64], ordered=True).ordered
        True
    """

    choices: Sequence[Choice]
    ordered: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.choices, (str, bytes, Mapping, Set)) or not isinstance(
            self.choices, Iterable
        ):
            raise SpaceError(f"choices must be a list of values, not {self.choices!r}")
        choices = tuple(plain_choice(value) for value in self.choices)
        if not choices:
            raise SpaceError("a categorical parameter needs at least one choice")
        labels = [choice_key(value) for value in choices]
        if len(set(labels)) < len(labels):
            raise SpaceError(f"a choice occurs twice in {list(choices)!r}")
        _store(self, "choices", choices)

    def index(self, value: object) -> int | None:
        """Position of `value` among the choices, or None.

        Args:
            value: what may be one of the choices; 1 and 1.0 are the same, 1 and True are not.

        Examples:
            >>> import ringfence as rf
            >>> rf.Categorical(["relu", "tanh"]).index("tanh")
            1
        """
        return self._positions.get(choice_key(value))

    @cached_property
    def _positions(self) -> dict[tuple[str, object], int]:
        return {choice_key(choice): position for position, choice in enumerate(self.choices)}


class Constant(
    msgspec.Struct, frozen=True, tag_field="type", tag="constant", forbid_unknown_fields=True
):
    """A parameter with one value.

    Args:
        value: text, a number, a boolean or None.

    Examples:
        >>> import ringfence as rf
        >>> rf.Space({"lr": rf.Float(0.0, 1.0), "solver": rf.Constant("adam")})["solver"]
        Constant(value='adam')
    """

    value: Choice

    def __post_init__(self) -> None:
        _store(self, "value", plain_choice(self.value))


Parameter: TypeAlias = Float | Int | Categorical | Constant


def extremes(parameter: Float | Int) -> tuple[float, float]:
    """The least and the largest value, among them the one that switches off."""
    off = parameter.low if parameter.off is None else parameter.off
    return min(parameter.low, off), max(parameter.high, off)


def choice_key(value: object) -> tuple[str, object]:
    """What makes two choices the same: 1 and 1.0 are, 1 and True and "1" are not."""
    if type(value) is float:
        return "number", value
    value = unbox(value)
    if value is None:
        return "none", None
    if isinstance(value, bool):
        return "bool", value
    if isinstance(value, str):
        return "text", str(value)
    if isinstance(value, (int, float)):
        try:
            return "number", float(value)
        except OverflowError:
            return "other", str(value)
    return "other", repr(value)


def plain_choice(value: object) -> Choice:
    """The value as JSON can say it, or SpaceError."""
    value = unbox(value)
    if value is not None and not isinstance(value, (bool, int, float, str)):
        raise SpaceError(f"a choice must be text, a number, a boolean or None, not {value!r}")
    if isinstance(value, (int, float)) and choice_key(value)[0] == "other":
        raise SpaceError("a choice must fit a float")
    if isinstance(value, float) and not math.isfinite(value):
        raise SpaceError(f"a choice must be finite, not {value}")
    if isinstance(value, str) and not is_text(value):
        raise SpaceError(f"a choice must be text that a file can hold, not {value!r}")
    return str(value) if isinstance(value, str) else value


def unbox(value: Any) -> Any:
    """A numpy scalar as the plain Python value it stands for, an enum's member as its value."""
    if isinstance(value, Enum):
        return value.value
    if type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
        return value.item()
    return value


def _number(value: Any, name: str) -> float:
    value = unbox(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise SpaceError(f"{name} must be a number, not {value!r}")
    try:
        number = float(value)
    except OverflowError:
        raise SpaceError(f"{name} must fit a float") from None
    if not math.isfinite(number):
        raise SpaceError(f"{name} must be finite, not {value}")
    return number


def _integer(value: Any, name: str) -> int:
    number = _number(value, name)
    if number != int(number):
        raise SpaceError(f"{name} of an integer parameter must be an integer, not {value!r}")
    return int(number)


def _check_log(log: Any) -> None:
    if not isinstance(log, bool):
        raise SpaceError(f"log must be True or False, not {log!r}")


def _check_off(low: float, high: float, off: float) -> None:
    if low < off < high:
        raise SpaceError(
            f"off = {off} lies inside the range {low} to {high}; a value that switches off lies "
            "outside, or at an end: begin the range beyond it"
        )


def _check_room(low: float, high: float, off: float) -> None:
    """Where `off` is an end, the range begins a millionth of it beyond (axes.py)."""
    least = max(abs(low), abs(high)) * 1e-9
    if off in (low, high) and not high - low > max(least, 1e-300):
        raise SpaceError(f"{low} to {high} is too narrow for off = {off} at its end")


def _check_order(low: float, high: float) -> None:
    if low > high:
        raise SpaceError(f"low = {low} lies above high = {high}")
    if low == high:
        raise SpaceError(f"low and high are both {low}; write Constant({low}) instead")


def _store(struct: msgspec.Struct, field: str, value: object) -> None:
    msgspec.structs.force_setattr(struct, field, value)
