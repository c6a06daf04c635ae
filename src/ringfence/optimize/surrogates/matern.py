"""The Matérn-5/2 kernel k = (1 + q + q²/3) exp(-q), q = √5 r, as a function of r².

In r² it is differentiable everywhere, also at r = 0.
"""

from __future__ import annotations

import numpy as np

from ringfence.arrays import FloatArray


def squared_distances(A: FloatArray, B: FloatArray) -> FloatArray:
    """|a - b|² for every row a of A (m, d) and b of B (n, d), shape (m, n)."""
    squares = -2.0 * (A @ B.T)
    squares += np.einsum("ij,ij->i", A, A)[:, None]
    squares += np.einsum("ij,ij->i", B, B)
    return np.maximum(squares, 0.0, out=squares)


def matern52_values(squares: FloatArray) -> FloatArray:
    """Kernel values alone. The squares are overwritten."""
    squares *= 5.0
    q = np.sqrt(squares)
    squares /= 3.0
    squares += q
    squares += 1.0
    np.negative(q, out=q)
    squares *= np.exp(q, out=q)
    return squares


def matern52(squares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Kernel values, and minus their derivatives by r²."""
    q = np.sqrt(5.0 * squares)
    decay = np.exp(-q)
    slope = q + 1.0
    kernel = slope + q * q / 3.0
    kernel *= decay
    slope *= decay
    slope *= 5.0 / 6.0
    return kernel, slope
