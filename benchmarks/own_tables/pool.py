"""Worker processes with a limit: a fold that takes too long ends its process, and is a row.

The parent only watches. It forks a process for each piece, which has all libraries already, reads
a message for each fold and each row, and kills a process that has computed for longer than the
limit without one.
Threads of numerical libraries do not survive a fork, so the parent computes nothing.
"""

from __future__ import annotations

import multiprocessing
import os
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from benchmarks.own_tables.encoding import Fold
from benchmarks.own_tables.evaluate import evaluate, recorded, timed_out
from benchmarks.own_tables.learners import LEARNERS
from benchmarks.own_tables.pieces import Folder, Piece
from benchmarks.own_tables.prepare import FOLDS, load

PACKAGES = ("numpy", "scipy", "scikit-learn", "xgboost-cpu", "lightgbm")
START = 60.0
"""Seconds for reading a task before the first message; then the limit holds."""
WAITS = 30
"""A process on a busy machine may take this many times the limit: what counts is its own time."""
FORK = multiprocessing.get_context("fork")


@dataclass
class Running:
    """A piece and the process that works on it."""

    piece: Piece
    content: dict[str, Any]
    process: BaseProcess
    pipe: Connection
    heard: float
    cpu: float = 0.0
    folds_done: int = 0
    started: bool = False
    doing: dict[str, Any] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)

    def over(self, limit: float) -> bool:
        """Whether the process has computed for longer than the limit since it was heard."""
        silent = time.monotonic() - self.heard
        if silent <= limit:
            return False
        spent = _cpu_seconds(self.process.pid)
        return spent is None or spent - self.cpu > limit or silent > WAITS * limit

    def kept(self) -> dict[str, Any]:
        """What is written, with the seconds that the piece took, earlier ones included."""
        spent = self.content.get("spent", 0.0) + time.monotonic() - self.began
        return self.content | {"spent": round(spent, 3)}


@dataclass
class Pool:
    """Works through pieces until they are done or the time is over."""

    data: Path
    folder: Folder
    jobs: int
    limit: float

    def run(self, pieces: Iterator[Piece], until: float) -> Iterator[tuple[Piece, dict[str, Any]]]:
        """Yields each finished piece with its content; what is under way at the end is kept."""
        running: list[Running] = []
        more, renewed = True, time.monotonic()
        try:
            while True:
                while more and len(running) < self.jobs and time.monotonic() < until:
                    piece = next(pieces, None)
                    more = piece is not None
                    if piece is not None:
                        running.append(self._start(piece, self._content(piece)))
                if not running or time.monotonic() >= until:
                    return
                wait([r.pipe for r in running], timeout=0.2)
                for one in list(running):
                    if self._hear(one):
                        running.remove(one)
                        content = one.kept()
                        self.folder.write(one.piece, content, complete=True)
                        self.folder.release(one.piece)
                        yield one.piece, content
                if time.monotonic() - renewed > 10:
                    renewed = time.monotonic()
                    for one in running:
                        self.folder.renew(one.piece)
        finally:
            for one in running:
                _end(one)
                if one.content["rows"]:
                    self.folder.write(one.piece, one.kept(), complete=False)
                self.folder.release(one.piece)

    def _content(self, piece: Piece) -> dict[str, Any]:
        about = {"learner": piece.learner, "task": piece.task, "block": piece.block}
        versions = {name: _version(name) for name in PACKAGES} | {
            "python": platform.python_version()
        }
        more = {"versions": versions, "machine": platform.machine(), "limit": self.limit}
        return about | more | self.folder.read(piece)

    def _start(self, piece: Piece, content: dict[str, Any]) -> Running:
        ours, theirs = FORK.Pipe(duplex=False)
        arguments = (piece, self.data, len(content["rows"]), theirs)
        process = FORK.Process(target=_work, args=arguments, daemon=True)
        process.start()
        theirs.close()
        return Running(piece, content, process, ours, time.monotonic())

    def _hear(self, one: Running) -> bool:
        """Takes what a process has to say; whether its piece is finished."""
        try:
            while one.pipe.poll():
                kind, what, one.cpu = one.pipe.recv()
                one.heard, one.started = time.monotonic(), True
                if kind == "begin":
                    one.doing, one.folds_done = what, 0
                elif kind == "fold":
                    one.folds_done += 1
                elif kind == "row":
                    one.content["rows"].append(one.doing | what)
                    one.doing = {}
                else:
                    _end(one)
                    return True
        except EOFError:  # it died: out of memory, or a crash in a library
            return self._replace(one, {"status": "crash", "reason": "the process ended"})
        if one.over(self.limit if one.started else START):
            return self._replace(one, timed_out(self.limit, one.folds_done))
        return False

    def _replace(self, one: Running, row: dict[str, Any]) -> bool:
        """A row for the configuration that did not end, and a new process for the next one."""
        _end(one)
        if not one.doing and not one.started:
            raise RuntimeError(f"no process can work on {one.piece.name}")
        if one.doing:
            one.content["rows"].append(one.doing | {"folds_done": one.folds_done} | row)
        if len(one.content["rows"]) == len(one.piece.planned()):
            return True
        fresh = self._start(one.piece, one.content)
        one.process, one.pipe, one.heard = fresh.process, fresh.pipe, fresh.heard
        one.cpu, one.doing, one.folds_done, one.started = 0.0, {}, 0, False
        return False


def _work(piece: Piece, data: Path, first: int, pipe: Connection) -> None:
    """The process: row after row, from the first that is missing."""
    task = load(data, piece.task)
    folds = [Fold(task, k) for k in range(FOLDS)]
    parent = os.getppid()

    def say(kind: str, what: Any = None) -> None:
        pipe.send((kind, what, time.process_time()))

    for origin, number in piece.planned()[first:]:
        if origin == "default":
            config = LEARNERS[piece.learner].default(task)
        else:
            config = piece.config(origin, number)
        shown = recorded(piece.learner, config, folds)
        if os.getppid() != parent:  # killed: nobody listens
            return
        say("begin", {"origin": origin, "number": number, "config": shown})
        say("row", evaluate(piece.learner, config, folds, lambda: say("fold")))
    say("end")


def load_libraries(learners: Sequence[str]) -> None:
    """Before the first fork, so that no process has to load them."""
    import sklearn.ensemble
    import sklearn.linear_model
    import sklearn.neighbors
    import sklearn.neural_network
    import sklearn.svm  # noqa: F401

    for name in {"xgboost", "lightgbm"} & set(learners):
        __import__(name)


def _end(one: Running) -> None:
    one.process.kill()
    one.process.join()
    one.pipe.close()


def _cpu_seconds(pid: int | None) -> float | None:
    """What a process has computed; None where the system does not say."""
    try:
        numbers = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")


def _version(name: str) -> str:
    for known in (name, name.removesuffix("-cpu")):
        try:
            return version(known)
        except Exception:  # unpacked, not installed
            module = sys.modules.get(known.replace("-", "_"))
            if module is not None:
                return str(module.__version__)
    return "unknown"
