"""Versions of a learned space. A new one is written beside the old ones first, then named in the
log, then put in place, each step atomically: whoever is killed in between leaves something that the
next refresh finishes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import msgspec

from ringfence.errors import FileError
from ringfence.files import write_atomically
from ringfence.incoming.content import read_bytes
from ringfence.learned.file import decode
from ringfence.learned.space import LearnedSpace
from ringfence.refreshing.log import Entry, Log, Seen, folder_of, read_log, write_log

FOUND = "found as it is; another command wrote it"


@dataclass(frozen=True)
class Versions:
    """The learned space at `path` and its history."""

    path: Path
    log: Log
    content: bytes | None
    """Of the present version."""

    @classmethod
    def of(cls, path: Path, time: str, *, look_only: bool) -> Versions:
        """What is there, once what a killed refresh left is finished, and a file of another
        command's is a version of its own. Nothing is written with `look_only`."""
        log = read_log(path)
        content = read_bytes(path) if path.exists() else None
        last = log.last
        if last is not None and (content is None or digest_of(content) != last.digest):
            before = [entry.digest for entry in log.entries[:-1]]
            kept = _file(path, last.number)
            if (content is None or digest_of(content) in before) and kept.exists():
                content = read_bytes(kept)
                if not look_only:
                    write_atomically(path, content)
        found = cls(path, log, content)
        if content is not None and (last is None or digest_of(content) != last.digest):
            entry = entry_of(decode(content, str(path)), content, found.next_number, time)
            entry = msgspec.structs.replace(entry, changes=(FOUND,))
            unseen = msgspec.structs.replace(log, seen=Seen())  # it came of we do not know what
            return found.grown(entry, content, unseen, look_only=look_only)
        return found

    @property
    def next_number(self) -> int:
        """The number of the version to come."""
        return 1 if self.log.last is None else self.log.last.number + 1

    @property
    def learned(self) -> LearnedSpace | None:
        """The present version."""
        return None if self.content is None else decode(self.content, str(self.path))

    def grown(self, entry: Entry, content: bytes, log: Log, *, look_only: bool = False) -> Versions:
        """One version more; `log` has what else is to be remembered."""
        log = msgspec.structs.replace(log, entries=(*self.log.entries, entry))
        if not look_only:
            write_atomically(_file(self.path, entry.number), content)
            write_log(self.path, log)
            write_atomically(self.path, content)
        return Versions(self.path, log, content)


def entry_of(learned: LearnedSpace, content: bytes, number: int, time: str) -> Entry:
    """A version without a word on what changed."""
    return Entry(
        number,
        time,
        digest_of(content),
        tasks=len(learned.tasks),
        rows=learned.provenance.rows_used,
        volume=learned.volume_fraction,
    )


def digest_of(content: bytes) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(content).hexdigest()


def made(path: Path) -> Path:
    """The folder of the history of a learned space, made if it is not there."""
    folder = folder_of(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot write {folder}: {error.strerror}") from error
    return folder


def _file(path: Path, number: int) -> Path:
    return folder_of(path) / f"{number:04}.json"
