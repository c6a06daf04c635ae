"""Where rows come from, in the words of the user: the row of a spreadsheet, the line of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, eq=False)
class Places:
    """What to call each row of a table in a message."""

    files: tuple[tuple[str, int], ...] = ()
    """Where the rows come from, in order: file name and number of rows."""
    numbers: pl.Series | None = None
    """The number of each row where it comes from; None for its position from 0."""
    unit: str = "row"
    """What is numbered."""
    from_zero: bool = True
    """Whether the numbers are positions; spreadsheets count from 1, the header included."""

    @classmethod
    def of_files(cls, parts: Sequence[tuple[str, int, pl.Series | None]], unit: str) -> Places:
        """The rows of several files; each has a name, a height, and numbers unless it counts its
        rows from 0."""
        files = tuple((name, height) for name, height, _ in parts)
        if all(numbers is None for _, _, numbers in parts):
            return cls(files)
        numbers = [_positions(height) if own is None else own for _, height, own in parts]
        return cls(files, pl.concat([own.cast(pl.UInt32) for own in numbers]), unit, False)

    @classmethod
    def joined(cls, parts: Sequence[tuple[Places, str, int]]) -> Places:
        """The places of several tables, one below the other; each with its name and height."""
        files = tuple(
            f for places, name, height in parts for f in places.files or ((name, height),)
        )
        numbers = [places._numbers(height) for places, _, height in parts]
        units = {places.unit for places, _, _ in parts}
        from_zero = all(places.from_zero for places, _, _ in parts)
        return cls(files, pl.concat(numbers), units.pop() if len(units) == 1 else "row", from_zero)

    def _numbers(self, height: int) -> pl.Series:
        """The number of each row, written out."""
        if self.numbers is not None:
            return self.numbers.cast(pl.UInt32)
        if len(self.files) > 1:
            return pl.concat([_positions(height) for _, height in self.files])
        return _positions(height)

    def of(self, row: int) -> str:
        """What to call the row at this position (from 0)."""
        number = row if self.numbers is None else self.numbers[row]
        for name, height in self.files if len(self.files) > 1 else ():
            if row < height:
                number = row if self.numbers is None else number
                return f"{self.unit} {number}{self._from} of {name}"
            row -= height
        return f"{self.unit} {number}{self._from}"

    def filter(self, mask: pl.Series) -> Places:
        """The places of the rows where the mask is true."""
        numbers = self._numbers(len(mask))
        files, start = [], 0
        for name, height in self.files:
            files.append((name, int(mask.slice(start, height).sum())))
            start += height
        return Places(tuple(files), numbers.filter(mask), self.unit, self.from_zero)

    @property
    def _from(self) -> str:
        return " (from 0)" if self.from_zero else ""


def _positions(height: int) -> pl.Series:
    return pl.Series(range(height), dtype=pl.UInt32)
