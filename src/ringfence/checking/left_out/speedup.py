"""How many draws from the full space k draws from the learned one are worth.

symbol     meaning                                                                shape
curves     regret of the best of k draws inside: tasks, functions that may be a   (T, S, G, k)
           task's, exponents of the regret scale, numbers of draws
full       the same for each K of COUNTS from the full space                      (G, K)
K(k)       the K at which `full` is the mean of the curves at k
speed-up   K(k) / k

The spread of log K(k) has two parts that data can shrink: between tasks, which there happen to be,
and within tasks, what their rows leave open. For these, each replication resamples the tasks, takes
one of the functions of each and one exponent for all. What the model gets wrong was measured
against truth (docs/check.md); it has the same two parts, and a third that stays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from scipy.special import ndtri

from ringfence.arrays import FloatArray
from ringfence.checking.belief.regret_scale import COUNTS, FULL_DRAWS, RegretScale

RESAMPLES = 1000
LEVEL = 0.9  # of the intervals
TAIL = (1.0 - LEVEL) / 2.0
NORMAL_QUANTILE = float(ndtri(1.0 - TAIL))
NORMAL_QUANTILES = ndtri((np.arange(41) + 0.5) / 41)  # of a normal distribution, evenly likely
COMMON_ERROR = 0.08  # of log K: what the model gets wrong for all tasks alike
TASK_ERROR = 0.52  # what it gets wrong for one task; less for the mean of many
THIN_ERROR = 1.73  # grows as the rows of a task become few: its square is divided by …
THIN_POWER = 1.5  # … this power of their number
LACK_ERROR = 1.4  # times the share of the parameters that the tasks do not know (docs/mismatch.md)
SCARCE_ERROR = 1.5  # times the mean over the parameters of 1 / the tasks that know it (same page)


@dataclass(frozen=True)
class ModelError:
    """Variances of log K that are due to the model."""

    common: float
    between: float
    within: float

    @classmethod
    def of(
        cls,
        n_tasks: int,
        rows: float,
        extra: float = 0.0,
        lacks: float = 0.0,
        scarce: float = 0.0,
    ) -> ModelError:
        """For tasks of this many rows in the median that do not know the share `lacks` of the
        parameters, of which few tasks know the share `scarce`; `extra` is a spread that always
        remains."""
        unknown = (LACK_ERROR * lacks) ** 2 + (SCARCE_ERROR * scarce) ** 2
        common = COMMON_ERROR**2 + extra**2 + unknown
        return cls(common, TASK_ERROR**2 / n_tasks, THIN_ERROR**2 / rows**THIN_POWER)


NO_ERROR = ModelError(0.0, 0.0, 0.0)


class SpeedUp(msgspec.Struct, frozen=True):
    """k trials inside are worth `value` times as many from the full space."""

    draws: int
    inside: float
    """Mean expected regret after this many draws inside."""
    inside_low: float
    """Lower end of its 90 % interval."""
    inside_high: float
    full: float
    """Mean expected regret after this many draws from the full space."""
    value: float
    low: float
    """Lower end of the 90 % interval of the speed-up."""
    high: float
    between_tasks: float
    """Spread of the logarithm of the speed-up that more tasks would reduce."""
    within_tasks: float
    """The same for what more runs of each task would reduce."""

    def __repr__(self) -> str:
        return (
            f"SpeedUp({self.value:.2f} after {self.draws} trials, {self.low:.2f} to "
            f"{self.high:.2f}; regret {self.inside:.3f} inside, {self.full:.3f} in the full space)"
        )


def speed_ups(
    curves: Sequence[FloatArray],
    draws: Sequence[int],
    scale: RegretScale,
    error: ModelError,
    optimism: float = 0.0,
) -> tuple[SpeedUp, ...]:
    """The speed-up after each number of `draws`, from the curves (S, G, k) of each task. By the
    share `optimism`, what its logarithm has beyond 1 is taken off."""
    stacked = np.stack(curves)
    log_value = scale.weights @ np.log(worth(stacked.mean(axis=(0, 1)), scale.full, draws, COUNTS))
    log_value -= optimism * np.maximum(log_value - 1.0, 0.0)
    rng = np.random.default_rng(0)
    total = _resampled(stacked, draws, scale, rng).var(axis=0)
    sample = len(curves) / max(len(curves) - 1, 1)  # the variance of a sample is too small
    between = np.minimum(_between_tasks(stacked, draws, scale, rng), total)
    within = total - between + error.within
    between = sample * between + error.between
    ups = []
    for column, k in enumerate(draws):
        spread = math.sqrt(between[column] + within[column] + error.common)
        reach = math.exp(NORMAL_QUANTILE * spread)
        value = math.exp(log_value[column])
        regret = regret_after(k * value, spread, scale)
        same = regret_after(k, 0.0, scale)[0]
        high = min(value * reach, max(value, FULL_DRAWS[-1] / k))
        parts = math.sqrt(between[column]), math.sqrt(within[column])
        ups.append(SpeedUp(k, *regret, same, value, value / reach, high, *parts))
    return tuple(ups)


def regret_after(draws: float, spread: float, scale: RegretScale) -> tuple[float, float, float]:
    """Regret after this many draws from the full space, and the ends of its interval if the
    logarithm of that number has this spread."""
    count = np.log(COUNTS)
    here = math.log(draws)
    regrets = np.array([np.interp(here + spread * NORMAL_QUANTILES, count, f) for f in scale.full])
    at_value = [np.interp(here, count, curve) for curve in scale.full]
    order = np.argsort(regrets, axis=None)
    chances = np.repeat(scale.weights, regrets.shape[1])[order].cumsum()
    ends = np.searchsorted(chances, [TAIL * chances[-1], (1.0 - TAIL) * chances[-1]])
    low, high = regrets.ravel()[order][ends]
    return float(scale.weights @ at_value), float(low), float(high)


def _resampled(
    curves: FloatArray, draws: Sequence[int], scale: RegretScale, rng: np.random.Generator
) -> FloatArray:
    """The logarithm of the speed-up in each replication, (RESAMPLES, k)."""
    n_tasks, n_functions = curves.shape[:2]
    tasks = rng.integers(n_tasks, size=(RESAMPLES, n_tasks))
    functions = rng.integers(n_functions, size=(RESAMPLES, n_tasks))
    exponents = rng.choice(len(scale.weights), size=RESAMPLES, p=scale.weights)
    regret = curves[tasks, functions, exponents[:, None]].mean(axis=1)
    return np.log(worth(regret, scale.full[exponents], draws, COUNTS))


def _between_tasks(
    curves: FloatArray, draws: Sequence[int], scale: RegretScale, rng: np.random.Generator
) -> FloatArray:
    """Variance of the logarithm of the speed-up if only the tasks are resampled."""
    n_tasks = len(curves)
    by_task = curves.mean(axis=1)
    weights = rng.multinomial(n_tasks, np.full(n_tasks, 1 / n_tasks), RESAMPLES) / n_tasks
    middle = int(scale.weights.argmax())
    regret = weights @ by_task[:, middle]
    full = np.broadcast_to(scale.full[middle], (RESAMPLES, len(COUNTS)))
    return np.asarray(np.log(worth(regret, full, draws, COUNTS)).var(axis=0))


def worth(
    inside: FloatArray,
    full: FloatArray,
    draws: Sequence[int],
    counts: Sequence[float] = FULL_DRAWS,
) -> FloatArray:
    """K(k) / k for each row of mean curves; K lies between the ends of `counts`, the columns of
    `full`.

    Between two numbers of draws the logarithm of K is taken as linear in the regret.
    """
    falling = np.minimum.accumulate(full, axis=1)
    count = np.log(counts)
    above = (falling[:, :, None] > inside[:, None, :]).sum(axis=1)
    last = len(count) - 1
    left, right = np.clip(above - 1, 0, last), np.clip(above, 0, last)
    high, low = (np.take_along_axis(falling, column, axis=1) for column in (left, right))
    share = (high - inside) / np.where(high > low, high - low, 1.0)
    share = np.where(left < right, np.clip(share, 0.0, 1.0), 0.0)
    numbers = np.exp(count[left] + share * (count[right] - count[left]))
    ratio: FloatArray = numbers / np.array(draws)
    return ratio
