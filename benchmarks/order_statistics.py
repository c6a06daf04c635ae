"""Exact expectations of the best of some draws without replacement.

symbol   meaning                                                                 shape
n        number of recorded values
v        the values, in order, v_1 ≤ … ≤ v_n                                     (n,)
k        number of draws
S_i      chance that no draw is among the i smallest values, C(n-i, k)/C(n, k)

The best of k draws is v_{i+1} with chance S_i - S_{i+1}.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ringfence.arrays import FloatArray


def expected_best(values: FloatArray, draws: Sequence[int]) -> FloatArray:
    """Expected smallest of k of the values, drawn without replacement, for each k in `draws`; all
    of them are drawn if there are fewer than k."""
    ordered = np.sort(values)
    n = len(ordered)
    expected = np.empty(len(draws))
    remaining = n - np.arange(n)
    for column, k in enumerate(draws):
        k = min(k, n)
        # S_{i+1} / S_i = (n - i - k) / (n - i)
        beyond = np.cumprod(np.maximum(remaining - k, 0) / remaining)
        chance = np.diff(np.concatenate([[1.0], beyond]))
        expected[column] = -float(ordered @ chance)
    return expected
