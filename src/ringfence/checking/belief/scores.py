"""Normal scores: the ranks of a task's values as quantiles of the normal distribution."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from ringfence.arrays import FloatArray


def normal_scores(values: FloatArray) -> FloatArray:
    """The score of each value (n,), low for the best; equal values share a score (Blom 1958).

    Ranks have no unit and no outliers, so that tasks with any metric can share a model.
    """
    return np.asarray(ndtri((rankdata(values) - 0.375) / (values.size + 0.25)))
