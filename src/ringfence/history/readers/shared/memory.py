"""What was read of a source the last time, so that the next read asks only for what is new."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping

import polars as pl

from ringfence.errors import FileError
from ringfence.incoming.content import within_limit
from ringfence.incoming.parquet import require_sound
from ringfence.incoming.parsing import guarded

DIGITS = 64  # of a SHA-256 in hexadecimal


class Unchanged(Exception):
    """Nothing in the source is new, so nothing was made of it."""


class Memory:
    """The tables of an earlier read, and those of the present one.

    `digest` says what the source held: the same digest, the same runs. A reader that finds the
    `known` one raises Unchanged instead of making a history of it again.
    """

    def __init__(self, content: bytes | None = None, known: str | None = None) -> None:
        self.tables = _unpacked(content)
        self.known = known
        self.digest: str | None = None
        self.note = ""

    def keep(self, tables: Mapping[str, pl.DataFrame], digest: str, note: str) -> None:
        """Remember these tables, and what the source held; Unchanged if that was known."""
        self.tables, self.digest, self.note = dict(tables), digest, note
        if digest == self.known:
            raise Unchanged

    def content(self) -> bytes:
        """The tables as the content of a file."""
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            for name, frame in self.tables.items():
                table = io.BytesIO()
                frame.write_parquet(table)
                archive.writestr(name, table.getvalue())
        content = stream.getvalue()
        return hashlib.sha256(content).hexdigest().encode() + content


def _unpacked(content: bytes | None) -> dict[str, pl.DataFrame]:
    """The tables of a file; none of one that is not whole, so that all is read again."""
    if content is None or hashlib.sha256(content[DIGITS:]).hexdigest().encode() != content[:DIGITS]:
        return {}
    try:
        with (
            guarded("what is known", "zip"),
            zipfile.ZipFile(io.BytesIO(content[DIGITS:])) as archive,
        ):
            return {name: _table(archive, name) for name in archive.namelist()}
    except FileError:
        return {}


def _table(archive: zipfile.ZipFile, name: str) -> pl.DataFrame:
    with archive.open(name) as file:
        content = within_limit(file, name)
    require_sound(content, name)
    return pl.read_parquet(content)
