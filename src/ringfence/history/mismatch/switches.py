"""A flag and a number that is there only if the flag says so, as one parameter: off, or a range."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from ringfence.errors import HistoryError, SpaceError
from ringfence.history.mismatch.mending import Mend
from ringfence.history.values import LACKS, as_number
from ringfence.space import Choice, Condition, Constant, Space
from ringfence.space.pairs import FLAG, flag_candidates, without_flags
from ringfence.words import did_you_mean, some, value

if TYPE_CHECKING:
    from ringfence.history.history import History

MOST = 2**63
"""A column of integers holds none of this size, and a comparison with it refuses NaN, too."""
MOST_BITS = 10_000
"""Python writes no integers of more than 4,300 digits."""


def with_off(history: History, values: Mapping[str, float]) -> History:
    """The history with `values` in place of the numbers that a flag switches off, and without these
    flags."""
    if not isinstance(values, Mapping) or not values:
        raise HistoryError("with_off takes a dict from parameters to numbers: {'gamma': 0}")
    for name, off in values.items():
        if isinstance(off, bool) or not isinstance(off, (int, float)) or not abs(off) < MOST:
            is_long = isinstance(off, int) and off.bit_length() > MOST_BITS
            shown = "one of thousands of digits" if is_long else repr(off)
            raise HistoryError(f"{name!r} is off at a number such as 0, not at {shown}")
        history = _merged(history, name, off)
    return history


def offers(space: Space, history: History | None = None) -> list[str]:
    """A note on each flag of a space that looks like a switch of one number, which 0 can switch
    off; of a space that was read off a history, if all of its runs agree."""
    return [
        f"{flag} switches {name} on and off; history.with_off({{{name!r}: 0}}) makes them one "
        f"parameter, which is off (0) or in its range (--off={name}=0)"
        for name, (flag, on) in flag_candidates(space).items()
        if isinstance(on[0], bool)
        and _can(without_flags, space, name)
        and (history is None or _can(with_off, history, name))
    ]


def _can(merge: Callable[[Any, Mapping[str, float]], object], whole: Any, name: str) -> bool:
    """Whether a pair of a space or a history can be one parameter that is off at 0."""
    try:
        merge(whole, {name: 0})
    except (HistoryError, SpaceError):
        return False
    return True


def _merged(history: History, name: str, off: float) -> History:
    """The history with `off` in place of one number where its flag switches it off, without that
    flag."""
    _require_numbers(history, name, off)
    flag, value_off = _flag_of(history, name, off)
    is_off = (history.frame[flag] == value_off).fill_null(value=False)
    if history.space is None:  # else the declared range says whether it has a place
        _require_beside(name, off, history.frame[name].filter(~is_off))
    note = (
        f"{name} is off ({off:g}) in the {is_off.sum():,} runs in which {flag} is "
        f"{value(value_off)}; else it is what it was"
    )
    try:
        space, own_spaces = history.space, history.task_spaces
        space = space if space is None else without_flags(_tied(space, name, flag), {name: off})
        spaces = {t: _without(own, name, flag, off) for t, own in own_spaces.items()}
    except SpaceError as error:
        raise HistoryError(f"{name!r} cannot be off at {off:g}: {error}") from error
    frame = _merged_columns(history.frame, name, off, is_off)
    parameters = tuple(each for each in history.roles.parameters if each != flag)
    return replace(
        history,
        frame=frame.drop(flag, f"{LACKS}{flag}", strict=False),
        roles=replace(history.roles, parameters=parameters),
        space=space,
        task_spaces=spaces,
        notes=(*(n for n in history.notes if not n.startswith(_beginnings(name, flag))), note),
        off={**history.off, name: off},
        mends=(*history.mends, Mend({name: off}, "with_off")),
    )


def _merged_columns(frame: pl.DataFrame, name: str, off: float, is_off: pl.Series) -> pl.DataFrame:
    """The frame with `off` in the rows in which the number is off, which makes it known there."""
    number = pl.lit(off, dtype=pl.Float64) if isinstance(off, float) else pl.lit(off)
    columns = [pl.when(is_off).then(number).otherwise(frame[name]).alias(name)]
    if (lacks := f"{LACKS}{name}") in frame.columns:  # off is known, too, where it was never on
        columns.append((pl.col(lacks) & ~is_off).alias(lacks))
    return frame.with_columns(*columns)


def _require_numbers(history: History, name: str, off: float) -> None:
    """HistoryError unless this is a parameter of numbers."""
    names = history.roles.parameters
    if name not in names:
        hint = did_you_mean(name, names) or f"the parameters are {some(names, 30)}"
        raise HistoryError(f"there is no parameter {name!r} to be off at {off:g}; {hint}")
    kind = history.frame[name].dtype
    if not kind.is_numeric():
        raise HistoryError(f"{name!r} holds {kind}, not numbers, and cannot be off at {off:g}")


def _require_beside(name: str, off: float, values: pl.Series) -> None:
    """HistoryError if the value for off lies among the others."""
    values = values.cast(pl.Float64).drop_nulls()
    others = values.filter(values.is_finite() & (values != off)).to_numpy()
    if len(others) and others.min() <= off <= others.max():
        raise HistoryError(
            f"{name!r} cannot be off at {off:g}, which lies among its other values, from "
            f"{others.min():g} to {others.max():g}; name one beside them"
        )


def _without(own: Space, name: str, flag: str, off: float) -> Space:
    """The space of a task without the flag, which may have had one value alone there."""
    merged = without_flags(_tied(own, name, flag), {name: off})
    parameters = {each: merged[each] for each in merged if each != flag}
    if flag in own:
        parameters.setdefault(name, Constant(off))  # it was never on
    kept = [c for c in merged.conditions if flag not in (c.child, c.parent)]
    return Space(parameters, kept)


def _tied(space: Space, name: str, flag: str) -> Space:
    """The space with the condition between a number and the flag of its name, which no run shows
    where the flag was always on."""
    choices = getattr(space.parameters.get(flag), "choices", ())
    if flag != f"{FLAG}{name}" or name not in space or len(choices) != 2 or True not in choices:
        return space
    if space.conditions_of(name):
        return space
    return Space(space.parameters, [*space.conditions, Condition(name, flag, [True])])


def _beginnings(name: str, flag: str) -> tuple[str, str]:
    """How the notes begin that are no longer true."""
    return f"{flag} switches {name} on", f"{name} is active only if {flag} is "


def _flag_of(history: History, name: str, off: float) -> tuple[str, Choice]:
    """The parameter of two values of which one tells exactly when `name` is missing, and that
    value; HistoryError unless there is one. Where the flag itself is missing, since it depends on
    another parameter or a study lacks it, it tells nothing."""
    table = history.frame.filter(as_number(history.frame[history.roles.objective]).is_finite())
    gone = table[name].is_null()
    found: list[tuple[str, Choice]] = []
    for other in history.roles.parameters:
        kinds = table[other].drop_nulls().unique().to_list() if other != name else []
        if len(kinds) == 2:
            told = table[other].is_not_null()
            flag, tells = table[other].filter(told), gone.filter(told)
            found += [(other, kind) for kind in kinds if (flag == kind).equals(tells)]
    by_name = f"{FLAG}{name}"
    if not gone.any() and by_name in history.roles.parameters:
        flag = table[by_name]
        if flag.dtype == pl.Boolean and flag.count() and flag.all():
            return by_name, False  # as exported programs call it; every run had it on
    declared = None if history.space is None else flag_candidates(history.space).get(name)
    if declared is not None:
        found = [pair for pair in found if pair[0] == declared[0]] or found
    if not gone.any() or len(found) != 1:
        tell = f"several tell ({some([other for other, _ in found])})"
        none = f"none does; where runs say {off:g} themselves, declare the space with off={off:g}"
        raise HistoryError(
            f"{name!r} needs one parameter of two values that tells when it is missing; "
            f"{tell if found else f'{none} (space=…, --space …)'}"
        )
    return found[0]
