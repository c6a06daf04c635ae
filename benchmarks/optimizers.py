"""What an ask costs: random search, and the model over a box against the model over an ellipsoid.

python -m benchmarks.optimizers
"""

from __future__ import annotations

import time

import numpy as np
import polars as pl

import ringfence as rf

DIM = 10
TASKS = 30


def learned(shape: str) -> rf.LearnedSpace:
    """A region around random incumbents in ten dimensions."""
    rng = np.random.default_rng(0)
    names = [f"x{j}" for j in range(DIM)]
    points = np.clip(0.5 + 0.15 * rng.standard_normal((TASKS, DIM)), 0, 1)
    frame = pl.DataFrame(points, schema=names).with_columns(
        task=pl.Series([str(t) for t in range(TASKS)]), y=pl.lit(0.0)
    )
    history = rf.History.from_frame(frame, task="task", objective="y", parameters=names)
    return rf.learn(history, rf.Space({name: rf.Float(0, 1) for name in names}), shape=shape)


def cost(name: str, where: rf.LearnedSpace, begin: int, end: int) -> float:
    """Mean CPU seconds of ask and tell for trials `begin` to `end` on a quadratic."""
    engine = rf.optimizer(name, where, seed=0)
    spent = 0.0
    for number in range(end):
        start = time.process_time()
        trial = engine.ask()
        if number >= begin:
            spent += time.process_time() - start
        engine.tell(trial, sum((x - 0.4) ** 2 for x in trial.config.values()))
    return spent / (end - begin)


def main() -> None:
    box, ellipsoid = learned("box"), learned("ellipsoid")
    for name, begin, end in (("random", 100, 1100), ("sobol", 100, 600), ("hyperband", 100, 600)):
        each = [cost(name, where, begin, end) * 1e3 for where in (box, ellipsoid)]
        print(f"{name:10s} box {each[0]:.2f} ms, ellipsoid {each[1]:.2f} ms an ask")
    for name in ("gp", "gp-warping"):
        each = [cost(name, where, 40, 60) * 1e3 for where in (box, ellipsoid)]
        ratio = each[1] / each[0]
        print(
            f"{name:10s} box {each[0]:.1f} ms, ellipsoid {each[1]:.1f} ms an ask at n = 40 … 60: "
            f"ratio {ratio:.2f} (goal 1.5)"
        )


if __name__ == "__main__":
    main()
