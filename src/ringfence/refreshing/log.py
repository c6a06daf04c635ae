"""How a learned space came to be what it is: its versions, as a file beside it.

spaces/xgboost.json             the learned space, as `ringfence learn` would write it
spaces/xgboost.history/
    log.json                    its versions, and how far the source has been read
    0001.json, 0002.json, …     every version, the present one included
    known                       what was read of the source, so that it is read once
    lock                        held while a refresh is under way
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from ringfence.errors import FileError
from ringfence.files import write_atomically
from ringfence.incoming.content import read_bytes
from ringfence.incoming.parsing import reason
from ringfence.learned.records import Count

FORMAT: Final = "ringfence.learned-space-log"
VERSION: Final = 1
SUFFIX = ".history"


class SpeedUpThen(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the check said of a version."""

    verdict: str
    draws: Count
    value: float
    low: float
    """Lower end of the 90 % interval."""
    high: float


class Drift(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was asked of new tasks, and the answer."""

    tasks: tuple[str, ...]
    p: float
    """The share of sets of tasks that look at least as new."""
    level: float
    """The share of false alarms that this look was allowed."""
    kinds: tuple[Literal["outside", "order", "together"], ...]
    found: bool
    could: bool = True
    """Whether so few tasks can show it at all."""


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One version."""

    number: Annotated[int, msgspec.Meta(ge=1)]
    time: str
    """When it was written, in UTC, as 2026-01-31T23:59:59Z."""
    digest: str
    """SHA-256 of the file."""
    tasks: Count
    rows: Count
    volume: float
    """Share of the full numeric space that it keeps."""
    changes: tuple[str, ...] = ()
    """What changed from the version before, a line each."""
    matters: tuple[str, ...] = ()
    """Why that matters; nothing if it does not."""
    speed_up: SpeedUpThen | None = None
    drift: Drift | None = None


class Watch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Which tasks are the past that new ones are compared with."""

    past: tuple[str, ...] = ()
    block: tuple[str, ...] = ()
    """New tasks that were judged and are still to be judged together with the next ones."""
    spent: float = 0.0
    """The share of false alarms that the looks at this block have used."""


class Seen(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the last refresh saw: the same again gives the same learned space."""

    source: str = ""
    """Digest of what the source held, as far as it tells."""
    request: str = ""
    """Digest of the settings and of how the source is read."""


class Log(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The whole file."""

    format: Literal["ringfence.learned-space-log"] = FORMAT
    version: Literal[1] = VERSION
    entries: tuple[Entry, ...] = ()
    watch: Watch = Watch()
    seen: Seen = Seen()

    @property
    def last(self) -> Entry | None:
        """The present version."""
        return self.entries[-1] if self.entries else None


def folder_of(path: Path) -> Path:
    """Where the history of a learned space is kept."""
    return path.with_name(f"{path.name.removesuffix('.json')}{SUFFIX}")


def read_log(path: Path) -> Log:
    """The log of the learned space at `path`; an empty one if there is none."""
    file = folder_of(path) / "log.json"
    if not file.exists():
        return Log()
    try:
        return msgspec.json.decode(read_bytes(file), type=Log)
    except (ValueError, RecursionError) as error:
        raise FileError(
            f"{file} is damaged: {reason(error)}; move the folder {folder_of(path)} away to begin "
            "anew"
        ) from error


def write_log(path: Path, log: Log) -> None:
    """Write the log of the learned space at `path`."""
    content = msgspec.json.format(msgspec.json.encode(_complete(log)), indent=1)
    write_atomically(folder_of(path) / "log.json", content + b"\n")


def _complete(log: Log) -> dict[str, object]:
    """The log with its header, which `omit_defaults` would leave out."""
    record: dict[str, object] = msgspec.to_builtins(log)
    return {"format": FORMAT, "version": VERSION, **record}
