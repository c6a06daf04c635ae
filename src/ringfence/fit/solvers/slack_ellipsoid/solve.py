"""The ellipsoid of least volume that may leave tasks outside, at a price (eq. 8).

    minimize  λ log det F + (1/T) Σ_t (d_t - 1)₊   over c and F,   d_t = ‖F⁻¹(x_t - c)‖

An augmented Lagrangian updates a multiplier for each hinge; newton.py minimizes in between. All of
it happens in the frame of the ellipsoid that it started from, so that neither far points nor a
nearly flat cloud cost digits. The answer is certified in the coordinates given.

symbol   meaning                                                                  shape
x        distinct points                                                          (m, p)
ω        share of the tasks that sit at a point, Σ ω = 1                          (m,)
c, F     E = {c + F z : ‖z‖ ≤ 1}; A of eq. 8 is F⁻¹ up to a rotation              (p,), (p, p)
y, d     y = F⁻¹(x - c) and its norms; the slack of eq. 8 is ξ = (d - 1)₊         (m, p), (m,)
α        multipliers: ω outside, 0 inside, between on the boundary; Σ α d = λ p   (m,)
λ, σ     penalty of eq. 8; stiffness of the augmented hinges

At the optimum c is the mean of x with weights w = α/d, and Σ w (x - c)(x - c)ᵀ = λ F Fᵀ.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.errors import FitError
from ringfence.fit.solvers.affine import affine_frame
from ringfence.fit.solvers.minimum_ellipsoid import minimum_ellipsoid
from ringfence.fit.solvers.slack_ellipsoid.answer import (
    SlackEllipsoid,
    for_every_task,
    is_certified,
    measured,
    seen_from,
)
from ringfence.fit.solvers.slack_ellipsoid.augmented import SOFTEST, Hinges, View, norms_of
from ringfence.fit.solvers.slack_ellipsoid.distinct import Tasks, merge_duplicates
from ringfence.fit.solvers.slack_ellipsoid.dual import duality_gap
from ringfence.fit.solvers.slack_ellipsoid.frame import in_frame
from ringfence.fit.solvers.slack_ellipsoid.newton import descend
from ringfence.fit.solvers.triangular import lower_triangular

MAX_FRAMES = 4
"""Frames that are tried: a second one helps in the rare case that the first was far off."""
MAX_ROUNDS = 40
"""Updates of the multipliers in one frame: 2 in the median, 7 at most in 200 random clouds."""
STIFFEST_START, STIFFEST = 1e4, 1e7
"""σ for a start that is all but the answer, and at most; SOFTEST for one that knows nothing."""
STIFFENING = 3.0
"""Factor of σ from round to round."""
FEW = 4000
"""Distinct points; more are first thinned to a fifth for a start."""
SAMPLE_TOL = 1e-3
"""Nats: the optimum of a sample is off by more."""
INEXACT = 0.02
"""Newton's method stops at this share of the gap, as multipliers to be updated are off by more."""


def slack_ellipsoid(
    points: FloatArray, penalty: float, *, start: SlackEllipsoid | None = None, tol: float = 1e-8
) -> SlackEllipsoid:
    """Solve eq. 8 for `points` (T, p), which must span R^p, to `tol` nats of log volume.

    `start`, a solution for the same points and a similar penalty, saves time. If rounding of the
    center and the factor alone costs more than `tol`, the gap is as small as that allows.
    """
    if not (np.isfinite(penalty) and penalty > 0):
        raise FitError(f"the penalty must be a positive number, not {penalty}")
    tasks, row = merge_duplicates(points)
    if start is not None:
        if start.multipliers.shape != row.shape:
            raise FitError(
                f"start has {start.multipliers.size} points, not {row.size}: pass a solution for "
                "the same points"
            )
        totals = np.bincount(row, weights=start.multipliers).astype(np.float64)
        start = replace(start, multipliers=totals)
    elif penalty * tasks.points.shape[1] <= 1:  # beyond, no design weights fit under the shares
        exact = exact_ellipsoid(tasks, tol)
        if penalty <= exact.penalty:
            alpha = exact.multipliers * (penalty / exact.penalty)
            start = measured(tasks, exact.center, exact.factor, alpha, penalty)
            if is_certified(start, tol):
                return for_every_task(start, tasks, row)
    return for_every_task(solve(tasks, penalty, start, tol), tasks, row)


def exact_ellipsoid(tasks: Tasks, tol: float) -> SlackEllipsoid:
    """The solution of eq. 6, with the largest λ for which it also solves eq. 8.

    With the design weights u of eq. 6 that is the largest for which α = λ p u stays below ω.
    """
    exact = minimum_ellipsoid(tasks.points, tol=tol / 4)
    ratio = exact.weights / tasks.shares
    penalty = 1 / (len(exact.center) * float(ratio.max()))
    alpha = exact.weights * (1 / float(ratio.max()))
    return measured(tasks, exact.center, exact.factor, alpha, penalty)


def solve(tasks: Tasks, penalty: float, start: SlackEllipsoid | None, tol: float) -> SlackEllipsoid:
    """Solve eq. 8 for distinct points; multipliers and norms of the answer are theirs, (m,)."""
    fit = _cold_start(tasks, penalty) if start is None else start
    p, gap = len(fit.center), np.inf
    with suppress(np.linalg.LinAlgError), np.errstate(all="ignore"):
        for _ in range(MAX_FRAMES):
            y = in_frame(tasks.points, fit.center, fit.factor)
            view, alpha = _augmented_lagrangian(y, tasks.shares, fit.multipliers, penalty, tol / 4)
            inverse = np.linalg.inv(view.W)
            center, factor = fit.center - fit.factor @ (inverse @ view.b), fit.factor @ inverse
            fit = measured(tasks, center, lower_triangular(factor), alpha, penalty)
            if is_certified(fit, tol):
                return fit
            gap = fit.gap
    raise FitError(
        f"the slack ellipsoid of {tasks.copies.sum()} points in {p} dimensions at penalty "
        f"{penalty:.3g} is certified to {gap:.1e} nats of log volume only, not to {tol:.0e}: "
        "allow a larger tol, or drop a parameter that the others nearly determine"
    )


def _augmented_lagrangian(
    y: FloatArray, shares: FloatArray, alpha: FloatArray, penalty: float, tol: float
) -> tuple[View, FloatArray]:
    """Start from the unit ball and α; end at a gap of `tol`, or when the rounds are used up."""
    p = y.shape[1]
    view = View.of(y, np.eye(p), np.zeros(p))
    gap = min(1.0, duality_gap(view.y, view.d, shares, alpha, penalty))
    sigma = SOFTEST / max(gap, SOFTEST / STIFFEST_START)
    exactness = INEXACT
    for _ in range(MAX_ROUNDS):
        last_gap, hinges = gap, Hinges(shares, alpha, sigma * shares)
        view = descend(view, hinges, penalty, max(exactness * gap, 1e-22))
        view = View.of(y, view.W, view.b)
        alpha = hinges.multipliers(view.d)
        gap = min(1.0, duality_gap(view.y, view.d, shares, alpha, penalty))
        if gap <= tol:
            break
        if gap > last_gap / 2:  # with inexact steps the multipliers may go round in circles
            exactness /= 10
        sigma = min(STIFFENING * sigma, STIFFEST)
    return view, alpha


def _cold_start(tasks: Tasks, penalty: float) -> SlackEllipsoid:
    """The optimum of a sample or, for few points, their second moments."""
    frame = affine_frame(tasks.points)
    m, p = tasks.points.shape
    if frame.rank < p:
        raise FitError(
            f"{tasks.copies.sum()} points span only {frame.rank} of {p} dimensions, so eq. 8 has "
            "no solution: fit inside their affine hull, or give more points"
        )
    if m > FEW:
        with suppress(FitError):  # a sample may not span the space
            sample = solve(tasks.thinned(), penalty, None, SAMPLE_TOL)
            return seen_from(tasks, sample)
    # Scaled to leave out as many as λ can pay for, #outside ≤ λ p T, but not nearly all.
    r = norms_of(frame.whiten(tasks.points))
    order = np.argsort(r)
    inside = np.cumsum(tasks.shares[order]) <= max(1 - penalty * p, 0.1)
    radius = float(r[order[max(int(inside.sum()) - 1, 0)]]) or 1.0
    factor = lower_triangular(radius * frame.basis)
    nothing = np.zeros(0)
    return seen_from(tasks, SlackEllipsoid(frame.origin, factor, penalty, nothing, nothing, np.inf))
