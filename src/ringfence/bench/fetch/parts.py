"""What OpenML knows of each task, cached in files so that nothing is requested twice."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from ringfence.bench.suites.description import OpenMLRuns
from ringfence.errors import FileError
from ringfence.files import write_atomically
from ringfence.history.readers.openml.reader import own_names
from ringfence.history.readers.openml.server import evaluations, qualities
from ringfence.incoming.content import read_bytes
from ringfence.incoming.parsing import reason

T = TypeVar("T")


class Evaluated(msgspec.Struct, frozen=True):
    """One run; parameters as OpenML has them, as text."""

    run: int
    value: float | None
    parameters: dict[str, str | None]


class Runs(msgspec.Struct, frozen=True):
    """The runs of one task, and the number of its data set; a task that has none is kept, too, so
    that it is not asked for again."""

    data: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)] | None  # it names a file
    runs: tuple[Evaluated, ...]


class Qualities(msgspec.Struct, frozen=True):
    """What OpenML has computed of a data set; None if it could not."""

    values: dict[str, float | None]


class Part(msgspec.Struct, frozen=True):
    """All that is known of one task."""

    task: str
    data: int
    runs: tuple[Evaluated, ...]
    qualities: dict[str, float | None]


class Request(msgspec.Struct, frozen=True):
    """Which runs of a task to ask for, and how fast."""

    runs: OpenMLRuns
    measure: str
    size: int
    """The largest number of runs of a task."""
    delay: float
    """Seconds to wait before each request."""


def part_of(task: str, request: Request, cache: Path) -> Part | None:
    """What the folder `cache` has of a task, and the rest from OpenML; None if the task has no
    runs, HistoryError if OpenML has no answer."""
    runs = _cached(
        runs_file(task, request, cache), Runs, request.delay, lambda: _runs(task, request)
    )
    data = runs.data
    if data is None or not runs.runs:
        return None
    file = cache / f"data-{data}.json"
    qualities = _cached(file, Qualities, request.delay, lambda: _qualities(data))
    return Part(task, data, runs.runs, qualities.values)


def runs_file(task: str, request: Request, cache: Path) -> Path:
    """Where the runs of a task are kept."""
    return cache / f"{task}-{request.measure}-{request.size}.json"


def _runs(task: str, request: Request) -> Runs:
    records = evaluations(
        request.measure,
        flows=[request.runs.flow],
        tasks=[int(task)],
        uploaders=list(request.runs.uploaders) or None,
        size=request.size,
    )
    if not records:
        return Runs(None, ())
    runs = [
        Evaluated(int(r["run_id"]), _number(r["value"]), own_names(r["parameters"]))
        for r in records
    ]
    return Runs(int(records[0]["data_id"]), tuple(sorted(runs, key=lambda run: run.run)))


def _qualities(data: int) -> Qualities:
    return Qualities({name: _number(value) for name, value in qualities(data).items()})


def _number(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _cached(path: Path, kind: type[T], delay: float, ask: Callable[[], T]) -> T:
    """What the file holds; if there is none, the answer, which is then written to it."""
    if path.exists():
        content = read_bytes(path)
        try:
            return msgspec.json.decode(content, type=kind)
        except (ValueError, RecursionError) as error:
            raise FileError(
                f"{path} is damaged ({reason(error)}); delete it and fetch again"
            ) from error
    time.sleep(delay)
    answer = ask()
    write_atomically(path, msgspec.json.encode(answer))
    return answer
