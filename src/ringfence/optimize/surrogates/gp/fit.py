"""`fit_gp`: a Gaussian process with the hyperparameters at the maximum of their posterior density.

Matérn-5/2 with a length scale for each parameter, noise, and input warping on request. L-BFGS-B
with exact gradients searches from two fixed starts, or from the hyperparameters of an earlier fit,
with the fixed starts tried again now and then. If the evaluations are many, a subset of them gives
a rough fit first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import fmin_l_bfgs_b

from ringfence.arrays import FloatArray
from ringfence.errors import SettingError
from ringfence.optimize.surrogates.gp.hyperparameters import Hyperparameters, KernelColumns
from ringfence.optimize.surrogates.gp.posterior import log_posterior
from ringfence.optimize.surrogates.gp.prediction import GP, condition
from ringfence.optimize.surrogates.standardize import standardize

AFRESH = (
    4  # the fixed starts are tried again whenever the number of evaluations is a multiple of it
)
MANY = 256  # evaluations that a rough fit takes; with more, the full fit begins where it ended
POLISH = 15  # iterations of that full fit
SUSPECTED = -3.0  # its least log noise at the start: a subset may look free of noise by chance
TOLERANCE = 1e-6  # of the log posterior density, relative


@dataclass(frozen=True)
class GPOptions:
    """How a Gaussian process is fitted."""

    noise_floor: float = 1e-6
    """Least variance of the noise, in units of the variance of the values."""
    max_iterations: int = 50
    """From each start."""
    compressed: bool = True
    """Whether bad values are compressed (standardize.py): right for a search, wrong if the model
    has to predict them."""


def fit_gp(
    X: FloatArray,
    y: FloatArray,
    groups: object = None,
    *,
    warped: object = None,
    start: Hyperparameters | None = None,
    settled: bool = False,
    seed: int = 0,
    options: GPOptions | None = None,
) -> GP:
    """Fit to values y (n,) at features X (n, d): numbers in [0, 1], categories one-hot / √2.

    Columns with the same number in `groups` (d,) share a length scale; those in the mask `warped`
    (d,) are warped. `start` holds the hyperparameters of an earlier fit, which stay as they are if
    they are `settled`. `seed` picks the subset of many evaluations for the rough fit.
    """
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
    _check(X, y)
    options = options or GPOptions()
    columns = KernelColumns.of(X.shape[1], groups, warped)
    values = standardize(y, compressed=options.compressed)
    starts = [] if start is None else [_vector(start, columns)]
    if starts and settled:
        return condition(starts[0], X, values, columns)
    if start is None or y.size % AFRESH == 0:
        starts += columns.starts
    if y.size <= MANY:
        theta = _search(X, values.y, columns, starts, options)
    else:
        subset = np.random.default_rng(seed).choice(y.size, MANY, replace=False)
        rough = _search(X[subset], values.y[subset], columns, starts, options)
        rough[columns.n_groups] = max(rough[columns.n_groups], SUSPECTED)
        polish = replace(options, max_iterations=POLISH)
        theta = _search(X, values.y, columns, [rough], polish)
    return condition(theta, X, values, columns)


def _search(
    X: FloatArray,
    y: FloatArray,
    columns: KernelColumns,
    starts: Sequence[FloatArray],
    options: GPOptions,
) -> FloatArray:
    """The best of the maxima that the starts lead to."""
    bounds = columns.bounds(options.noise_floor)

    def loss(theta: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = log_posterior(theta, X, y, columns)
        return -value / y.size, -gradient / y.size

    ends = [
        fmin_l_bfgs_b(
            loss,
            np.clip(start, *bounds.T),
            bounds=bounds,
            maxiter=options.max_iterations,
            factr=TOLERANCE / np.finfo(float).eps,
            pgtol=1e-4,
        )
        for start in starts
    ]
    theta: FloatArray = min(ends, key=lambda end: end[1])[0]
    return theta


def _vector(start: Hyperparameters, columns: KernelColumns) -> FloatArray:
    columns.check(start)
    return start.theta


def _check(X: FloatArray, y: FloatArray) -> None:
    if X.ndim != 2 or y.shape != X.shape[:1] or not y.size:
        raise SettingError(
            f"features of shape {X.shape} and values of shape {y.shape}: "
            "expected (n, d) and (n,) with n > 0"
        )
    for name, array in (("features", X), ("values", y)):
        if not np.isfinite(array).all():
            row = int(np.argwhere(~np.isfinite(array))[0][0])
            raise SettingError(f"{name} must be finite numbers: row {row} is not")
