"""Certified gaps over random clouds."""

from __future__ import annotations

import numpy as np

from ringfence.fit.solvers.minimum_ellipsoid import minimum_ellipsoid
from ringfence.fit.solvers.slack_box.penalty import slack_box_for
from ringfence.fit.solvers.slack_ellipsoid.penalty import slack_ellipsoid_for

CLOUDS = 1000


def cloud(seed: int) -> np.ndarray:
    """A random cloud with p from 1 to 50: normal, uniform, heavy-tailed, gridded or stretched."""
    rng = np.random.default_rng(seed)
    dim = int(rng.integers(1, 51))
    size = dim + 1 + int(rng.integers(1, 8 * dim + 20))
    kind = seed % 5
    points = rng.standard_normal((size, dim)) if kind != 1 else rng.random((size, dim))
    if kind == 2:
        points /= np.sqrt(rng.chisquare(2, (size, 1)))
    if kind == 3:
        points = np.round(3 * points) / 3 + 1e-3 * rng.standard_normal((size, dim))
    if kind == 4:
        points = points @ rng.standard_normal((dim, dim)) * 10 ** rng.uniform(-4, 4, dim)
    return points


def main() -> None:
    clouds = [cloud(seed) for seed in range(CLOUDS)]
    gaps = np.array([minimum_ellipsoid(points).gap for points in clouds])
    print(f"eq. 6: {CLOUDS} clouds, p 1 to 50, largest certified gap {gaps.max():.1e} nats")
    small = [points for points in clouds if points.shape[1] <= 15][:200]
    gaps = np.array([slack_ellipsoid_for(points, 0.1).gap for points in small])
    print(f"eq. 8: {len(small)} clouds, p up to 15, ν = 0.1, largest gap {gaps.max():.1e} nats")
    gaps = np.array([slack_box_for(points, 0.5).gap for points in small])
    print(f"eq. 7: {len(small)} clouds, p up to 15, ν = 0.5, largest relative gap {gaps.max():.1e}")


if __name__ == "__main__":
    main()
