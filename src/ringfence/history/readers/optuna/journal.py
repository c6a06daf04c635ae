"""An Optuna journal file, read without Optuna: each line is one operation in JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from ringfence.errors import HistoryError
from ringfence.history.readers.optuna.replay import Operation, Replay
from ringfence.history.readers.optuna.rows import Choose, Rows
from ringfence.incoming.content import first_bytes
from ringfence.incoming.parsing import json_of

FIRST = b'{"op_code":'
"""How a journal begins."""


def is_journal(path: Path) -> bool:
    """Whether the file begins like a journal."""
    return first_bytes(path, len(FIRST)) == FIRST


def read_journal(path: Path, choose: Choose, attributes: Sequence[str]) -> Rows:
    """The trials of the chosen studies, and of each the values of some user `attributes`."""
    replay = Replay()
    for number, operation in _operations(path, replay.notes):
        try:
            replay.apply(operation)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise HistoryError(f"{path.name}, line {number}: no such operation") from error
    return replay.rows(choose, attributes)


def _operations(path: Path, notes: list[str]) -> Iterator[tuple[int, Operation]]:
    decoder = msgspec.json.Decoder(Operation)
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                notes.append(f"the last line of {path.name} is cut off and was ignored")
                return
            try:
                try:
                    operation = decoder.decode(line)
                except msgspec.DecodeError:  # Python's NaN and Infinity, which are not JSON
                    operation = msgspec.convert(json_of(line, path.name), Operation)
            except (ValueError, RecursionError) as error:
                raise HistoryError(
                    f"{path.name}, line {number} is not a journal entry; the file is damaged there"
                ) from error
            yield number, operation
