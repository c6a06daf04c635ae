"""read_history: finds the reader of a source, by its name or by the look of the source.

A reader is a module or package beside this one; its name is the `format`, and it is registered
nowhere else. It has

    read(source, columns: NamedColumns, *, …) -> History
        The history in the source. `columns` is what the user said about its columns. The keyword
        arguments are the reader's options, checked here by name; a reader that can tell a budget
        or a status has options `budget` and `status`, which `columns` then leaves at None.
    recognizes(source) -> bool
        Optional: whether the source looks like one for this reader. Cheap, and imports nothing
        foreign.
    FOLDERS_OF: str
        Optional: the tool whose folders it recognizes, for the message about one that none does.
"""

from __future__ import annotations

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
from ringfence.history.roles import NamedColumns
from ringfence.words import did_you_mean


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
    columns = NamedColumns(
        task=task, objective=objective, direction=direction, parameters=parameters, ignore=ignore
    )
    options |= {k: v for k, v in (("budget", budget), ("status", status)) if v is not None}
    try:
        name = _recognized(source) if format is None else format
        if name in table.FORMATS:
            name, options = "table", {"format": name, **options}
        reader = _reader(name)
        _check_options(name, reader, options)
        history: History = reader.read(source, columns, **options)
    except OSError as error:  # a folder that may not be entered, a name too long, a failing disk
        raise HistoryError(f"cannot read {error.filename}: {error.strerror}") from error
    return history


def _names() -> list[str]:
    """The modules beside this one, from which readers are found."""
    folder = import_module(__package__).__path__
    return sorted(module.name for module in pkgutil.iter_modules(folder))


def _readers() -> Iterator[tuple[str, ModuleType]]:
    for name in _names():
        module = import_module(f"{__package__}.{name}")
        if "read" in vars(module):
            yield name, module


def _reader(name: str) -> ModuleType:
    if isinstance(name, str) and name in _names():
        module = import_module(f"{__package__}.{name}")
        if "read" in vars(module):
            return module
    known = [*table.FORMATS, *(reader for reader, _ in _readers() if reader != "table")]
    hint = did_you_mean(name, known)
    raise HistoryError(
        f"format must be one of {', '.join(known)}, not {name!r}{f'; {hint}' if hint else ''}"
    )


def _recognized(source: Any) -> str:
    """The name of the reader that knows the source; tables by their ending come first."""
    if table.recognizes(source):
        return "table"
    for name, module in _readers():
        recognizes = vars(module).get("recognizes")
        if recognizes is not None and recognizes(source):
            return name
    if isinstance(source, str) and "://" in source:  # may hold a password
        raise HistoryError(f"no reader knows addresses that begin with {source.split('://')[0]}://")
    if isinstance(source, (str, PathLike)):
        if str(source) and Path(source).is_dir():
            raise HistoryError(
                f"the folder {source} holds no runs of {_tools_with_folders()}; tables in it are "
                f"read by a glob such as {Path(source) / '*.csv'}"
            )
        return "table"  # which says why it cannot read it
    raise HistoryError(
        f"no reader knows what to do with a {type(source).__name__}; "
        "a DataFrame is read by History.from_frame, anything else needs format=…"
    )


def _tools_with_folders() -> str:
    """The tools whose folders are read, in a sentence."""
    modules = [vars(module) for _, module in _readers()]
    tools = [module["FOLDERS_OF"] for module in modules if "FOLDERS_OF" in module]
    return " or ".join([", ".join(tools[:-1]), tools[-1]])


def _check_options(name: str, reader: ModuleType, options: dict[str, Any]) -> None:
    parameters = inspect.signature(reader.read).parameters.values()
    known = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    for option in options:
        if option not in known:
            has = f"its options are {', '.join(known)}" if known else "it has none"
            raise HistoryError(f"the reader {name!r} has no option {option!r}; {has}")
