"""Ellipsoids around tasks that lack coordinates: are they the smallest?

    python -m benchmarks.gaps            random clouds: restarts, brute force, outliers
    python -m benchmarks.gaps FOLDER     volumes on the tables of conditional spaces there

The objective is the mean, over the tasks, of the log volume of the ellipsoid's shadow on the
parameters that a task has, in nats. *Brute force* is a general solver (SLSQP) over center and
factor from 10 random starts, for 8 tasks and 2 or 3 parameters.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from ringfence.arrays import FloatArray
from ringfence.bench.methods import REGIONS
from ringfence.bench.suites import SuiteSource, load_suite
from ringfence.fit.ellipsoid import fit_ellipsoid
from ringfence.fit.gaps import fit_with_gaps
from ringfence.fit.solvers.free_ellipsoid.descent import STARTS, FreeEllipsoid, free_ellipsoid
from ringfence.fit.solvers.free_ellipsoid.room import with_room
from ringfence.learning import learn
from ringfence.regions.completion import completed
from ringfence.threads import one_thread

CLOUDS = 20
"""Of each kind."""
MANY = 8
"""Starts that few are held against."""
BETTER = 1e-3
"""Nats: a difference of a tenth of a per cent."""
CASES = 12
"""For brute force."""
SUITES = ("svm_rbv2_surrogate", "xgboost_rbv2_surrogate", "svc_pmlb164")
NAMES = ("Box", "Ellipsoid", "One-cloud Ellipsoid", "One-cloud Slack Ellipsoid")


def svm(rng: np.random.Generator) -> FloatArray:
    """One parameter that all have, two that nobody has together."""
    x = rng.random((29, 3))
    kernel = rng.integers(3, size=29)
    x[kernel != 1, 1], x[kernel != 2, 2] = np.nan, np.nan
    return x


def xgboost(rng: np.random.Generator) -> FloatArray:
    """Four parameters that all have, five that four of five tasks have."""
    x = rng.random((29, 9))
    x[rng.random(29) < 0.2, 4:] = np.nan
    return x


def holes(share: float) -> Callable[[np.random.Generator], FloatArray]:
    """Four parameters, any of which may be unknown."""

    def make(rng: np.random.Generator) -> FloatArray:
        x = np.clip(0.5 + 0.15 * rng.standard_normal((29, 4)) @ rng.standard_normal((4, 4)), 0, 1)
        gaps = rng.random(x.shape) < share
        gaps[np.arange(29), rng.integers(4, size=29)] = False
        return np.where(gaps, np.nan, x)

    return make


KINDS = {
    "SVM: 1 always, 2 exclusive": svm,
    "XGBoost: 4 always, 5 mostly": xgboost,
    "4, a tenth unknown": holes(0.1),
    "4, a third unknown": holes(0.33),
}


def found(points: FloatArray, starts: int) -> FreeEllipsoid:
    """The ellipsoid from so many starts."""
    more, _ = with_room(points)
    shares = np.where(np.arange(len(more)) < len(points), 1 / len(points), 0.0)
    return free_ellipsoid(more, shares, starts=starts)


def restarts() -> Iterator[str]:
    """How often further starts help, and by how much."""
    yield (
        f"| cloud | {MANY} starts beat 1 | mean gain, nats | largest | {MANY} beat {STARTS} "
        f"| mean gain | steps | ms for {STARTS} |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    for name, make in KINDS.items():
        gains, later, steps, times = [], [], [], []
        for seed in range(CLOUDS):
            points = make(np.random.default_rng(seed))
            one, many = found(points, 1), found(points, MANY)
            start = time.perf_counter()
            few = found(points, STARTS)
            times.append(time.perf_counter() - start)
            gains.append(max(one.value - many.value, 0.0))
            later.append(max(few.value - many.value, 0.0))
            steps.append(len(one.path))
        first, rest = np.array(gains), np.array(later)
        yield (
            f"| {name} | {(first > BETTER).mean():.0%} | {first.mean():.4f} | {first.max():.3f} "
            f"| {(rest > BETTER).mean():.0%} | {rest.mean():.4f} | {np.median(steps):.0f} "
            f"| {1000 * float(np.median(times)):.0f} |"
        )


def mean_log_shadow(factor: FloatArray, points: FloatArray) -> float:
    """The objective, by determinants."""
    S = factor @ factor.T
    logs = [np.linalg.slogdet(S[np.ix_(has, has)])[1] for has in ~np.isnan(points)]
    return 0.5 * float(np.mean(logs))


def brute_force(points: FloatArray, rng: np.random.Generator) -> float:
    """The least value that a general solver finds from one random start."""
    p = points.shape[1]
    places = np.tril_indices(p)

    def factor_of(theta: FloatArray) -> FloatArray:
        factor = 1e-9 * np.eye(p)
        factor[places] += theta[p:]
        return factor

    def room(theta: FloatArray) -> FloatArray:
        inverse = np.linalg.inv(factor_of(theta)).astype(float)
        away = (completed(points, theta[:p], inverse) - theta[:p]) @ inverse.T
        return np.asarray(1 - np.einsum("ij,ij->i", away, away))

    start = np.concatenate([rng.uniform(0.3, 0.7, p), rng.standard_normal(len(places[0]))])
    answer = minimize(
        lambda theta: mean_log_shadow(factor_of(theta), points),
        start,
        constraints={"type": "ineq", "fun": room},
        method="SLSQP",
        options={"maxiter": 300},
    )
    return float(answer.fun) if room(answer.x).min() > -1e-6 else float("inf")


def small_cases() -> str:
    """How often the smallest of small cases is found."""
    behind = []
    for seed in range(CASES):
        rng = np.random.default_rng(seed)
        points = rng.uniform(0.1, 0.9, (8, 2 + seed % 2))
        points[:2, 0], points[2:4, 1] = np.nan, np.nan
        least = min(brute_force(points, rng) for _ in range(10))
        behind.append(found(points, STARTS).value - least)
    missed = np.array(behind)
    return (
        f"brute force, {CASES} cases of 8 tasks: smallest found in "
        f"{(missed <= BETTER).sum()}; at worst {max(missed.max(), 0.0):.4f} nats larger"
    )


def outliers() -> Iterator[str]:
    """A tenth left outside: around those who stay, and eq. 8's own region."""
    yield "| cloud | around those who stay | eq. 8's region | standard errors |"
    yield "|---|---|---|---|"
    for name, make in KINDS.items():
        gains = []
        for seed in range(CLOUDS // 2):
            points = make(np.random.default_rng(seed))
            whole = mean_log_shadow(fit_ellipsoid(points).region.factor, points)
            ways = [fit_with_gaps(points, 0.1, fit_ellipsoid, literal=is_8) for is_8 in (0, 1)]
            gains.append([mean_log_shadow(way.region.factor, points) - whole for way in ways])
        mean = np.mean(gains, axis=0)
        error = np.std(gains, axis=0, ddof=1) / np.sqrt(len(gains))
        yield f"| {name} | {mean[0]:+.2f} | {mean[1]:+.2f} | {error[0]:.2f}, {error[1]:.2f} |"


def tables(folder: Path) -> list[str]:
    """The share of the space that each kind of region keeps, learned from all tasks of a table."""
    lines = [f"| table | {' | '.join(NAMES)} |", "|---" * (len(NAMES) + 1) + "|"]
    for name in SUITES:
        suite = load_suite(SuiteSource(name, (str(folder),)))
        history = suite.history(suite.tasks, 256, 0, "log")
        shares = [learn(history, suite.space, **REGIONS[each].arguments) for each in NAMES]
        texts = [f"{learned.volume_fraction:.3f}" for learned in shares]
        lines.append(f"| {name} | {' | '.join(texts)} |")
    return lines


@one_thread
def main() -> None:
    """Print the tables."""
    if len(sys.argv) > 1:
        print("\n".join(tables(Path(sys.argv[1]))))
        return
    for line in itertools.chain([small_cases(), ""], restarts(), [""], outliers()):
        print(line, flush=True)


if __name__ == "__main__":
    main()
