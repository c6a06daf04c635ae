"""The smooth map onto a clipped ellipsoid: onto, there and back, exact gradients."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from tests.regions.test_regions import clipped

from ringfence.regions import Clipped, Ellipsoid, sample

seeds = st.integers(0, 2**31)


@settings(max_examples=60, deadline=None)
@given(clipped(), seeds)
def test_points_come_back_and_none_leaves(region: Clipped, seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = sample(region, 20, rng, max_proposals=20_000).points
    there = region.coordinates.encode(points)
    assert (np.linalg.norm(there, axis=1) <= np.pi / 2 + 1e-9).all()
    np.testing.assert_allclose(region.coordinates.decode(there), points, atol=_slack(region))
    anywhere = 10.0 * rng.standard_normal((20, region.dim))
    assert region.contains(region.coordinates.decode(anywhere)).all()


@settings(max_examples=60, deadline=None)
@given(clipped(), seeds)
def test_a_quarter_turn_reaches_the_boundary(region: Clipped, seed: int) -> None:
    w = np.random.default_rng(seed).standard_normal((20, region.dim))
    w *= (np.pi / 2 / np.linalg.norm(w, axis=1))[:, None]
    lines = w @ region.body.factor.T
    anchors = np.broadcast_to(region.anchor, lines.shape)
    ends = anchors + region.chord(anchors, lines)[1][:, None] * lines
    np.testing.assert_allclose(
        region.coordinates.decode(w), np.clip(ends, 0, 1), atol=_slack(region)
    )


@settings(max_examples=60, deadline=None)
@given(clipped(), seeds)
def test_gradients_agree_with_differences(region: Clipped, seed: int) -> None:
    rng = np.random.default_rng(seed)
    w = rng.uniform(0.2, 6.0) * _directions(rng, 8, region.dim)
    slope = rng.standard_normal((8, region.dim))
    pulled = region.coordinates.linearized(w)[1](slope)
    for j in range(region.dim):
        step = np.zeros(region.dim)
        step[j] = 1e-6
        sides = [
            (region.coordinates.decode(w + sign * step) * slope).sum(axis=1)
            for sign in (1.0, -1.0, 0.0)
        ]
        forward, backward = (sides[0] - sides[2]) / 1e-6, (sides[2] - sides[1]) / 1e-6
        smooth = np.abs(forward - backward) < 1e-4 * (1.0 + np.abs(forward))  # else: on a kink
        wrong = np.abs(pulled[:, j] - 0.5 * (forward + backward)) > 1e-4 * (1.0 + np.abs(forward))
        assert not (smooth & wrong).any()
        assert smooth.mean() >= 0.5


def test_a_search_without_bounds_finds_the_boundary_point() -> None:
    """The largest first coordinate of an ellipsoid is on its boundary, known in closed form."""
    rng = np.random.default_rng(0)
    factor = 0.1 * np.linalg.cholesky(np.eye(4) + 0.3)
    region = Clipped(Ellipsoid(np.full(4, 0.5), factor))
    toward = np.eye(4)[:1]
    found = minimize(
        lambda w: -region.coordinates.decode(w[None])[0, 0],
        0.3 * rng.standard_normal(4),
        jac=lambda w: -region.coordinates.linearized(w[None])[1](toward)[0],
    )
    np.testing.assert_allclose(-found.fun, 0.5 + np.linalg.norm(factor[0]), atol=1e-8)


def _directions(rng: np.random.Generator, n: int, dim: int) -> np.ndarray:
    w = rng.standard_normal((n, dim))
    return w / np.linalg.norm(w, axis=1, keepdims=True)


def _slack(region: Clipped) -> float:
    """Rounding: flat ellipsoids are inverted with few digits."""
    return 1e-9 + 100 * region.body.tolerance
