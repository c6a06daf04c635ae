"""How many draws from the whole space k draws from the learned one are worth.

symbol   meaning                                                            shape
inside   expected regret of the best of k draws inside, by task             (T, len(DRAWS))
whole    the same for K draws from the whole space                          (T, len(WHOLE_DRAWS))
K(k)     where the mean of `whole` comes down to the mean of `inside` at k
speed-up K(k) / k, with an interval by resampling the tasks
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from ringfence.arrays import FloatArray
from ringfence.checking.leave_one_out import DRAWS, TaskCheck
from ringfence.checking.recorded import WHOLE_DRAWS

RESAMPLES = 2000
LEVEL = 0.9


class SpeedUp(msgspec.Struct, frozen=True):
    """k draws inside are worth `value` times as many from the whole space."""

    draws: int
    inside: float
    """Mean expected regret after so many draws inside."""
    whole: float
    """The same for the whole space."""
    value: float
    low: float
    """Lower end of the 90 % interval over tasks."""
    high: float


def speed_ups(tasks: Sequence[TaskCheck]) -> tuple[SpeedUp, ...]:
    """The speed-up after each number of DRAWS, over tasks with recorded rows inside."""
    inside = np.array([task.inside for task in tasks])
    whole = np.array([task.whole for task in tasks])
    rng = np.random.default_rng(0)
    weights = rng.multinomial(len(tasks), np.full(len(tasks), 1 / len(tasks)), RESAMPLES)
    resampled = _worth(weights @ inside / len(tasks), weights @ whole / len(tasks))
    value = _worth(inside.mean(axis=0)[None], whole.mean(axis=0)[None])[0]
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail], axis=0)
    places = [WHOLE_DRAWS.index(k) for k in DRAWS]
    return tuple(
        SpeedUp(k, *map(float, figures))
        for k, *figures in zip(
            DRAWS, inside.mean(axis=0), whole.mean(axis=0)[places], value, low, high
        )
    )


def _worth(inside: FloatArray, whole: FloatArray) -> FloatArray:
    """K(k) / k for each row of mean curves; from 1/k to the end of WHOLE_DRAWS.

    Between two numbers of draws the logarithm of K is taken as linear in the regret.
    """
    falling = np.minimum.accumulate(whole, axis=1)
    count = np.log(WHOLE_DRAWS)
    above = (falling[:, :, None] > inside[:, None, :]).sum(axis=1)
    last = len(count) - 1
    left, right = np.clip(above - 1, 0, last), np.clip(above, 0, last)
    high, low = (np.take_along_axis(falling, place, axis=1) for place in (left, right))
    part = (high - inside) / np.where(high > low, high - low, 1.0)
    part = np.where(left < right, np.clip(part, 0.0, 1.0), 0.0)
    worth = np.exp(count[left] + part * (count[right] - count[left]))
    ratio: FloatArray = worth / np.array(DRAWS)
    return ratio
