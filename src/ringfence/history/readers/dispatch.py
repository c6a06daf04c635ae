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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl

from ringfence.checks import require_polars
from ringfence.errors import (
    FileError,
    HistoryError,
    MissingExtraError,
    RingfenceError,
    UnusedError,
)
from ringfence.errors.addresses import hidden, is_address, shown
from ringfence.history.history import History
from ringfence.history.outcomes.failures import Failures
from ringfence.history.readers import table
from ringfence.history.roles import NamedColumns
from ringfence.history.spreadsheets.notation import Decimal
from ringfence.history.tables import is_frame
from ringfence.incoming.content import readable
from ringfence.incoming.parsing import reason
from ringfence.space.gaps import Missing
from ringfence.words import did_you_mean

COLUMN_OPTIONS = (
    "task",
    "objective",
    "direction",
    "parameters",
    "ignore",
    "missing",
    "decimal",
    "cost",
    "failures",
    "format",
)
"""What can be said about any source."""
DAMAGE = (ArithmeticError, MemoryError, RecursionError, UnicodeError, pl.exceptions.PolarsError)
"""What only the values of a source can cause, wherever they are looked at."""


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
    missing: Missing | None = None,
    decimal: Decimal | None = None,
    cost: str | None = None,
    failures: Failures = "keep",
    **options: Any,
) -> History:
    """Read past runs from a file, a folder, a database, a data frame or another tool's object.

    A glob such as `runs/*.csv` reads many files, `-` standard input, and several sources in a list
    become one history, as `History.concat` joins them.

    Args:
        source: what to read; its look tells the reader.
        format: csv, tsv, jsonl, parquet, or the name of a reader, if the look does not tell.
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
        cost: the column of what a run cost: seconds, dollars, anything that adds up; readers and
            columns called duration, train_time, … tell it unasked.
        failures: 'keep' keeps runs that failed as such; 'ignore' only leaves them out.
        options: the reader's own; its page has them (docs/readers).

    Raises:
        HistoryError: a source that cannot be read as runs; the message says where and what to do.
        MissingExtraError: a reader that needs a package which is not installed.

    Examples:
        >>> import polars as pl
        >>> import ringfence as rf
        >>> runs = {"dataset": ["a", "a", "b"], "lr": [0.1, 0.2, 0.3], "error": [0.5, 0.4, 0.3]}
        >>> pl.DataFrame(runs).write_csv("runs.csv")
        >>> rf.read_history("runs.csv", task="dataset", objective="error").tasks
        ('a', 'b')
    """
    columns = NamedColumns(
        task=task,
        objective=objective,
        direction=direction,
        parameters=parameters,
        ignore=ignore,
        missing=missing,
        decimal=decimal,
        cost=cost,
        failures=failures,
    )
    options |= {k: v for k, v in (("budget", budget), ("status", status)) if v is not None}
    return read_source(source, columns, format, options)


def read_each(
    sources: Sequence[Any], *, format: str | None = None, asks: bool = True, **said: Any
) -> list[History]:
    """The history of each source, read with the arguments of `read_history`."""
    named = {name: said.pop(name) for name in COLUMN_OPTIONS if name in said}
    columns = NamedColumns(**named, asks=asks)
    options = {name: value for name, value in said.items() if value is not None}
    return _each(sources, columns, format, options)


def read_source(
    source: Any, columns: NamedColumns, format: str | None, options: dict[str, Any]
) -> History:
    """`read_history` with what was said about the columns in one record."""
    require_polars()
    if isinstance(source, History):
        return source
    if isinstance(source, (list, tuple)) and not source:
        raise HistoryError(
            "the list of past runs is empty; it holds sources, such as paths and data frames, or "
            "dicts, one a run"
        )
    if isinstance(source, (list, tuple)) and not _are_rows(source):
        return History.concat(_each(source, columns, format, options))
    with _kept_quiet(source):
        return _read(source, columns, format, options)


def _each(
    sources: Sequence[Any], columns: NamedColumns, format: str | None, options: dict[str, Any]
) -> list[History]:
    """The history of each of several sources. What was said of columns, and options of a reader,
    count for the sources that have them, of which there must be one."""
    errors: list[UnusedError] = []
    read = _usable if len(sources) == 1 else _named
    histories = [read(one, columns, format, options, errors) for one in sources]
    for said in dict.fromkeys(error.said for error in errors):
        told = [str(error) for error in errors if error.said == said]
        if len(told) == len(sources):
            raise UnusedError("; ".join(dict.fromkeys(told)), said)
    _require_different(histories)
    return histories


def _named(source: Any, *said: Any) -> History:
    """`_usable`, with the name of the source in what is wrong with it."""
    try:
        return _usable(source, *said)
    except UnusedError:
        raise
    except HistoryError as error:
        name = _name(source)
        if isinstance(source, (list, tuple)) or name in str(error):
            raise
        raise HistoryError(f"{name}: {error}") from error


def _usable(
    source: Any,
    columns: NamedColumns,
    format: str | None,
    options: dict[str, Any],
    errors: list[UnusedError],
) -> History:
    """The history of one of several sources, without what it has no use for, which is added to the
    `errors`."""
    try:
        return read_source(source, columns, format, options)
    except UnusedError as error:
        errors.append(error)
        rest = {name: value for name, value in options.items() if error.said not in (name, value)}
        left = columns.without(error.said)
        if left == columns and rest == options:
            raise
        try:
            return _usable(source, left, format, rest, errors)
        except HistoryError as again:
            raise HistoryError(f"{error}; and without it: {again}") from again


@contextmanager
def _kept_quiet(source: Any) -> Iterator[None]:
    """Errors of ours without what the address keeps secret, and without the errors behind them."""
    try:
        yield
    except MissingExtraError:  # names a package, and no source
        raise
    except RingfenceError as error:
        if not is_address(source):
            raise
        error.args = (hidden(str(error), source),)
        raise error from None


def _read(
    source: Any, columns: NamedColumns, format: str | None, options: dict[str, Any]
) -> History:
    try:
        name = _recognized(source) if format is None else format
        if name in table.FORMATS:
            name, options = "table", {"format": name, **options}
        reader = _reader(name)
        _check_options(name, reader, options)
        history: History = reader.read(source, columns, **options)
    except FileError as error:
        raise HistoryError(str(error)) from error
    except OSError as error:  # a folder that may not be entered, a name too long, a failing disk
        raise HistoryError(f"cannot read {error.filename}: {error.strerror}") from error
    except DAMAGE as error:
        raise HistoryError(f"{_name(source)} cannot be read: {reason(error)}") from error
    history = replace(history, source=readable(history.source))
    return history if name == "table" else replace(history, tool=name)


def _name(source: Any) -> str:
    is_name = isinstance(source, (str, PathLike))
    return readable(shown(source)) if is_name else f"the {type(source).__name__}"


def reader_options(source: Any = None, format: str | None = None) -> list[str]:
    """The options of the reader of a source; of all readers if there is none."""
    if source is None:
        options = [option for _, reader in _readers() for option in _options(reader)]
        return list(dict.fromkeys(options))
    if isinstance(source, (list, tuple)):
        return []
    name = _recognized(source) if format is None else format
    return _options(table if name in table.FORMATS else _reader(name))


def format_names() -> list[str]:
    """What `format` may be: the tables' endings, then the tools."""
    return [*table.FORMATS, *(reader for reader, _ in _readers() if reader != "table")]


def _require_different(histories: Sequence[History]) -> None:
    """HistoryError if two of them hold the same runs, which would count twice."""
    seen: dict[tuple[int, str], int] = {}
    lengths = [len(history) for history in histories]
    for number, history in enumerate(histories, 1):
        if lengths.count(len(history)) == 1:
            continue
        first = seen.setdefault((len(history), history.digest()), number)
        if first != number:
            raise HistoryError(
                f"the sources {first} and {number} of the list hold the same runs, which would "
                f"count twice ({histories[first - 1].source}, {history.source}); leave one out"
            )


def _are_rows(source: Sequence[Any]) -> bool:
    return bool(source) and all(isinstance(row, Mapping) for row in source)


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
    known = format_names()
    hint = did_you_mean(name, known)
    raise HistoryError(
        f"format must be one of {', '.join(known)}, not {name!r}{f'; {hint}' if hint else ''}"
    )


def _recognized(source: Any) -> str:
    """The name of the reader that knows the source; tables by their ending come first."""
    if table.recognizes(source) or is_frame(source) or isinstance(source, (list, tuple)):
        return "table"
    for name, module in _readers():
        recognizes = vars(module).get("recognizes")
        if recognizes is not None and recognizes(source):
            return name
    if is_address(source):
        raise HistoryError(
            f"no reader knows the address {shown(source)}; that of a database looks like "
            "postgresql://user:password@host:5432/database"
        )
    if isinstance(source, (str, PathLike)):
        if str(source) and Path(source).is_dir():
            raise HistoryError(
                f"the folder {source} holds no runs of {_tools_with_folders()}; tables in it are "
                f"read by a glob such as {Path(source) / '*.csv'}"
            )
        return "table"  # which says why it cannot read it
    raise HistoryError(
        f"no reader knows what to do with a {type(source).__name__}; past runs are a path, a URL, "
        "a data frame, a list of dicts, another tool's object, or a list of such"
    )


def _tools_with_folders() -> str:
    """The tools whose folders are read, in a sentence."""
    modules = [vars(module) for _, module in _readers()]
    tools = [module["FOLDERS_OF"] for module in modules if "FOLDERS_OF" in module]
    return " or ".join([", ".join(tools[:-1]), tools[-1]])


def _check_options(name: str, reader: ModuleType, options: dict[str, Any]) -> None:
    known = _options(reader)
    for option in options:
        if option not in known:
            has = f"its options are {', '.join(known)}" if known else "it has none"
            others = [other for other, module in _readers() if option in _options(module)]
            if others:
                has += f"; {option!r} is an option of {', '.join(others)}"
            raise UnusedError(f"the reader {name!r} has no option {option!r}; {has}", option)


def _options(reader: ModuleType) -> list[str]:
    parameters = inspect.signature(reader.read).parameters.values()
    return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
