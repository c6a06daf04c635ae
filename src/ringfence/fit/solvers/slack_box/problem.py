"""Eq. 7 of the paper as data: its value, its dual certificate, and when it is the exact box.

    minimize   λ/2 ‖u - l‖² + 1/(2T) Σ_t (ξ⁻_t + ξ⁺_t)
    subject to l_j - ξ⁻_t a_j ≤ x_tj ≤ u_j + ξ⁺_t b_j,   ξ ≥ 0

The scales a, b are one by default: in unit-cube coordinates that is the range of a parameter. The
paper has a = |l0|, b = |u0|; if a scale is zero the bound is *hard*, l_j = min_t x_tj.
The upper side is negated, so that both sides read alike. A coordinate that a task lacks (NaN) is
free: it has no constraint.

symbol   meaning                                                          shape
sides    x and -x; ∞ if the task lacks the coordinate                     (2, T, p)
bounds   l and -u                                                         (2, p)
scales   a and b; zero if the bound is hard                               (2, p)
rows     sides / scales; ∞ if free or hard                                (2, T, p)
q        bounds / scales; 0 if hard                                       (2, p)
hull     the bounds of the exact box, eq. 5                               (2, p)
slack    ξ⁻ and ξ⁺: max(0, max_j (q - rows))                              (2, T)
pull     multipliers of the rows times 2T: ≥ 0, rows sum to at most one   (2, T, p)
ρ        common column sums of pull / (2T scales); λ (u - l) at best      (p,)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.errors import FitError
from ringfence.fit.solvers.slack_box.trimmed import trimmed_boxes

HUGE = 1e60
"""Beyond, products of a few of these would overflow."""
SAMPLED = 400
"""Points that are enough to measure their spread."""


@dataclass(frozen=True)
class Problem:
    """Eq. 7 for any penalty, in the notation above."""

    sides: FloatArray
    scales: FloatArray
    rows: FloatArray
    hull: FloatArray
    hard: BoolArray  # (2, p)

    @classmethod
    def of(cls, points: FloatArray, scales: FloatArray | None) -> Problem:
        """From points of shape (T, p), NaN if free, and scales a, b of shape (2, p)."""
        points = np.asarray(points, dtype=np.float64)
        free = np.isnan(points)
        known = points.ndim == 2 and points.size > 0 and not free.all(axis=0).any()
        if not known or not (free | (np.abs(points) < HUGE)).all():
            raise FitError(
                f"the slack box needs points of shape (T, p), T and p at least 1, all finite and "
                f"below {HUGE:g}; got shape {points.shape}: drop tasks without a best configuration"
            )
        p = points.shape[1]
        scales = np.ones((2, p)) if scales is None else np.asarray(scales, dtype=np.float64)
        fair = (scales == 0.0) | ((scales > 1.0 / HUGE) & (scales < HUGE))
        if scales.shape != (2, p) or not fair.all():
            raise FitError(f"scales must be |l0| and |u0|, finite and >= 0, of shape (2, {p})")
        sides = np.where(free, np.inf, np.stack([points, -points]))
        hard = scales == 0.0
        rows = sides / np.where(hard, 1.0, scales)[:, None, :]
        if hard.any():
            rows = np.where(hard[:, None, :], np.inf, rows)
        return cls(sides, scales, rows, sides.min(axis=1), hard)

    @property
    def n_tasks(self) -> int:
        """T, the number of points."""
        return int(self.sides.shape[1])

    def sample(self, n: int, seed: int) -> Problem:
        """Eq. 7 for n of the points, in their order."""
        rows = np.random.default_rng(seed).choice(self.n_tasks, n, replace=False)
        first_known = self.known.argmax(axis=0)  # so that no coordinate is free in all of them
        rows = rows if self.known[rows].any(axis=0).all() else np.union1d(rows, first_known)
        points = np.where(self.known, self.sides[0], np.nan)
        return Problem.of(points[np.sort(rows)], self.scales)

    @cached_property
    def known(self) -> BoolArray:
        """Which coordinates are not free, (T, p)."""
        known: BoolArray = np.isfinite(self.sides[0])
        return known

    @cached_property
    def filled(self) -> FloatArray:
        """The points (T, p), a free coordinate at the median of the others: no bound is there."""
        points = np.where(self.known, self.sides[0], np.nan)
        filled: FloatArray = np.where(self.known, points, np.nanmedian(points, axis=0))
        return filled

    def scaled(self, bounds: FloatArray) -> FloatArray:
        """The bounds as q."""
        return np.where(self.hard, 0.0, bounds / np.where(self.hard, 1.0, self.scales))

    def largest(self, width: FloatArray) -> float:
        """The largest width in units of the scales; shape (p,) to a number."""
        return float((width / np.where(self.hard, 1.0, self.scales)).max())

    @cached_property
    def spread(self) -> FloatArray:
        """Widths of the middle half of the points, or a thousandth of those of all; (p,)."""
        sample = self.filled[:: 1 + self.n_tasks // SAMPLED]
        middle_half = trimmed_boxes(sample)[(len(sample) - 1) // 2]
        width, full_width = -middle_half.sum(axis=0), -self.hull.sum(axis=0)
        spread: FloatArray = np.maximum(width, 1e-3 * full_width)
        return spread

    def units(self, width: FloatArray) -> FloatArray:
        """A slack of each side that is neither large nor small for a box of this width (p,); (2,).

        The coordinate that pulls most decides: its width in its scale. One with a scale near zero
        is all but hard, and its width in that scale larger by decades than any slack will be.
        """
        width = np.maximum(width, self.spread)
        most = (width * self.scales).argmax(axis=1)
        scale = np.take_along_axis(self.scales, most[:, None], axis=1)[:, 0]
        return _other_if_zero(width[most] / np.where(scale > 0.0, scale, np.inf))

    def mean_units(self, width: FloatArray) -> FloatArray:
        """The same with the mean over all pulls, for a width that is that of the optimum nearly."""
        pull = width * self.scales
        total = pull.sum(axis=1)
        squares = (width**2 * ~self.hard).sum(axis=1)
        return _other_if_zero(squares / np.where(total > 0.0, total, np.inf))

    def total_pull(self, width: FloatArray) -> float:
        """What all pulls sum to, for λ = 1, if a box of this width (p,) is optimal."""
        return 2 * self.n_tasks * float(width @ self.scales.sum(axis=0))

    def violations(self, bounds: FloatArray) -> FloatArray:
        """By how much each constraint is broken at zero slack; shape (2, T, p)."""
        return self.scaled(bounds)[:, None, :] - self.rows

    def value(self, bounds: FloatArray, penalty: float) -> float:
        """Eq. 7, the slacks as small as the bounds allow."""
        return self._value(bounds, penalty, slack_of(self.violations(bounds)))

    def _value(self, bounds: FloatArray, penalty: float, slack: FloatArray) -> float:
        width = bounds.sum(axis=0)
        return float(0.5 * penalty * (width @ width) + 0.5 * slack.sum() / slack.shape[1])

    def gap(self, bounds: FloatArray, penalty: float, pull: FloatArray) -> float:
        """Value of the bounds minus the dual value of the pull, relative to the former.

        The dual value is Σ pull⁺ x / (2T b) - Σ pull⁻ x / (2T a) - ‖ρ‖² / (2λ), a lower bound of
        the minimum for any pull ≥ 0 whose rows sum to at most one and whose columns have a common
        sum ρ. To get there, rows are scaled down to one, columns to the best ρ.
        """
        bound = np.isfinite(self.rows)
        violations = np.where(bound, self.violations(bounds), 0.0)
        slack = slack_of(violations)
        value = self._value(bounds, penalty, slack)
        if value == 0.0:
            return 0.0
        T, width = slack.shape[1], -bounds.sum(axis=0)
        pull = np.where(bound, np.maximum(pull, 0.0), 0.0)
        pull /= np.maximum(pull.sum(axis=2, keepdims=True), 1.0)
        sums = pull.sum(axis=1)
        # A hard side takes whatever the other one gives.
        limit = np.where(
            self.hard, np.inf, 0.5 * sums / (T * np.where(self.hard, 1.0, self.scales))
        )
        mean = (pull * violations).sum(axis=1) / np.where(sums > 0.0, sums, 1.0)
        gain = (self.scales * mean).sum(axis=0)  # of the dual value, for each unit of ρ
        rho = np.clip(penalty * (width + gain), 0.0, limit.min(axis=0))
        residual = rho - penalty * width
        difference = 0.5 * (residual @ residual) / penalty + 0.5 * slack.sum() / T - rho @ gain
        return max(float(difference) / value, 0.0)

    def exact_pull(self, penalty: float) -> FloatArray:
        """The pull that certifies the exact box: λ (u - l), shared by the points on a face."""
        on_face = self.sides == self.hull[:, None, :]
        rho = -penalty * self.hull.sum(axis=0)
        share = 2 * self.n_tasks * rho * self.scales / on_face.sum(axis=1)
        pull: FloatArray = on_face * share[:, None, :]
        return pull

    @cached_property
    def exact_penalty(self) -> float:
        """A penalty up to which the exact box is optimal, as its pull is feasible."""
        load = float(self.exact_pull(1.0).sum(axis=2).max())
        return 1.0 / load if load > 0.0 else np.inf


def slack_of(violations: FloatArray) -> FloatArray:
    """ξ, shape (2, T)."""
    slack: FloatArray = np.maximum(violations.max(axis=2), 0.0)
    return slack


def _other_if_zero(units: FloatArray) -> FloatArray:
    """Where a side has no unit, since all its bounds are hard, that of the other; (2,)."""
    return np.where(units > 0.0, units, units.max())
