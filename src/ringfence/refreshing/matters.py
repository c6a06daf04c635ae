"""Whether a new version matters: would somebody who uses the old one be worse off?"""

from __future__ import annotations

import numpy as np

from ringfence.history.mismatch.fits import compared
from ringfence.learned.space import LearnedSpace
from ringfence.optimize.domain.layout import Layout
from ringfence.refreshing.log import Drift, SpeedUpThen
from ringfence.space import Float, Int, Parameter, Space
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
    *,
    inferred: bool = False,
) -> tuple[str, ...]:
    """Why the new version matters, a sentence each; nothing if it does not. The ranges of a full
    space that is `inferred` from the runs grow a little with most of them."""
    other_space = _is_another(old.space, new.space, inferred=inferred)
    return (
        *_other_questions(old, new, other_space=other_space),
        *([] if other_space else _moved(old, new)),
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


def _other_questions(old: LearnedSpace, new: LearnedSpace, *, other_space: bool) -> list[str]:
    """A goal, a setting or a full space that is another one."""
    before, after = ((s.provenance.objective, s.provenance.direction) for s in (old, new))
    return [
        f"{what} another one"
        for what, is_another in (
            ("the goal is", before != after),
            ("the setting is", old.settings != new.settings),
            ("the full space is", other_space),
        )
        if is_another
    ]


def _is_another(old: Space, new: Space, *, inferred: bool) -> bool:
    """Whether a full space is another one; of an inferred one, by more than a little."""
    if not inferred or list(old) != list(new) or old.conditions != new.conditions:
        return old != new
    return not all(_nearly_same(old[name], new[name]) for name in new)


def _nearly_same(old: Parameter, new: Parameter) -> bool:
    if not isinstance(old, (Float, Int)) or not isinstance(new, (Float, Int)):
        return old == new
    kinds, covered = compared(old, new)
    return kinds in (("same",), ("other range",)) and (
        min(covered, compared(new, old)[1]) >= 1.0 - MOVED
    )


def _moved(old: LearnedSpace, new: LearnedSpace) -> list[str]:
    gained, lost = _share_outside(new, old), _share_outside(old, new)
    return [
        f"{percent(share)} of the {one} space lies outside the {other} one"
        for share, one, other in ((gained, "new", "old"), (lost, "old", "new"))
        if share > MOVED
    ]


def _share_outside(one: LearnedSpace, other: LearnedSpace) -> float:
    """The share of the configurations of one space that the other does not have."""
    layout = Layout(other)
    return float(1.0 - np.mean(layout.inside(layout.encode(one.sample(DRAWS, seed=0)))))


def _worth(then: SpeedUpThen | None, now: SpeedUpThen | None) -> list[str]:
    if then is None or now is None:
        return []
    if then.verdict != now.verdict:
        return [f"the check says {now.verdict!r} now, {then.verdict!r} then"]
    apart = now.low > then.high or now.high < then.low
    return [f"the speed-up is {now.value:.2g} now, {then.value:.2g} then"] * apart
