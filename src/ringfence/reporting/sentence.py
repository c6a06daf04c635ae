"""The sentence that matters, in plain words, whatever the verdict is."""

from __future__ import annotations

from ringfence.checking import Check
from ringfence.checking.belief.regret_scale import FULL_DRAWS
from ringfence.checking.display import evidence
from ringfence.checking.display.evidence import Curve, loss


def sentence(check: Check | None) -> str:
    """What the learned space is worth, for someone who reads nothing else."""
    if check is None:
        return (
            "Nothing to check against: with one task there is none to leave out, so whether this "
            "space helps is not known."
        )
    if check.settings.shape == "full":
        if check.reason:
            return f"Keep the full space until more is known: {check.reason}."
        if check.chosen_from:
            tried = f"none of the {check.chosen_from} settings tried is clearly better"
            return f"Keep the full space: {tried}."
        return "This is the full space itself: nothing is gained and nothing lost."
    curve = evidence.curve(check)
    not_judged = len(check.not_judged)
    if curve is None or check.verdict == "cannot tell":
        return f"The history cannot tell whether the learned space helps: {check.reason}."
    k, worth = curve.judged_at, _trials(curve.worth, curve.judged_at)
    judged = len(check.tasks)
    worse = sum(1 for task in check.tasks if loss(task, check) > 0)
    unknown = f" ({not_judged} more could not be judged)" if not_judged else ""
    if check.verdict == "helps":
        return (
            f"In {k} trials the learned space reaches what the full space needs {worth} for; no "
            f"worse on {judged - worse} of {judged} tasks{unknown}."
        )
    if check.verdict == "hurts":
        return (
            f"The learned space would hurt: {k} trials in it reach what {worth} reach in the full "
            f"space, and it is worse on {worse} of {judged} tasks{unknown}. Keep the full "
            "space."
        )
    return (
        f"No clear difference: {k} trials in the learned space are worth {worth} in the full one; "
        f"from {_trials(curve.low, k)} to {_trials(curve.high, k)} would fit the data as well."
    )


def worth_sentence(curve: Curve) -> str:
    """What the curve says in numbers."""
    return (
        f"{curve.judged_at} random trials in the learned space are worth {curve.worth:.1f} in the "
        f"full space (90% interval {curve.low:.1f} to {curve.high:.1f}), a speed-up of "
        f"{curve.worth / curve.judged_at:.2f}."
    )


def _trials(count: float, reference: int) -> str:
    """A number of trials, with one more digit if it would round to the one it is compared with."""
    tenths = round(count, 1)
    if tenths >= FULL_DRAWS[-1]:
        return f"{FULL_DRAWS[-1]:,} or more"
    rounded = f"{count:,.0f}"
    return f"{tenths:.1f}" if rounded == str(reference) or tenths < 5 else rounded
