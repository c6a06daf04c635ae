"""One history that every format's test writes with the format's own tool and reads back."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from ringfence.history import COST, REASON, TASK, usable_rows
from ringfence.learned.file_format import encode

ROLES = {"task": "task", "objective": "loss"}


def made_history(tasks: int = 4, runs: int = 6, seed: int = 0) -> pl.DataFrame:
    """Runs of a support vector machine: gamma is missing with the linear kernel, one run a task has
    failed with what would have been the best loss."""
    rng = np.random.default_rng(seed)
    n = tasks * runs
    kernel = rng.choice(["linear", "rbf"], n)
    kernel[:2] = ["linear", "rbf"]
    return pl.DataFrame(
        {
            "task": np.repeat([f"t{i}" for i in range(tasks)], runs),
            "C": 10 ** rng.uniform(-3, 3, n),
            "kernel": kernel,
            "gamma": [float(g) if k == "rbf" else None for k, g in zip(kernel, rng.random(n))],
            "depth": rng.integers(1, 9, n),
            "shrinking": rng.random(n) < 0.5,
            "loss": np.where(np.arange(n) % runs == 3, -9.0, rng.random(n)),
            "status": np.where(np.arange(n) % runs == 3, "failed", "finished"),
        }
    )


PARAMETERS = ["C", "kernel", "gamma", "depth", "shrinking"]


def configs(frame: pl.DataFrame):
    """The runs as task, configuration without what is missing, loss, and whether it failed."""
    for row in frame.iter_rows(named=True):
        config = {name: row[name] for name in PARAMETERS if row[name] is not None}
        yield row["task"], config, row["loss"], row["status"] == "failed"


def but_for_provenance(learned: rf.LearnedSpace) -> str:
    """The file of a learned space without its provenance."""
    content = json.loads(encode(learned))
    del content["provenance"]
    return json.dumps(content, indent=1)


def assert_same_learned(one: rf.History, two: rf.History, space: rf.Space | None = None) -> None:
    """Both histories teach the same, in every shape."""
    for shape, outliers in (("box", 0.0), ("box", 0.25), ("ellipsoid", 0.0)):
        first, second = (
            rf.learn(h, space, shape=shape, outliers=outliers, starts=0) for h in (one, two)
        )
        assert but_for_provenance(first) == but_for_provenance(second)


def in_memory(frame: pl.DataFrame) -> rf.History:
    return rf.History.from_frame(frame, status="status", parameters=PARAMETERS, **ROLES)


def run_page(name: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Run the Python of the reader's page in a folder that holds the files it names."""
    page = Path(__file__).parents[3] / "docs" / "readers" / f"{name}.md"
    blocks = re.findall(r"```python[^\n]*\n(.*?)```", page.read_text(), flags=re.DOTALL)
    assert blocks
    monkeypatch.chdir(folder)
    for block in blocks:
        exec(block, {})


MISMATCHED = {
    "old": [
        ({"C": 1.0, "kernel": "rbf", "gamma": 0.25}, 0.5),
        ({"C": 2.0, "kernel": "linear"}, 0.25),
        ({"C": 4.0, "kernel": "rbf", "gamma": 0.5}, 0.125),
    ],
    "new": [({"C": 8.0, "depth": 3}, 0.5), ({"C": 16.0, "depth": 5}, 0.75)],
    "full": [
        ({"C": 32.0, "kernel": "linear", "depth": 2}, 0.5),
        ({"C": 64.0, "kernel": "rbf", "gamma": 0.75, "depth": 4}, 0.25),
    ],
}
"""Three studies of other parameters each: a tool's own store of them is read by its reader."""
MISMATCHED_SPACE = rf.Space(
    {
        "C": rf.Float(1e-3, 1e3, log=True),
        "kernel": rf.Categorical(["linear", "rbf"]),
        "gamma": rf.Float(0.0, 1.0),
        "depth": rf.Int(1, 9),
    },
    [rf.Condition("gamma", "kernel", ["rbf"])],
)


def mismatched_names(task: str) -> list[str]:
    """The parameters that a study tuned."""
    return list(dict.fromkeys(name for config, _ in MISMATCHED[task] for name in config))


def assert_mismatched(history: rf.History, *, declares: bool = False, times: bool = True) -> None:
    """Every study counts with what it has: missing because inactive is not missing because
    unknown."""
    assert sorted(history.tasks) == sorted(MISMATCHED)
    assert set(history.roles.parameters) >= set(MISMATCHED_SPACE)
    usable = usable_rows(history, MISMATCHED_SPACE)
    assert usable.dropped == ()
    for (task,), rows in usable.frame.group_by(TASK):
        rows = rows.sort("C")
        tuned = mismatched_names(task)
        for name in MISMATCHED_SPACE:
            unknown = rows[name].is_nan().fill_null(value=False)
            if name not in tuned:
                assert unknown.all(), (task, name)
                continue
            assert not unknown.any(), (task, name)
            given = [name in config for config, _ in MISMATCHED[task]]
            assert rows[name].is_not_null().to_list() == given, (task, name)
    learned = rf.learn(history, MISMATCHED_SPACE)
    best = {task: min(runs, key=lambda run: run[1])[0] for task, runs in MISMATCHED.items()}
    assert {task.name: task.incumbent for task in learned.tasks} == best
    if declares:
        for task in MISMATCHED:
            assert set(history.task_spaces[task]) == set(mismatched_names(task))
        assert set(history.space) == set(MISMATCHED_SPACE)
    if times:
        assert set(history.task_times) == set(MISMATCHED)
        latest = rf.learn(history, "latest")
        newest = max(history.task_times, key=lambda task: history.task_times[task])
        assert set(latest.space) == set(mismatched_names(newest))


OUTCOMES = {
    1: (0.5, "ok", 10.0),
    2: (0.25, "ok", 20.0),
    3: (None, "memory", 3.0),
    4: (None, "timeout", 400.0),
    5: (None, "crash", 5.0),
    6: (0.75, "pruned", 6.0),
    7: (None, "killed", 7.0),
    8: (0.125, "ok", 30.0),
}
"""By the depth that was tried: the loss, what became of the run, and the seconds that it took."""
OUTCOME_SPACE = rf.Space({"C": rf.Float(1e-3, 1e3, log=True), "depth": rf.Int(1, 9)})


def outcome_config(depth: int) -> dict[str, float | int]:
    return {"C": 10.0 ** (depth / 4), "depth": depth}


def assert_outcomes(
    history: rf.History,
    failed: dict[int, str | None],
    *,
    finished: tuple[int, ...] = (1, 2, 8),
    costs: bool = True,
) -> None:
    """The runs of these depths failed for these reasons, those that `finished` are usable, and all
    of them cost what they did."""
    usable = usable_rows(history, OUTCOME_SPACE)
    assert sorted(usable.frame["depth"]) == list(finished)
    assert dict(usable.failed.select("depth", REASON).iter_rows()) == failed
    ignored = usable_rows(replace(history, failures="ignore"), OUTCOME_SPACE)
    assert ignored.frame.equals(usable.frame) and not ignored.failed.height
    if costs:
        assert history.cost_unit == "seconds"
        names = ["depth", COST, "C"]
        for depth, cost, c in pl.concat(
            [usable.frame.select(names), usable.failed.select(names)]
        ).iter_rows():
            assert cost == pytest.approx(OUTCOMES[int(depth)][2], abs=1e-3)
            assert c == pytest.approx(outcome_config(int(depth))["C"])
