"""Store: a folder with a small file for each finished cell, which several machines may share.

A file appears under its final name once it is complete, and two writers of one cell write the same
bytes. So a run can be killed at any moment, and every file that is there is right.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from ringfence.bench.cell import Cell, Result
from ringfence.errors import FileError
from ringfence.files import write_atomically
from ringfence.incoming.content import read_bytes
from ringfence.incoming.parsing import reason


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of one file."""

    cell: Cell
    result: Result


@dataclass(frozen=True)
class Store:
    """Finished cells under `folder`."""

    folder: Path

    def path(self, cell: Cell) -> Path:
        """The file of the cell's result, finished or not."""
        return self.folder / cell.key[:2] / f"{cell.key}.json"

    def __contains__(self, cell: Cell) -> bool:
        return self.path(cell).exists()

    def put(self, cell: Cell, result: Result) -> None:
        """Write a finished cell."""
        path = self.path(cell)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, msgspec.json.encode(Entry(cell, result)) + b"\n")

    def get(self, cell: Cell) -> Result | None:
        """The result of a cell; None if it is not finished."""
        path = self.path(cell)
        if not path.exists():
            return None
        content = read_bytes(path)
        try:
            entry = msgspec.json.decode(content, type=Entry)
        except (ValueError, RecursionError) as error:
            raise FileError(
                f"{path} is damaged ({reason(error)}); delete it and run again"
            ) from error
        if entry.cell != cell:
            raise FileError(f"{path} holds another cell than its name says; delete it")
        return entry.result
