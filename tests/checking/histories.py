"""Seeded histories whose verdict is known."""

from __future__ import annotations

import numpy as np
import polars as pl

import ringfence as rf

SPACE = rf.Space({"a": rf.Float(0, 1), "b": rf.Float(0, 1)})


def bowls(optima: np.ndarray, runs: int = 150, spread: float = 1.0, seed: int = 0) -> rf.History:
    """Tasks with a bowl around each of `optima` (T, 2), tried at random in the middle `spread`."""
    rng = np.random.default_rng(seed)
    rows = [0.5 + spread * (rng.random((runs, 2)) - 0.5) for _ in optima]
    errors = [((x - optimum) ** 2).sum(axis=1) for x, optimum in zip(rows, optima)]
    return recorded(rows, errors)


def unrelated(tasks: int, runs: int = 100, seed: int = 0) -> rf.History:
    """Waves with optima all over a square whose opposite sides meet, so that no place is better
    than another (with bowls the middle is, a little)."""
    rng = np.random.default_rng(seed)
    rows = [rng.random((runs, 2)) for _ in range(tasks)]
    optima = rng.random((tasks, 2))
    errors = [(np.sin(np.pi * (x - o)) ** 2).sum(axis=1) for x, o in zip(rows, optima)]
    return recorded(rows, errors)


def evolved(optima: np.ndarray, runs: int = 100, seed: int = 0) -> rf.History:
    """Bowls searched by an evolution strategy: ten random rows, then steps around the best row
    so far that grow shorter."""
    rng = np.random.default_rng(seed)
    rows, errors = [], []
    for optimum in optima:
        x = rng.random((runs, 2))
        error = ((x - optimum) ** 2).sum(axis=1)
        for i in range(10, runs):
            best = x[error[:i].argmin()]
            x[i] = (best + rng.normal(0, 0.3 * 0.97 ** (i - 10), 2)).clip(0, 1)
            error[i] = ((x[i] - optimum) ** 2).sum()
        rows.append(x)
        errors.append(error)
    return recorded(rows, errors)


def recorded(rows: list[np.ndarray], errors: list[np.ndarray]) -> rf.History:
    """The history of these rows, (n, 2) a task, and their errors."""
    frames = [
        pl.DataFrame({"task": [f"t{t}"] * len(x), "a": x[:, 0], "b": x[:, 1], "error": error})
        for t, (x, error) in enumerate(zip(rows, errors))
    ]
    return rf.History.from_frame(pl.concat(frames), task="task", objective="error")


def costs_of(x: np.ndarray) -> np.ndarray:
    """From 1 to e⁵ along the first parameter."""
    return np.exp(5.0 * x[:, 0])


def charged(tasks: int = 5, runs: int = 60, seed: int = 0, cost: bool = True) -> rf.History:
    """Bowls at (0.6, 0.5), give or take: the dear half is a little better than the cheap one."""
    rng = np.random.default_rng(seed)
    frames = []
    for task in range(tasks):
        x = rng.random((runs, 2))
        loss = 0.3 * (x[:, 0] - 0.6) ** 2 + (x[:, 1] - rng.normal(0.5, 0.05)) ** 2
        columns = {"task": [f"t{task}"] * runs, "a": x[:, 0], "b": x[:, 1], "loss": loss}
        if cost:
            columns["spent"] = costs_of(x) * 10.0**task
        frames.append(pl.DataFrame(columns))
    return rf.History.from_frame(
        pl.concat(frames),
        task="task",
        objective="loss",
        parameters=["a", "b"],
        cost="spent" if cost else None,
    )
