"""Files are complete or not there at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ringfence.errors import FileError


def write_atomically(path: Path, content: bytes) -> None:
    """Write all of `content` to `path`, or leave `path` as it was: to a temporary name in the same
    folder first, then renamed. Links are followed; a pipe or a device is written to as it is."""
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            target.write_bytes(content)
            return
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).chmod(_usual_mode())
            Path(temporary).replace(target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"cannot write {path}: {reason}") from error


def _usual_mode() -> int:
    """The permissions of a file that `open` would have made."""
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
