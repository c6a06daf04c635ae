"""One refresh of a file at a time. The system gives the lock back when its process ends, however it
ends, so nobody has to remove one that was left behind."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ringfence.errors import FileError, RingfenceError

LONGEST = 200  # bytes that say who holds a lock
BEYOND = 2**20
"""Where Windows locks a byte: others cannot read what is locked."""
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
"""A lock is emptied when it is given back; what a link leads to must not be. Windows has none."""


class BusyError(RingfenceError, RuntimeError):
    """Another refresh of the same file is under way."""

    exit_code = 4


@contextmanager
def locked(path: Path, what: Path) -> Iterator[None]:
    """Hold the lock in the file `path`; BusyError if another process has it."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK, 0o666)
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror}") from error
    try:
        if not _taken(handle):
            os.lseek(handle, 0, os.SEEK_SET)
            holder = os.read(handle, LONGEST).decode(errors="replace").strip()
            by = f" ({holder})" if holder else ""
            raise BusyError(f"another refresh of {what} is under way{by}; nothing was done")
        _write(handle, f"process {os.getpid()} on {socket.gethostname()}\n")
        yield
        _write(handle, "")
    finally:
        os.close(handle)


def _write(handle: int, text: str) -> None:
    """Who holds the lock. It is for people: a full disk is no reason to stop."""
    with suppress(OSError):
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, text.encode())


def _taken(handle: int) -> bool:
    """Whether the lock is ours now."""
    try:
        if os.name == "nt":
            import msvcrt

            os.lseek(handle, BEYOND, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
