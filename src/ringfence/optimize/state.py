"""An optimizer as a JSON file, and back."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec
import numpy as np

from ringfence.arrays import FloatArray
from ringfence.errors import FileError, RingfenceError
from ringfence.files import write_atomically
from ringfence.learned.file import decode as decode_learned
from ringfence.learned.record import encode as encode_learned
from ringfence.optimize.ask_tell import Optimizer
from ringfence.optimize.domain.domain import domain_of
from ringfence.optimize.guard import guard_of
from ringfence.optimize.log import TrialLog
from ringfence.optimize.method import Setup
from ringfence.optimize.transfer.sources import Source, Sources
from ringfence.optimize.trial import Trial
from ringfence.space import Choice

Rows: TypeAlias = list[list[float | None]]


class SourceRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One earlier task."""

    name: str
    rows: Rows
    values: list[float]


class SourcesRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All earlier tasks."""

    tasks: list[SourceRecord]
    meta_features: dict[str, dict[str, float | None]] | None
    target: dict[str, float | None] | None


class StateFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    format: Literal["ringfence.optimizer"]
    version: Literal[1]
    name: str
    seed: int
    options: dict[str, Any]
    learned: msgspec.Raw
    candidates: list[dict[str, Choice]] | None
    sources: SourcesRecord | None
    trials: list[Trial]
    memory: dict[str, Any]
    starts: int = 0
    guard: float = 0.0
    guard_memory: dict[str, Any] = {}


def save(optimizer: Optimizer, path: str | PathLike[str]) -> None:
    """Write an optimizer to a file."""
    setup, guard, scout = optimizer.setup, optimizer.setup.guard, optimizer.scout
    given = (setup.domain if guard is None else guard.domain).given
    record = StateFile(
        format="ringfence.optimizer",
        version=1,
        name=optimizer.name,
        seed=setup.seed,
        options=msgspec.to_builtins(optimizer.method.options),
        learned=msgspec.Raw(encode_learned(setup.domain.learned)),
        candidates=None if given is None else list(given.values()),
        sources=None if setup.sources is None else _record(setup.sources),
        trials=list(optimizer.trials),
        memory=optimizer.method.memory,
        starts=len(setup.starts),
        guard=0.0 if guard is None else guard.share,
        guard_memory={} if scout is None else scout.memory,
    )
    write_atomically(Path(path), msgspec.json.encode(record))


def load_optimizer(path: str | PathLike[str]) -> Optimizer:
    """Read an optimizer from a file; it goes on where it was."""
    try:
        record = msgspec.json.decode(Path(path).read_bytes(), type=StateFile)
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}") from error
    except msgspec.ValidationError as error:
        raise FileError(f"{path} is no saved optimizer: {error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FileError(f"{path} is cut off or not JSON: {error}") from error
    try:
        return _restore(record)
    except (RingfenceError, KeyError, ValueError) as error:
        raise FileError(f"{path} is damaged: {error}") from error


def _restore(record: StateFile) -> Optimizer:
    learned = decode_learned(bytes(record.learned), "its learned space")
    domain = domain_of(learned, record.candidates)
    layout = domain.layout
    sources = None
    if record.sources is not None:
        tasks = tuple(
            Source(task.name, _array(task.rows, len(layout.names)), np.array(task.values))
            for task in record.sources.tasks
        )
        meta, target = record.sources.meta_features, record.sources.target
        sources = Sources(tasks, meta, target)  # type: ignore[arg-type]
    guard = guard_of(learned, record.candidates, record.guard)
    setup = Setup(domain, record.seed, sources, domain.starts(record.starts), guard)
    optimizer = Optimizer(record.name, setup, record.options)
    optimizer.log = TrialLog(layout, record.trials)
    optimizer.method.memory.update(record.memory)
    if optimizer.scout is not None:
        optimizer.scout.memory.update(record.guard_memory)
    return optimizer


def _record(sources: Sources) -> SourcesRecord:
    tasks = [SourceRecord(t.name, _plain(t.rows), t.values.tolist()) for t in sources.tasks]
    meta = sources.meta_features
    return SourcesRecord(
        tasks,
        None if meta is None else {task: dict(features) for task, features in meta.items()},
        None if sources.target is None else dict(sources.target),
    )


def _plain(rows: FloatArray) -> Rows:
    return [[None if np.isnan(x) else x for x in row] for row in rows.tolist()]


def _array(rows: Rows, width: int) -> FloatArray:
    filled = [[np.nan if x is None else x for x in row] for row in rows]
    return np.array(filled, float).reshape(-1, width)
