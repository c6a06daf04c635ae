"""Hands batches to workers, ends those that hang, replaces those that crash."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import wait
from pathlib import Path

from fuzz.corpus import CORPORA
from fuzz.outcome import PACKAGE, Outcome
from fuzz.worker import ERRORS, MEMORY, Batch, Report, work

START = 120.0
"""Seconds that a worker may take to import everything, on a busy machine."""
FRAME = re.compile(r'File "([^"]*)", line \d+ in (\S+)')
"""A line of the traceback that Python's faulthandler writes."""
MEMORY_FOLDER = Path("/dev/shm")
"""Where files are no files of a disk, if the system has such a place."""
LEAST_ROOM = MEMORY // 2
"""A worker that may take fewer bytes than this is replaced: libraries do not give all of theirs
back, and the next input should have what the first one had."""


class Worker:
    """One process and what it is doing."""

    def __init__(self, number: int, folder: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self.link, other = context.Pipe()
        self.now = context.RawArray("d", 3)
        home = folder / str(number)
        home.mkdir(exist_ok=True)
        self.errors = home / ERRORS
        self.process = context.Process(target=work, args=(other, self.now, home), daemon=True)
        self.process.start()
        other.close()
        self.started, self.ready = time.monotonic(), False
        self.batch: Batch | None = None

    def seconds(self) -> float:
        """How long the input under way has taken."""
        begun = self.now[2]
        return time.monotonic() - begun if begun else 0.0

    def input(self) -> tuple[str, int]:
        """Target and number of the input under way."""
        return list(CORPORA)[int(self.now[0])], int(self.now[1])

    def end(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.join()
        self.link.close()

    def place(self) -> str:
        """Where Python was, by what faulthandler wrote last."""
        text = self.errors.read_text("utf-8", "replace")[-20000:]
        trace = text.rpartition("most recent call first")[2]
        own = [(file, name) for file, name in FRAME.findall(trace) if PACKAGE in file]
        return f"{own[0][0].rpartition(PACKAGE)[2]}:{own[0][1]}" if own else ""


@contextmanager
def _crew(jobs: int) -> Iterator[tuple[list[Worker], Callable[[int], Worker]]]:
    shared = MEMORY_FOLDER if os.access(MEMORY_FOLDER, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="ringfence-fuzz-", dir=shared) as name:
        folder, workers = Path(name), []

        def hire(number: int) -> Worker:
            return Worker(number, folder)

        workers += [hire(number) for number in range(jobs)]
        try:
            yield workers, hire
        finally:
            for worker in workers:
                worker.end()


def watch(
    batches: Callable[[], Batch | None],
    done: Callable[[Report], None],
    broken: Callable[[str, int, Outcome], None],
    *,
    jobs: int,
    patience: float,
) -> None:
    """Run what `batches` gives until it gives None; `done` gets each report, `broken` each input
    that ended its worker. `patience` is in seconds for one input."""
    again: list[Batch] = []

    def next_batch() -> Batch | None:
        return again.pop() if again else batches()

    with _crew(jobs) as (workers, hire):
        idle = False
        while not (idle and all(worker.batch is None for worker in workers)):
            wait([worker.link for worker in workers], timeout=0.2)
            for number, worker in enumerate(workers):
                fault = _served(worker, done) or _fault(worker, patience)
                if fault is not None:
                    target, place = worker.input()
                    again += _rest(worker.batch, place)
                    if worker.batch is not None:
                        broken(target, place, fault)
                    worker.end()
                    worker = workers[number] = hire(number)
                if worker.ready and worker.batch is None:
                    worker.batch = next_batch()
                    idle = worker.batch is None
                    if worker.batch is not None:
                        worker.now[2] = 0.0
                        worker.link.send(worker.batch)


def _served(worker: Worker, done: Callable[[Report], None]) -> Outcome | None:
    """Take what the worker has sent; a fault if it went away instead."""
    try:
        if not worker.link.poll():
            return None
        message = worker.link.recv()
    except (EOFError, OSError):
        worker.process.join(5)
        code = worker.process.exitcode
        name = signal.Signals(-code).name if code is not None and code < 0 else f"exit {code}"
        return Outcome("crash", worker.place(), name)
    if isinstance(message, Report):
        worker.batch = None
        done(message)
        if message.room < LEAST_ROOM:
            return Outcome("grown")
    worker.ready = True
    return None


def _fault(worker: Worker, patience: float) -> Outcome | None:
    """A hang, if the input under way takes too long."""
    if not worker.ready:
        if time.monotonic() - worker.started > START:
            raise TimeoutError("a worker of the fuzzer does not start")
        return None
    if worker.seconds() <= patience:
        return None
    if worker.process.pid is not None:
        os.kill(worker.process.pid, signal.SIGUSR1)
        time.sleep(0.5)  # it writes where it is
    return Outcome("hang", worker.place(), f"more than {patience:g} s")


def _rest(batch: Batch | None, number: int) -> list[Batch]:
    """What is left of a batch without its input `number`: before it, whose reports were lost, and
    after it."""
    if batch is None:
        return []
    last = batch.first + batch.count
    parts = [(batch.first, number - batch.first), (number + 1, last - number - 1)]
    return [Batch(batch.target, first, count) for first, count in parts if count > 0]
