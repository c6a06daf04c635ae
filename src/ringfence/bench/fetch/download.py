"""A published file: downloaded piece by piece, and known by its size and its checksum."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import IO
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from ringfence.errors import FileError
from ringfence.incoming.content import first_bytes, is_file

POINTER = b"version https://git-lfs.github.com/spec/"
"""How the small text begins that Git has in the place of a file kept by Git LFS."""
CHUNK = 2**20
SECONDS = 60  # without a single byte, after which a server counts as gone
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Published:
    """A file as its authors published it."""

    address: str
    page: str
    """Where people find it."""
    size: int
    sha256: str


HPOB = Published(
    "https://github.com/sebastianpinedaar/hpo-data/raw/refs/heads/main/hpob-data.zip",
    "https://github.com/sebastianpinedaar/hpo-data",
    261_011_374,
    "ab1c439e50ffea3d8a3f1e0ad7ee7f03cd3c12df05576de84ad7c3b58fbf3358",
)
"""HPO-B's data; size and checksum are those of the Git LFS entry of that repository."""


def source_of(
    path: Path, what: Published, *, get: bool, checked: bool, progress: Progress | None = None
) -> Path:
    """A folder as it is; a file that is there, downloaded first with `get`, and is the published
    one if `checked`."""
    if path.is_dir():
        return path
    if get:
        download(path, what, progress)
    if checked or not is_file(path):
        check_file(path, what)
    return path


def check_file(path: Path, what: Published) -> None:
    """FileError that says what to do unless the file is the published one."""
    if not is_file(path):
        raise FileError(f"there is no file {path}; {_get(path, what)}")
    if first_bytes(path, len(POINTER)) == POINTER:
        raise FileError(
            f"{path} is a pointer of Git LFS, not the data: in the clone, run git lfs pull; or "
            f"delete it, and {_get(path, what)}"
        )
    size = path.stat().st_size
    if size != what.size:
        raise FileError(
            f"{path} has {size:,} bytes, not the {what.size:,} of the published file: it is "
            f"incomplete, or another version; delete it, and {_get(path, what)}"
        )
    if _checksum(path) != what.sha256:
        raise FileError(
            f"{path} is damaged, or another version: its SHA-256 is not {what.sha256}; delete it, "
            f"and {_get(path, what)}"
        )


def download(path: Path, what: Published, progress: Progress | None = None) -> None:
    """Download the file, unless it is there; what has arrived of it is kept beside it under
    NAME.part, and the next call continues there. The file appears once it is checked."""
    if is_file(path):
        return
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("ab") as file:
            _continue(file, what, progress)
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
        if part.exists() and not part.stat().st_size:
            part.unlink()
        raise FileError(
            f"cannot download {what.address} ({reason}); run the command again to continue, or get "
            f"{path.name} from {what.page} by other means"
        ) from error
    try:
        check_file(part, what)
    except FileError:
        part.unlink()
        raise FileError(
            f"what {what.address} gave is not the published file and was deleted; get {path.name} "
            f"from {what.page} by other means (it is kept there by Git LFS)"
        ) from None
    part.replace(path)


def _continue(file: IO[bytes], what: Published, progress: Progress | None) -> None:
    """Append what is missing; from the start if the server cannot give a part."""
    done = file.tell()
    if done == what.size:
        return
    request = Request(what.address, headers={"Range": f"bytes={done}-"} if done else {})
    try:
        answer = urlopen(request, timeout=SECONDS)
    except HTTPError as error:
        if error.code != 416:  # there is no such part: what is here is too long
            raise
        file.truncate(0)
        answer = urlopen(Request(what.address), timeout=SECONDS)
    with answer:
        begins = f"bytes {done}-"
        if answer.status != 206 or not answer.headers.get("Content-Range", "").startswith(begins):
            file.truncate(0)
            done = 0
        comes = answer.headers.get("Content-Length", "")
        if comes.isdecimal() and done + int(comes) != what.size:
            raise OSError(f"the server has {done + int(comes):,} bytes, not {what.size:,}")
        while chunk := answer.read(CHUNK):
            done += len(chunk)
            if done > what.size:
                raise OSError(f"more than the {what.size:,} bytes of the published file came")
            file.write(chunk)
            if progress is not None:
                progress(done, what.size)
    if done < what.size:
        raise OSError(f"the connection ended after {done:,} of {what.size:,} bytes")


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _get(path: Path, what: Published) -> str:
    return f"get it with --download, or {path.name} from {what.page} (Git LFS)"
