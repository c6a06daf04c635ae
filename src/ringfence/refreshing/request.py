"""What is to be kept current: which runs, and what is learned from them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec

from ringfence.errors.addresses import shown
from ringfence.history import History
from ringfence.history.readers.dispatch import reader_options
from ringfence.history.readers.shared.memory import Memory
from ringfence.history.readers.shared.sqlite import is_sqlite
from ringfence.history.runs import as_history
from ringfence.learned.settings import Starts
from ringfence.learning import learn
from ringfence.space import Space
from ringfence.version import __version__


@dataclass(frozen=True)
class Request:
    """Which runs, and what is learned from them."""

    source: str
    reading: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of `read_history`."""
    mend: Callable[[History], History] | None = None
    """What is done to the runs that were read: other names, values, units."""
    said: tuple[str, ...] = ()
    """The same in words, by which another mend is told."""
    space: Space | Literal["latest"] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of `learn`."""
    starts: Starts = "auto"
    check: bool = True
    """Whether a new version is checked."""

    @property
    def digest(self) -> str:
        """The same digest, the same learned space from the same runs; no secrets are in it."""
        asked = (
            shown(self.source),
            sorted(self.reading.items()),
            self.said,
            msgspec.to_builtins(self.space),
            sorted(self.settings.items()),
            self.starts,
        )
        told = repr((__version__, asked))
        return hashlib.sha256(told.encode(errors="replace")).hexdigest()

    @property
    def asks_a_database(self) -> bool:
        """Whether it is read from a file of SQLite that is asked only for what is new."""
        return self.has_memory and is_sqlite(Path(self.source))

    @property
    def has_memory(self) -> bool:
        """Whether the reader asks a source only for what is new."""
        return "memory" in reader_options(self.source, self.reading.get("format"))

    def read(self, memory: Memory) -> History:
        """The runs; Unchanged if the source says that there are no others than last time."""
        reading = {name: value for name, value in self.reading.items() if value is not None}
        if self.has_memory:
            reading["memory"] = memory
        space = self.space if isinstance(self.space, Space) else None
        history = as_history(self.source, reading, learn, space)
        return history if self.mend is None else self.mend(history)
