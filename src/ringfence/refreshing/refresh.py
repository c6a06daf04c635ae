"""refresh: read what is new, learn again if something changed, keep the old version."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from ringfence.checking import check
from ringfence.checking.verdict import JUDGED_AT
from ringfence.files import write_atomically
from ringfence.history import History, PreparedHistory
from ringfence.history.readers.shared.memory import Memory, Unchanged
from ringfence.incoming.content import is_file, read_bytes
from ringfence.learned.diff import describe
from ringfence.learned.file_format import encode
from ringfence.learned.space import LearnedSpace
from ringfence.learning import learn
from ringfence.refreshing.lock import locked
from ringfence.refreshing.log import Entry, Log, Seen, SpeedUpThen, folder_of, write_log
from ringfence.refreshing.matters import reasons
from ringfence.refreshing.request import Request
from ringfence.refreshing.sources import digest_of_source
from ringfence.refreshing.versions import Versions, entry_of, made
from ringfence.refreshing.watch import watched

FIRST = "the first version"


class Outcome(msgspec.Struct, frozen=True):
    """What a refresh did, or would do."""

    path: str
    changed: bool
    dry_run: bool
    entry: Entry
    """The present version, or the one that would be written."""
    before: Entry | None
    """The version before, if this refresh made a new one."""
    note: str
    """How much was read."""

    @property
    def matters(self) -> bool:
        """Whether there is a new version that matters."""
        return self.changed and bool(self.entry.matters)


def refresh(
    request: Request,
    path: Path,
    *,
    dry_run: bool = False,
    everything: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Bring the learned space at `path` up to date; BusyError if another process is at it.

    Args:
        request: which runs, and what is learned from them.
        path: of the learned space. Its history is kept in the folder beside it; folders are made.
        dry_run: say what would be done, and write nothing.
        everything: read and learn again, whatever is known.
        progress: called with the number of steps done and of all.
    """
    digest = None if request.asks_a_database else digest_of_source(request.source)
    lock = nullcontext() if dry_run else locked(made(path) / "lock", path)
    with lock:
        time = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        versions = Versions.of(path, time, look_only=dry_run)
        attempt = _Attempt(request, versions, time, dry_run=dry_run, progress=progress)
        return attempt.made(digest, everything=everything)


@dataclass(frozen=True)
class _Attempt:
    """One refresh, with the lock held."""

    request: Request
    versions: Versions
    time: str
    dry_run: bool
    progress: Callable[[int, int], None] | None

    def made(self, digest: str | None, *, everything: bool) -> Outcome:
        """The outcome; `digest` is that of the source if it has one before it is read."""
        seen = self.versions.log.seen
        same = not everything and self.versions.content is not None
        same = same and seen.request == self.request.digest
        if same and digest is not None and digest == seen.source:
            return self._unchanged("nothing was read: the source is as it was")
        memory = Memory(
            None if everything else _kept(self.versions.path), seen.source if same else None
        )
        try:
            history = self.request.read(memory)
        except Unchanged:
            return self._unchanged(memory.note)
        source = memory.digest or digest or _digest_of(history)
        note = memory.note or f"{len(history):,} runs were read"
        if same and source == seen.source:
            return self._unchanged(note)
        return self._learned(history, Seen(source, self.request.digest), memory, note)

    def _unchanged(self, note: str) -> Outcome:
        entry = self.versions.log.last
        assert entry is not None  # there is a file, and so a version
        path = str(self.versions.path)
        return Outcome(path, False, self.dry_run, entry, None, note)

    def _learned(self, history: History, seen: Seen, memory: Memory, note: str) -> Outcome:
        request, versions = self.request, self.versions
        learned = learn(
            history,
            request.space,
            **request.settings,
            starts=request.starts,
            progress=self.progress,
        )
        content = encode(learned)
        log = msgspec.structs.replace(versions.log, seen=seen)
        if content == versions.content:
            if not self.dry_run:
                self._remember(memory)
                write_log(versions.path, self._with_past(history, log))
            return self._unchanged(note)
        entry, log = self._entry(history, learned, content, log)
        if not self.dry_run:
            self._remember(memory)
        versions.grown(entry, content, log, look_only=self.dry_run)
        before = versions.log.last
        return Outcome(str(versions.path), True, self.dry_run, entry, before, note)

    def _entry(
        self, history: History, learned: LearnedSpace, content: bytes, log: Log
    ) -> tuple[Entry, Log]:
        """The new version with what is to be said of it."""
        versions, old = self.versions, self.versions.learned
        entry = entry_of(learned, content, versions.next_number, self.time)
        watch, drift = watched(self._prepared(history), log.watch)
        now = self._speed_up(history, learned) if self.request.check else None
        then = None if versions.log.last is None else versions.log.last.speed_up
        inferred = self.request.space is None and history.space is None
        why = () if old is None else reasons(old, learned, drift, then, now, inferred=inferred)
        entry = msgspec.structs.replace(
            entry,
            changes=_changes(old, learned),
            matters=why,
            speed_up=now,
            drift=drift,
        )
        return entry, msgspec.structs.replace(log, watch=watch)

    def _with_past(self, history: History, log: Log) -> Log:
        """The log of a file that this refresh found and would not change: its tasks are the
        past."""
        if log.watch.past:
            return log
        watch, _ = watched(self._prepared(history), log.watch)
        return msgspec.structs.replace(log, watch=watch)

    def _prepared(self, history: History) -> PreparedHistory:
        return PreparedHistory.of(history, self.request.space, learn)

    def _speed_up(self, history: History, learned: LearnedSpace) -> SpeedUpThen | None:
        if len(learned.tasks) < 2:
            return None
        result = check(history, self.request.space, **self.request.settings, starts=0)
        ups = [up for up in result.speed_ups if up.draws == JUDGED_AT]
        if not ups or not math.isfinite(ups[0].high):
            return None
        return SpeedUpThen(result.verdict, JUDGED_AT, ups[0].value, ups[0].low, ups[0].high)

    def _remember(self, memory: Memory) -> None:
        if memory.digest is not None:
            write_atomically(folder_of(self.versions.path) / "known", memory.content())


def _changes(old: LearnedSpace | None, new: LearnedSpace) -> tuple[str, ...]:
    """What changed, a line each."""
    if old is None:
        return (FIRST,)
    lines = describe(old, new)
    before, after = old.provenance.rows_used, new.provenance.rows_used
    runs = f"{after:,} runs count, {before:,} before"
    return (*lines, runs) if lines != describe(new, new) else (f"the space is the same; {runs}",)


def _kept(path: Path) -> bytes | None:
    """What an earlier refresh knows of the source."""
    file = folder_of(path) / "known"
    return read_bytes(file) if is_file(file) else None


def _digest_of(history: History) -> str:
    """What was read, for a source that does not tell by itself."""
    apart = ("frame", "places")
    told = {f.name: getattr(history, f.name) for f in fields(history) if f.name not in apart}
    digest = hashlib.sha256(repr(told).encode(errors="replace"))
    digest.update(history.frame.hash_rows().to_numpy().tobytes())
    return digest.hexdigest()
