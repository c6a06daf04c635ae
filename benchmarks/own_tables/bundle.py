"""Pieces on their way between machines that share no folder: one tar file, and a list of names."""

from __future__ import annotations

import gzip
import io
import json
import re
import tarfile
import zlib
from pathlib import Path

from benchmarks.own_tables.pieces import DONE, PART, Folder

FINISHED = "finished.txt"
PIECE = re.compile(rf"[\w-][\w.+-]*(?:{re.escape(PART)}|{re.escape(DONE)})")
"""Names of pieces: none leads out of a folder, is hidden, or is obeyed by a terminal."""
LARGEST = 2**26
"""Bytes of a piece, packed or not; usual ones have some ten thousand."""


def pack(folder: Folder, path: Path, known: frozenset[str] = frozenset()) -> int:
    """A tar of all pieces, finished and interrupted, without those that are known; how many."""
    files = [p for p in sorted(folder.path.glob(f"*{DONE}")) if p.name not in known]
    hidden = path.with_name(f".{path.name}")
    with tarfile.open(hidden, "w") as archive:
        for file in files:
            content = file.read_bytes()
            member = tarfile.TarInfo(file.name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    hidden.replace(path)
    return len(files)


def unpack(path: Path, folder: Folder) -> int:
    """Adds the pieces of a tar; what is finished here stays, and parts of it are left out."""
    added = 0
    try:
        with tarfile.open(path, "r:") as archive:  # never packed: it could be without an end
            for member in archive:
                added += _unpack(archive, member, folder)
    except (tarfile.TarError, OSError, ValueError, EOFError) as error:
        raise SystemExit(f"{path} is no tar of pieces: {error}") from error
    return added


def _unpack(archive: tarfile.TarFile, member: tarfile.TarInfo, folder: Folder) -> bool:
    """Whether the piece was added. ValueError for what is none."""
    is_file = member.isfile() and not member.issparse() and member.size <= LARGEST
    file = archive.extractfile(member) if is_file and PIECE.fullmatch(member.name) else None
    content = b"" if file is None else file.read()
    n_rows = _rows_in(content)
    if n_rows is None:
        raise ValueError(f"it holds {member.name[:200]!a}, which is none")
    name = member.name.removesuffix(PART).removesuffix(DONE)
    whole, part = folder.path / f"{name}{DONE}", folder.path / f"{name}{PART}"
    is_part = member.name.endswith(PART)
    known = _rows_in(part.read_bytes()) if is_part and part.exists() else None
    if whole.exists() or (known is not None and known >= n_rows):
        return False
    folder.put(member.name, content)
    if not is_part:
        part.unlink(missing_ok=True)
    return True


def _rows_in(content: bytes) -> int | None:
    """How many rows a piece has; None if it is no piece."""
    try:
        with gzip.open(io.BytesIO(content)) as file:
            text = file.read(LARGEST + 1)
        piece = None if len(text) > LARGEST else json.loads(text)
    except (OSError, EOFError, ValueError, RecursionError, zlib.error):
        return None
    rows = piece.get("rows") if isinstance(piece, dict) else None
    return len(rows) if isinstance(rows, list) else None


def write_earlier(folder: Folder, path: Path) -> None:
    """What another machine must know of: names of finished pieces, and the interrupted ones."""
    path.mkdir(parents=True, exist_ok=True)
    for old in path.glob(f"*{PART}"):
        old.unlink()
    for part in folder.path.glob(f"*{PART}"):
        (path / part.name).write_bytes(part.read_bytes())
    (path / FINISHED).write_text("\n".join(sorted(folder.finished())) + "\n", encoding="utf-8")


def take_earlier(path: Path, folder: Folder) -> frozenset[str]:
    """The names of pieces finished elsewhere; interrupted ones are continued here."""
    for part in path.glob(f"*{PART}"):
        name = part.name.removesuffix(PART)
        if not any((folder.path / f"{name}{end}").exists() for end in (DONE, PART)):
            folder.put(part.name, part.read_bytes())
    return frozenset((path / FINISHED).read_text(encoding="utf-8").split())
