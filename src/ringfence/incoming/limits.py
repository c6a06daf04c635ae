"""How much may arrive. Each limit has a variable of the environment that raises it."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ringfence.errors import FileError, SettingError


@dataclass(frozen=True)
class Limit:
    """The most of something that is read from one file."""

    variable: str
    usual: int
    what: str
    """What is counted, in words."""

    @property
    def most(self) -> int:
        """The limit in force: what the environment says, or the usual one."""
        text = os.environ.get(self.variable, "").replace("_", "").strip()
        if not text:
            return self.usual
        if not (text.isascii() and text.isdecimal() and len(text) < 19 and int(text)):
            raise SettingError(f"{self.variable} must be a whole number from 1 on, not {text!r}")
        return int(text)

    def allow(self, amount: int, where: object) -> None:
        """FileError if there is more than the limit of it in the file."""
        if amount > self.most:
            raise self.exceeded(where)

    def exceeded(self, where: object) -> FileError:
        """The error for a file with more."""
        return FileError(
            f"{where} has more than {self.most:,} {self.what}; if that is right, set "
            f"{self.variable} to a higher number in the environment"
        )


BYTES = Limit("RINGFENCE_MAX_BYTES", 2**31, "bytes once unpacked")
"""2 GiB: a table of a hundred million numbers, which takes several times as much memory."""
COLUMNS = Limit("RINGFENCE_MAX_COLUMNS", 20_000, "columns")
"""Reading takes a few seconds; so many columns are most likely a table on its side."""
DEPTH = Limit("RINGFENCE_MAX_DEPTH", 100, "levels of nesting")
"""Configurations have three or four; Python itself gives up at about a thousand."""
VALUES = Limit("RINGFENCE_MAX_VALUES", 1_000_000, "values once its aliases are unfolded")
"""For YAML, in which a few hundred bytes can stand for any number of values."""
CELLS = Limit("RINGFENCE_MAX_CELLS", 100_000_000, "cells (rows × columns)")
"""A million runs with a hundred columns, 0.8 GB of numbers; a few bytes can stand for many that are
empty, and runs that have a column each make a table of their square."""
CELL = 8
"""Bytes that count for a cell of a table that is packed, as a Parquet file is."""
