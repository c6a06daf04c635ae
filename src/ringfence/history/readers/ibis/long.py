"""Long layouts made wide inside the engine: a row for each run and key, or keys in a map.

Trackers keep what a run was given as text under keys. A key becomes a column; it holds numbers if
all its values are numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ringfence.errors import HistoryError, SettingError
from ringfence.history.history import EXACT_INTEGERS
from ringfence.history.readers.ibis.numbers import first_row
from ringfence.words import some

MOST_KEYS = 300
"""More than any space has: a table with more keys is not what it was taken for. Ibis needs seconds
for each query over so many columns."""


def widened(table: Any, long: Sequence[str] | None) -> Any:
    """The table with a row for each run: `long` names its columns of runs, keys and values. Columns
    that are maps become a column for each of their keys."""
    if long is not None:
        table = _pivoted(table, long)
    for name in [name for name in table.columns if table[name].type().is_map()]:
        table = _spread(table, name)
    return table


def _pivoted(table: Any, long: Sequence[str]) -> Any:
    """A row for each run; other columns are the same in all rows of a run."""
    if isinstance(long, str) or not isinstance(long, Sequence) or len({*map(repr, long)}) != 3:
        raise SettingError("long names three columns: of runs, of keys and of values")
    for name in long:
        if name not in table.columns:
            raise HistoryError(f"no column {name!r}; the table has {some(list(table.columns))}")
    run, key, value = long
    others = [name for name in table.columns if name not in long]
    keys = _keys(table.select(key=table[key]), f"column {key!r}", [run, *others])
    kept = {name: table[name].max() for name in others}

    def of(name: str) -> Any:
        return table[value].max(where=table[key] == name)

    wide = table.group_by(run).aggregate(**kept, **{name: of(name) for name in keys})
    return _typed(wide, keys).drop(run)


def require_one_value(table: Any, long: Sequence[str], names: Sequence[str]) -> None:
    """Raise HistoryError if the rows of a run disagree on one of the named columns."""
    run = long[0]
    for name in [name for name in names if name in table.columns and name not in long]:
        rows = table.select(run=table[run], x=table[name])
        runs = rows.group_by("run").aggregate(low=rows.x.min(), high=rows.x.max())
        torn = runs.filter(runs.low != runs.high).order_by("run").limit(1).to_polars()
        for row in torn.iter_rows(named=True):
            raise HistoryError(
                f"the rows of {run} {row['run']!r} say {row['low']!r} and {row['high']!r} as "
                f"{name}: keep one step of each run (table.filter(…)), or name as the first of "
                "long=… a column that tells these runs apart"
            )


def _spread(table: Any, name: str) -> Any:
    """The table with a column for each key of a map."""
    others = [each for each in table.columns if each != name]
    keys = _keys(table.select(key=table[name].keys().unnest()), f"map {name!r}", others)
    column = table[name]
    return _typed(table.mutate(**{key: column.get(key) for key in keys}).drop(name), keys)


def _keys(column: Any, what: str, taken: Sequence[str]) -> list[str]:
    """The different keys, in alphabetical order."""
    if not column.key.type().is_string():
        raise HistoryError(f"{what} holds {column.key.type()}, and keys are text")
    found = column.filter(column.key.notnull()).distinct().order_by("key").limit(MOST_KEYS + 1)
    keys: list[str] = found.to_polars()["key"].to_list()
    if not keys or len(keys) > MOST_KEYS:
        much = f"more than {MOST_KEYS} different keys" if keys else "no keys"
        mend = "; keep those of parameters with table.filter(…)" if keys else ""
        raise HistoryError(f"{what} has {much}: is it the one that names parameters?{mend}")
    if "" in keys:
        raise HistoryError(f"{what} has an empty key, which no column can be called")
    known = {name.lower(): name for name in taken}  # engines do not tell them apart
    for key in keys:
        if (other := known.setdefault(key.lower(), key)) is not key:
            alike = "" if key == other else f" {other!r}"
            what_else = "a column" if other in taken else "another one"
            raise HistoryError(
                f"{what} has a key {key!r}, and so is {what_else} called{alike}: rename one"
            )
    return keys


def _typed(table: Any, keys: Sequence[str]) -> Any:
    """The table with numbers in the columns of text that hold nothing else."""
    texts = [key for key in keys if table[key].type().is_string()]
    if not texts:
        return table
    counts: dict[str, Any] = {}
    for number, key in enumerate(texts):
        text = table[key]
        as_float = text.try_cast("float64")
        counts[f"given{number}"] = text.count()
        counts[f"other{number}"] = (text.notnull() & as_float.isnull()).sum()
        counts[f"broken{number}"] = (
            as_float.isnull() | (as_float % 1 != 0) | (as_float.abs() >= EXACT_INTEGERS)
        ).sum(where=text.notnull())
    seen = first_row(table, counts)
    casts: dict[str, Callable[[Any], Any]] = {}
    for number, key in enumerate(texts):
        if not seen[f"given{number}"] or seen[f"other{number}"]:
            continue
        is_whole = not seen[f"broken{number}"]
        casts[key] = _whole if is_whole else _float
    return table.mutate(**{key: cast(table[key]) for key, cast in casts.items()})


def _float(text: Any) -> Any:
    return text.try_cast("float64")


def _whole(text: Any) -> Any:
    return text.try_cast("float64").cast("int64")
