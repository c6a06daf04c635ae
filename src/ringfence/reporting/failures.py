"""The no-go zone for the page: its words, and the runs along what it bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.checking.display.text import zone_lines
from ringfence.checking.result import Check
from ringfence.history import History, usable_rows
from ringfence.learned.fitting import columns_of
from ringfence.learned.space import LearnedSpace
from ringfence.learned.zone.rule import combined

BINS = 24  # bars of the chart


@dataclass(frozen=True)
class ZoneFacts:
    """What is said and drawn of a zone."""

    lines: tuple[str, ...]
    axis: str
    """What the zone bounds: 'batch × width'."""
    threshold: float
    below: bool
    log: bool
    edges: tuple[float, ...]
    """Of the bars, one more than there are."""
    runs: tuple[int, ...]
    failed: tuple[int, ...]


def zone_facts(history: History, learned: LearnedSpace, check: Check | None) -> ZoneFacts | None:
    """None if there is no zone."""
    zone = learned.zone
    if zone is None:
        return None
    usable = usable_rows(history, learned.space)
    passed, failed = (
        _scores(learned, columns_of(learned.space, rows)) for rows in (usable.frame, usable.failed)
    )
    every = np.concatenate([passed, failed])
    low, high = float(every.min()), float(every.max())
    log = low > 0.0 and high > 10.0 * low
    edges = np.geomspace(low, high, BINS + 1) if log else np.linspace(low, high, BINS + 1)
    edges[[0, -1]] = low, high
    bad = np.histogram(failed, edges)[0]
    said = () if check is None else tuple(zone_lines(check.zone)[1:])
    told = zone.told(len(learned.tasks))
    lines = tuple(line[:1].upper() + line[1:] + "." for line in (told, *said))
    return ZoneFacts(
        lines,
        zone.axis,
        zone.threshold,
        zone.below,
        log,
        tuple(edges.tolist()),
        tuple((np.histogram(passed, edges)[0] + bad).tolist()),
        tuple(bad.tolist()),
    )


def _scores(learned: LearnedSpace, columns: dict[str, FloatArray]) -> FloatArray:
    """What the zone bounds at the runs that have its parameters and are of its choice."""
    zone = learned.zone
    assert zone is not None
    scores = combined([columns[name] for name in zone.parameters], ratio=zone.ratio)
    return np.asarray(scores[zone.concerns(learned.space, columns) & np.isfinite(scores)])
