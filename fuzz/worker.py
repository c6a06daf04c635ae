"""The process that runs cases. It may hang, crash or run out of memory: watch.py looks after it."""

from __future__ import annotations

import faulthandler
import os
import resource
import signal
import socket
import time
import warnings
from collections import Counter
from ctypes import Array, c_double
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from fuzz.case import Case
from fuzz.outcome import Outcome, judged

MEMORY = 2 << 30
"""Bytes that a worker may take beyond what it has once everything is imported."""
LIMITS = {"RINGFENCE_MAX_CELLS": "10_000_000", "RINGFENCE_MAX_BYTES": str(1 << 28)}
"""Lower than usual, so that what they allow fits into that memory many times."""
THOROUGH = 16
"""Of so many inputs one is also learned from, exported or continued, which takes long; and so is
what is not damaged."""
ERRORS = "errors.txt"
"""What a worker, or a library in it, writes to the terminal."""


@dataclass(frozen=True)
class Batch:
    """Inputs `first` to `first + count - 1` of a target."""

    target: str
    first: int
    count: int


@dataclass
class Report:
    """What came of a batch."""

    batch: Batch
    seconds: float = 0.0
    """Of the processor: other programs do not count."""
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[int, Outcome]] = field(default_factory=list)
    slowest: tuple[float, int] = (0.0, 0)
    room: int = MEMORY
    """Bytes that the process may still take."""


def work(link: Connection, now: Array[c_double], folder: Path) -> None:
    """Run batches until there are none; `now` says which input is under way and since when. Below
    `folder` cases are laid out, and a file takes what would go to the terminal."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    _prepare(folder / ERRORS)
    from fuzz.corpus import CORPORA

    sandbox = Sandbox(folder / "up" / "here")
    numbers = {target: float(i) for i, target in enumerate(CORPORA)}
    link.send("ready")
    while (batch := link.recv()) is not None:
        now[0] = numbers[batch.target]
        link.send(_run(batch, sandbox, now))


def _prepare(errors: Path) -> None:
    """Everything imported, nothing reached over the network, memory limited."""
    os.environ |= {
        "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "0",
        "RUST_BACKTRACE": "0",
        "MPLBACKEND": "agg",
        **LIMITS,
    }
    handle = os.open(errors, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
    os.dup2(handle, 2)
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, all_threads=False)
    socket.socket.connect = _refuse  # type: ignore[method-assign,assignment]
    import polars as pl

    from ringfence.cli import app  # noqa: F401

    pl.DataFrame({"a": [1.0]}).lazy().collect()  # starts its threads before memory is counted
    if (taken := _taken()) is not None:
        most = taken + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _taken() -> int | None:
    """Bytes of addresses that the process has, which is what its limit counts; None if the system
    does not tell."""
    table = Path("/proc/self/statm")
    if not table.exists():
        return None
    return int(table.read_text().split()[0]) * resource.getpagesize()


def _room() -> int:
    """Bytes that the process may still take."""
    taken, most = _taken(), resource.getrlimit(resource.RLIMIT_AS)[0]
    return MEMORY if taken is None or most == resource.RLIM_INFINITY else most - taken


def _refuse(self: socket.socket, address: object) -> None:
    raise ConnectionRefusedError(111, "Connection refused")


class Sandbox:
    """The folder in which cases are called; what they print past Python is noticed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def outcome(self, case: Case, thorough: bool) -> Outcome:
        """Lay the case out, call it, judge it."""
        from fuzz.targets import call

        case.lay_out(self.folder)
        os.chdir(self.folder)
        said = _size_of_errors()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcome = judged(lambda: call(case, thorough))
        if outcome.failed or _size_of_errors() == said:
            return outcome
        os.lseek(2, said, os.SEEK_SET)
        text = os.read(2, 300).decode("utf-8", "replace")
        return Outcome("noise", case.target, ascii(text))  # a library wrote to the terminal


def _size_of_errors() -> int:
    return os.fstat(2).st_size


def _run(batch: Batch, sandbox: Sandbox, now: Array[c_double]) -> Report:
    from fuzz.corpus import corpus
    from fuzz.inputs import make

    whole = len(corpus(batch.target))
    report, begun = Report(batch), time.process_time()
    for number in range(batch.first, batch.first + batch.count):
        now[1], now[2] = number, time.monotonic()
        thorough = number < whole or number % THOROUGH == 0
        outcome = sandbox.outcome(make(batch.target, number), thorough)
        took = time.monotonic() - now[2]
        report.counts[outcome.kind] += 1
        report.slowest = max(report.slowest, (took, number))
        if outcome.failed:
            report.failures.append((number, outcome))
    now[2] = 0.0
    report.seconds = time.process_time() - begun
    report.room = _room()
    return report
