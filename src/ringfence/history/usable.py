"""Which rows of a history count, judged against a space; every row that does not is accounted for.

The usable rows come out as one frame:

    task    name of the task                                                            String
    row     position in the history, from 0                                             UInt32
    value   the objective, lower is better                                              Float64
    NAME    a number, or the position among the choices; null where inactive            Float64
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.columns import GOOD_STATUS, require_column
from ringfence.history.history import History
from ringfence.space import Categorical, Choice, Constant, Float, Int, Parameter, Space, choice_key

SLIVER = 1e-9
"""Share of a range by which a value may lie outside and still be taken as rounding."""


class Dropped(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rows that do not count: how many, why, and where the first of them is."""

    rows: int
    reason: str
    example: str


@dataclass(frozen=True)
class UsableRows:
    """The rows that count, those that do not, and what else happened to the table."""

    frame: pl.DataFrame
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]


def usable_rows(history: History, space: Space) -> UsableRows:
    """The rows of `history` that can be used to learn in `space`."""
    judge = _Judge(history, space)
    judge.drop_bad_runs()
    for name in space.parents_first:
        judge.read_parameter(name)
    judge.drop_low_budgets()
    return judge.verdict()


class _Judge:
    """Rows still standing, and the account of those that fell. One use, then discarded."""

    def __init__(self, history: History, space: Space) -> None:
        self.history = history
        self.space = space
        self.dropped: list[Dropped] = []
        self.notes: list[str] = []
        roles = history.roles
        objective = _as_number(history.frame[roles.objective])
        sign = -1.0 if roles.direction == "maximize" else 1.0
        self.rows = pl.DataFrame(
            [
                history.task_column().alias("task"),
                pl.Series("row", range(len(history)), dtype=pl.UInt32),
                (objective * sign).alias("value"),
            ]
        )

    def drop_bad_runs(self) -> None:
        roles = self.history.roles
        if roles.status is not None:
            status = self.history.frame[roles.status].cast(pl.String).str.to_lowercase()
            good = status.is_in(list(GOOD_STATUS)).fill_null(value=False)
            self._keep(good, f"the run failed or did not finish ({roles.status})", roles.status)
        self._keep(self.rows["task"].is_not_null(), "no task is named", roles.task)
        reason = f"{roles.objective} is missing or not finite"
        self._keep(self.rows["value"].is_finite().fill_null(value=False), reason, roles.objective)

    def read_parameter(self, name: str) -> None:
        parameter = self.space[name]
        if name not in self.history.frame.columns and isinstance(parameter, Constant):
            return
        require_column(self.history.frame, name)
        raw = self._raw(name)
        values = _numbers(parameter, raw)
        active = self._active(name)
        given = raw.is_not_null() if not _takes_none(parameter) else values.is_not_null()
        ignored = int((given & ~active).sum())
        if ignored:
            self.notes.append(f"{ignored} values of {name} ignored where it is inactive")
        self.rows = self.rows.with_columns(
            pl.when(active).then(values).otherwise(None).alias(name), _active=active, _given=given
        )
        inside = _inside(parameter, values)
        wrong = active & given & ~inside.fill_null(value=False)
        self._keep(~wrong, f"{name} is not {describe(parameter)}", name)
        self._require(name)
        if isinstance(parameter, Constant):
            self.rows = self.rows.drop(name)
        self.rows = self.rows.drop("_active", "_given")

    def drop_low_budgets(self) -> None:
        budget = self.history.roles.budget
        if budget is not None:
            numbers = _as_number(self._raw(budget))
            highest = self.rows.with_columns(_b=numbers).select(
                (pl.col("_b") == pl.col("_b").max().over("task")).fill_null(value=False)
            )
            self._keep(highest.to_series(), f"below the highest {budget} of the task", budget)

    def verdict(self) -> UsableRows:
        if not self.rows.height:
            why = "; ".join(f"{d.rows} because {d.reason} ({d.example})" for d in self.dropped)
            raise HistoryError(f"no row of the history can be used: {why}")
        return UsableRows(self.rows, tuple(self.dropped), tuple(self.notes))

    def _raw(self, name: str) -> pl.Series:
        return self.history.frame[name].gather(self.rows["row"])

    def _active(self, name: str) -> pl.Series:
        active = pl.Series([True]).new_from_index(0, self.rows.height)
        for condition in self.space.conditions_of(name):
            wanted = _wanted_numbers(self.space[condition.parent], condition.values)
            active &= self.rows[condition.parent].is_in(wanted).fill_null(value=False)
        return active

    def _require(self, name: str) -> None:
        """A missing value is an error, unless its whole task lacks the parameter."""
        gap = self.rows["_active"] & ~self.rows["_given"]
        if not gap.any():
            return
        lacking = self.rows.group_by("task").agg(
            (pl.col("_given") | ~pl.col("_active")).any().not_().alias("lacks")
        )
        lacks = self.rows["task"].is_in(lacking.filter("lacks")["task"].implode())
        partly = gap & ~lacks
        if partly.any():
            where = self.history.where(int(self.rows["row"].filter(partly)[0]))
            count = int(partly.sum())
            more = "" if count == 1 else f" (and {count - 1} more)"
            raise HistoryError(
                f"{where}, column {name!r}: the value is missing{more}, and no condition says that "
                f"{name} is inactive there; fill it in, or add a condition to the space"
            )
        self._keep(~lacks, f"the task has no values of {name}", name)

    def _keep(self, mask: pl.Series, reason: str, column: str) -> None:
        fallen = self.rows["row"].filter(~mask)
        if not len(fallen):
            return
        first = int(fallen[0])
        value = self.history.frame[column][first]
        example = f"{self.history.where(first)}: {column} = {value}"
        self.dropped.append(Dropped(len(fallen), reason, example))
        self.rows = self.rows.filter(mask)


def describe(parameter: Parameter) -> str:
    """What a parameter accepts, in words."""
    if isinstance(parameter, Categorical):
        return "one of " + ", ".join(str(choice) for choice in parameter.choices)
    if isinstance(parameter, Constant):
        return f"the constant {parameter.value}"
    kind = "a whole number" if isinstance(parameter, Int) else "a number"
    return f"{kind} from {parameter.low:g} to {parameter.high:g}"


def _takes_none(parameter: Parameter) -> bool:
    return isinstance(parameter, Categorical) and None in parameter.choices


def _as_number(column: pl.Series) -> pl.Series:
    if column.dtype == pl.String:
        column = column.str.strip_chars()
    return column.cast(pl.Float64, strict=False)


def _numbers(parameter: Parameter, raw: pl.Series) -> pl.Series:
    """The column as numbers; NaN where a value is none of the parameter's, null where missing."""
    if isinstance(parameter, (Float, Int)):
        return pl.select(
            pl.when(raw.is_null()).then(None).otherwise(_as_number(raw).fill_null(float("nan")))
        ).to_series()
    choices = parameter.choices if isinstance(parameter, Categorical) else (parameter.value,)
    found = raw.unique().to_list()
    codes = [float(_position(choices, value)) for value in found]
    pairs = {v: c for v, c in zip(found, codes) if v is not None}
    default = float(_position(choices, None)) if _takes_none(parameter) else None
    coded = raw.replace_strict(
        list(pairs), list(pairs.values()), default=None, return_dtype=pl.Float64
    )
    return coded.fill_null(default) if default is not None else coded


def _position(choices: tuple[Choice, ...], value: object) -> float:
    """Position of a table's value among the choices, NaN if it is none of them. The exact value
    wins; else tables may have turned numbers and booleans into text, or text into numbers."""
    for same in (_same_value, _same_text):
        for position, choice in enumerate(choices):
            if same(choice, value):
                return position
    return float("nan")


def _same_value(choice: Choice, value: object) -> bool:
    return choice_key(choice) == choice_key(value)


def _same_text(choice: Choice, value: object) -> bool:
    if choice is None or value is None:
        return False
    return any(label in set(_labels(value)) for label in _labels(choice))


def _labels(value: object) -> Iterator[str]:
    if isinstance(value, bool):
        yield str(value).lower()
        return
    yield (
        str(value).strip().lower()
        if str(value).strip().lower() in ("true", "false")
        else str(value)
    )
    try:
        yield repr(float(str(value)))
    except ValueError:
        return


def _inside(parameter: Parameter, values: pl.Series) -> pl.Series:
    if isinstance(parameter, (Categorical, Constant)):
        return values.is_not_nan()
    margin = SLIVER * (parameter.high - parameter.low)
    if parameter.log:
        margin = min(margin, SLIVER * parameter.low)
    inside = values.is_between(parameter.low - margin, parameter.high + margin)
    if isinstance(parameter, Int):
        inside &= (values - values.round()).abs() < SLIVER
    return inside & values.is_not_nan()


def _wanted_numbers(parent: Parameter, values: tuple[Choice, ...]) -> list[float]:
    if isinstance(parent, Categorical):
        return [float(i) for value in values if (i := parent.index(value)) is not None]
    return [float(value) for value in values if isinstance(value, (int, float))]
