"""Runs of four tasks that fail beyond a limit, or at random."""

from __future__ import annotations

import numpy as np
import polars as pl

import ringfence as rf

SPACE = rf.Space(
    {
        "batch": rf.Int(8, 1024, log=True),
        "width": rf.Int(16, 512, log=True),
        "rate": rf.Float(1e-4, 1e-1, log=True),
        "kind": rf.Categorical(["a", "b"]),
    }
)
LIMITS = (2e4, 3e4, 4.5e4, 3e4)  # of batch × width, in each task


def runs_of(n: int = 120, seed: int = 0, rate: float | None = None) -> pl.DataFrame:
    """Runs of four tasks that fail beyond a product of two parameters, or at random by a rate."""
    rng, frames = np.random.default_rng(seed), []
    for task, limit in enumerate(LIMITS):
        batch = np.rint(8 * 128 ** rng.random(n))
        width = np.rint(16 * 32 ** rng.random(n))
        lr = 1e-4 * 1000 ** rng.random(n)
        fails = batch * width >= limit if rate is None else rng.random(n) < rate
        value = (np.log(batch) - 4 - 0.2 * task) ** 2 + (np.log10(lr) + 2.5) ** 2
        frames.append(
            pl.DataFrame(
                {
                    "task": [f"t{task}"] * n,
                    "batch": batch.astype(int),
                    "width": width.astype(int),
                    "rate": lr,
                    "kind": rng.choice(["a", "b"], n),
                    "loss": np.where(fails, np.nan, value),
                    "status": np.where(fails, "out_of_memory", "ok"),
                }
            )
        )
    return pl.concat(frames)


def history_of(runs: pl.DataFrame, failures: str = "keep") -> rf.History:
    return rf.read_history(
        runs,
        task="task",
        objective="loss",
        direction="minimize",
        status="status",
        failures=failures,
        parameters=list(SPACE),
    )
