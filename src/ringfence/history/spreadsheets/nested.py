"""Records as tools write them, with the parameters and the metrics in dicts of their own: each key
becomes a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from ringfence.history.guessing.names import is_label
from ringfence.history.roles import NamedColumns
from ringfence.history.tables import from_objects
from ringfence.incoming.limits import CELLS
from ringfence.words import some

CONFIGURATIONS = {
    "params", "param", "parameters", "config", "configuration", "hyperparameters", "hyperparams",
    "hparams",
}  # fmt: skip
"""What dicts of parameters are called."""
METRICS = {"metrics", "metric", "results", "result", "scores"}
"""What dicts of results are called."""


def unnested(
    table: pl.DataFrame, named: NamedColumns
) -> tuple[pl.DataFrame, NamedColumns, list[str]]:
    """The table with the keys of such dicts as columns, and a note for each dict; the keys of the
    parameters' dicts are the parameters unless the user named some."""
    columns = {column.name: _plain(column) for column in table if not _is_nested(column)}
    parameters: list[str] = []
    notes = []
    for column in filter(_is_nested, table):
        keys = []
        for key, values in _by_key(column).items():
            key = f"{column.name}.{key}" if key in columns else key
            columns[key] = from_objects(key, values)
            keys.append(key)
        notes.append(f"took the keys of {column.name!r} as columns: {some(keys)}")
        parameters += keys if column.name.lower() in CONFIGURATIONS else []
    tuned = [name for name in parameters if columns[name].count() and not is_label(name)]
    if tuned and named.parameters is None:
        taken = (*named.names, *named.ignore)
        named = replace(named, parameters=[name for name in tuned if name not in taken])
    return pl.DataFrame(list(columns.values())), named, notes


def flat(config: Mapping[str, Any], separator: str, prefix: str = "") -> dict[str, Any]:
    """A nested configuration with one name for each value; lists become text."""
    values: dict[str, Any] = {}
    for name, value in config.items():
        if isinstance(value, Mapping):
            values |= flat(value, separator, f"{prefix}{name}{separator}")
        else:
            values[f"{prefix}{name}"] = str(value) if isinstance(value, list) else value
    return values


def _is_nested(column: pl.Series) -> bool:
    if column.dtype not in (pl.Struct, pl.Object):
        return False
    return column.name.lower() in CONFIGURATIONS | METRICS


def _plain(column: pl.Series) -> pl.Series:
    """The column, with dicts as text."""
    if column.dtype != pl.Object:
        return column
    return from_objects(column.name, column.to_list())


def _by_key(column: pl.Series) -> dict[str, list[Any]]:
    """The values of each key, None where a dict lacks it."""
    rows = [{} if row is None else flat(row, ".") for row in column.to_list()]
    keys = dict.fromkeys(key for row in rows for key in row)
    CELLS.allow(len(rows) * len(keys), f"the column {column.name!r}, key by key,")
    return {str(key): [row.get(key) for row in rows] for key in keys}
