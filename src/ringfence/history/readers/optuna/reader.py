"""Optuna: studies in SQLite, PostgreSQL or MySQL, in a journal file, or at hand as an object."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ringfence.errors import HistoryError
from ringfence.history.history import History
from ringfence.history.readers.optuna.history import assemble
from ringfence.history.readers.optuna.journal import is_journal, read_journal
from ringfence.history.readers.optuna.objects import read_object
from ringfence.history.readers.optuna.rows import Rows, chooser
from ringfence.history.readers.optuna.sql import read_storage
from ringfence.history.readers.shared.connection import database_name, is_database_url
from ringfence.history.readers.shared.folders import local_name
from ringfence.history.readers.shared.memory import Memory
from ringfence.history.readers.shared.sqlite import is_sqlite
from ringfence.history.roles import NamedColumns

DATABASES = (".db", ".sqlite", ".sqlite3")


def recognizes(source: Any) -> bool:
    """Whether the source is a database's URL or file, a journal, or an object of Optuna's."""
    if type(source).__module__.partition(".")[0] == "optuna":
        return True
    if not isinstance(source, (str, PathLike)):
        return False
    text = str(fspath(source))
    if is_database_url(text) or text.lower().endswith(DATABASES):
        return True
    return "://" not in text and "\0" not in text and is_journal(Path(text))


def read(
    source: Any,
    columns: NamedColumns,
    *,
    studies: str | Sequence[str] | None = None,
    memory: Memory | None = None,
) -> History:
    """The trials of an Optuna storage; it carries the space that the trials' distributions make.

    Args:
        source: a database's URL or SQLite file, a journal file, a Study or a storage.
        columns: its `task` is a user attribute of the studies, or of the trials, that names the
            task (by default each study is one); its `objective`, for studies with several, a number
            from 0 or a metric name; its `direction` that of the history, if studies differ; its
            `parameters` are those to take, by default all that can be used; its `cost` is a user
            attribute of the trials (by default the time from start to end).
        studies: names of studies, or globs such as `svm-*`; by default all of them.
        memory: of an earlier read, for `ringfence refresh`: a database is then asked only for what
            is new.
    """
    columns.refuse("missing", "decimal", reader="optuna")
    if not isinstance(memory, Memory | None):
        raise HistoryError("memory= is for ringfence refresh; leave it out")
    asked = [name for name in dict.fromkeys((columns.task, columns.cost)) if name is not None]
    rows, name = _rows(source, studies, asked, memory)
    return assemble(rows, name, columns)


def _rows(
    source: Any,
    studies: str | Sequence[str] | None,
    attributes: Sequence[str],
    memory: Memory | None,
) -> tuple[Rows, str]:
    """The trials with some user attributes, and what to call their source."""
    choose = chooser(studies)
    if not isinstance(source, (str, PathLike)):
        return read_object(source, choose, attributes)
    text = str(fspath(source))
    if is_database_url(text):
        return read_storage(text, choose, attributes, memory), database_name(text)
    path = Path(local_name(text, "studies"))
    if not path.is_file():
        raise HistoryError(f"there is no file {text}")
    if is_journal(path):
        return read_journal(path, choose, attributes), path.name
    if not is_sqlite(path):
        raise HistoryError(f"{text} is neither a SQLite database nor an Optuna journal")
    return read_storage(path, choose, attributes, memory), path.name
