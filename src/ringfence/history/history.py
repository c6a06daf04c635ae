"""History: a table of past runs, and what its columns mean."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from ringfence.checks import require_polars
from ringfence.errors import HistoryError
from ringfence.history.directions import goal_text
from ringfence.history.display.table import history_html, history_text
from ringfence.history.doubts.metric_ranges import without_impossible
from ringfence.history.joining import joined
from ringfence.history.mismatch.mending import Mend, filled, renamed
from ringfence.history.mismatch.scaling import scaled
from ringfence.history.mismatch.switches import with_off
from ringfence.history.mismatch.times import table_times
from ringfence.history.outcomes.costs import cost_unit
from ringfence.history.outcomes.failures import Failures
from ringfence.history.places import Places
from ringfence.history.roles import NamedColumns, Roles, assign_roles, check_objective, check_tasks
from ringfence.history.selection import Selection
from ringfence.history.spreadsheets.nested import unnested
from ringfence.history.spreadsheets.notation import Decimal
from ringfence.history.spreadsheets.sheet import read_sheet
from ringfence.history.tables import as_polars, plain_table
from ringfence.history.values import with_written
from ringfence.space import Choice, Space
from ringfence.space.gaps import GapRule, Missing
from ringfence.words import some

EXACT_INTEGERS = 2**53
"""Below this a float is exactly the integer that it looks like."""
PIECE = 2**24
"""Bytes of texts that are taken out of a column at a time."""


@dataclass(frozen=True, eq=False, repr=False)
class History:
    """What was tried on which task and how it went: `rf.read_history` and `History.from_frame` give
    it.

    Rows are kept as they came; they are judged against a space when one is learned. `len` is the
    number of runs.

    Examples:
        >>> import ringfence as rf
        >>> history = rf.example_history()
        >>> len(history), len(history.tasks)
        (5120, 20)
    """

    frame: pl.DataFrame
    """The runs, one a row."""
    roles: Roles
    """Which column plays which part."""
    source: str = "a table in memory"
    """Where it comes from, in words."""
    places: Places = field(default=Places())
    """Where the rows come from, for messages."""
    space: Space | None = None
    """The space that the source declares, if it does."""
    notes: tuple[str, ...] = field(default=())
    """What was guessed."""
    selection: Selection | None = None
    """Set if only the best rows of each task are here; None if all are."""
    tool: str = ""
    """The reader that knew the source, such as 'optuna'; empty for tables."""
    gap_rule: GapRule = field(default=GapRule())
    """What is done with missing values of parameters."""
    task_spaces: Mapping[str, Space] = field(default_factory=dict)
    """What the source of each task declares; none where it does not."""
    task_times: Mapping[str, float] = field(default_factory=dict)
    """When each task last ran, in seconds since 1970, where the source keeps it."""
    said: Mapping[str, Mapping[str, Choice]] = field(default_factory=dict)
    """By task: the parameters that `with_values` filled in, and their values."""
    left_out: frozenset[str] = frozenset()
    """Parameters of the source that nothing explains the gaps of; their values are not here."""
    off: Mapping[str, float] = field(default_factory=dict)
    """By parameter: the value that switches it off, of those that `with_off` made of pairs."""
    mends: tuple[Mend, ...] = ()
    """What `rename`, `with_values`, `scaled` and `with_off` did to what was read, in order."""
    failures: Failures = "keep"
    """'ignore' if failed runs are to play no part."""

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        task: str | None = None,
        objective: str | None = None,
        direction: str | None = None,
        parameters: Sequence[str] | None = None,
        budget: str | None = None,
        status: str | None = None,
        ignore: Sequence[str] = (),
        missing: Missing | None = None,
        decimal: Decimal | None = None,
        cost: str | None = None,
        failures: Failures = "keep",
    ) -> History:
        """A history from a pandas or polars DataFrame with one row per evaluation.

        Columns that are not named are guessed, and `notes` says how.

        Args:
            frame: the table.
            task: the column that names the task; one called task, dataset, study, … by default.
            objective: the column of the objective.
            direction: 'minimize' or 'maximize'; None goes by the name of the objective, and asks if
                that leaves a doubt.
            parameters: the columns that were tuned; by default all that play no other part.
            budget: the column of the budget; only the highest of each task counts.
            status: the column that says which runs finished.
            ignore: columns that are not parameters.
            missing: what happens to rows that lack a parameter: 'drop', 'choice' or 'error'.
            decimal: 'point' or 'comma', if text such as 1,234 could be read either way.
            cost: the column of what a run cost: seconds, dollars, anything that adds up; one called
                duration, train_time, … by default.
            failures: 'keep' keeps runs that failed as such; 'ignore' only leaves them out.

        Raises:
            HistoryError: a column that is not there, or a part that cannot be guessed.

        Examples:
            >>> import polars as pl
            >>> import ringfence as rf
            >>> runs = pl.DataFrame(
            ...     {"task": ["a", "a", "b"], "lr": [0.1, 0.2, 0.3], "error": [0.5, 0.4, 0.3]}
            ... )
            >>> rf.History.from_frame(runs, task="task", objective="error").tasks
            ('a', 'b')
        """
        named = NamedColumns(
            task=task,
            objective=objective,
            direction=direction,
            parameters=parameters,
            budget=budget,
            status=status,
            ignore=ignore,
            missing=missing,
            decimal=decimal,
            cost=cost,
            failures=failures,
        )
        return history_from(frame, named)

    def __repr__(self) -> str:
        roles = self.roles
        return (
            f"History({len(self)} runs, {len(self.tasks)} task{'s' * (len(self.tasks) != 1)}, "
            f"{self.goal}, parameters: {some(roles.parameters)})"
        )

    def __str__(self) -> str:
        return history_text(self)

    def _repr_html_(self) -> str:
        return history_html(self)

    def __len__(self) -> int:
        return self.frame.height

    @property
    def goal(self) -> str:
        """What is better, and whether that is a guess: "maximize 'auc' (guessed from its name)"."""
        return goal_text(self.roles.objective, self.roles.direction, guessed=self.roles.guessed)

    @property
    def cost_unit(self) -> str | None:
        """What costs are counted in: 'seconds' for times, else what their column is called; None if
        the history has no costs."""
        return None if self.roles.cost is None else cost_unit(self.roles)

    @property
    def tasks(self) -> tuple[str, ...]:
        """Names of the tasks in the order of their first run."""
        return tuple(self.task_column().drop_nulls().unique(maintain_order=True))

    def task_column(self) -> pl.Series:
        """The task of each row as text; integers lose the decimal point that a gap gave them.

        Examples:
            >>> import ringfence as rf
            >>> len(rf.example_history().task_column())
            5120
        """
        column = self.frame[self.roles.task]
        if column.dtype.is_float():
            numbers = column.drop_nulls()
            if ((numbers % 1 == 0) & (numbers.abs() < EXACT_INTEGERS)).all():
                column = column.cast(pl.Int64)
        return column.cast(pl.String)

    def only(self, tasks: Sequence[str]) -> History:
        """The history of these tasks alone.

        Args:
            tasks: their names.

        Raises:
            HistoryError: a task that is not there.

        Examples:
            >>> import ringfence as rf
            >>> history = rf.example_history()
            >>> len(history.only(history.tasks[:3]))
            768
        """
        missing = set(tasks) - set(self.tasks)
        if missing:
            raise HistoryError(f"the history has no task {sorted(missing)[0]!r}")
        is_wanted = self.task_column().is_in(list(tasks))
        return self._rows(is_wanted)

    def split(self, n: int, *, seed: int | None = None) -> tuple[History, History]:
        """The first `n` runs of each task, and the rest: the former to learn the region from, the
        latter for a model that transfers.

        Args:
            n: number of runs of each task.
            seed: None takes the first ones, a number random ones.

        Examples:
            >>> import ringfence as rf
            >>> for_region, for_model = rf.example_history().split(64)
            >>> len(for_region), len(for_model)
            (1280, 3840)
        """
        order = np.arange(len(self))
        if seed is not None:
            order = np.random.default_rng(seed).permutation(order)
        ranks = pl.DataFrame({"task": self.task_column(), "order": order})
        is_first = ranks.select(pl.col("order").rank("ordinal").over("task") <= n).to_series()
        return self._rows(is_first), self._rows(~is_first)

    @classmethod
    def concat(cls, histories: Sequence[History]) -> History:
        """Several histories as one, in order. Columns take their names from the first, and so does
        the direction: the values of those that go the other way are negated, and `notes` says so.
        A task that lacks a parameter of another does not know it. If all carry a space, the result
        carries the smallest one that holds them all.

        Args:
            histories: at least one.

        Raises:
            HistoryError: histories that do not fit together.

        Examples:
            >>> import ringfence as rf
            >>> history = rf.example_history()
            >>> first, second = history.only(history.tasks[:2]), history.only(history.tasks[2:5])
            >>> len(rf.History.concat([first, second]).tasks)
            5
        """
        return joined(histories)

    def rename(self, names: Mapping[str, str]) -> History:
        """The history with parameters under other names, such as those that they have today.

        A name may be one that other tasks use already: the two become one parameter, unless a task
        has values of both.

        Args:
            names: from the old name of each parameter to the new one.

        Raises:
            HistoryError: a parameter that is not there, or a name that is taken.

        Examples:
            >>> import ringfence as rf
            >>> rf.example_history().rename({"C": "cost"}).roles.parameters[1]
            'cost'
        """
        return renamed(self, names)

    def with_values(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> History:
        """The history with what parameters were fixed at in the tasks that did not tune them.

        Models of these tasks know the value. It shapes no region along the parameter, since nobody
        looked for a better one.

        Args:
            values: by name; only for names that are no Python names.
            more: by name. Tasks that have values of a parameter keep them.

        Raises:
            HistoryError: a parameter that every task has values of, or a name that is taken.

        Examples:
            >>> import ringfence as rf
            >>> history = rf.example_history().with_values(shrinking=True)
            >>> history.notes[-1].partition(" (")[0]
            'shrinking is True in the 5,120 runs of 20 tasks that did not tune it'
        """
        return filled(self, {**(values or {}), **more})

    def scaled(
        self, factors: Mapping[str, float], *, tasks: Sequence[str] | None = None
    ) -> History:
        """The history with the numbers of parameters in other units: per cent as fractions,
        milliseconds as seconds. Ranges that the source declares are converted, too.

        Args:
            factors: by parameter, what its numbers are to be multiplied by.
            tasks: the tasks in which; None for all.

        Raises:
            HistoryError: a parameter or task that is not there, a factor that is not positive, or
                nothing to convert.

        Examples:
            >>> import polars as pl
            >>> import ringfence as rf
            >>> runs = {"task": ["a", "a"], "dropout": [10, 57], "error": [0.5, 0.4]}
            >>> history = rf.History.from_frame(pl.DataFrame(runs), task="task", objective="error")
            >>> history.scaled({"dropout": 0.01}).frame["dropout"].to_list()
            [0.1, 0.57]
        """
        return scaled(self, factors, tasks)

    def with_off(self, values: Mapping[str, float]) -> History:
        """The history with a flag and the number that it switches as one parameter: off, or a
        range.

        Args:
            values: by the name of the number, what it is where the flag says that it is not there.

        Raises:
            HistoryError: a parameter that is not there, or of which no flag tells when it is.

        Examples:
            >>> import polars as pl
            >>> import ringfence as rf
            >>> runs = {"task": ["a", "a"], "use_l2": [True, False], "l2": [0.3, None]}
            >>> frame = pl.DataFrame({**runs, "error": [0.5, 0.4]})
            >>> history = rf.History.from_frame(frame, task="task", objective="error")
            >>> history.with_off({"l2": 0}).frame["l2"].to_list()
            [0.3, 0.0]
        """
        return with_off(self, values)

    def where(self, row: int) -> str:
        """What to call row `row` (from 0) in a message.

        Args:
            row: its position.

        Examples:
            >>> import ringfence as rf
            >>> "7" in rf.example_history().where(7) or "8" in rf.example_history().where(7)
            True
        """
        return self.places.of(row)

    def _rows(self, mask: pl.Series) -> History:
        return replace(self, frame=self.frame.filter(mask), places=self.places.filter(mask))

    def digest(self, parameters: Sequence[str] | None = None) -> str:
        """SHA-256 of the tasks, the objective, budget, status and parameters, row by row: the same
        data, the same digest, whatever file it came from, and whatever the runs cost.

        Args:
            parameters: only these; None for all.

        Examples:
            >>> import ringfence as rf
            >>> len(rf.example_history().digest())
            64
        """
        roles = self.roles
        digest = hashlib.sha256(roles.direction.encode())
        _add(digest, self.task_column())
        parameters = roles.parameters if parameters is None else parameters
        for name in (roles.objective, roles.budget, roles.status, *parameters):
            if name is not None:
                digest.update(name.encode() + b"\0")
                _add(digest, self.frame[name])
        return digest.hexdigest()


def history_from(
    frame: Any,
    named: NamedColumns,
    places: Places | None = None,
    *,
    typed: bool = False,
    guesses_cost: bool = False,
) -> History:
    """The history in a table, its columns as they are named; see `History.from_frame`. A `typed`
    table has numbers where numbers are meant, so that its texts are not looked into, and its costs
    are named unless they are to be guessed."""
    require_polars()
    raw = as_polars(frame)
    table = plain_table(raw)
    if not table.height:
        raise HistoryError("the table has no rows")
    said: tuple[str, ...] = ()
    if not typed:
        table, named, nested = unnested(table, named)
    places = Places() if places is None else places
    rule = GapRule(named.missing)
    words: Mapping[str, pl.Series] = {}
    if not typed:
        sheet = read_sheet(table, named, places)
        table, places, words = sheet.table, sheet.places, sheet.words
        raw = raw.filter(sheet.is_run)
        said = (*nested, *sheet.notes)
        rule = GapRule(named.missing, sheet.nones)
    roles, notes = assign_roles(table, named, guesses_cost=guesses_cost or not typed)
    if not typed:
        check_objective(table, roles)
        notes += check_tasks(table, roles)
    if roles.objective in words:
        table = with_written(table, roles.objective, words[roles.objective])
    table = _with_nans(table, raw, roles.objective)
    table, impossible = without_impossible(table, roles, places)
    notes += impossible
    notes += _nameless(table[roles.task], places)
    history = History(
        table,
        roles,
        places=places,
        notes=(*said, *notes),
        gap_rule=rule,
        failures=named.failures,
    )
    parts = (roles.task, roles.objective, roles.budget, roles.status, *roles.parameters)
    times = table_times(table, history.task_column(), [name for name in parts if name is not None])
    return replace(history, task_times=times)


def _with_nans(table: pl.DataFrame, raw: pl.DataFrame, objective: str) -> pl.DataFrame:
    """The table that remembers where its objective was NaN, which is not the same as missing: the
    run came to an end."""
    if objective not in raw.columns or not raw[objective].dtype.is_float():
        return table
    is_nan = raw[objective].is_nan().fill_null(value=False)
    if not is_nan.any():
        return table
    return with_written(
        table, objective, pl.select(pl.when(is_nan).then(pl.lit("NaN"))).to_series()
    )


def _nameless(tasks: pl.Series, places: Places) -> list[str]:
    """A note on rows of no task."""
    count = tasks.null_count()
    first = places.of(tasks.is_null().arg_max() or 0)
    of = f"{count:,} of {len(tasks):,} rows"
    return [f"{of} name no task in {tasks.name!r} and do not count (first: {first})"] * bool(count)


def _add(digest: hashlib._Hash, column: pl.Series) -> None:
    """Add the bytes of a column: numbers, or texts with a zero between them, which are many times
    as long as the column if its cells share them and are so taken a few at a time."""
    if column.dtype.is_numeric():
        digest.update(column.cast(pl.Float64).fill_null(0.0).to_numpy().tobytes())
    else:
        texts = column.cast(pl.String).fill_null("")
        longest = texts.str.len_bytes().max() or 1
        assert isinstance(longest, int)
        step = max(PIECE // longest, 1)
        for start in range(0, len(texts), step):
            text = "\0".join(texts[start : start + step].to_list())
            digest.update(("\0" * (start > 0) + text).encode())
    if column.null_count():
        digest.update(column.is_null().to_numpy().tobytes())
