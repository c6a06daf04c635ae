"""What a source holds, told without reading its runs: files by their content, folders by the sizes
and times of what is in them. A database tells by itself (`history/readers/shared/memory.py`)."""

from __future__ import annotations

import glob
import hashlib
from pathlib import Path

from ringfence.errors import SettingError
from ringfence.errors.addresses import is_address

CHUNK = 2**20
BESIDE = ("", "-wal", "-journal")
"""What SQLite keeps beside a file holds part of its content."""


def digest_of_source(source: str) -> str | None:
    """A digest of what the source holds; None if only reading it can tell."""
    if source == "-":
        raise SettingError("refresh needs a source that is still there the next time, not -")
    if is_address(source):
        return None
    try:
        path = Path(source)
        if path.is_dir():
            return _digest_of_folder(path)
        matches = [source] if path.is_file() else glob.glob(source, recursive=True)  # noqa: PTH207
        paths = sorted(map(Path, matches))
        files = [file for file in paths if file.is_file()]
        return _digest_of_files(files) if files and len(files) == len(paths) else None
    except (OSError, ValueError):  # the reader says what is wrong
        return None


def _digest_of_files(paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        for file in (Path(f"{path}{end}") for end in BESIDE):
            if file.is_file():
                digest.update(f"{file.name}\0{file.stat().st_size}\0".encode(errors="replace"))
                with file.open("rb") as content:
                    while chunk := content.read(CHUNK):
                        digest.update(chunk)
    return digest.hexdigest()


def _digest_of_folder(folder: Path) -> str:
    """Checkpoints in it may be large, and are no runs."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            about = path.stat()
            line = f"{path.relative_to(folder)}\0{about.st_size}\0{about.st_mtime_ns}\0"
            digest.update(line.encode(errors="replace"))
    return digest.hexdigest()
