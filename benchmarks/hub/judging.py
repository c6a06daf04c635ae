"""How a space fares on data sets that are left out, all splits of each at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

import ringfence as rf
from benchmarks.hub.runs import HubRuns
from ringfence.learned.hub.past import DATA_SET, LOSS, TASK

SETTINGS: tuple[dict[str, Any], ...] = (
    {"shape": "box"},
    {"shape": "box", "outliers": 0.05, "refit": True},
    {"shape": "box", "outliers": 0.1, "refit": True},
    {"shape": "ellipsoid"},
    {"shape": "ellipsoid", "outliers": 0.05, "refit": True},
)
"""What is tried, the most careful first."""
FULL = {"shape": "full"}
"""Where no region holds enough: the declared space, with starting points."""
COVERED, VOLUME = 0.9, 0.5
"""Share of the left-out optima that are to lie inside, and the share of the space to hold them."""
FOLDS = 10
"""Groups of data sets that are left out in turn."""


@dataclass(frozen=True)
class Judged:
    """The chosen settings, and what their region holds of data sets that did not teach it."""

    settings: dict[str, Any]
    covered: float


def best_rows(runs: HubRuns) -> HubRuns:
    """The best row of each task."""
    best = (
        runs.frame.drop_nulls(LOSS)
        .sort(LOSS, maintain_order=True)
        .unique([TASK], maintain_order=True)
    )
    return replace(runs, frame=best.sort(DATA_SET, TASK))


def judged(runs: HubRuns, kind: str) -> Judged:
    """The settings of the smallest region that holds COVERED of the optima of data sets that are
    left out, else those of the full space; and what it holds of them."""
    best = best_rows(runs)
    right = []
    for settings in SETTINGS:
        covered = coverage(best, kind, settings)
        if covered >= COVERED:
            volume = learn(best, kind, settings).volume_fraction
            right.append((volume, Judged(settings, covered)))
    return min(right, key=lambda pair: pair[0])[1] if right else Judged(FULL, 1.0)


def coverage(best: HubRuns, kind: str, settings: dict[str, Any]) -> float:
    """The share of the optima of left-out data sets inside, the mean over data sets."""
    covered: dict[str, float] = {}
    for left_out in folds_of(best.data_sets):
        learned = learn(best.only(~pl.col(DATA_SET).is_in(left_out)), kind, settings)
        covered |= inside(learned, best, left_out)
    return float(np.mean(list(covered.values())))


def folds_of(data_sets: Iterable[str]) -> list[list[str]]:
    """Groups of data sets that are left out together."""
    names = sorted(set(data_sets))
    folds = np.random.default_rng(0).permutation(len(names)) % FOLDS
    groups = [[name for name, its in zip(names, folds) if its == fold] for fold in range(FOLDS)]
    return [group for group in groups if group]


def learn(runs: HubRuns, kind: str, settings: dict[str, Any], **more: Any) -> rf.LearnedSpace:
    """The learned space of some of the runs."""
    return rf.learn(runs.history(kind), runs.space(kind), **{"starts": 0, **settings, **more})


def inside(learned: rf.LearnedSpace, best: HubRuns, data_sets: Sequence[str]) -> dict[str, float]:
    """The share of each data set's optima that lie inside."""
    shares: dict[str, list[bool]] = {}
    for row in best.only(pl.col(DATA_SET).is_in(data_sets)).frame.iter_rows(named=True):
        config = {name: row[name] for name in learned.space if row[name] is not None}
        shares.setdefault(row[DATA_SET], []).append(learned.contains(config))
    return {name: float(np.mean(them)) for name, them in shares.items()}
