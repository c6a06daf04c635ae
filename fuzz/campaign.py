"""A campaign: which inputs come next, what came of them, and what is kept of it in a folder.

Every target gets its share of the time, not of the inputs, so that slow ones do not hold up the
others. Inputs are numbered for each target; the numbers are kept, and a later campaign goes on.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from pathlib import Path
from typing import Any

from fuzz.inputs import make
from fuzz.outcome import Outcome
from fuzz.worker import Batch, Report

BATCH = 0.4
"""Seconds that a batch should take."""
FIRST = 8
"""Inputs of a target's first batch, whose speed is not known yet."""
RESTART = 10.0
"""Seconds that a hang or a crash costs, which count as its target's."""
SAVE = 20.0
"""Seconds between two savings, of which a killed campaign loses one."""
SLOWEST = 10
SHARES = {"commands": 1.0, "slow-commands": 2.0, "address": 0.3, "openml": 0.3}
"""Of the time, relative to the others'."""


class Campaign:
    """The state of a campaign; `folder` keeps it."""

    def __init__(self, folder: Path, targets: list[str], seconds: float) -> None:
        self.folder, self.targets = folder, targets
        self.end = time.monotonic() + seconds
        self.saved = time.monotonic()
        self.next, self.tried = self._kept()
        self.counts: dict[str, Counter[str]] = {target: Counter() for target in targets}
        self.seconds = dict.fromkeys(targets, 0.0)
        self.planned = dict.fromkeys(targets, 0.0)
        self.failures: dict[str, tuple[Outcome, Path, int]] = {}
        self.slowest: list[tuple[float, str, int]] = []

    def _kept(self) -> tuple[dict[str, int], int]:
        path = self.folder / "state.json"
        kept: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        numbers = kept.get("next", {})
        return {target: numbers.get(target, 0) for target in self.targets} | numbers, kept.get(
            "tried", 0
        )

    @property
    def inputs(self) -> int:
        """Inputs tried in this run."""
        return sum(sum(counts.values()) for counts in self.counts.values())

    def batch(self) -> Batch | None:
        """The next batch, of the target that had the least of its share."""
        if time.monotonic() > self.end:
            return None
        target = min(self.targets, key=lambda t: self.planned[t] / SHARES.get(t, 1.0))
        count, cost = self._size(target)
        self.planned[target] += cost
        batch = Batch(target, self.next[target], count)
        self.next[target] += count
        return batch

    def _size(self, target: str) -> tuple[int, float]:
        """Number of inputs of the next batch, and the seconds that it will take."""
        done = sum(self.counts[target].values())
        if not done:
            return FIRST, BATCH
        each = self.seconds[target] / done
        return max(1, min(2000, round(BATCH / max(each, 1e-6)))), BATCH

    def done(self, report: Report) -> None:
        """A batch is finished."""
        target = report.batch.target
        self.counts[target] += report.counts
        self.planned[target] += report.seconds - BATCH
        self.seconds[target] += report.seconds
        seconds, number = report.slowest
        self.slowest = sorted([*self.slowest, (seconds, target, number)])[-SLOWEST:]
        for number, outcome in report.failures:
            self._keep(target, number, outcome)
        if time.monotonic() > self.saved + SAVE:
            self.save()

    def broken(self, target: str, number: int, outcome: Outcome) -> None:
        """An input ended its worker."""
        self.counts[target][outcome.kind] += 1
        self.planned[target] += RESTART
        self._keep(target, number, outcome)

    def _keep(self, target: str, number: int, outcome: Outcome) -> None:
        """Save the first input of each failure."""
        key = f"{target} {outcome.key}"
        if key in self.failures:
            known, path, count = self.failures[key]
            self.failures[key] = (known, path, count + 1)
            return
        name = re.sub(r"[^\w.-]+", "-", f"{target}-{outcome.kind}-{outcome.place}").strip("-")
        path = self.folder / "failures" / f"{name[:150]}.json"
        self.failures[key] = (outcome, path, 1)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            content = json.loads(make(target, number).to_text())
            content["failure"] = {
                "number": number,
                "outcome": outcome.key,
                "detail": outcome.detail,
            }
            path.write_text(json.dumps(content, indent=1) + "\n")

    def save(self) -> None:
        """Write what a later campaign goes on from."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.saved = time.monotonic()
        state = {"next": self.next, "tried": self.tried + self.inputs}
        temporary = self.folder / "state.json.new"
        temporary.write_text(json.dumps(state, indent=1) + "\n")
        temporary.replace(self.folder / "state.json")
