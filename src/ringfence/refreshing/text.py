"""A refresh and the history of a learned space, in words."""

from __future__ import annotations

from pathlib import Path

from ringfence.refreshing.log import Drift, Entry, Log, SpeedUpThen, folder_of
from ringfence.refreshing.matters import drift_line
from ringfence.refreshing.refresh import Outcome
from ringfence.rendering.layout import Part, Table
from ringfence.words import percent

HEAD = ("version", "written", "tasks", "runs", "kept", "speed-up", "drift", "matters")


def outcome_parts(outcome: Outcome) -> list[Part]:
    """What a refresh did."""
    entry, path = outcome.entry, Path(outcome.path)
    if not outcome.changed:
        return [f"{path} is current: version {entry.number} of {entry.time}", f"  {outcome.note}"]
    title = "would be version" if outcome.dry_run else "version"
    said: list[Part] = []
    if entry.speed_up is not None:
        then = None if outcome.before is None else outcome.before.speed_up
        said.append(_speed_ups(then, entry.speed_up))
    if entry.drift is not None:
        said.append(drift_line(entry.drift))
    if outcome.before is not None:
        said += matter_lines(entry)
    return [
        f"{path}: {title} {entry.number}",
        f"  {outcome.note}",
        "",
        *entry.changes,
        *(["", *said] if said else []),
        "",
        _written(outcome),
    ]


def matter_lines(entry: Entry) -> list[str]:
    """Whether a version matters, and why."""
    return [f"it matters: {reason}" for reason in entry.matters] or ["it matters little"]


def history_table(log: Log) -> list[list[str]]:
    """The versions, the newest first, as rows of text below their head."""
    return [list(HEAD), *(_row(entry) for entry in reversed(log.entries))]


def history_parts(log: Log, path: Path) -> list[Part]:
    """How a learned space came to be what it is: a table, then each version in words."""
    if not log.entries:
        return [f"{path} has no history; ringfence refresh RUNS -o {path} begins one"]
    parts: list[Part] = [Table(history_table(log), floors={1: 20}, right=(0, 2, 3, 4))]
    for entry in reversed(log.entries):
        parts += ["", f"version {entry.number}, {entry.time}", *(f"  {c}" for c in entry.changes)]
        if entry.drift is not None:
            parts.append(f"  {drift_line(entry.drift)}")
        parts += [f"  it matters: {reason}" for reason in entry.matters]
    return parts


def _row(entry: Entry) -> list[str]:
    up = entry.speed_up
    return [
        f"{entry.number}",
        entry.time,
        f"{entry.tasks}",
        f"{entry.rows:,}",
        percent(entry.volume),
        "" if up is None else f"{up.value:.2g} ({up.verdict})",
        _found(entry.drift),
        "yes" if entry.matters else "little",
    ]


def _found(drift: Drift | None) -> str:
    if drift is None:
        return ""
    return "found" if drift.found else ("none" if drift.could else "too few")


def _speed_ups(then: SpeedUpThen | None, now: SpeedUpThen) -> str:
    before = "" if then is None else f", {_one(then)} in the version before"
    return f"speed-up after {now.draws} trials: {_one(now)}{before}"


def _one(up: SpeedUpThen) -> str:
    return f"{up.value:.2g} ({up.low:.2g} to {up.high:.2g}; {up.verdict})"


def _written(outcome: Outcome) -> str:
    if outcome.dry_run:
        return "nothing was written (--dry-run)"
    if outcome.before is None:
        return f"written to {outcome.path}"
    kept = folder_of(Path(outcome.path)) / f"{outcome.before.number:04}.json"
    return f"written to {outcome.path}; version {outcome.before.number} is kept in {kept}"
