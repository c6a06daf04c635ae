"""What was fetched of each task, kept in a file of its own so that nothing is asked for twice."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from ringfence.bench.suites.description import OpenMLRuns
from ringfence.errors import FileError, HistoryError
from ringfence.files import write_atomically
from ringfence.history.readers.openml.reader import own_names
from ringfence.history.readers.openml.server import evaluations, qualities

T = TypeVar("T")


class Evaluated(msgspec.Struct, frozen=True):
    """One run; parameters as OpenML has them, as text."""

    run: int
    value: float | None
    parameters: dict[str, str | None]


class Runs(msgspec.Struct, frozen=True):
    """The runs of one task, and the number of its data set."""

    data: int
    runs: tuple[Evaluated, ...]


class Qualities(msgspec.Struct, frozen=True):
    """What OpenML has computed of a data set; None where it could not."""

    values: dict[str, float | None]


class Part(msgspec.Struct, frozen=True):
    """All that is known of one task."""

    task: str
    data: int
    runs: tuple[Evaluated, ...]
    qualities: dict[str, float | None]


class Wanted(msgspec.Struct, frozen=True):
    """Which runs of a task are asked for, and how fast."""

    runs: OpenMLRuns
    measure: str
    size: int
    """The largest number of runs of a task."""
    delay: float
    """Seconds of rest before a task, or a data set, is asked for."""


def part_of(task: str, wanted: Wanted, folder: Path) -> Part:
    """What `folder` has of a task, and the rest from OpenML; HistoryError if that has no answer."""
    file = folder / f"{task}-{wanted.measure}-{wanted.size}.json"
    found = _kept(file, Runs, wanted.delay, lambda: _runs(task, wanted))
    known = _kept(
        folder / f"data-{found.data}.json", Qualities, wanted.delay, lambda: _known(found.data)
    )
    return Part(task, found.data, found.runs, known.values)


def _runs(task: str, wanted: Wanted) -> Runs:
    flow = wanted.runs.flow
    records = evaluations(
        wanted.measure,
        flows=[flow],
        tasks=[int(task)],
        uploaders=list(wanted.runs.uploaders) or None,
        size=wanted.size,
    )
    if not records:
        raise HistoryError(f"OpenML has no runs of flow {flow} with {wanted.measure} on it")
    runs = [
        Evaluated(int(r["run_id"]), _number(r["value"]), own_names(r["parameters"]))
        for r in records
    ]
    return Runs(int(records[0]["data_id"]), tuple(sorted(runs, key=lambda run: run.run)))


def _known(data: int) -> Qualities:
    return Qualities({name: _number(value) for name, value in qualities(data).items()})


def _number(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _kept(path: Path, kind: type[T], delay: float, ask: Callable[[], T]) -> T:
    """What the file holds; where there is none, it is asked for and written."""
    if path.exists():
        try:
            return msgspec.json.decode(path.read_bytes(), type=kind)
        except msgspec.DecodeError as error:
            raise FileError(f"{path} is damaged ({error}); delete it and fetch again") from error
    time.sleep(delay)
    answer = ask()
    write_atomically(path, msgspec.json.encode(answer))
    return answer
