"""Does the number of outliers grow with the penalty? Scan eq. 8 in steps of 1 % and see.

python -m benchmarks.monotone
"""

from __future__ import annotations

import numpy as np

from ringfence.fit.outlier_count import n_outliers
from ringfence.fit.solvers.slack_ellipsoid.answer import SlackEllipsoid
from ringfence.fit.solvers.slack_ellipsoid.penalty import n_outside, slack_ellipsoid_for
from ringfence.fit.solvers.slack_ellipsoid.solve import slack_ellipsoid

CLOUDS = 100
SHARES = (0.1, 0.3, 0.5)


def cloud(seed: int) -> np.ndarray:
    """Two to five dimensions, up to 6 p + 20 points: uniform, normal or heavy-tailed."""
    rng = np.random.default_rng(seed)
    dim = int(rng.integers(2, 6))
    size = int(rng.integers(dim + 3, 6 * dim + 21))
    points = rng.random((size, dim)) if seed % 3 == 0 else rng.standard_normal((size, dim))
    return points / np.sqrt(rng.chisquare(3, (size, 1))) if seed % 3 == 2 else points


def scan(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Penalties in steps of 1 % until 60 % of the points are outside, and how many are outside."""
    size, dim = points.shape
    penalties, counts = [], []
    penalty, last = (dim + 1) / (size * dim), None
    while not counts or counts[-1] < 0.6 * size:
        last = slack_ellipsoid(points, penalty, start=last, tol=1e-8)
        assert isinstance(last, SlackEllipsoid)
        penalties.append(penalty)
        counts.append(n_outside(last))
        penalty *= 1.01
    return np.array(penalties), np.array(counts)


def main() -> None:
    dips, choices, later, factors = 0, 0, 0, []
    for seed in range(CLOUDS):
        points = cloud(seed)
        penalties, counts = scan(points)
        dips += bool((np.diff(counts) < 0).any())
        for share in SHARES:
            wanted = n_outliers(share, len(points))
            smallest = penalties[np.argmax(counts >= wanted)]
            chosen = slack_ellipsoid_for(points, share).penalty
            choices += 1
            if chosen > 1.03 * smallest:
                later += 1
                factors.append(chosen / smallest)
    print(f"{dips} of {CLOUDS} clouds have a dip in the number of outliers as the penalty grows")
    print(f"{later} of {choices} choices return a later crossing than the first", end="")
    print(f", at {np.median(factors):.2f} times its penalty in the median" if factors else "")


if __name__ == "__main__":
    main()
