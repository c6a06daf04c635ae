"""Logistic regression with an intercept a task and Gaussian priors, by Newton's method.

    log odds of failure = offset + m + e_t + Phi b
    m ~ N(MEAN, SPREAD²),  e_t ~ N(0, s²),  b_j ~ N(0, r_k²) for a column of kind k

symbol   meaning                                       shape
y        1 for a failed run, else 0                    (n,)
task     number of each run's task, in order           (n,)
b        slopes, shared by all tasks                   (p,)
e        what a task's log odds are beyond the mean    (T,)

The deviations s and r_k follow from the data (MacKay 1992): r_k² = |b|² / g with g the number of
slopes of the kind that the data determine. If failures depend on nothing, r goes to zero, and with
it every slope.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from ringfence.arrays import FloatArray, IntArray

MEAN, SPREAD = -2.0, 2.0  # of the mean log odds: a rate of 12 %, from 0.2 % to 88 % within two
LEAST, MOST = 0.01, 5.0  # deviations; with the least, a hundred columns move odds by 10 %
FEW_STEPS = 12  # Newton's steps before the first update of the deviations: four to ten are usual
ROUNDS = 8  # updates of the deviations, one step between two of them: they move the mode little
CLOSE = 1e-4  # largest change of a step that ends a search


@dataclass(frozen=True)
class Deviations:
    """Those of the prior: of the tasks, and of the slopes of each kind."""

    tasks: float = 1.0
    slopes: tuple[float, ...] = (1.0, 0.3)


@dataclass(frozen=True, eq=False)
class Fit:
    """The most likely parameters."""

    mean: float
    e: FloatArray  # (T,)
    b: FloatArray  # (p,)
    deviations: Deviations


def fit(
    Phi: FloatArray,
    y: FloatArray,
    task: IntArray,
    offset: FloatArray,
    kinds: IntArray,
    start: Fit | None = None,
    *,
    settled: bool = False,
) -> Fit:
    """The fit; with `settled` the deviations stay those of `start`."""
    T = int(task.max()) + 1
    if start is None:
        start = Fit(MEAN, np.zeros(T), np.zeros(Phi.shape[1]), Deviations())
    state = start if len(start.e) == T else Fit(start.mean, np.zeros(T), start.b, start.deviations)
    design = np.column_stack([np.ones(len(y)), Phi])
    for steps in (FEW_STEPS, *(ROUNDS - 1) * (1,)):
        state, determined, spread = _newton(design, y, task, offset, kinds, state, steps)
        if settled:
            break
        old, state = state.deviations, _renewed(state, kinds, determined, spread)
        if _distance(old, state.deviations) < 0.05:  # 5 % of a deviation changes nothing
            break
    return state


def _newton(
    design: FloatArray,
    y: FloatArray,
    task: IntArray,
    offset: FloatArray,
    kinds: IntArray,
    state: Fit,
    steps: int,
) -> tuple[Fit, FloatArray, FloatArray]:
    """The most likely parameters for given deviations after so many steps, `design` being a column
    of ones and Phi; how far the data determine each slope, from 0 to 1; and the variance of each
    task's effect."""
    T, p = len(state.e), len(state.b)
    s2 = state.deviations.tasks**2
    ridge = 1.0 / np.array(state.deviations.slopes)[kinds] ** 2
    mean, e, b = state.mean, state.e, state.b
    prior = np.concatenate([[1.0 / SPREAD**2], ridge])
    center = np.concatenate([[MEAN], np.zeros(p)])
    for _ in range(steps):
        at = np.concatenate([[mean], b])
        chance = expit(offset + design @ at + e[task])
        w = np.maximum(chance * (1.0 - chance), 1e-9)
        gradient = design.T @ (y - chance) - prior * (at - center)
        of_task = np.bincount(task, y - chance, T) - e / s2
        H_e = np.bincount(task, w, T) + 1.0 / s2
        cross = _sums(design * w[:, None], task, T)  # (T, 1 + p)
        root = design * np.sqrt(w)[:, None]  # a product with itself takes half the time
        H = root.T @ root + np.diag(prior) - cross.T @ (cross / H_e[:, None])
        factor = cho_factor(H + 1e-10 * np.eye(len(H)))
        step = cho_solve(factor, gradient - cross.T @ (of_task / H_e))
        step_e = (of_task - cross @ step) / H_e
        shrink = min(1.0, 4.0 / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        mean, b, e = mean + shrink * step[0], b + shrink * step[1:], e + shrink * step_e
        if max(np.abs(step).max(initial=0.0), np.abs(step_e).max(initial=0.0)) < CLOSE:
            break
    inverse = np.diag(cho_solve(factor, np.eye(len(H))))
    determined = np.clip(1.0 - ridge * inverse[1:], 0.0, 1.0)
    return Fit(float(mean), e, b, state.deviations), determined, np.asarray(1.0 / H_e)


def _sums(rows: FloatArray, task: IntArray, T: int) -> FloatArray:
    """Sums of rows by task, whose numbers are in order."""
    starts = np.searchsorted(task, np.arange(T))
    return np.asarray(np.add.reduceat(rows, starts, axis=0))


def _renewed(state: Fit, kinds: IntArray, determined: FloatArray, spread: FloatArray) -> Fit:
    slopes = []
    for kind, old in enumerate(state.deviations.slopes):
        these = kinds == kind
        count = float(determined[these].sum())
        squares = float((state.b[these] ** 2).sum())
        slopes.append(old if count <= 0.0 else float(np.sqrt(squares / count)))
    tasks = float(np.sqrt(np.mean(state.e**2 + spread)))
    clipped = np.clip([tasks, *slopes], LEAST, MOST).tolist()
    return Fit(state.mean, state.e, state.b, Deviations(clipped[0], tuple(clipped[1:])))


def _distance(one: Deviations, other: Deviations) -> float:
    pairs = zip((one.tasks, *one.slopes), (other.tasks, *other.slopes))
    return max(abs(float(np.log(a / b))) for a, b in pairs)


def own_intercept(f: FloatArray, y: FloatArray) -> float:
    """The intercept with which f fits y best; half a run on either side keeps it finite."""
    n, failed = len(y), float(y.sum())
    share = (failed + 0.5) / (n + 1.0)
    a = float(np.log(share / (1.0 - share)) - f.mean())
    for _ in range(50):
        chance = expit(a + f)
        step = (share * n - chance.sum()) / max(float((chance * (1.0 - chance)).sum()), 1e-9)
        a += float(np.clip(step, -2.0, 2.0))
        if abs(step) < 1e-8:
            break
    return a


def log_likelihood(log_odds: FloatArray, y: FloatArray) -> float:
    """Of runs that failed (1) or not (0)."""
    return float(np.where(y > 0, -np.logaddexp(0.0, -log_odds), -np.logaddexp(0.0, log_odds)).sum())
