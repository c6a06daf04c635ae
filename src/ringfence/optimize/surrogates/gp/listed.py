"""A Gaussian process over a list of candidates, an evaluation at a time.

While the hyperparameters stay as they are, one more evaluation adds a row to the root of the
covariance and a column to `white`. So the moments of m candidates after n evaluations cost
O(n (m + n)), and O(n² (m + n)) from scratch.

symbol   meaning                                                        shape
Z        features of the n evaluations as the kernel sees them          (n, d)
C        features of the m candidates as the kernel sees them           (m, d)
root     L⁻¹, for the covariance L L' of the evaluations                (n, n)
white    k(C, Z) L⁻ᵀ: the variance drops by the squares of its rows     (m, n)
half     L⁻¹ (y - mean): white times it is what the evaluations add     (n,)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtri

from ringfence.arrays import FloatArray, IntArray
from ringfence.errors import FitError
from ringfence.optimize.surrogates.gp.hyperparameters import KernelColumns
from ringfence.optimize.surrogates.gp.posterior import scale_features
from ringfence.optimize.surrogates.gp.prediction import LEAST_VARIANCE
from ringfence.optimize.surrogates.matern import matern52_values, squared_distances
from ringfence.optimize.surrogates.standardize import Standardized

SPARE = 8  # an eighth more room than is needed, each time that there is too little


@dataclass(frozen=True, eq=False)
class ListedMoments:
    """What is expected of every candidate, in units of y."""

    mean: FloatArray
    variance: FloatArray
    best: float
    """The smallest predicted mean at an evaluation."""

    def at(self, places: IntArray) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of some candidates."""
        return self.mean[places], self.variance[places]


class ListedGP:
    """The posterior over a list, without the values: these may be scaled anew each time.

    It is the same to the last digit whenever it begins with the same evaluations and the others
    are added in the same order.
    """

    def __init__(
        self, theta: FloatArray, columns: KernelColumns, X: FloatArray, candidates: FloatArray
    ) -> None:
        self.theta, self.columns = theta, columns
        self.noise = math.exp(theta[columns.n_groups])
        self.X = X
        self.Z = self._scaled(X)
        self.C = self._scaled(candidates)
        n = len(X)
        kernel = matern52_values(squared_distances(self.Z, self.Z))
        kernel.flat[:: n + 1] += self.noise
        L, failed = dpotrf(kernel.T, lower=1, clean=1)
        if failed:
            raise _singular(n, self.noise)
        self._root = np.asfortranarray(dtrtri(L, lower=1)[0])
        kernel = matern52_values(squared_distances(self.C, self.Z))
        self._white = np.asfortranarray(kernel @ self._root.T)
        self._explained = np.einsum("ij,ij->i", self._white, self._white)

    def __len__(self) -> int:
        return len(self.X)

    def continues(self, theta: FloatArray, X: FloatArray) -> bool:
        """Whether these evaluations begin with those that are known, under the same θ."""
        n = len(self)
        return np.array_equal(theta, self.theta) and np.array_equal(X[:n], self.X)

    def add(self, x: FloatArray) -> None:
        """One evaluation more, of features x (d,)."""
        n = len(self)
        z = self._scaled(x[None])
        self._make_room(n + 1)
        root, white = self._root[:n, :n], self._white[:, :n]
        row = root @ matern52_values(squared_distances(self.Z, z))[:, 0]
        rest = 1.0 + self.noise - float(row @ row)
        if rest <= 0.0:
            raise _singular(n + 1, self.noise)
        corner = 1.0 / math.sqrt(rest)
        self._root[n, :n] = -corner * (row @ root)
        self._root[n, n] = corner
        column = matern52_values(squared_distances(self.C, z))[:, 0] - white @ row
        self._white[:, n] = corner * column
        self._explained += self._white[:, n] ** 2
        self.X, self.Z = np.vstack([self.X, x]), np.vstack([self.Z, z])

    def moments(self, values: Standardized) -> ListedMoments:
        """The moments of all candidates, given a value for each evaluation."""
        n = len(self)
        root, white = self._root[:n, :n], self._white[:, :n]
        by_y, by_one = root @ values.y, root.sum(axis=1)
        mean = float(by_one @ by_y) / float(by_one @ by_one)
        half = by_y - mean * by_one
        fitted = values.y - self.noise * (half @ root)
        return ListedMoments(
            values.shift + values.scale * (mean + white @ half),
            values.scale**2 * np.maximum(1.0 - self._explained, LEAST_VARIANCE),
            best=values.shift + values.scale * float(fitted.min()),
        )

    def _scaled(self, X: FloatArray) -> FloatArray:
        return scale_features(self.theta, X, self.columns).Z

    def _make_room(self, n: int) -> None:
        if n <= len(self._root):
            return
        more = n + n // SPARE - len(self._root)
        self._root = np.asfortranarray(np.pad(self._root, ((0, more), (0, more))))
        self._white = np.asfortranarray(np.pad(self._white, ((0, 0), (0, more))))


def _singular(n: int, noise: float) -> FitError:
    return FitError(f"the covariance of {n} observations is singular at noise {noise:.1e}")
