"""The rules by which a space is inferred: observed ranges, scales, and what depends on what.

The rules see a table through the protocol `Columns` alone, so they are the same for a frame in
memory (`table_columns`) and for a table that stays in a database.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ringfence.errors import SpaceError
from ringfence.space.conditions import Condition, in_words
from ringfence.space.gaps import FEW, GapRule, gaps_in_words
from ringfence.space.parameters import Categorical, Choice, Constant, Float, Int, Parameter
from ringfence.space.scales import MOST_GRID_VALUES, is_log_grid, suggests_log
from ringfence.space.space import Space
from ringfence.words import choices as choices_in_words

LEAST_ZEROS = 2
"""Zeros that switch a parameter off; a single one may be a number that was rounded to 0."""
ZEROS = 0.05
"""The share of all values that they are at least, for the same reason."""


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
    grid: Sequence[float] = ()
    """The different values, sorted, if they are few."""
    count: int = 0
    """How many they are; 0 if that plays no part."""
    zeros: int = 0
    """How many are 0, if the others are positive and spread on a log scale."""
    above_zero: float = 0.0
    """The least of those others."""
    infinite: int = 0
    """How many other values are infinite."""
    above_minus_one: int = 0
    """The least of the others, if some are -1 and the others positive integers."""
    minus_ones: int = 0
    """How many those are."""
    off: float | None = None
    """Another value, which is known to switch the parameter off."""


class Columns(Protocol):
    """A table as the rules see it; null is a missing value."""

    def observed(self, name: str) -> Numbers | Sequence[Choice]:
        """The numbers of a column, or the sorted choices of one of text or booleans."""

    def has_gaps(self, name: str) -> bool:
        """Whether a value is missing."""

    def shares_given(self, child: str, parent: str) -> Sequence[tuple[Choice, float]]:
        """For each value of `parent` (None: missing), the share of rows with a value of `child`,
        over the tasks that have values of both."""

    def unexplained_gaps(self, name: str) -> tuple[int, str] | None:
        """How many values are missing in tasks that have others of the column, and where the first
        is; None if there is none."""


class Gaps(Columns, Protocol):
    """A table of which rows with gaps can be dropped, or counted as a choice."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    def rows_with_gaps(self, names: Sequence[str]) -> int:
        """How many rows lack a value of one of the columns."""


def infer_from(columns: Columns, names: Sequence[str]) -> Inferred:
    """The smallest space that holds every row, for the columns `names`.

    Numbers get their observed range (the paper's protocol for OpenML), on a log scale if they
    span one and a half decades or more and their median lies nearer to the middle of the range on
    that scale, or if they lie on a grid of powers of two or of about equal ratios. Zeros beside
    numbers that are spread so switch the parameter off, unless they are few.
    Text and booleans become categories, single values constants. The gaps of a column must be those
    of certain categories of another column, which it is then conditional on, or of whole tasks,
    which did not tune it.
    """
    draft = _Draft(columns, names, exact=True)
    for name, (_, where) in draft.gaps.items():
        raise SpaceError(
            f"{where}, column {name!r}: the value is missing, and no other "
            "column tells when it is; fill it in, leave the column out of the parameters, or "
            "declare the space"
        )
    return draft.inferred()


def infer_with_gaps(columns: Gaps, names: Sequence[str], rule: GapRule) -> Inferred:
    """As `infer_from`, and what no other column explains is dropped, a choice of its own, or an
    error with all columns that have such gaps, by the `rule`."""
    draft = _Draft(columns, names, exact=rule.missing == "error")
    for name, (count, _) in list(draft.gaps.items()):
        words = isinstance(draft.parameters[name], Categorical)
        if rule.is_choice(name, count, columns.n_rows, words):
            draft.add_none(name)
    if not draft.gaps:
        return draft.inferred()
    rows = columns.rows_with_gaps(list(draft.gaps))
    if not rule.drops(rows, columns.n_rows):
        raise SpaceError(gaps_in_words(draft.gaps, rows, columns.n_rows))
    for name, (count, where) in draft.gaps.items():
        what = "None" if name in rule.nones else "missing"
        choose = "; missing='choice' (--missing choice) makes None a choice"
        hint = choose if name in rule.nones else ""
        rows_of = "1 row, which is" if count == 1 else f"{count} rows, which are"
        draft.notes.append(f"{name} is {what} in {rows_of} dropped (first: {where}){hint}")
    return draft.inferred()


class _Draft:
    """A space in the making: its parameters, its conditions, and the gaps left to explain."""

    def __init__(self, columns: Columns, names: Sequence[str], exact: bool) -> None:
        self.notes: list[str] = []
        self.observed = {name: columns.observed(name) for name in names}
        self.parameters = {n: _parameter(n, self.observed[n], self.notes) for n in names}
        self.conditions: list[Condition] = []
        self.gaps: dict[str, tuple[int, str]] = {}
        for name in names:
            if not columns.has_gaps(name):
                continue
            condition = _condition(columns, name, self.parameters, exact)
            if condition is not None:
                self.conditions.append(condition)
                self.notes.append(in_words(condition))
            elif (gaps := columns.unexplained_gaps(name)) is not None:
                self.gaps[name] = gaps

    def add_none(self, name: str) -> None:
        """Make None a choice of the parameter, beside its numbers if those are few."""
        observed = self.observed[name]
        count, where = self.gaps[name]
        if isinstance(observed, Numbers):
            few = observed.grid or ([observed.low] if observed.low == observed.high else [])
            if not few:
                raise SpaceError(
                    f"{where}, column {name!r}: None or missing ({count} rows) beside more than "
                    f"{MOST_GRID_VALUES} different numbers does not make a list of choices; say "
                    "missing='drop' to leave those rows out (--missing drop), or write a number"
                )
            observed = [int(x) if observed.integer else x for x in few]
        choices = (None, *observed)
        self.parameters[name] = Categorical(choices)
        del self.gaps[name]
        self.notes = [note for note in self.notes if not note.startswith(f"{name} is ")]
        self.notes.append(
            f"{name} is None in {count} row{'s' * (count != 1)}, which is a choice of its own: "
            f"{choices_in_words(choices)}"
        )

    def inferred(self) -> Inferred:
        """The space, once nothing is left to explain."""
        return Inferred(Space(self.parameters, tuple(self.conditions)), tuple(self.notes))


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
    notes.append(f"{name} is one of {choices_in_words(observed)}")
    return Categorical(tuple(observed))


def _numeric(name: str, observed: Numbers, notes: list[str]) -> Parameter:
    low, high = observed.low, observed.high
    if observed.infinite:
        notes.append(
            f"{name} is infinite in {observed.infinite} row{'s' * (observed.infinite != 1)}, which "
            "no range holds and which are dropped; a word for it, such as max, would be a choice"
        )
    if low == high:
        notes.append(f"{name} is always {low:g}")
        return Constant(int(low) if observed.integer else low)
    if observed.off is None and observed.zeros >= max(LEAST_ZEROS, ZEROS * observed.count):
        return _with_off(name, observed, notes)
    by_median = observed.median is not None and suggests_log(low, high, observed.median)
    log = by_median or is_log_grid(observed.grid)
    off, integer = observed.off, observed.integer and float(observed.off or 0).is_integer()
    kind = "an integer" if integer else "a number"
    scale = " on a log scale" if log else ""
    steps = f" ({choices_in_words(observed.grid, most=6)})" if log and not by_median else ""
    switch = "" if off is None else f"off ({off:g}), else "
    notes.append(f"{name} is {switch}{kind} from {low:g} to {high:g}{scale}{steps}")
    if observed.zeros:
        notes.append(
            f"{name} is 0 in {observed.zeros} row{'s' * (observed.zeros != 1)} and spread over "
            f"{observed.above_zero:g} to {high:g} otherwise; a log scale cannot hold 0, so the "
            f"scale is linear: declare {name} from {observed.above_zero:g} on with log to drop "
            "those rows, with off=0 if 0 switches it off, or write a small number for 0"
        )
    if observed.minus_ones:
        notes.append(
            f"{name} is -1 in {observed.minus_ones} row{'s' * (observed.minus_ones != 1)} and "
            f"{observed.above_minus_one} or more otherwise; if -1 stands for none or no limit, "
            f"declare {name} from {observed.above_minus_one} on, with off=-1 or to drop those rows"
        )
    if not integer:
        return Float(low, high, log, off)
    return Int(int(low), int(high), log, None if off is None else int(off))


def _with_off(name: str, observed: Numbers, notes: list[str]) -> Parameter:
    """A range on a log scale, which 0 switches off."""
    low, high, zeros = observed.above_zero, observed.high, observed.zeros
    kind = "an integer" if observed.integer else "a number"
    notes.append(
        f"{name} is off (0) in {zeros} row{'s' * (zeros != 1)}, else {kind} from {low:g} to "
        f"{high:g} on a log scale; if 0 is a value like others, declare it on a linear scale"
    )
    if observed.integer:
        return Int(int(low), int(high), log=True, off=0)
    return Float(low, high, log=True, off=0.0)


def _condition(
    columns: Columns, child: str, parameters: dict[str, Parameter], exact: bool
) -> Condition | None:
    """A condition on the first categorical column that tells when `child` is missing: exactly, or,
    if no column does, up to a few gaps where the others of the category have a value."""
    shares_by_parent = {}
    for parent, parameter in parameters.items():
        if parent != child and isinstance(parameter, Categorical):
            shares_by_parent[parent] = dict(columns.shares_given(child, parent))
    for least in (1.0,) if exact else (1.0, 1.0 - FEW):
        for parent, shares in shares_by_parent.items():
            present = {value for value, share in shares.items() if share >= least}
            absent = {value for value, share in shares.items() if share == 0.0}
            if present and absent and present | absent == set(shares) and None not in present:
                choices = parameters[parent].choices  # type: ignore[union-attr]
                values = [choice for choice in choices if choice in present]
                return Condition(child, parent, tuple(values))
    return None
