"""The commands that write files, and what they write."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TASKS = range(3, 9)
PLAN = """
name = "small"
[[experiment]]
figure = "3a"
title = "made up"
suites = ["example"]
methods = ["Random", "Box Random"]
tasks = 4
replications = 2
trials = 8
"""
SUITE = f"""
file = "svm.parquet"
origin = "made up"
objective = ["accuracy"]
direction = "maximize"
tasks = {list(TASKS)}

[openml]
flow = 1

[meta_features]
file = "svm_tasks.csv"
columns = ["NumberOfInstances"]

[space.parameters]
cost = {{type = "float", low = 0.001, high = 1000, log = true}}
"""


@dataclass(frozen=True)
class Writer:
    """A command, or a call, that writes `outputs`."""

    name: str
    outputs: tuple[str, ...]
    run: Callable[[], None]
    """Called in its own process, in the folder with its inputs."""
    again: bool = False
    """Whether it writes without end, so that a kill is likely to meet it writing."""


def prepare(folder: Path) -> None:
    """What all commands read."""
    import ringfence as rf

    folder.mkdir(parents=True, exist_ok=True)
    history = rf.example_history()
    history.frame.head(5 * 40).write_csv(folder / "runs.csv")
    rf.learn(history, starts=0).save(folder / "box.json")
    rf.learn(history, shape="ellipsoid", starts=0).save(folder / "ball.json")
    (folder / "plan.toml").write_text(PLAN)
    (folder / "svm.toml").write_text(SUITE)
    x = [[i / 9, (i * 3 % 9) / 9] for i in range(9)]
    sets = {f"d{d}": {"X": x, "y": [[i * d % 9 / 9] for i in range(9)]} for d in (1, 2)}
    (folder / "meta-train-dataset.json").write_text(json.dumps({"4796": sets}))


def ringfence(*words: str) -> Callable[[], None]:
    """The command line in the present process."""
    return _Command(words)


@dataclass(frozen=True)
class _Command:
    words: tuple[str, ...]

    def __call__(self) -> None:
        from ringfence.cli import main

        sys.argv = ["ringfence", *self.words]
        os.environ["MPLBACKEND"] = "agg"
        main()


def save_again_and_again() -> None:
    """Two learned spaces in turn, to one file."""
    import ringfence as rf

    both = rf.load("box.json"), rf.load("ball.json")
    while True:
        for learned in both:
            learned.save("learned.json")


def save_a_search_again_and_again() -> None:
    """A search that is saved after every trial."""
    import ringfence as rf

    optimizer = rf.optimizer("random", rf.load("box.json"), seed=0)
    while True:
        optimizer.tell(optimizer.ask(), 0.5)
        optimizer.save("run.json")


def fetch_from_recorded_answers() -> None:
    """`bench fetch openml`, with answers that need no network."""
    from ringfence.bench.fetch import parts

    parts.evaluations, parts.qualities = _evaluations, _qualities
    ringfence("bench", "fetch", "openml", "svm.toml", "--data", "tables", "--delay", "0")()


def _evaluations(measure: str, *, tasks: list[int], **_: Any) -> list[dict[str, Any]]:
    return [
        {"run_id": 100 * tasks[0] + i, "value": i / 50, "data_id": tasks[0],
         "parameters": {"svm(1)_cost": str(0.01 * (i + 1))}}
        for i in range(40)
    ]  # fmt: skip


def _qualities(data: int) -> dict[str, float]:
    return {"NumberOfInstances": 100.0 + data}


WRITERS = (
    Writer(
        "learn", ("out.json",), ringfence("learn", "runs.csv", "--starts", "0", "-o", "out.json")
    ),
    Writer("infer", ("space.json",), ringfence("infer", "runs.csv", "-o", "space.json")),
    Writer("export", ("tune.py",), ringfence("export", "box.json", "--to", "ray", "-o", "tune.py")),
    Writer("plot", ("box.png",), ringfence("show", "box.json", "--plot", "box.png")),
    Writer(
        "report", ("out.html",), ringfence("report", "runs.csv", "--starts", "0", "-o", "out.html")
    ),
    Writer("save", ("learned.json",), save_again_and_again, again=True),
    Writer("save a search", ("run.json",), save_a_search_again_and_again, again=True),
    Writer(
        "bench fetch hpob",
        ("tables/hpob_4796.parquet", "tables/hpob_4796.toml"),
        ringfence("bench", "fetch", "hpob", ".", "4796", "--data", "tables"),
    ),
    Writer(
        "bench fetch openml",
        ("tables/svm.parquet", "tables/svm_tasks.csv"),
        fetch_from_recorded_answers,
    ),
)
