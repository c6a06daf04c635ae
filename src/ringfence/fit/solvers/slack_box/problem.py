"""Eq. 7 of the paper as data: its value, its dual certificate, and where it is the exact box.

    minimize   lambda/2 |u - l|^2 + 1/(2T) sum_t (xi-_t + xi+_t)
    subject to l_j - xi-_t a_j <= x_tj <= u_j + xi+_t b_j,   xi >= 0

The scales a, b are one by default: in unit-cube coordinates that is the range of a parameter. The
paper has a = |l0|, b = |u0|; where a scale is zero the bound is *hard*, l_j = min_t x_tj.
The upper side is negated, so that both sides read alike:

symbol   meaning                                                            shape
------   ----------------------------------------------------------------   ---------
sides    x and -x                                                           (2, T, p)
bounds   l and -u                                                           (2, p)
scales   a and b; zero where the bound is hard                              (2, p)
rows     sides / scales; +inf where hard                                    (2, T, p)
q        bounds / scales; 0 where hard                                      (2, p)
hull     the bounds of the exact box, eq. 5                                 (2, p)
slack    xi- and xi+: max(0, max_j (q - rows))                              (2, T)
pull     multipliers of the rows times 2T: >= 0, rows sum to at most one    (2, T, p)
rho      common column sums of pull / (2T scales); lambda (u - l) at best   (p,)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.errors import FitError
from ringfence.fit.solvers.slack_box.trimmed import trimmed_boxes

HUGE = 1e60  # beyond, squares overflow


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
        """From points of shape (T, p) and scales a, b of shape (2, p)."""
        points = np.asarray(points, dtype=np.float64)
        if points.ndim != 2 or points.size == 0 or not (np.abs(points) < HUGE).all():
            raise FitError(
                f"the slack box needs points of shape (T, p), T and p at least 1, all finite and "
                f"below {HUGE:g}; got shape {points.shape}: drop tasks without a best configuration"
            )
        p = points.shape[1]
        scales = np.ones((2, p)) if scales is None else np.asarray(scales, dtype=np.float64)
        fair = (scales == 0.0) | ((scales > 1.0 / HUGE) & (scales < HUGE))
        if scales.shape != (2, p) or not fair.all():
            raise FitError(f"scales must be |l0| and |u0|, finite and >= 0, of shape (2, {p})")
        sides = np.stack([points, -points])
        hard = scales == 0.0
        rows = sides / np.where(hard, 1.0, scales)[:, None, :]
        if hard.any():
            rows = np.where(hard[:, None, :], np.inf, rows)
        return cls(sides, scales, rows, sides.min(axis=1), hard)

    def scaled(self, bounds: FloatArray) -> FloatArray:
        """The bounds as q."""
        return np.where(self.hard, 0.0, bounds / np.where(self.hard, 1.0, self.scales))

    def largest(self, width: FloatArray) -> float:
        """The largest width in units of the scales; shape (p,) to a number."""
        return float((width / np.where(self.hard, 1.0, self.scales)).max())

    @cached_property
    def spread(self) -> float:
        """Largest width of the middle half of (at most 400 of) the points."""
        some = self.sides[0, :: 1 + self.sides.shape[1] // 400]
        half = self.largest(-trimmed_boxes(some)[(len(some) - 1) // 2].sum(axis=0))
        return max(half, 1e-3 * self.largest(-self.hull.sum(axis=0)))

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

        The dual value is sum pull+ x / (2T b) - sum pull- x / (2T a) - |rho|^2 / (2 lambda), a
        lower bound of the minimum for any pull >= 0 whose rows sum to at most one and whose columns
        have a common sum rho. To get there, rows are scaled down to one, columns to the best rho.
        """
        violations = np.where(self.hard[:, None, :], 0.0, self.violations(bounds))
        slack = slack_of(violations)
        value = self._value(bounds, penalty, slack)
        if value == 0.0:
            return 0.0
        T, width = slack.shape[1], -bounds.sum(axis=0)
        pull = np.where(self.hard[:, None, :], 0.0, np.maximum(pull, 0.0))
        pull /= np.maximum(pull.sum(axis=2, keepdims=True), 1.0)
        sums = pull.sum(axis=1)
        # A hard side takes whatever the other one gives.
        most = np.where(self.hard, np.inf, 0.5 * sums / (T * np.where(self.hard, 1.0, self.scales)))
        mean = (pull * violations).sum(axis=1) / np.where(sums > 0.0, sums, 1.0)
        earned = (self.scales * mean).sum(axis=0)  # for each unit of rho
        rho = np.clip(penalty * (width + earned), 0.0, most.min(axis=0))
        off = rho - penalty * width
        lost = 0.5 * (off @ off) / penalty + 0.5 * slack.sum() / T - rho @ earned
        return max(float(lost) / value, 0.0)

    def exact_pull(self, penalty: float) -> FloatArray:
        """The pull that certifies the exact box: lambda (u - l), shared by the points on a face."""
        on_face = self.sides == self.hull[:, None, :]
        rho = -penalty * self.hull.sum(axis=0)
        share = 2 * self.sides.shape[1] * rho * self.scales / on_face.sum(axis=1)
        pull: FloatArray = on_face * share[:, None, :]
        return pull

    @cached_property
    def exact_penalty(self) -> float:
        """A penalty up to which the exact box is optimal, as its pull is feasible."""
        load = float(self.exact_pull(1.0).sum(axis=2).max())
        return 1.0 / load if load > 0.0 else np.inf


def slack_of(violations: FloatArray) -> FloatArray:
    """xi, shape (2, T)."""
    slack: FloatArray = np.maximum(violations.max(axis=2), 0.0)
    return slack
