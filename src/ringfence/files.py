"""Files are complete or not there at all."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from ringfence.errors import FileError

PREFIX, SUFFIX = ".ringfence-", ".tmp"
"""How the name of a file that is being written begins and ends, whatever the file will be called:
names may be as long as the disk allows."""
ABANDONED = 3600  # seconds: a file is written in a few, so the writer of an older one was killed


def write_atomically(path: Path, content: bytes) -> None:
    """Write all of `content` to `path`, or leave `path` as it was: to a temporary name in the same
    folder first, then renamed. Links are followed; a pipe or a device is written to as it is. A
    file that was there passes its permissions on."""
    try:
        target = path.resolve()
        before = target.stat() if target.exists() else None
        if before is not None and not stat.S_ISREG(before.st_mode):
            target.write_bytes(content)
            return
        _ask(path)
        _replace(target, content, before)
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: links in a circle
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"cannot write {path}: {reason}") from error


def _ask(path: Path) -> None:
    """Open what is there for writing: a rename alone would replace a read-only file, too, and
    follow a link that the system forbids to follow, as one that a stranger put into /tmp."""
    with suppress(FileNotFoundError):
        os.close(os.open(path, os.O_WRONLY | os.O_APPEND))


def _replace(target: Path, content: bytes, before: os.stat_result | None) -> None:
    """Write to a temporary name and rename; the temporary file is as private as can be."""
    handle, name = tempfile.mkstemp(SUFFIX, PREFIX, target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if before is not None and hasattr(os, "chown"):
            with suppress(PermissionError):  # another's file in a shared folder becomes our own
                os.chown(temporary, before.st_uid, before.st_gid)
        temporary.chmod(_usual_mode() if before is None else stat.S_IMODE(before.st_mode))
        _remove_abandoned(temporary)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _remove_abandoned(own: Path) -> None:
    """Remove what killed writers left in the folder. Ages are taken from the file just written, by
    the clock of the disk, which several machines may share."""
    now = own.stat().st_mtime
    for path in own.parent.glob(f"{PREFIX}*{SUFFIX}"):
        with suppress(OSError):  # gone by now, or another's
            if now - path.lstat().st_mtime > ABANDONED:
                path.unlink()


def _usual_mode() -> int:
    """The permissions of a file that `open` would have made."""
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
