"""read_history: finds the reader of a source, by name or by the look of it.

A reader is a module beside this one with a function

    read(source, *, task, objective, direction, parameters, ignore, ...) -> History

whose other keyword arguments are its options, and may have `recognizes(source) -> bool`, which is
cheap and imports nothing foreign. The module's name is the `format`; nothing else is registered.
"""

from __future__ import annotations

import difflib
import inspect
import pkgutil
from collections.abc import Iterator, Sequence
from importlib import import_module
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any

from ringfence.errors import HistoryError
from ringfence.history.history import History
from ringfence.history.readers import table

COMMON = ("task", "objective", "direction", "parameters", "ignore")


def read_history(
    source: Any,
    *,
    format: str | None = None,
    task: str | None = None,
    objective: str | int | None = None,
    direction: str | None = None,
    parameters: str | Sequence[str] | None = None,
    budget: str | None = None,
    status: str | None = None,
    ignore: str | Sequence[str] = (),
    **options: Any,
) -> History:
    """Read past runs from a file, a glob such as `runs/*.csv`, `-` for standard input, or whatever
    else one of the readers takes: a database's URL, a folder, another tool's object.

    The reader follows from the look of the source, or from `format`: csv, tsv, jsonl, parquet, or
    the name of a reader. The arguments up to `ignore` are those of `History.from_frame`; `options`
    are the reader's own (docs/readers).
    """
    parameters = [parameters] if isinstance(parameters, str) else parameters
    ignore = [ignore] if isinstance(ignore, str) else ignore
    common = dict(zip(COMMON, (task, objective, direction, parameters, ignore)))
    options |= {k: v for k, v in (("budget", budget), ("status", status)) if v is not None}
    try:
        name = _recognized(source) if format is None else format
        if name in table.FORMATS:
            name, options = "table", {"format": name, **options}
        reader = _reader(name)
        _check_options(name, reader, options)
        history: History = reader.read(source, **common, **options)
    except OSError as error:  # a folder that may not be entered, a name too long, a failing disk
        raise HistoryError(f"cannot read {error.filename}: {error.strerror}") from error
    return history


def _names() -> list[str]:
    """The modules beside this one, from which readers are found."""
    return sorted(found.name for found in pkgutil.iter_modules(import_module(__package__).__path__))


def _modules() -> Iterator[tuple[str, ModuleType]]:
    for name in _names():
        module = import_module(f"{__package__}.{name}")
        if "read" in vars(module):
            yield name, module


def _reader(name: str) -> ModuleType:
    if isinstance(name, str) and name in _names():
        module = import_module(f"{__package__}.{name}")
        if "read" in vars(module):
            return module
    known = [*table.FORMATS, *(found for found, _ in _modules() if found != "table")]
    close = difflib.get_close_matches(str(name), known, 1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise HistoryError(f"format must be one of {', '.join(known)}, not {name!r}{hint}")


def _recognized(source: Any) -> str:
    """The name of the reader that knows the source; tables by their ending come first."""
    if table.recognizes(source):
        return "table"
    for name, module in _modules():
        recognizes = vars(module).get("recognizes")
        if recognizes is not None and recognizes(source):
            return name
    if isinstance(source, str) and "://" in source:  # may hold a password
        raise HistoryError(f"no reader knows addresses that begin with {source.split('://')[0]}://")
    if isinstance(source, (str, PathLike)):
        if str(source) and Path(source).is_dir():
            raise HistoryError(
                f"the folder {source} holds no runs of MLflow, Ray Tune, SMAC or Syne Tune; tables "
                f"in it are read by a glob such as {Path(source) / '*.csv'}"
            )
        return "table"  # which says why it cannot read it
    raise HistoryError(
        f"no reader knows what to do with a {type(source).__name__}; "
        "a DataFrame is read by History.from_frame, anything else needs format=…"
    )


def _check_options(name: str, reader: ModuleType, options: dict[str, Any]) -> None:
    signature = inspect.signature(reader.read).parameters.values()
    known = [p.name for p in signature if p.kind is p.KEYWORD_ONLY and p.name not in COMMON]
    for option in options:
        if option not in known:
            has = f"its options are {', '.join(known)}" if known else "it has none"
            raise HistoryError(f"the reader {name!r} has no option {option!r}; {has}")
