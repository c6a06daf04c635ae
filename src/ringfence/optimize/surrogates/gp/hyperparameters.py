"""The hyperparameters of the Gaussian process: named numbers, and a vector θ of logarithms.

symbol   meaning                                                shape
X        features: numbers in [0, 1], categories one-hot / √2   (n, d)
groups   the length scale of each column, numbered from 0       (d,)
warped   the columns that are warped (warping.py)               (w,)
θ        log length scales, log noise, log a, log b             (g+1+2w,)

Under the prior θ is normal. A length scale's mode grows with √g, so that the model stays smooth in
many dimensions (Hvarfner et al. 2024: their density of the length scales, written for the
logarithms). Noise has its mode at 0.25 % of the variance of the values, widely spread: a higher and
narrower one blurs the last digits of a smooth objective, a lower one takes the jumps of a real
objective for slopes and is far too certain between them. Warpings are near the identity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ringfence.arrays import FloatArray, IntArray
from ringfence.errors import SettingError

LENGTH_MODE, LENGTH_SPREAD = math.sqrt(2.0) - 3.0, math.sqrt(3.0)  # of a log, one parameter
NOISE_MODE, NOISE_SPREAD = -6.0, 2.0  # of the log noise
WARP_SPREAD = 0.5  # of log a and log b
QUIET, LOUD = -6.0, -1.0  # log noise at which the two searches start
SHORTEST, LONGEST = 0.025, 1e3  # length scales
LOUDEST = 2.0  # noise
FAINTEST = 1e-12  # noise, below any floor of a fit
ROUNDING = 1.0 + 1e-9  # of logarithms and back
STEEPEST = 20.0  # the largest exponent of a warping; its inverse is the smallest


@dataclass(frozen=True)
class Hyperparameters:
    """What `fit_gp` learns. Noise is a variance, in units of the variance of the values."""

    length_scales: tuple[float, ...]
    noise: float
    a: tuple[float, ...] = ()
    b: tuple[float, ...] = ()

    @property
    def theta(self) -> FloatArray:
        """All of them as one vector of logarithms."""
        return np.log([*self.length_scales, self.noise, *self.a, *self.b])


@dataclass(frozen=True, eq=False)
class KernelColumns:
    """Which columns of X share a length scale, and which are warped."""

    groups: IntArray
    warped: IntArray

    @classmethod
    def of(cls, dim: int, groups: object = None, warped: object = None) -> KernelColumns:
        """From any group numbers and a mask of warped columns; None: a group each, none warped."""
        labels = np.arange(dim) if groups is None else np.asarray(groups)
        mask = np.zeros(dim, dtype=bool) if warped is None else np.asarray(warped, dtype=bool)
        for name, array in (("groups", labels), ("warped", mask)):
            if array.shape != (dim,):
                raise SettingError(
                    f"{name} has shape {array.shape}: it needs one entry for each of {dim} columns"
                )
        numbers = np.unique(labels, return_inverse=True)[1].astype(np.int64)
        return cls(numbers, np.flatnonzero(mask))

    @cached_property
    def n_groups(self) -> int:
        """The number of length scales."""
        return int(self.groups.max(initial=-1)) + 1

    @cached_property
    def prior(self) -> tuple[FloatArray, FloatArray]:
        """Mode and standard deviation of every entry of θ."""
        g, w = self.n_groups, self.warped.size
        length = LENGTH_MODE + 0.5 * math.log(max(g, 1))
        mode = np.array([length] * g + [NOISE_MODE] + [0.0] * (2 * w))
        spread = np.array([LENGTH_SPREAD] * g + [NOISE_SPREAD] + [WARP_SPREAD] * (2 * w))
        return mode, spread

    @property
    def starts(self) -> list[FloatArray]:
        """Two θ to search from: little noise, or much of it on a smoother objective.

        A search that starts with hardly any noise may never find that there is some.
        """
        quiet, loud = self.prior[0].copy(), self.prior[0].copy()
        quiet[self.n_groups], loud[self.n_groups] = QUIET, LOUD
        loud[: self.n_groups] += 1.0
        return [quiet, loud]

    def bounds(self, floor: float) -> FloatArray:
        """Lower and upper end of every entry of θ, (len(θ), 2), with noise >= floor."""
        lengths = [(math.log(SHORTEST), math.log(LONGEST))] * self.n_groups
        exponents = [(-math.log(STEEPEST), math.log(STEEPEST))] * (2 * self.warped.size)
        return np.array([*lengths, (math.log(floor), math.log(LOUDEST)), *exponents])

    def split(self, theta: FloatArray) -> tuple[FloatArray, float, FloatArray, FloatArray]:
        """Log length scales (g,), log noise, log a (w,) and log b (w,)."""
        g, w = self.n_groups, self.warped.size
        return theta[:g], float(theta[g]), theta[g + 1 : g + 1 + w], theta[g + 1 + w :]

    def check(self, found: Hyperparameters) -> None:
        """SettingError if these are no hyperparameters of such columns."""
        if (len(found.length_scales), len(found.a), len(found.b)) != (
            self.n_groups,
            self.warped.size,
            self.warped.size,
        ):
            raise SettingError(
                f"start has {len(found.length_scales)} length scales and {len(found.a)} warped "
                f"columns, these features have {self.n_groups} and {self.warped.size}"
            )
        low, high = np.exp(self.bounds(FAINTEST)).T
        numbers = np.array([*found.length_scales, found.noise, *found.a, *found.b])
        if not ((numbers >= low / ROUNDING) & (numbers <= high * ROUNDING)).all():
            raise SettingError("a length scale, the noise or a warping is out of its range")

    def named(self, theta: FloatArray) -> Hyperparameters:
        """The hyperparameters that θ stands for."""
        lengths, noise, a, b = (np.exp(part).tolist() for part in self.split(theta))
        return Hyperparameters(tuple(lengths), noise, tuple(a), tuple(b))
