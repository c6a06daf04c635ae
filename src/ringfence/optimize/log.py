"""TrialLog: the trials of an optimizer so far, and their results.

Those of a file may be damaged, or changed by hand: what does not fit together would be searched in
silence, so `check_trials` looks first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.errors import FileError, SpaceError
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.trial import Trial

if TYPE_CHECKING:
    from ringfence.optimize.method import Setup


class TrialLog:
    """The trials in the order of their numbers, with their rows beside them."""

    def __init__(self, layout: Layout, trials: Iterable[Trial] = ()) -> None:
        self.layout = layout
        self.trials: list[Trial] = []
        self.tried: set[bytes] = set()
        self._rows: list[FloatArray] = []
        for trial in trials:
            self.add(trial)

    def __len__(self) -> int:
        return len(self.trials)

    def add(self, trial: Trial) -> None:
        """Append a trial; its number must be the next one."""
        row = self.layout.encode([trial.config])
        self.trials.append(trial)
        self._rows.append(row)
        self.tried.update(self.layout.keys(row))

    def withdraw(self) -> None:
        """Take back the last trial, which was never started."""
        self.trials.pop()
        self._rows.pop()
        self.tried = set(self.layout.keys(self.rows))

    def settle(self, number: int, **outcome: object) -> Trial:
        """Replace a trial by itself with its outcome."""
        self.trials[number] = msgspec.structs.replace(self.trials[number], **outcome)
        return self.trials[number]

    @property
    def rows(self) -> FloatArray:
        """(n, names)."""
        return np.concatenate(self._rows) if self._rows else np.empty((0, len(self.layout.names)))

    @property
    def running(self) -> BoolArray:
        """Which trials have no result yet."""
        return np.array([trial.state == "running" for trial in self.trials], dtype=bool)

    @property
    def values(self) -> FloatArray:
        """(n,): failed trials count as the worst value so far, running ones are NaN."""
        results = [trial.value for trial in self.trials if trial.value is not None]
        worst = max(results, default=np.nan)
        return np.array(
            [
                worst if trial.state == "failed" else np.nan if trial.value is None else trial.value
                for trial in self.trials
            ]
        )

    @property
    def best(self) -> Trial | None:
        """The finished trial with the smallest value, at the highest budget there is."""
        done = [trial for trial in self.trials if trial.value is not None]
        return min(done, key=lambda t: (-(t.budget or 0.0), t.value, t.number), default=None)


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


def _state_fault(trial: Trial) -> str:
    """What contradicts the trial's state."""
    if (trial.state == "done") != (trial.value is not None):
        return f"is {trial.state}, and its value is {trial.value}"
    if trial.cost is not None and (trial.state == "running" or not 0.0 <= trial.cost < np.inf):
        return f"is {trial.state}, and its cost is {trial.cost}"
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
