"""Histories that several tests learn from; all randomness is seeded."""

from __future__ import annotations

import os

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, settings

import perturbation  # noqa: F401
import ringfence as rf
from postgres import postgres, postgres_server  # noqa: F401
from tiers import pytest_ignore_collect, pytest_itemcollected  # noqa: F401

# No test asks how fast the machine is. `make test` tries the same examples each time, and
# `make test-all` others.
settings.register_profile("thorough", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("steady", settings.get_profile("thorough"), derandomize=True)
settings.load_profile("steady")
os.environ.setdefault("RAY_raylet_start_wait_time_s", "300")  # 30 by default
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

MIXED = rf.Space(
    {
        "lr": rf.Float(1e-5, 1.0, log=True),
        "depth": rf.Int(2, 12),
        "booster": rf.Categorical(["gbtree", "dart", "gblinear"]),
        "rate": rf.Float(0.0, 0.9),
        "batch": rf.Categorical([8, 16, 32, 64], ordered=True),
        "seed": rf.Constant(7),
    },
    [
        rf.Condition("rate", "booster", ["dart"]),
        rf.Condition("depth", "booster", ["gbtree", "dart"]),
    ],
)


def mixed_runs(tasks: int = 20, runs: int = 40, seed: int = 0) -> pl.DataFrame:
    """Random runs in the mixed space; lower error near lr = 0.003, depth 6, rate 0.5, batch 32."""
    rng = np.random.default_rng(seed)
    n = tasks * runs
    lr = 10 ** rng.uniform(-5, 0, n)
    depth = rng.integers(2, 13, n).astype(float)
    booster = rng.choice(["gbtree", "dart", "gblinear"], n)
    rate = rng.uniform(0, 0.9, n)
    batch = rng.choice([8, 16, 32, 64], n)
    error = (np.log10(lr) + 2.5) ** 2 + 0.1 * (np.log2(batch) - 5) ** 2 + rng.normal(0, 0.1, n)
    error += np.where(booster == "gblinear", 0.5, 0.05 * (depth - 6) ** 2)
    error += np.where(booster == "dart", (rate - 0.5) ** 2, 0.05)
    return pl.DataFrame(
        {
            "task": np.repeat([f"task{t}" for t in range(tasks)], runs),
            "lr": lr,
            "depth": np.where(booster == "gblinear", np.nan, depth),
            "booster": booster,
            "rate": np.where(booster == "dart", rate, np.nan),
            "batch": batch,
            "error": error,
        }
    )


@pytest.fixture(scope="session")
def mixed_history() -> rf.History:
    return rf.History.from_frame(mixed_runs(), task="task", objective="error")


def incumbent_history(points: np.ndarray, names: str = "abcdefghij") -> rf.History:
    """A history whose incumbents are exactly `points` (T, p), one row a task."""
    frame = pl.DataFrame({names[j]: points[:, j] for j in range(points.shape[1])})
    frame = frame.with_columns(
        task=pl.Series([f"t{i}" for i in range(len(points))]), error=pl.lit(0.0)
    )
    return rf.History.from_frame(frame, task="task", objective="error")


def unit_space(dim: int, names: str = "abcdefghij") -> rf.Space:
    return rf.Space({names[j]: rf.Float(0.0, 1.0) for j in range(dim)})
