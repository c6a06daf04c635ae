"""Past runs, however they are given: a History, or anything that `read_history` reads."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ringfence.checks import require_polars
from ringfence.errors import HistoryError, SettingError
from ringfence.history.history import History
from ringfence.history.readers.dispatch import (
    COLUMN_OPTIONS,
    read_history,
    read_source,
    reader_options,
)
from ringfence.history.roles import NamedColumns
from ringfence.space import Space
from ringfence.words import did_you_mean

Runs: TypeAlias = Any
"""A History; a path, a glob or a URL; a pandas, polars or Arrow frame, or a list of dicts; an
Optuna study or another tool's object; or a list of such."""


def as_history(
    runs: Runs,
    reading: Mapping[str, Any],
    caller: Callable[..., Any],
    space: Space | None = None,
    *,
    asks: bool = True,
) -> History:
    """The runs as a history, read with the options in `reading`, keyword arguments of `caller` that
    are for `read_history`. `space` goes to a reader that judges rows where they lie; `asks` is
    whether a doubtful direction is asked about."""
    require_polars()
    unset = ("task", "objective", "direction")
    reading = {k: v for k, v in reading.items() if not (k in unset and v is None)}
    for name in reading:
        _require_known(name, caller)
    if _is_ready(runs):
        if reading:
            name = next(iter(reading))
            raise SettingError(
                f"{name}= says how runs are read, and a History is read already; leave it out, or "
                f"give it to read_history or History.from_frame"
            )
        return runs if isinstance(runs, History) else History.concat(runs)
    if isinstance(space, Space) and "space" in reader_options(runs, reading.get("format")):
        reading["space"] = space
    named = {name: reading.pop(name) for name in COLUMN_OPTIONS if name in reading}
    format = named.pop("format", None)
    return read_source(runs, NamedColumns(**named, asks=asks), format, reading)


def read_with_hint(runs: Runs, argument: str) -> History:
    """The runs as a history where there is no room for options: errors say where these go."""
    require_polars()
    if _is_ready(runs):
        return runs if isinstance(runs, History) else History.concat(runs)
    try:
        return read_history(runs)
    except HistoryError as error:
        raise HistoryError(
            f"{error}; options of reading go to rf.read_history: {argument}=rf.read_history(…)"
        ) from error


def _is_ready(runs: Runs) -> bool:
    if isinstance(runs, (list, tuple)):
        return bool(runs) and all(isinstance(one, History) for one in runs)
    return isinstance(runs, History)


def _require_known(name: str, caller: Callable[..., Any]) -> None:
    """SettingError if a keyword is neither the caller's nor one for reading."""
    named = inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL
    own = [p.name for p in inspect.signature(caller).parameters.values() if p.kind not in named]
    common = [p.name for p in inspect.signature(read_history).parameters.values()][1:-1]
    if name in common or name in reader_options():
        return
    hint = did_you_mean(name, [*own, *common, *reader_options()])
    raise SettingError(
        f"{caller.__name__} has no argument {name!r}; "
        + (hint or f"it has {', '.join(own)}, and for reading {', '.join(common)}")
    )
