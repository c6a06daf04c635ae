"""An optimizer read back from its file."""

from __future__ import annotations

from os import PathLike
from typing import Any

import msgspec
import numpy as np

from ringfence.arrays import FloatArray
from ringfence.errors import FileError, RingfenceError, SettingError
from ringfence.incoming.content import local_file, read_bytes
from ringfence.incoming.parsing import reason
from ringfence.learned.file import decode as decode_learned
from ringfence.optimize.ask_tell import Optimizer
from ringfence.optimize.domain.domain import domain_of
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.guard import guard_of, guard_share
from ringfence.optimize.log import TrialLog, check_trials, check_unbudgeted
from ringfence.optimize.method import BaseMethod, Setup
from ringfence.optimize.registry import method_class, method_name
from ringfence.optimize.state import Rows, SourceRecord, SourcesRecord, StateFile
from ringfence.optimize.transfer.sources import (
    Source,
    Sources,
    check_failures,
    check_source,
)
from ringfence.threads import one_thread

LONGEST = 300  # letters of a reason; a configuration of a thousand parameters would fill a screen


@one_thread
def load_optimizer(path: str | PathLike[str], method: type[BaseMethod] | None = None) -> Optimizer:
    """Read an optimizer from a file; it continues where it was.

    Args:
        path: what `Optimizer.save` wrote.
        method: the class, if the method is one of your own: a file is not trusted to name code.

    Raises:
        FileError: a file that is not there, cut off, of another format, or damaged.

    Examples:
        >>> import ringfence as rf
        >>> optimizer = rf.optimizer("random", rf.Space({"x": rf.Float(0.0, 1.0)}), seed=0)
        >>> optimizer.save("run.json")
        >>> rf.load_optimizer("run.json").ask() == optimizer.ask()
        True
    """
    content = read_bytes(local_file(path, "an optimizer"))
    try:
        record = msgspec.json.decode(content, type=StateFile)
    except msgspec.ValidationError as error:
        raise FileError(f"{path} is not a saved optimizer: {reason(error)}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FileError(f"{path} is cut off or not JSON: {reason(error)}") from error
    chosen = _method(record.name, method, path)
    try:
        return _restore(record, chosen)
    except (RingfenceError, ArithmeticError, KeyError, ValueError, RecursionError) as error:
        raise FileError(f"{path} is damaged: {reason(error)}") from error


def _method(
    name: str, method: type[BaseMethod] | None, path: str | PathLike[str]
) -> str | type[BaseMethod]:
    """The method that the file was saved with; a class may have moved to another module."""
    if method is None:
        if ":" in name:
            raise SettingError(
                f"{path} was saved with {name!r}, a method of your own: pass the class as method=…"
            )
        return name
    given = method_name(method_class(method))
    if name.partition(":")[2] != given.partition(":")[2]:
        raise SettingError(f"{path} was saved with the method {name!r}, not with {given!r}")
    return method


def _restore(record: StateFile, method: str | type[BaseMethod]) -> Optimizer:
    learned = decode_learned(bytes(record.learned), "its learned space")
    domain = domain_of(learned, record.candidates)
    layout = domain.layout
    sources = None
    if record.sources is not None:
        sources = _sources(record.sources, layout)
    guard = guard_of(learned, record.candidates, guard_share(record.guard))
    setup = Setup(
        domain,
        record.seed,
        sources,
        domain.starts(record.starts, record.by),
        guard,
        record.direction,
        record.by,
    )
    optimizer = Optimizer(method, setup, record.options)
    sign = -1.0 if record.direction == "maximize" else 1.0
    trials = [
        trial if trial.value is None else msgspec.structs.replace(trial, value=sign * trial.value)
        for trial in record.trials
    ]
    check_trials(trials, setup)
    optimizer.method.check_trials(trials)
    if optimizer.is_ours and not optimizer.method.budgeted:
        check_unbudgeted(trials, optimizer.name)
    optimizer.log = TrialLog(layout, trials)
    optimizer.timed = record.timed
    for owner, memory in (
        (optimizer.method, record.memory),
        (optimizer.guard_method, record.guard_memory),
    ):
        _recall(optimizer, owner, memory)
    return optimizer


def _recall(optimizer: Optimizer, owner: BaseMethod | None, memory: dict[str, Any]) -> None:
    """Give a method its memory back; FileError if it has none."""
    if owner is not None and not (optimizer.is_ours and type(owner).recall is BaseMethod.recall):
        owner.recall(memory)
    elif memory:
        raise FileError(f"it holds a memory, and {optimizer.name!r} keeps none")


def _sources(record: SourcesRecord, layout: Layout) -> Sources:
    tasks, failures = (
        tuple(_source(task, layout) for task in several)
        for several in (record.tasks, record.failures)
    )
    if not tasks or len({task.name for task in (*tasks, *failures)}) < len(tasks) + len(failures):
        raise FileError("it has no earlier tasks, or two of one name")
    for task in tasks:
        check_source(task, layout)
    for task in failures:
        if len(task.rows) or len(task.values) or not len(task.failed):
            raise FileError(f"task {task.name!r} has more or less than failed rows")
        check_failures(task, layout)
    return Sources(tasks, record.meta_features, record.target, failures)  # type: ignore[arg-type]


def _source(task: SourceRecord, layout: Layout) -> Source:
    width = len(layout.names)
    return Source(
        task.name,
        _array(task.rows, width, task.name),
        np.array(task.values, float),
        task.unknown,
        _extra(task),
        _costs(task.costs, task.name),
        _array(task.failed, width, task.name),
        task.reasons,
        _costs(task.failed_costs, task.name),
        task.weight,
    )


def _costs(costs: list[float | None] | None, task: str) -> FloatArray | None:
    return None if costs is None else _array([costs], len(costs), task)[0]


def _array(rows: Rows, width: int, task: str) -> FloatArray:
    """The rows of an earlier task, (n, width)."""
    if any(len(row) != width for row in rows):
        raise FileError(f"a row of task {task!r} has not {width} numbers")
    filled = [[np.nan if x is None else x for x in row] for row in rows]
    return np.array(filled, float).reshape(-1, width)


def _extra(task: SourceRecord) -> FloatArray | None:
    """What an earlier task tuned beyond the space, (n, e)."""
    if task.extra is None:
        return None
    return _array(task.extra, len(task.extra[0]) if task.extra else 0, task.name)
