"""When may a check speak of a space of which the runs searched only a part?

    python -m benchmarks.unsearched [--seeds 3]

Twelve tasks, each a quadratic bowl. Of the first parameter the runs search only a share, from its
low end, and the optima of all tasks lie in the middle of the rest: the worst case. Printed for each
share: how often the check, were it to speak, would say the opposite of the truth, which is computed
on thousands of random configurations of the full space (checking/searched.py).
"""

from __future__ import annotations

import argparse
from unittest.mock import patch

import numpy as np
import polars as pl

import ringfence as rf
from benchmarks.calibration.tables import expected_best
from ringfence.checking import leave_one_out
from ringfence.checking.verdict import JUDGED_AT

SHARES = (0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.6)
SIZES = ((2, 24), (4, 24), (4, 64))  # parameters, rows a task
TASKS, POINTS = 12, 4000
FULL = tuple(range(1, 400))


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    options.add_argument("--seeds", type=int, default=3)
    seeds = options.parse_args().seeds
    print("searched  checks  false verdicts  true speed-up (median)")
    for share in SHARES:
        outcomes = [
            judged(share, dim, rows, shape, seed)
            for dim, rows in SIZES
            for shape in ("box", "ellipsoid")
            for seed in range(seeds)
        ]
        false = sum(
            (verdict == "helps" and true < 1) or (verdict == "hurts" and true > 1)
            for verdict, true in outcomes
        )
        median = np.median([true for _, true in outcomes])
        print(f"{share:<8g}  {len(outcomes):<6}  {false:<14}  {median:.2f}")


def judged(share: float, dim: int, rows: int, shape: str, seed: int) -> tuple[str, float]:
    """What the check would say, and the true speed-up."""
    rng = np.random.default_rng([seed, dim, rows, int(100 * share)])
    middle = np.r_[(1 + share) / 2, np.full(dim - 1, 0.5)]
    optima = np.clip(middle + 0.04 * rng.standard_normal((TASKS, dim)), 0, 1)
    names = [f"x{j}" for j in range(dim)]
    space = rf.Space({name: rf.Float(0.0, 1.0) for name in names})
    x = rng.random((TASKS, rows, dim)) * np.r_[share, np.ones(dim - 1)]
    loss = ((x - optima[:, None]) ** 2).sum(axis=2)
    frame = pl.DataFrame(x.reshape(-1, dim), names).with_columns(
        pl.Series("task", np.repeat([f"t{t}" for t in range(TASKS)], rows)),
        pl.Series("loss", loss.ravel()),
    )
    history = rf.History.from_frame(frame, task="task", objective="loss")
    with patch.object(leave_one_out, "unsearched", lambda *_: ""):
        check = rf.check(history, space, shape=shape, starts=0)
    points = rng.random((POINTS, dim))
    inside, full = [], []
    for task in range(TASKS):
        others = history.only([f"t{t}" for t in range(TASKS) if t != task])
        learned = rf.learn(others, space, shape=shape, starts=0)
        drawn = np.array([[c[n] for n in names] for c in learned.sample(1000, seed=0)])
        everywhere = ((points - optima[task]) ** 2).sum(axis=1)
        unit = np.median(everywhere) - everywhere.min()
        regrets = [
            np.clip((values - everywhere.min()) / unit, 0, 1)
            for values in (((drawn - optima[task]) ** 2).sum(axis=1), everywhere)
        ]
        inside.append(expected_best(regrets[0], np.ones(len(drawn)), [JUDGED_AT])[0])
        full.append(expected_best(regrets[1], np.ones(POINTS), FULL))
    reached = np.flatnonzero(np.mean(full, axis=0) <= np.mean(inside))
    draws = FULL[reached[0]] if len(reached) else FULL[-1]
    return check.verdict, draws / JUDGED_AT


if __name__ == "__main__":
    main()
