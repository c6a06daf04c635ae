"""The objectives of benchmarks.guard: recorded rows, and functions whose minimum was moved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

import ringfence as rf
from benchmarks.functions import hartmann6, levy
from benchmarks.transfer_cases import Case
from ringfence.space import Config

FUNCTIONS: dict[str, tuple[int, Callable[[np.ndarray], np.ndarray]]] = {
    "levy4": (4, levy),
    "hartmann6": (6, hartmann6),
}
AWAY = 0.25  # how far the target's minimum is moved from the sources', in each coordinate


@dataclass(frozen=True)
class Goal:
    """An objective, and the values whose regrets are 0 and 1."""

    value: Callable[[Config], float]
    least: float
    median: float


def past_of(
    space: rf.Space, call: Callable[[np.ndarray], np.ndarray], rng: np.random.Generator
) -> rf.History:
    """Four tasks, each the function moved a little: 64 random rows."""
    frames = []
    for task in range(4):
        x = rng.random((64, len(space)))
        moved = x - rng.uniform(-0.05, 0.05, len(space))
        frames.append(
            pl.DataFrame(x, list(space)).with_columns(task=pl.lit(f"t{task}"), y=call(moved))
        )
    return rf.History.from_frame(
        pl.concat(frames), task="task", objective="y", direction="minimize", parameters=list(space)
    )


def recorded(case: Case) -> Goal:
    """The target's rows."""
    values = np.array(list(case.values.values()))
    return Goal(case.value, values.min(), float(np.median(values)))


def moved_away(
    call: Callable[[np.ndarray], np.ndarray], dim: int, rng: np.random.Generator
) -> Goal:
    """The function with its minimum elsewhere; its least value comes from local searches."""
    from scipy.optimize import minimize

    shift = AWAY * rng.choice([-1.0, 1.0], dim)
    x = np.random.default_rng(1).random((20_000, dim))
    y = call(x - shift)
    ends = [
        minimize(lambda u: float(call(np.clip(u, 0, 1)[None] - shift)[0]), x[i], method="Powell",
                 bounds=[(0, 1)] * dim).fun
        for i in np.argsort(y)[:5]
    ]  # fmt: skip

    def value(config: Config) -> float:
        return float(call(np.array([list(config.values())], float) - shift)[0])

    return Goal(value, min(ends), float(np.median(y)))
