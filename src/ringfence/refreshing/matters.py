"""Whether a new version matters: would somebody who uses the old one be worse off?"""

from __future__ import annotations

import numpy as np

from ringfence.learned.space import LearnedSpace
from ringfence.optimize.domain.layout import Layout
from ringfence.refreshing.log import Drift, SpeedUpThen
from ringfence.words import percent, some

MOVED = 0.1
"""Share of a space: of ten trials one, which is what the check counts as a difference."""
DRAWS = 2000  # the share is then known to one per cent or better
KINDS = {
    "outside": "their best configurations lie elsewhere",
    "order": "they order configurations otherwise",
    "together": "they follow each other and not the past",
}


def reasons(
    old: LearnedSpace,
    new: LearnedSpace,
    drift: Drift | None,
    then: SpeedUpThen | None,
    now: SpeedUpThen | None,
) -> tuple[str, ...]:
    """Why the new version matters, a sentence each; nothing if it does not."""
    return (
        *_other_questions(old, new),
        *_moved(old, new),
        *_worth(then, now),
        *([drift_line(drift)] if drift is not None and drift.found else ()),
    )


def drift_line(drift: Drift) -> str:
    """What was found out about new tasks."""
    odds = f"p = {drift.p:.2g}, an alarm at {drift.level:.2g}"
    if drift.found:
        how = ", and ".join(KINDS[kind] for kind in drift.kinds)
        return f"drift in {some(drift.tasks)}: {how} ({odds})"
    if not drift.could:
        return f"{some(drift.tasks)}: too few tasks to tell whether they drift ({odds})"
    return f"no drift in {some(drift.tasks)} ({odds})"


def _other_questions(old: LearnedSpace, new: LearnedSpace) -> list[str]:
    """A goal, a setting or a full space that is another one."""
    goals = [(s.provenance.objective, s.provenance.direction) for s in (old, new)]
    return [
        f"{what} another one"
        for what, before, after in (
            ("the goal is", *goals),
            ("the setting is", old.settings, new.settings),
            ("the full space is", old.space, new.space),
        )
        if before != after
    ]


def _moved(old: LearnedSpace, new: LearnedSpace) -> list[str]:
    if old.space != new.space:
        return []
    gained, lost = _share_outside(new, old), _share_outside(old, new)
    return [
        f"{percent(share)} of the {one} space lies outside the {other} one"
        for share, one, other in ((gained, "new", "old"), (lost, "old", "new"))
        if share > MOVED
    ]


def _share_outside(one: LearnedSpace, other: LearnedSpace) -> float:
    """The share of the configurations of one space that the other does not have."""
    rows = Layout(one).encode(one.sample(DRAWS, seed=0))
    return float(1.0 - np.mean(Layout(other).inside(rows)))


def _worth(then: SpeedUpThen | None, now: SpeedUpThen | None) -> list[str]:
    if then is None or now is None:
        return []
    if then.verdict != now.verdict:
        return [f"the check says {now.verdict!r} now, {then.verdict!r} then"]
    apart = now.low > then.high or now.high < then.low
    return [f"the speed-up is {now.value:.2g} now, {then.value:.2g} then"] * apart
