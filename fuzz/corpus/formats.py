"""The package's own files: learned spaces, spaces, states of optimizers."""

from __future__ import annotations

from functools import cache

import polars as pl

import ringfence as rf
from fuzz.case import Case
from fuzz.corpus.runs import rows
from ringfence.learned.file_format import encode
from ringfence.optimize.state import encode_state
from ringfence.space.files import write_space

SPACE = rf.Space(
    {
        "C": rf.Float(1e-3, 1e3, log=True),
        "kernel": rf.Categorical(["linear", "rbf"]),
        "gamma": rf.Float(0.0, 1.0),
        "depth": rf.Int(1, 9),
        "batch": rf.Categorical([8, 16, 32], ordered=True),
        "seed": rf.Constant(7),
    },
    [rf.Condition("gamma", "kernel", ["rbf"])],
)


@cache
def history() -> rf.History:
    """The runs with more tasks, so that every shape is more than a point."""
    table = pl.DataFrame(rows()).with_columns(batch=pl.lit(16), seed=pl.lit(7))
    again = table.with_columns(
        pl.col("task") + "b", (pl.col("C") / 3).clip(1e-3), (pl.col("depth") % 9) + 1
    )
    frame = pl.concat([table, again])
    return rf.History.from_frame(
        frame, task="task", objective="loss", status="status", parameters=list(SPACE)
    )


@cache
def learned_files() -> tuple[bytes, ...]:
    """A learned space of each shape."""
    shapes = [("box", 0.0), ("ellipsoid", 0.2), ("boxes", 0.0), ("full", 0.0), ("ellipsoids", 0.0)]
    return tuple(
        encode(rf.learn(history(), SPACE, shape=shape, outliers=share, starts=2))
        for shape, share in shapes
    )


def _learned() -> list[Case]:
    return [Case("learned", {"learned.json": c}, "learned.json") for c in learned_files()]


def _space() -> list[Case]:
    files = [
        (f"space{ending}", write_space(SPACE, ending)) for ending in (".json", ".yaml", ".toml")
    ]
    by_hand = (
        "parameters:\n  lr: {type: float, low: 1e-5, high: 1, log: true}\n  n: {type: int, low: 1, "
        "high: 64}\n  opt:\n    type: categorical\n    choices: [adam, sgd, 3, 1.5, null, true]\n"
        "  beta: {type: float, low: 0, high: 1}\nconditions:\n  - {child: beta, parent: opt, "
        "values: [adam]}\n"
    )
    files.append(("space.yaml", by_hand))
    return [Case("space", {name: text.encode()}, name) for name, text in files]


def _states() -> list[Case]:
    made = []
    settings = [
        ("random", {}),
        ("sobol", {}),
        ("successive-halving", {"max_budget": 27.0, "eta": 3.0}),
        ("hyperband", {"max_budget": 9.0}),
        ("gp", {"n_initial": 2}),
        ("gp-warm-start", {"k": 2, "history": history(), "meta_features": None}),
        ("transfer", {"history": history()}),
    ]
    for name, options in settings:
        options = {key: value for key, value in options.items() if value is not None}
        if name == "gp-warm-start":
            features = {task: {"rows": 3.0} for task in history().tasks}
            options |= {"meta_features": features, "target": {"rows": 4.0}}
        optimizer = rf.optimizer(name, rf.learn(history(), SPACE, starts=0), seed=1, **options)
        trials = [optimizer.ask() for _ in range(3)]
        optimizer.tell(trials[0], 0.5)
        optimizer.fail(trials[1], "out of memory")
        made.append(Case("state", {"run.json": encode_state(optimizer)}, "run.json"))
    candidates = [{"x": 0.1}, {"x": 0.2}, {"x": 0.3}]
    space = rf.Space({"x": rf.Float(0.0, 1.0)})
    listed = rf.optimizer("random", space, candidates=candidates, seed=0, direction="maximize")
    listed.tell(listed.ask(), 1.0)
    return [*made, Case("state", {"run.json": encode_state(listed)}, "run.json")]


CORPORA = {"learned": _learned, "space": _space, "state": _states}
