"""What is new in an Optuna storage since an earlier read.

A finished trial never changes, so it is read once. Of every study the storage is asked for a line:
how many trials it has, the sums of their ids and of their values, how many are unfinished, when
they began and ended. A study whose line is the same and that has no unfinished trial is not looked
at. Of the others the trials are listed, and those that are new, or were unfinished, are read. A
study of which a trial is gone, or is another one, is read from the beginning: it may have been made
anew under its old ids, of copies with their old times.

Ids are compared one by one and not by the largest of them: a transaction may commit a lower id
after a higher one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol

import polars as pl

from ringfence.history.readers.optuna.rows import Rows, StudyInfo, last_times, long_table
from ringfence.history.readers.optuna.tables import Selects
from ringfence.history.readers.shared.memory import Memory

LISTED = {
    "trial": pl.Int64,
    "study": pl.Int64,
    "number": pl.Int64,
    "state": pl.String,
    "ended": pl.String,
    "value": pl.Float64,
}
STUDIES = {"study": pl.Int64, "line": pl.String}
DISTRIBUTIONS = {"study": pl.Int64, "name": pl.String, "text": pl.String, "first": pl.Int64}
ASKED = {"line": pl.String}
FRAMES = tuple(field.name for field in fields(Rows) if field.type == "pl.DataFrame")
"""The tables of trials."""
UNFINISHED = ("running", "waiting")
MOST_NAMED = 1000
"""Trials that a query names one by one; a study with more of them is read from the beginning."""


class Storage(Protocol):
    """The tables of a storage, within one transaction."""

    def table(self, select: str) -> list[tuple[Any, ...]]:
        """The rows of a query."""

    def rows(self, studies: tuple[StudyInfo, ...], selects: Selects) -> Rows:
        """The trials that the queries ask for."""


class NewTrials(Selects):
    """The queries for all trials of some studies, and for some trials of others."""

    def __init__(self, whole: Collection[int], grown: Collection[int], trials: Trials) -> None:
        super().__init__((*whole, *grown))
        self._whole, self._grown, self._trials = Selects(tuple(whole)), tuple(grown), trials

    def _chosen(self) -> str:
        if not self._grown:
            return self._whole._chosen()
        named = ", ".join(map(str, self._trials.named)) or "NULL"
        new = f"(t.trial_id > {self._trials.after} OR t.trial_id IN ({named}))"
        return f"({self._whole._chosen()} OR ({Selects(self._grown)._chosen()} AND {new}))"


@dataclass(frozen=True)
class Trials:
    """Those with an id above `after`, and those that are named."""

    after: int
    named: tuple[int, ...]


def read_new(
    memory: Memory,
    asked: Sequence[str],
    studies: tuple[StudyInfo, ...],
    every: Selects,
    storage: Storage,
) -> Rows:
    """All trials of the studies, those that are known from the memory, which then knows them all.
    `every` is the queries for all of them; what was `asked` of another storage is of no use."""
    known = memory.tables if _asked(memory) == list(asked) else {}
    keys = tuple(study.key for study in studies)
    times = storage.table(every.times())
    lines = _study_lines(storage.table(every.counts()), times, storage.table(every.sums()))
    before = dict(known["studies"].iter_rows()) if known else {}
    changed = [key for key in keys if before.get(key) != lines.get(key, "") or _is_open(lines, key)]
    listed = _listed(storage, every if len(changed) == len(keys) else Selects(tuple(changed)))
    old = known.get("listed", pl.DataFrame(schema=LISTED))
    old = old.filter(pl.col("study").is_in(keys))
    whole, trials, gone = _wanted(old, listed, changed)
    grown = [key for key in changed if key not in whole]
    new = every if len(whole) == len(keys) else NewTrials(whole, grown, trials)
    fresh = storage.rows(studies, new)
    kept = old.filter(
        ~pl.col("study").is_in(whole) & ~pl.col("trial").is_in(fresh.trials["trial"].implode())
    )
    rows = _joined(known, kept, fresh, whole)
    rows = replace(rows, times=last_times((s, t) for s, *ends in times for t in ends))
    tables = {
        "asked": pl.DataFrame({"line": list(asked)}, schema=ASKED),
        "studies": pl.DataFrame([(k, lines.get(k, "")) for k in keys], STUDIES, orient="row"),
        "listed": pl.concat([old.filter(~pl.col("study").is_in(changed)), listed]),
        "distributions": _distributions(rows),
        **{name: getattr(rows, name) for name in FRAMES},
    }
    read, count = fresh.trials.height, rows.trials.height
    note = f"{read:,} of {count:,} trials were read, the others are known"
    note = note if read < count else f"{count:,} trials were read"
    if gone:
        note += f"; gone or others since the last time: {gone:,}"
    memory.keep(tables, _digest(studies, lines, rows), note)
    return rows


def _asked(memory: Memory) -> list[str]:
    """What a memory was made for; nothing if it lacks a table that is needed."""
    needed = {"asked", "studies", "listed", "distributions", *FRAMES}
    if not needed <= memory.tables.keys() or dict(memory.tables["listed"].schema) != LISTED:
        return []
    return memory.tables["asked"]["line"].to_list()


def _study_lines(
    counts: Sequence[tuple[Any, ...]],
    times: Sequence[tuple[Any, ...]],
    sums: Sequence[tuple[Any, ...]],
) -> dict[int, str]:
    """What tells whether anything happened in each study. A server may add values in another order
    each time: then the trials of a study are listed, and are the same."""
    lines = {key: [str(int(number)) for number in numbers] for key, *numbers in counts}
    values = {key: f"{value:.9g}" for key, value in sums if value is not None}
    return {
        key: " ".join([*lines.get(key, []), *map(str, ends), values.get(key, "none")])
        for key, *ends in times
    }


def _is_open(lines: dict[int, str], key: int) -> bool:
    """Whether a study has unfinished trials, of which more may be known by now."""
    return lines.get(key, "0 0 0").split()[2] != "0"


def _listed(storage: Storage, selects: Selects) -> pl.DataFrame:
    """The trials of some studies, with when they ended."""
    rows = [
        (trial, study, number, str(state).lower(), None if ended is None else str(ended), value)
        for trial, study, number, state, ended, value in storage.table(selects.listed())
    ]
    return long_table(rows, LISTED)


def _wanted(
    old: pl.DataFrame, listed: pl.DataFrame, changed: Sequence[int]
) -> tuple[list[int], Trials, int]:
    """The studies to read from the beginning, the trials to read of the other changed ones, and how
    many trials are gone or are others."""
    old = old.filter(pl.col("study").is_in(changed))
    finished = old.filter(~pl.col("state").is_in(UNFINISHED))
    same = finished.join(listed, on=list(LISTED), how="semi", nulls_equal=True)
    open_still = old.filter(pl.col("state").is_in(UNFINISHED)).join(
        listed, on=["trial", "study", "number"], how="semi"
    )
    lost = old.join(pl.concat([same, open_still]), on="trial", how="anti")["study"]
    whole = set(lost) | (set(changed) - set(old["study"]))
    new = listed.filter(~pl.col("study").is_in(list(whole))).join(same, on="trial", how="anti")
    after = int(old["trial"].max() or 0)  # type: ignore[arg-type]
    named = new.filter(pl.col("trial") <= after)
    if named.height > MOST_NAMED:
        whole |= set(named["study"])
        named = named.clear()
    return sorted(whole), Trials(after, tuple(named["trial"])), len(lost)


def _joined(
    known: dict[str, pl.DataFrame], kept: pl.DataFrame, fresh: Rows, whole: Sequence[int]
) -> Rows:
    """The trials that are kept and the fresh ones, as if all had been read at once."""
    if not known:
        return fresh
    frames = {
        name: pl.concat([known[name].join(kept, on="trial", how="semi"), getattr(fresh, name)])
        for name in FRAMES
    }
    frames["trials"] = frames["trials"].sort("study", "number")
    is_kept = pl.col("study").is_in(kept["study"].implode()) & ~pl.col("study").is_in(whole)
    used = pl.concat([known["distributions"].filter(is_kept), _distributions(fresh)])
    used = used.group_by("study", "name", "text").agg(pl.col("first").min()).sort("first")
    return replace(
        fresh,
        distributions=tuple(used.select("study", "name", "text").iter_rows()),
        first_uses=tuple(used["first"]),
        **frames,
    )


def _distributions(rows: Rows) -> pl.DataFrame:
    each = [(*used, first) for used, first in zip(rows.distributions, rows.first_uses)]
    return pl.DataFrame(each, DISTRIBUTIONS, orient="row")


def _digest(studies: Sequence[StudyInfo], lines: dict[int, str], rows: Rows) -> str:
    """What the storage holds: of studies all that is known, of their trials the lines, and of
    unfinished trials everything."""
    told = [[s.key, s.name, s.directions, s.metrics, dict(s.attributes)] for s in studies]
    digest = hashlib.sha256(json.dumps([told, sorted(lines.items())], default=str).encode())
    unfinished = rows.trials.filter(pl.col("state").is_in(UNFINISHED))
    for name in FRAMES:
        part = getattr(rows, name).join(unfinished, on="trial", how="semi")
        digest.update(part.sort(part.columns).write_csv().encode())
    return digest.hexdigest()
