"""The entries of the hub: found by their names, read with the care of any file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import msgspec

from ringfence.checks import integer
from ringfence.errors import FileError, SettingError
from ringfence.history.history import History
from ringfence.incoming.parsing import reason
from ringfence.learned.file import decode
from ringfence.learned.hub.display import entry_html, entry_text
from ringfence.learned.hub.past import folder, history_of
from ringfence.learned.hub.records import EntryRecord, PartRecord
from ringfence.learned.space import LearnedSpace
from ringfence.words import did_you_mean

KINDS = ("classification", "regression", "any")
"""What the `task` of a part may be."""
FAR = 2
"""Data of twice the most rows, or half the least, are told apart from what is known."""
MOST_ROWS = 10**15
"""More than any data have, and few enough digits to be said."""


@dataclass(frozen=True, eq=False)
class HubEntry:
    """One learner of the hub; `rf.hub()[name]` gives it, and `print` says what it was learned from,
    how it was judged, for which sizes it holds, and its licence.

    Examples:
        >>> import ringfence as rf
        >>> entry = rf.hub()["catboost-tabr"]
        >>> entry.record.learner, entry.record.dense
        ('catboost', False)
    """

    record: EntryRecord
    """What the entry's file says."""

    @property
    def name(self) -> str:
        """Its name.

        Examples:
            >>> import ringfence as rf
            >>> rf.hub()["catboost-tabr"].name
            'catboost-tabr'
        """
        return self.record.name

    def part(self, task: str | None = None, rows: int | None = None) -> PartRecord:
        """The part that holds for such a task.

        Args:
            task: 'classification' or 'regression'; None or 'any' takes what both share.
            rows: number of rows to train on; None takes what all sizes share.

        Raises:
            SettingError: no such kind of task, or one that the entry does not know.

        Examples:
            >>> import ringfence as rf
            >>> rf.hub()["catboost-tabr"].part("regression").task
            'regression'
        """
        rows, parts = integer(rows, "rows", 1), self._parts_for(task)
        whole = next(part for part in parts if part.is_whole)
        if rows is None:
            return whole
        return next((part for part in parts if part is not whole and part.holds(rows)), whole)

    def _parts_for(self, task: str | None) -> list[PartRecord]:
        """The parts for a kind of task; unless one is said those that both share, or those of the
        only kind."""
        if task not in (None, *KINDS):
            raise SettingError(f"task must be 'classification' or 'regression', not {task!r}")
        by_kind: dict[str, list[PartRecord]] = {}
        for part in self.record.parts:
            by_kind.setdefault(part.task, []).append(part)
        if task is None and "any" not in by_kind:
            if len(by_kind) > 1:
                raise SettingError(
                    f"the spaces of {self.name!r} differ: say task='classification' or "
                    f"'regression' (--task), or, beside own runs, hub='{self.name}/classification' "
                    "or '…/regression' (--hub)"
                )
            return next(iter(by_kind.values()))
        wanted = "any" if task is None else task
        if wanted not in by_kind:
            known = ", ".join(map(repr, by_kind))
            raise SettingError(f"{self.name!r} knows no task {task!r}; it knows {known}")
        return by_kind[wanted]

    def space(self, task: str | None = None, rows: int | None = None) -> LearnedSpace:
        """The learned space for such a task, as `rf.hub(name, task=…, rows=…)` gives it.

        Args:
            task: as in `part`.
            rows: as in `part`.

        Examples:
            >>> import ringfence as rf
            >>> rf.hub()["catboost-tabr"].space().shape in ("box", "ellipsoid", "full")
            True
        """
        part = self.part(task, rows)
        learned = self.space_of_part(part)
        needs = [f"to be set, too: {self.record.needs}"] if self.record.needs else []
        notes = (*learned.provenance.notes, *needs, *beyond(part, rows))
        past = msgspec.structs.replace(learned.provenance, notes=notes)
        return replace(learned, provenance=past)

    def space_of_part(self, part: PartRecord) -> LearnedSpace:
        """The learned space of one part of this entry.

        Args:
            part: one of `record.parts`.

        Examples:
            >>> import ringfence as rf
            >>> entry = rf.hub()["catboost-tabr"]
            >>> entry.space_of_part(entry.record.parts[0]).hub
            'catboost-tabr/any'
        """
        return decode(bytes(part.space), f"the hub's {self.name!r}")

    def history(self, task: str | None = None, rows: int | None = None) -> History:
        """The rows that the entry keeps: of dense ones the most telling of each task, else the best
        of each.

        Args:
            task: as in `part`.
            rows: as in `part`.

        Examples:
            >>> import ringfence as rf
            >>> history = rf.hub()["catboost-tabr"].history()
            >>> len(history) == len(history.tasks)
            True
        """
        return self.history_of_part(self.part(task, rows))

    def history_of_part(self, part: PartRecord) -> History:
        """The same for a part of this entry.

        Args:
            part: one of `record.parts`.

        Examples:
            >>> import ringfence as rf
            >>> entry = rf.hub()["catboost-tabr"]
            >>> len(entry.history_of_part(entry.record.parts[0]).roles.parameters)
            5
        """
        return history_of(self.record, part)

    def __str__(self) -> str:
        return entry_text(self.record)

    def _repr_html_(self) -> str:
        return entry_html(self.record)

    def __repr__(self) -> str:
        parts = ", ".join(f"{part.task} ({part.sizes})" for part in self.record.parts)
        return f"HubEntry({self.name!r}: {parts})"


def beyond(part: PartRecord, rows: int | None) -> list[str]:
    """A note if the data are far from all that the part was learned from."""
    least, most = part.rows
    if rows is None or (least <= rows * FAR and rows <= most * FAR):
        return []
    told = f"{rows:,}" if rows <= MOST_ROWS else f"more than {MOST_ROWS:,}"
    return [f"the hub knows data of {least:,} to {most:,} rows, and these are {told}"]


@cache
def names() -> tuple[str, ...]:
    """The names of all entries."""
    files = (entry.name for entry in folder().iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in files if name.endswith(".json")))


def entry(name: str) -> HubEntry:
    """The entry of this name, or SettingError."""
    if name not in names():
        hint = did_you_mean(str(name).lower().split("/")[0], names())
        if "/" in str(name):
            hint = "the kind is another argument: rf.hub('lightgbm', task='regression')"
        raise SettingError(
            f"the hub has no entry {name!r}; {hint or 'it has ' + ', '.join(names())}"
        )
    return _read(name)


@cache
def _read(name: str) -> HubEntry:
    return HubEntry(decode_entry((folder() / f"{name}.json").read_bytes(), f"{name}.json"))


def decode_entry(content: bytes, name: str) -> EntryRecord:
    """The entry behind the content of a file; `name` is for the error message."""
    try:
        record = msgspec.json.decode(content, type=EntryRecord)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{name} is no entry of the hub: {reason(error)}") from error
    kinds = {part.task for part in record.parts}
    if partial := sorted(kinds - {part.task for part in record.parts if part.is_whole}):
        raise FileError(
            f"{name} is no entry of the hub: no part of {partial[0]!r} is for data of any size"
        )
    return record


def part_behind(learned: LearnedSpace) -> tuple[HubEntry, PartRecord] | None:
    """The entry of the hub that a learned space comes from, and which part of it; None if it comes
    from elsewhere, or from one that this version does not have."""
    name, _, key = learned.hub.partition("/")
    if name not in names():
        return None
    found = entry(name)
    if not set(found.record.parameters) & learned.space.parameters.keys():
        return None  # whatever its file says
    return next(((found, part) for part in found.record.parts if part.key == key), None)


def past_of(learned: LearnedSpace) -> History | None:
    """The rows behind a learned space of the hub, as they ship with this version; None for any
    other, and for one of which the hub knows only the best row of each task."""
    behind = part_behind(learned)
    if behind is None or not behind[0].record.dense:
        return None
    return behind[0].history_of_part(behind[1])
