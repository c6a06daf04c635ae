"""A slack ellipsoid with its certificate. Notation in solve.py."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ringfence.arrays import FloatArray, IntArray
from ringfence.fit.solvers.slack_ellipsoid.augmented import SOFTEST, norms_of
from ringfence.fit.solvers.slack_ellipsoid.distinct import Tasks
from ringfence.fit.solvers.slack_ellipsoid.dual import duality_gap
from ringfence.fit.solvers.slack_ellipsoid.frame import blur, in_frame

TOUCHING = 1e-11
"""Slack that counts as none."""
NEARBY, PART_NEARBY = 0.9, 0.3
"""Points with norms above the first are taken to be near the boundary, where multipliers are about
the second of what they can be."""


@dataclass(frozen=True)
class SlackEllipsoid:
    """A solution of eq. 8 for T points in p dimensions, E = {center + factor @ z : ‖z‖ ≤ 1}."""

    center: FloatArray  # (p,)
    factor: FloatArray  # (p, p) lower triangular, positive diagonal
    penalty: float  # λ
    multipliers: FloatArray  # (T,) α in [0, 1/T]
    norms: FloatArray  # (T,) d of this center and factor; above 1 for the points outside only
    gap: float  # (P - D)/λ: certified distance from the optimum, in nats of log volume

    @property
    def slack(self) -> FloatArray:
        """ξ (T,), zero on the boundary."""
        return np.maximum(self.norms - 1, 0.0)


def for_every_task(fit: SlackEllipsoid, tasks: Tasks, row: IntArray) -> SlackEllipsoid:
    """A fit of distinct points, with multipliers and norms of all tasks, in their order."""
    each = fit.multipliers / tasks.copies
    return replace(fit, multipliers=each[row], norms=fit.norms[row])


def measured(
    tasks: Tasks, center: FloatArray, factor: FloatArray, alpha: FloatArray, penalty: float
) -> SlackEllipsoid:
    """The ellipsoid with its norms and gap, widened by rounding to hold its boundary points."""
    shares = tasks.shares
    d = norms_of(in_frame(tasks.points, center, factor))
    inside = (alpha < shares) | (d <= 1 + TOUCHING)
    farthest = float(d[inside].max(initial=0.0))
    factor = factor * (max(1.0, farthest) * (1 + blur(center, factor)))
    y = in_frame(tasks.points, center, factor)
    d = norms_of(y)
    return SlackEllipsoid(
        center, factor, penalty, alpha, d, duality_gap(y, d, shares, alpha, penalty)
    )


def is_certified(fit: SlackEllipsoid, tol: float) -> bool:
    """Whether the gap is at most `tol`, or what the rounding of center and factor makes of 0."""
    return fit.gap <= max(tol, 16 * len(fit.center) * blur(fit.center, fit.factor))


def seen_from(tasks: Tasks, other: SlackEllipsoid) -> SlackEllipsoid:
    """The ellipsoid of other points as a start for these. Multipliers are guessed from the norms,
    as the softest hinges would have them."""
    d = norms_of(in_frame(tasks.points, other.center, other.factor))
    nearby = PART_NEARBY * (d > NEARBY)
    alpha = np.clip(SOFTEST * (d - 1) + nearby, 0.0, 1.0) * tasks.shares
    return replace(other, multipliers=alpha, norms=d, gap=np.inf)
