"""Small tuning problems with a known answer, over every kind of space and region."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl

import perturbation  # noqa: F401
import ringfence as rf
from ringfence.learned.full import full_space
from ringfence.optimize.domain.layout import Layout
from ringfence.space.axes import OffAxis

SPACES = {
    "numeric": rf.Space(
        {"lr": rf.Float(1e-4, 1.0, log=True), "momentum": rf.Float(0.0, 0.99), "l2": rf.Float(0, 1)}
    ),
    "mixed": rf.Space(
        {
            "lr": rf.Float(1e-4, 1.0, log=True),
            "depth": rf.Int(1, 12),
            "width": rf.Int(4, 4096, log=True),
            "size": rf.Categorical(["s", "m", "l", "xl"], ordered=True),
            "loss": rf.Categorical(["hinge", "log", "square"]),
            "seed": rf.Constant(7),
        }
    ),
    "conditional": rf.Space(
        {
            "kernel": rf.Categorical(["linear", "poly", "rbf"]),
            "C": rf.Float(1e-3, 1e3, log=True),
            "shrink": rf.Float(0.0, 1.0),
            "gamma": rf.Float(1e-4, 10.0, log=True),
            "degree": rf.Int(2, 6),
        },
        [
            rf.Condition("gamma", "kernel", ["poly", "rbf"]),
            rf.Condition("degree", "kernel", ["poly"]),
        ],
    ),
    "off": rf.Space(
        {
            "lr": rf.Float(1e-4, 1.0, log=True),
            "l2": rf.Float(1e-3, 10.0, log=True, off=0.0),
            "depth": rf.Int(1, 12, off=-1),
            "keep": rf.Float(0.5, 0.9, off=1.0),
        }
    ),
}
REGIONS = {
    "full": None,
    "box": {"shape": "box"},
    "slack box": {"shape": "box", "outliers": 0.3},
    "ellipsoid": {"shape": "ellipsoid"},
    "slack ellipsoid": {"shape": "ellipsoid", "outliers": 0.2},
    "one cloud": {"shape": "ellipsoid", "one_cloud": True},
    "boxes": {"shape": "boxes"},
    "ellipsoids": {"shape": "ellipsoids", "outliers": 0.05},
    "mismatched": {"shape": "ellipsoid"},
}
"""By name; the last is learned from tasks with different parameters."""
TASKS = 12
OFF_BELOW = 0.55  # as in about half of the tasks of `history`


class Problem:
    """A quadratic around `center` in unit coordinates; the second choice of a category is best, and
    what can be off is best so if the center is low."""

    def __init__(self, space: rf.Space, center: float) -> None:
        self.layout = Layout(full_space(space))
        self.center = center

    def values(self, rows):
        total = np.zeros(len(rows))
        for j, axis in enumerate(self.layout.axes):
            best = self.center if axis is not None else 1.0
            if isinstance(axis, OffAxis) and self.center < OFF_BELOW:
                best = axis.place
            off = np.abs(rows[:, j] - best)
            total += np.where(np.isnan(off), 0.2, off**2 if axis is not None else 0.3 * (off > 0))
        return total

    def __call__(self, config, budget=None):
        value = float(self.values(self.layout.encode([config]))[0])
        return value if budget is None else value + 0.1 / budget


@cache
def history(kind: str) -> rf.History:
    """Twelve related tasks, forty random rows each."""
    space = SPACES[kind]
    rng = np.random.default_rng(0)
    frames = []
    for task in range(TASKS):
        problem = Problem(space, 0.45 + 0.2 * rng.random())
        configs = full_space(space).sample(40, seed=rng)
        table = {name: [config.get(name) for config in configs] for name in space}
        table["error"] = problem.values(problem.layout.encode(configs))
        frames.append(pl.DataFrame(table).with_columns(task=pl.lit(f"t{task}")))
    frame = pl.concat(frames)
    return rf.History.from_frame(
        frame, task="task", objective="error", parameters=list(space), direction="minimize"
    )


@cache
def divided_history(kind: str) -> rf.History:
    """Forty tasks, half of them best at low coordinates, half at high ones; ten rows each."""
    space = SPACES[kind]
    rng = np.random.default_rng(0)
    layout = Layout(full_space(space))
    numeric = np.array([axis is not None for axis in layout.axes])
    frames = []
    for task in range(40):
        rows = layout.encode(full_space(space).sample(10, seed=rng))
        center = (0.2, 0.8)[task % 2] + 0.3 * (rng.random(len(layout.names)) - 0.5)
        rows[0] = np.where(numeric & ~np.isnan(rows[0]), center, rows[0])
        configs = layout.decode(layout.snap(rows))
        table = {name: [config.get(name) for config in configs] for name in space}
        table["error"] = [0.0, *rng.uniform(0.1, 1.0, 9)]
        frames.append(pl.DataFrame(table).with_columns(task=pl.lit(f"t{task}")))
    return rf.History.from_frame(
        pl.concat(frames), task="task", objective="error", parameters=list(space)
    )


def mismatched(space: rf.Space) -> rf.History:
    """Twelve tasks, of which six did not tune the second parameter, but one that is gone."""
    rng = np.random.default_rng(3)
    layout = Layout(full_space(space))
    frames = []
    for task in range(TASKS):
        configs = full_space(space).sample(40, seed=rng)
        table = pl.DataFrame({n: [config.get(n) for config in configs] for n in layout.names})
        gone = rng.random(40)
        error = Problem(space, 0.45 + 0.01 * task).values(layout.encode(configs)) + gone
        if task < TASKS // 2:
            table = table.drop(layout.names[1]).with_columns(gone=pl.Series(10.0 * gone))
        frames.append(table.with_columns(task=pl.lit(f"t{task}"), error=error))
    frame = pl.concat(frames, how="diagonal")
    parameters = [name for name in frame.columns if name not in ("task", "error")]
    return rf.History.from_frame(
        frame, task="task", objective="error", parameters=parameters, direction="minimize"
    )


@cache
def region(kind: str, name: str) -> rf.LearnedSpace:
    """One of REGIONS, learned from the history of one of SPACES."""
    settings = REGIONS[name]
    if settings is None:
        return full_space(SPACES[kind])
    union = settings["shape"] in ("boxes", "ellipsoids")
    known = divided_history(kind) if union else history(kind)
    if name == "mismatched":
        known = mismatched(SPACES[kind])
    return rf.learn(known, SPACES[kind], starts=0, **settings)


META = {f"t{task}": {"rows": 100.0 + task, "classes": 2.0} for task in range(TASKS)}
TARGET = {"rows": 104.2, "classes": 2.0}
