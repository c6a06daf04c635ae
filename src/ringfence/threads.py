"""One BLAS thread while ringfence computes, and the user's own number again afterwards.

Our matrices are small. Threads that wait for each other on cores that others use too make their
products ten to a hundred times slower, and their number would change the last digits of a sum.
`one_thread` stands before the functions that users call, and before what they load late: a door
inside another one costs microseconds, and limits the libraries that came in between (scipy brings
a BLAS of its own). The user's objective is never called inside.

And whether a forked process has lost the threads of polars.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import ContextDecorator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from threadpoolctl import LibController


THREADS = "/proc/self/task"
POLARS = "polars-0"
"""The name of a thread that is there once the pool of polars is."""


class _Inside(threading.local):
    """How far the current thread is inside, and the numbers that are its own."""

    def __init__(self) -> None:
        self.depth = 0
        self.before: dict[str, int] = {}


class OneThread(ContextDecorator):
    """`with one_thread:` or `@one_thread`; nested, and in several Python threads at once.

    BLAS libraries keep one number for the process, which is set back when the last Python thread
    leaves. Those built on OpenMP keep one for each Python thread, which is set back as that leaves.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._here = _Inside()
        self._n_inside = 0  # Python threads
        self._before: dict[str, int] = {}  # of the process: number of threads by library
        self._libraries: list[LibController] = []
        self._n_modules = 0  # loaded when the libraries were last looked for
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def __enter__(self) -> OneThread:
        with self._lock:
            found = self._find_libraries()
            if found or self._here.depth == 0:
                for library in self._libraries:
                    self._numbers(library).setdefault(library.filepath, library.num_threads)
                    _set(library, 1)
            self._n_inside += self._here.depth == 0
            self._here.depth += 1
        return self

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._here.depth -= 1
            if self._here.depth == 0:
                self._n_inside -= 1
                self._restore()

    def _find_libraries(self) -> bool:
        """Look for BLAS libraries if modules were loaded since the last time; whether it did. A
        look takes a millisecond, and a library comes with a module."""
        if len(sys.modules) == self._n_modules:
            return False
        from threadpoolctl import ThreadpoolController

        self._n_modules = len(sys.modules)
        libraries = ThreadpoolController().select(user_api="blas").lib_controllers
        self._libraries = [library for library in libraries if library.num_threads is not None]
        return True

    def _numbers(self, library: LibController) -> dict[str, int]:
        """Where the user's number for a library is kept."""
        by_thread = getattr(library, "threading_layer", "") == "openmp"
        return self._here.before if by_thread else self._before

    def _restore(self) -> None:
        """Set back what belongs to this Python thread, and the rest if no other is inside."""
        for library in self._libraries:
            numbers = self._numbers(library)
            if library.filepath in numbers and (self._n_inside == 0 or numbers is not self._before):
                _set(library, numbers.pop(library.filepath))

    def _forked(self) -> None:
        """A child process has none of the other threads that were inside."""
        self._lock = threading.Lock()
        self._n_inside = int(self._here.depth > 0)
        if self._n_inside == 0:
            self._restore()


def _set(library: LibController, number: int) -> None:
    """Set the threads of a library. From 3.8 on, threadpoolctl listens to the Python thread alone
    that came first; here the last one to leave must be heard, whichever it is."""
    release = getattr(library, "clear_controlling_thread", None)
    if release is not None:
        release(force=True)
    library.set_num_threads(number)
    if release is not None:
        release(force=True)


one_thread = OneThread()


class PolarsThreads:
    """Whether the threads of polars were left behind in the process that this one comes from.

    polars starts a pool of threads with its first query. A process that is forked afterwards has
    none of them, and its first query waits for ever; one that is forked before starts its own.
    """

    def __init__(self) -> None:
        self.left_behind = False
        self._started = False  # when a process was last forked
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self._look, after_in_child=self._forked)

    def _look(self) -> None:
        self._started = "polars" in sys.modules and _has_thread(POLARS)

    def _forked(self) -> None:
        self.left_behind = self.left_behind or self._started


def _has_thread(name: str) -> bool:
    """Whether this process has a thread of that name; True where the system does not tell."""
    from pathlib import Path  # a third of what `import ringfence` costs

    try:
        return any(_name_of(thread) == name for thread in Path(THREADS).iterdir())
    except FileNotFoundError:  # not Linux
        return True


def _name_of(thread: Path) -> str:
    try:
        return (thread / "comm").read_text("utf-8", "replace").rstrip("\n")
    except OSError:  # it has ended meanwhile
        return ""


polars_threads = PolarsThreads()
