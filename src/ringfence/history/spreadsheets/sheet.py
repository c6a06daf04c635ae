"""A table as it came, made ready for the roles of its columns: lines that are no runs, cells that
stand for something else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.guessing.costs import is_cost
from ringfence.history.guessing.names import TASKS, is_label
from ringfence.history.guessing.results import METRICS, is_result
from ringfence.history.guessing.statuses import STATUSES
from ringfence.history.places import Places
from ringfence.history.roles import NamedColumns
from ringfence.history.spreadsheets.columns import ANY_NUMBER, read_cells, tidy_names
from ringfence.history.spreadsheets.summary_rows import footer_lines, summary_rows


@dataclass(frozen=True)
class Sheet:
    """The runs of a table, with what was done to it in words."""

    table: pl.DataFrame
    places: Places
    is_run: pl.Series
    """For each line of the table as it came whether it is a run."""
    notes: tuple[str, ...]
    nones: frozenset[str]
    """Columns in which a missing value was written as None."""
    words: Mapping[str, pl.Series]
    """For results that are words in some rows, these words; null in the other rows."""


def read_sheet(table: pl.DataFrame, named: NamedColumns, places: Places) -> Sheet:
    """The runs of the table; columns of text that play no part stay as they are."""
    tasks = _tasks(table, named)
    table, places, is_run, notes = _without_remarks(table, places, tasks)
    for task in tasks:
        table, said = tidy_names(table, task)
        table, filled = filled_down(table, task, places)
        notes += [*said, *filled]
    read = [name for name in table.columns if _is_read(name, named, tasks)]
    objective = named.objective
    results = [
        name for name in read if name == objective or (name not in named.names and is_result(name))
    ]
    cells = read_cells(table, read, results, named.decimal, places.of)
    return Sheet(cells.table, places, is_run, (*notes, *cells.notes), cells.nones, cells.words)


def filled_down(table: pl.DataFrame, task: str, places: Places) -> tuple[pl.DataFrame, list[str]]:
    """The table with the task in each row, if only the first row of each block names it: so merged
    cells are stored. Each name then occurs once, and most rows have none."""
    column = table[task]
    gaps = column.is_null()
    named = column.drop_nulls()
    if not gaps.any() or gaps[0] or gaps.sum() < len(named) or named.is_duplicated().any():
        return table, []
    note = (
        f"filled in the task of {gaps.sum()} rows from the row above, as of merged cells "
        f"(first: {places.of(gaps.arg_max() or 0)})"
    )
    return table.with_columns(column.forward_fill()), [note]


def _tasks(table: pl.DataFrame, named: NamedColumns) -> list[str]:
    """The column of the task as named, or those that are called like one."""
    if named.task is not None:
        return [named.task] if named.task in table.columns else []
    return [name for name in table.columns if name.lower() in TASKS]


def _is_read(name: str, named: NamedColumns, tasks: Sequence[str]) -> bool:
    """Whether the texts of a column may stand for numbers: not those of names, labels and such."""
    if name in named.names:
        return name not in (named.task, named.status, named.cost)
    if name in tasks or name in named.ignore or name.lower() in STATUSES:
        return False
    if named.objective is None and name.lower() in METRICS:
        return True
    return named.parameters is None and not is_label(name) and not is_cost(name)


def _without_remarks(
    table: pl.DataFrame, places: Places, tasks: Sequence[str]
) -> tuple[pl.DataFrame, Places, pl.Series, list[str]]:
    """The rows that are runs, and which those are; what was left out is said."""
    end = table.height - footer_lines(table)
    is_footer = pl.Series(range(table.height)) >= end
    is_summary = summary_rows(table.head(end), tasks).extend(is_footer.filter(is_footer).not_())
    notes = []
    for mask, what in ((is_summary, "of summary"), (is_footer, "below the table")):
        cells = [_first_text(table, row) for row in mask.arg_true()]
        if any(cells):
            row = int(mask.arg_true()[next(i for i, cell in enumerate(cells) if cell)])
            lines = f"{len(cells)} line{'s' * (len(cells) != 1)}"
            notes.append(f"left out {lines} {what} ({places.of(row)}: {_first_text(table, row)!r})")
    is_run = ~(is_summary | is_footer)
    if not is_run.any():
        raise HistoryError("the table has a summary and no rows")
    if is_run.all():
        return table, places, is_run, notes
    return table.filter(is_run), places.filter(is_run), is_run, notes


def _first_text(table: pl.DataFrame, row: int) -> str:
    """The first cell of a row that says something, in words rather than numbers; "" if none."""
    texts = [cell.strip() for cell in table.row(row) if isinstance(cell, str) and cell.strip()]
    words = [text for text in texts if not re.match(ANY_NUMBER, text)]
    return next(iter([*words, *texts]), "")
