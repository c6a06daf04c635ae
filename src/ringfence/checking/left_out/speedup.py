"""How many draws from the full space k draws from the learned one are worth.

symbol     meaning                                                            shape
inside     expected regret of the best of k draws inside, by task             (T, len(draws))
full       the same for K draws from the full space                           (T, len(FULL_DRAWS))
K(k)       the K at which the mean of `full` is the mean of `inside` at k
speed-up   K(k) / k, with an interval by resampling the tasks
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from ringfence.arrays import FloatArray
from ringfence.checking.left_out.recorded import FULL_DRAWS

RESAMPLES = 2000  # of the tasks, for the interval
LEVEL = 0.9  # of the interval


class SpeedUp(msgspec.Struct, frozen=True, rename={"full": "whole"}):  # keys of the JSON output
    """k draws inside are worth `value` times as many from the full space."""

    draws: int
    inside: float
    """Mean expected regret after this many draws inside."""
    full: float
    """The same for the full space."""
    value: float
    low: float
    """Lower end of the 90 % interval over tasks."""
    high: float


def speed_ups(inside: FloatArray, full: FloatArray, draws: Sequence[int]) -> tuple[SpeedUp, ...]:
    """The speed-up after each number of `draws`, the columns of `inside`."""
    tasks = len(inside)
    rng = np.random.default_rng(0)
    weights = rng.multinomial(tasks, np.full(tasks, 1 / tasks), RESAMPLES)
    resampled = _worth(weights @ inside / tasks, weights @ full / tasks, draws)
    value = _worth(inside.mean(axis=0)[None], full.mean(axis=0)[None], draws)[0]
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail], axis=0)
    same = np.interp(np.log(draws), np.log(FULL_DRAWS), full.mean(axis=0))
    return tuple(
        SpeedUp(k, *map(float, figures))
        for k, *figures in zip(draws, inside.mean(axis=0), same, value, low, high)
    )


def _worth(inside: FloatArray, full: FloatArray, draws: Sequence[int]) -> FloatArray:
    """K(k) / k for each row of mean curves; from 1/k to the end of FULL_DRAWS.

    Between two numbers of draws the logarithm of K is taken as linear in the regret.
    """
    falling = np.minimum.accumulate(full, axis=1)
    count = np.log(FULL_DRAWS)
    above = (falling[:, :, None] > inside[:, None, :]).sum(axis=1)
    last = len(count) - 1
    left, right = np.clip(above - 1, 0, last), np.clip(above, 0, last)
    high, low = (np.take_along_axis(falling, column, axis=1) for column in (left, right))
    share = (high - inside) / np.where(high > low, high - low, 1.0)
    share = np.where(left < right, np.clip(share, 0.0, 1.0), 0.0)
    worth = np.exp(count[left] + share * (count[right] - count[left]))
    ratio: FloatArray = worth / np.array(draws)
    return ratio
