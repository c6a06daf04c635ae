"""Rows that are no runs: mean, total and the like below a table or below each of its blocks, and
what people write under it."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ringfence.history.guessing.names import is_label
from ringfence.history.spreadsheets.notation import BLANKS

SUMMARIES = (
    "mean", "average", "avg", "median", "total", "subtotal", "sum", "std", "stdev", "min", "max",
    "minimum", "maximum", "count", "best", "summary", "overall", "grand", "mittelwert",
    "mittel", "durchschnitt", "summe", "zwischensumme", "gesamt", "gesamtergebnis", "moyenne",
    "somme", "médiane", "media", "mediana", "promedio", "suma", "totale", "somma", "ø", "∅",
)  # fmt: skip
"""What such a row begins with in English, German, French, Spanish and Italian sheets."""
MOST_LINES = 8
"""A table has at most so many below it: count, mean, std, min, three quartiles, max of pandas."""
FIRST_WORD = r"^([^\s:=(\u00a0]+)"
OF_RUNS = {"best", "min", "max", "minimum", "maximum", "count"}
"""In a remark these may tell of the run itself: best of three."""
REMARK = (
    rf"^({'|'.join(word for word in SUMMARIES if word not in OF_RUNS)})"
    r"(\s+(of|over|across|above|all|von|über|aller|der|des|du|de|di|del|della|sur|tutti)\b.*)?[:.]?$"
)
"""A remark on a row that sums up others, such as mean of the above; not mean pooling."""


def footer_lines(table: pl.DataFrame) -> int:
    """How many of the last rows hold a remark or nothing: a text in one cell, all others blank."""
    if table.width < 3:  # a task, a parameter, an objective
        return 0
    texts = [name for name, dtype in table.schema.items() if dtype == pl.String]
    shown = pl.col(texts).str.strip_chars(BLANKS).replace("", None)
    tail = table.tail(MOST_LINES).with_columns(shown)
    filled = tail.select(pl.sum_horizontal(pl.all().is_not_null()))
    written = tail.select(pl.sum_horizontal(pl.lit(0), pl.col(texts).is_not_null()))
    is_remark = (filled.to_series() == written.to_series()) & (filled.to_series() <= 1)
    return _at_end(is_remark)


def summary_rows(table: pl.DataFrame, tasks: Sequence[str]) -> pl.Series:
    """Which rows sum up others: the task, or the first column of a row without one, says so."""
    found = pl.repeat(False, table.height, eager=True)
    for name in dict.fromkeys([*tasks, *table.columns[:1]]):
        if table[name].dtype == pl.String:
            found |= _of_tasks(table, name) if name in tasks else _of_first(table, name, tasks)
    for column in table[:, 1:]:
        if (
            tasks
            and column.dtype == pl.String
            and column.name not in tasks
            and is_label(column.name)
        ):
            found |= _of_remarks(_shown(column), _no_task(table, tasks))
    return found


def _of_tasks(table: pl.DataFrame, name: str) -> pl.Series:
    """Summaries in the column of the task. Its word stands in a row alone; between the blocks of
    tasks that are kept together it may come again, else it is nowhere but at the end."""
    cells = _shown(table[name]).forward_fill()
    says = _says_summary(cells)
    alone = says & cells.ne_missing(cells.shift(1)) & cells.ne_missing(cells.shift(-1))
    if not alone.any():
        return alone
    runs = cells.filter(~alone).drop_nulls()
    if (alone == says).all() and _in_blocks(runs):
        others = pl.select(pl.when(alone).then(None).otherwise(cells)).to_series()
        return alone & others.forward_fill().ne_missing(others.backward_fill())
    return _last(says, alone, min(MOST_LINES, table.height - 1))


def _of_first(table: pl.DataFrame, name: str, tasks: Sequence[str]) -> pl.Series:
    """Summaries in the first column, where it is not that of the task: rows without a task, each at
    the end of a block, or the last rows, if they name no task or the word alone."""
    cells = _shown(table[name])
    says = _says_summary(cells)
    no_task = _no_task(table, tasks)
    at_end = (~no_task).shift(-1, fill_value=True)
    if tasks and (~says | (no_task & at_end)).all() and not says.all():
        return says
    is_word = cells.str.strip_chars(" :=\u00a0").str.to_lowercase().is_in(SUMMARIES)
    return _last(says, says & (no_task | is_word.fill_null(value=False)), MOST_LINES)


def _of_remarks(cells: pl.Series, no_task: pl.Series) -> pl.Series:
    """Summaries in a column of notes: rows without a task at the end of a block that say so."""
    says = no_task & cells.str.to_lowercase().str.contains(REMARK).fill_null(value=False)
    begins = pl.select(pl.when(says).then(None).otherwise(~no_task)).to_series()
    return says & begins.backward_fill().fill_null(value=True)


def _no_task(table: pl.DataFrame, tasks: Sequence[str]) -> pl.Series:
    """Which rows name no task; none if no column does."""
    no_task = pl.repeat(bool(tasks), table.height, eager=True)
    for task in tasks:
        no_task &= _shown(table[task]).is_null()
    return no_task


def _last(says: pl.Series, is_summary: pl.Series, most: int) -> pl.Series:
    """The last rows that are summaries, if no row above says the same."""
    lines = min(_at_end(is_summary), most)
    start = len(says) - lines
    if not lines or not start or says.head(start).any():
        return pl.repeat(False, len(says), eager=True)
    return pl.Series(range(len(says))) >= start


def _in_blocks(tasks: pl.Series) -> bool:
    """Whether the rows of each task follow each other, two or more on average."""
    blocks = int(tasks.ne_missing(tasks.shift(1)).sum())
    return 0 < blocks <= tasks.n_unique() and len(tasks) >= 2 * blocks


def _at_end(mask: pl.Series) -> int:
    """How many of the last values are true."""
    others = (~mask).arg_true()
    return len(mask) - 1 - int(others[-1]) if len(others) else len(mask)


def _says_summary(cells: pl.Series) -> pl.Series:
    words = cells.str.to_lowercase().str.extract(FIRST_WORD)
    return words.is_in(SUMMARIES).fill_null(value=False)


def _shown(column: pl.Series) -> pl.Series:
    """The column with blank text as null."""
    if column.dtype != pl.String:
        return column
    return column.str.strip_chars(BLANKS).replace("", None)
