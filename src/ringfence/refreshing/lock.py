"""One refresh of a file at a time. The system gives the lock back when its process ends, however it
ends, so nobody has to remove one that was left behind."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ringfence.errors import FileError, RingfenceError


class BusyError(RingfenceError, RuntimeError):
    """Another refresh of the same file is under way."""

    exit_code = 4


@contextmanager
def locked(path: Path, what: Path) -> Iterator[None]:
    """Hold the lock in the file `path`; BusyError if another process has it."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror}") from error
    try:
        if not _taken(handle):
            holder = os.pread(handle, 200, 0).decode(errors="replace").strip()
            by = f" ({holder})" if holder else ""
            raise BusyError(f"another refresh of {what} is under way{by}; nothing was done")
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
        yield
        with suppress(OSError):
            os.ftruncate(handle, 0)
    finally:
        os.close(handle)


def _taken(handle: int) -> bool:
    """Whether the lock is ours now."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
