"""The content of files, pipes and archives, within the limits; devices are refused."""

from __future__ import annotations

import gzip
import io
import os
import select
import stat
import time
import zipfile
from os import PathLike
from pathlib import Path
from typing import IO

from ringfence.errors import FileError, RingfenceError
from ringfence.errors.addresses import is_address, shown
from ringfence.incoming.limits import BYTES
from ringfence.incoming.parsing import guarded

CHUNK = 2**20
SECONDS = 10
"""How long a pipe may have nobody at its other end."""


def local_file(source: str | PathLike[str], what: str) -> Path:
    """The file that `what` is read from. An address is refused, and not repeated."""
    if is_address(source):
        raise FileError(f"{what} is read from a file, not from the address {shown(source)}")
    return Path(source)


def read_bytes(path: Path) -> bytes:
    """The content of a file, or of a pipe that somebody writes to."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISFIFO(mode):
            return _from_pipe(path)
        if stat.S_ISDIR(mode):
            raise FileError(f"cannot read {path}: it is a folder")
        if not stat.S_ISREG(mode):
            raise FileError(f"cannot read {path}: it is a device, not a file")
        with path.open("rb") as file:
            return within_limit(file, path)
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        if isinstance(error, RingfenceError):
            raise
        raise FileError(f"{str(path)!r} cannot be the name of a file") from error


def read_text(path: Path) -> str:
    """The content of a text file in UTF-8, with or without its mark."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"{path} is not a text file: {error}") from error


def readable(name: str) -> str:
    """The name of a file as text that can be written; bytes that are no text are question marks."""
    return name.encode("utf-8", "replace").decode()


def is_file(path: Path) -> bool:
    """Whether there is a file; what cannot be the name of one is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def first_bytes(path: Path, count: int) -> bytes:
    """How a file begins; nothing for what is no file or cannot be read."""
    if not is_file(path):
        return b""
    try:
        with path.open("rb") as file:
            return file.read(count)
    except OSError:
        return b""


def within_limit(file: IO[bytes] | gzip.GzipFile, where: object) -> bytes:
    """All that a stream gives, if that is within the limit."""
    most = BYTES.most
    chunks, size = [], 0
    while chunk := file.read(CHUNK):
        size += len(chunk)
        if size > most:
            raise BYTES.exceeded(where)
        chunks.append(chunk)
    return b"".join(chunks)


def gunzip(content: bytes, where: object) -> bytes:
    """What is packed in the content of a .gz file."""
    with guarded(where, "gzip"), gzip.open(io.BytesIO(content)) as file:
        return within_limit(file, where)


def unzip_first(path: Path) -> bytes:
    """The first file in a .zip."""
    content = read_bytes(path)
    with guarded(path, "zip"), zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        if not names:
            raise FileError(f"{path} is an empty zip")
        with archive.open(names[0]) as file:
            return within_limit(file, path)


def _from_pipe(path: Path) -> bytes:
    """What is written to a pipe until its writers are gone; nobody at all is an error."""
    most, deadline = BYTES.most, time.monotonic() + SECONDS
    chunks: list[bytes] = []
    size = 0
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        while True:
            try:
                chunk = os.read(handle, CHUNK)
            except BlockingIOError:  # somebody is there and has nothing to say yet
                select.select([handle], [], [])
                continue
            if chunk:
                size += len(chunk)
                if size > most:
                    raise BYTES.exceeded(path)
                chunks.append(chunk)
            elif chunks:
                return b"".join(chunks)
            elif time.monotonic() > deadline:
                raise FileError(f"cannot read {path}: nobody writes to this pipe")
            else:
                time.sleep(0.01)
    finally:
        os.close(handle)
