"""Whether trials and earlier tasks that a file names can be what an optimizer saved.

A file may be damaged, or changed by hand: what does not fit together would be searched in silence.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ringfence.errors import FileError, SpaceError
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.method import Setup
from ringfence.optimize.transfer.sources import Source
from ringfence.optimize.trial import Trial


def check_trials(trials: Sequence[Trial], setup: Setup) -> None:
    """FileError if a trial is out of order, outside what is searched, or contradicts itself."""
    for number, trial in enumerate(trials):
        if trial.number != number:
            raise FileError(f"trial {trial.number} stands in the place of trial {number}")
        fault = _state_fault(trial) or _origin_fault(trial, trials) or _place_fault(trial, setup)
        if fault:
            raise FileError(f"trial {number} {fault}")


def check_unbudgeted(trials: Sequence[Trial], name: str) -> None:
    """FileError if a trial has a budget, though the method knows none."""
    for trial in trials:
        if (trial.budget, trial.resumes, trial.place) != (None, None, None):
            raise FileError(f"trial {trial.number} has a budget, and {name!r} has none")


def check_source(source: Source, layout: Layout) -> None:
    """FileError if the rows of an earlier task are not configurations of the space, or have no
    value each."""
    rows, numeric = source.rows, np.array([axis is not None for axis in layout.axes], dtype=bool)
    if not len(rows) or len(source.values) != len(rows):
        raise FileError(
            f"task {source.name!r} has {len(rows)} rows and {len(source.values)} values"
        )
    last = np.where(
        numeric, 1.0, [len(layout.space.unordered_choices().get(n, "x")) - 1 for n in layout.names]
    )
    active = ~np.isnan(rows)
    legal = ~active | ((rows >= 0) & (rows <= last) & (numeric | (rows == np.round(rows))))
    blank = np.isnan(layout.without_inactive(np.where(active, rows, 0.0)))
    if not legal.all() or (active == blank).any():
        row = int(np.argmax((~legal | (active == blank)).any(axis=1)))
        raise FileError(f"row {row} of task {source.name!r} is no configuration of the space")


def _state_fault(trial: Trial) -> str:
    """What contradicts the trial's state."""
    if (trial.state == "done") != (trial.value is not None):
        return f"is {trial.state}, and its value is {trial.value}"
    if trial.reason is not None and trial.state != "failed":
        return f"is {trial.state}, and has a reason for a failure"
    return ""


def _origin_fault(trial: Trial, trials: Sequence[Trial]) -> str:
    """What is wrong with the trial that it resumes."""
    if trial.resumes is None:
        return ""
    if not 0 <= trial.resumes < trial.number:
        return f"resumes trial {trial.resumes}, which did not come before it"
    if trials[trial.resumes].config != trial.config:
        return f"resumes trial {trial.resumes}, whose configuration is another"
    return ""


def _place_fault(trial: Trial, setup: Setup) -> str:
    """Why its configuration cannot have been proposed; one that is resumed was judged before."""
    if trial.guard and setup.guard is None:
        return "is the guard's, and there is no guard"
    domain = setup.guard.domain if trial.guard and setup.guard is not None else setup.domain
    try:
        inside = domain.learned.contains(trial.config)
    except SpaceError as error:
        return f"is no configuration of the space: {error}"
    if trial.resumes is not None:
        return ""
    if not inside:
        return f"is outside the space: {trial.config}"
    layout = domain.layout
    if (
        domain.given is not None
        and layout.keys(layout.encode([trial.config]))[0] not in domain.given
    ):
        return f"is none of the candidates: {trial.config}"
    return ""
