"""The rules by which a space is inferred: observed ranges, scales, and what depends on what.

The rules see a table through the protocol `Columns` alone, so they are the same for a frame in
memory (`table_columns`) and for a table that stays in a database.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ringfence.errors import SpaceError
from ringfence.space.conditions import Condition, in_words
from ringfence.space.parameters import Categorical, Choice, Constant, Float, Int, Parameter
from ringfence.space.space import Space

DECADES = 100.0
"""A log scale is suggested only if the largest value is at least this many times the smallest."""


@dataclass(frozen=True)
class Inferred:
    """A space and, in words, how it was read off the table."""

    space: Space
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Numbers:
    """The finite values of a column of numbers."""

    low: float
    high: float
    integer: bool
    """Whether all of them are integers."""
    median: float | None
    """None if `spans_decades` says that nobody will ask."""


class Columns(Protocol):
    """A table as the rules see it; null is a missing value."""

    def observed(self, name: str) -> Numbers | Sequence[Choice]:
        """The numbers of a column, or the sorted choices of one of text or booleans."""

    def has_gaps(self, name: str) -> bool:
        """Whether a value is missing."""

    def shares_given(self, child: str, parent: str) -> Sequence[tuple[Choice, float]]:
        """For each value of `parent` (None: missing), the share of rows with a value of `child`."""

    def unexplained_gap(self, name: str) -> str | None:
        """Where a value is missing in a task that has others of the column; None if nowhere."""


def infer_from(columns: Columns, names: Sequence[str]) -> Inferred:
    """The smallest space that holds every row, for the columns `names`.

    Numbers get their observed range (the paper's protocol for OpenML), on a log scale if they
    span two decades or more and their median lies nearer to the middle of the range on that scale.
    Text and booleans become categories, single values constants. The gaps of a column must be those
    of certain categories of another column, which it is then conditional on, or of whole tasks.
    """
    notes: list[str] = []
    parameters = {name: _parameter(name, columns.observed(name), notes) for name in names}
    conditions: list[Condition] = []
    for name in names:
        if not columns.has_gaps(name):
            continue
        condition = _condition(columns, name, parameters)
        if condition is not None:
            conditions.append(condition)
            notes.append(in_words(condition))
        elif (where := columns.unexplained_gap(name)) is not None:
            raise SpaceError(
                f"{where}, column {name!r}: the value is missing, and no other "
                "column tells when it is; fill it in, leave the column out of the parameters, or "
                "declare the space"
            )
    return Inferred(Space(parameters, tuple(conditions)), tuple(notes))


def spans_decades(low: float, high: float) -> bool:
    """Whether a log scale comes into question."""
    return low > 0 and high / low >= DECADES


def suggests_log(low: float, high: float, median: float) -> bool:
    """Whether the median lies nearer to the middle of the range on a log scale."""
    on_line = (median - low) / (high - low)
    on_log = math.log(median / low) / math.log(high / low)
    return abs(on_log - 0.5) < abs(on_line - 0.5)


def empty_column(name: str) -> SpaceError:
    """The error for a column without a value."""
    return SpaceError(f"the column {name!r} is empty; leave it out of the parameters")


def wrong_type(name: str, kind: object) -> SpaceError:
    """The error for a column of dates, lists and the like."""
    return SpaceError(f"the column {name!r} holds {kind}, which is not a parameter's type")


def no_finite_value(name: str) -> SpaceError:
    """The error for a column of infinities."""
    return SpaceError(f"the column {name!r} has no finite value")


def _parameter(name: str, observed: Numbers | Sequence[Choice], notes: list[str]) -> Parameter:
    if isinstance(observed, Numbers):
        return _numeric(name, observed, notes)
    if len(observed) == 1:
        notes.append(f"{name} is always {observed[0]}")
        return Constant(observed[0])
    notes.append(f"{name} is one of {', '.join(str(choice) for choice in observed)}")
    return Categorical(tuple(observed))


def _numeric(name: str, observed: Numbers, notes: list[str]) -> Parameter:
    low, high = observed.low, observed.high
    if low == high:
        notes.append(f"{name} is always {low:g}")
        return Constant(int(low) if observed.integer else low)
    log = observed.median is not None and suggests_log(low, high, observed.median)
    kind = "an integer" if observed.integer else "a number"
    scale = " on a log scale" if log else ""
    notes.append(f"{name} is {kind} from {low:g} to {high:g}{scale}")
    return Int(int(low), int(high), log) if observed.integer else Float(low, high, log)


def _condition(columns: Columns, child: str, parameters: dict[str, Parameter]) -> Condition | None:
    """A condition on the first categorical column that tells exactly when `child` is missing."""
    for parent, parameter in parameters.items():
        if parent == child or not isinstance(parameter, Categorical):
            continue
        shares = dict(columns.shares_given(child, parent))
        present = {value for value, share in shares.items() if share == 1.0}
        if set(shares.values()) <= {0.0, 1.0} and None not in present:
            values = [choice for choice in parameter.choices if choice in present]
            return Condition(child, parent, tuple(values))
    return None
