"""The one triangular factor of a positive semidefinite matrix.

An ellipsoid {c + F z : ‖z‖ ≤ 1} depends on F Fᵀ alone. Of all such F exactly one is lower
triangular with a positive diagonal, if F is regular.
"""

from __future__ import annotations

import numpy as np

from ringfence.arrays import FloatArray


def lower_triangular(factor: FloatArray) -> FloatArray:
    """The lower triangular L, diagonal ≥ 0, with L Lᵀ = F Fᵀ for F of shape (p, n), n ≥ p.

    By QR of Fᵀ: a Cholesky factor of F Fᵀ would square the condition number.
    """
    upper: FloatArray = np.asarray(np.linalg.qr(factor.T, mode="r"))
    signs = np.where(upper.diagonal() < 0, -1.0, 1.0)
    return (upper * signs[:, None]).T
