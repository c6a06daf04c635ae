"""The state of an optimizer as a JSON file; resume.py reads it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import msgspec
import numpy as np

from ringfence.arrays import FloatArray
from ringfence.learned.file_format import encode as encode_learned
from ringfence.optimize.transfer.sources import Source, Sources
from ringfence.optimize.trial import Trial
from ringfence.space import Choice

if TYPE_CHECKING:
    from ringfence.optimize.ask_tell import Optimizer

Rows: TypeAlias = list[list[float | None]]


class SourceRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One earlier task; `unknown` and all below as in transfer/sources.py."""

    name: str
    rows: Rows
    values: list[float]
    unknown: tuple[str, ...] = ()
    extra: Rows | None = None
    costs: list[float | None] | None = None
    failed: Rows = []
    reasons: tuple[str, ...] = ()
    failed_costs: list[float | None] | None = None
    weight: Annotated[float, msgspec.Meta(gt=0)] = 1.0


class SourcesRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All earlier tasks; those that have failed rows alone are `failures`."""

    tasks: list[SourceRecord]
    meta_features: dict[str, dict[str, float | None]] | None
    target: dict[str, float | None] | None
    failures: list[SourceRecord] = []


class StateFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    format: Literal["ringfence.optimizer"]
    version: Literal[1]
    name: str
    seed: Annotated[int, msgspec.Meta(ge=0)]
    options: dict[str, Any]
    learned: msgspec.Raw
    candidates: list[dict[str, Choice]] | None
    sources: SourcesRecord | None
    trials: list[Trial]
    memory: dict[str, Any]
    starts: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0  # more no space ever has
    guard: float = 0.0
    guard_memory: dict[str, Any] = {}
    direction: Literal["minimize", "maximize"] = "minimize"
    by: Literal["cost", "trials"] = "trials"
    timed: bool = False


def encode_state(optimizer: Optimizer) -> bytes:
    """Everything that is needed to continue, as JSON in UTF-8."""
    setup, guard, guard_method = optimizer.setup, optimizer.setup.guard, optimizer.guard_method
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
        guard_memory={} if guard_method is None else guard_method.memory,
        direction=optimizer.direction,
        by=setup.by,
        timed=optimizer.timed,
    )
    return msgspec.json.encode(record)


def _record(sources: Sources) -> SourcesRecord:
    meta = sources.meta_features
    return SourcesRecord(
        [_source_record(task) for task in sources.tasks],
        None if meta is None else {task: dict(features) for task, features in meta.items()},
        None if sources.target is None else dict(sources.target),
        [_source_record(task) for task in sources.failures],
    )


def _source_record(task: Source) -> SourceRecord:
    return SourceRecord(
        task.name,
        _plain(task.rows),
        task.values.tolist(),
        task.unknown,
        None if task.extra is None else task.extra.tolist(),
        _known(task.costs),
        _plain(task.failed),
        task.reasons,
        _known(task.failed_costs),
        task.weight,
    )


def _known(numbers: FloatArray | None) -> list[float | None] | None:
    return None if numbers is None else _plain(numbers[None])[0]


def _plain(rows: FloatArray) -> Rows:
    return [[None if np.isnan(x) else x for x in row] for row in rows.tolist()]
