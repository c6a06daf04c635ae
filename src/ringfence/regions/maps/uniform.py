"""A measure-preserving bijection cube ↔ unit ball: uniform stays uniform, so it carries designs."""

from __future__ import annotations

import numpy as np

from ringfence.arrays import FloatArray


def ball_from_cube(cube: FloatArray) -> FloatArray:
    """Rows of `cube` in (0, 1)^p → points of the unit ball, uniform if the rows are.

    Normal quantiles give a direction; the chi-square law of their length gives the radius.
    """
    from scipy.special import gammainc, ndtri

    dim = cube.shape[1]
    tiny = np.finfo(float).eps / 2
    normal = ndtri(np.clip(cube, tiny, 1 - tiny))
    square = np.einsum("ij,ij->i", normal, normal)
    radius = gammainc(dim / 2, square / 2) ** (1 / dim)
    ball: FloatArray = normal * (radius / np.sqrt(np.maximum(square, tiny)))[:, None]
    return ball


def ball_to_cube(ball: FloatArray) -> FloatArray:
    """Undo `ball_from_cube` for points strictly inside the ball."""
    from scipy.special import gammaincinv, ndtr

    dim = ball.shape[1]
    radius = np.sqrt(np.einsum("ij,ij->i", ball, ball))
    length = np.sqrt(2 * gammaincinv(dim / 2, np.minimum(radius, 1.0) ** dim))
    cube: FloatArray = ndtr(ball * (length / np.maximum(radius, 1e-300))[:, None])
    return cube
