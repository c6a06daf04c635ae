"""Costs and failures of earlier tasks in an optimizer's file: there and back, and refused if they
cannot be."""

from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from ringfence.errors import FileError

SPACE = rf.Space(
    {"x": rf.Float(0.0, 1.0), "kind": rf.Categorical(["a", "b"]), "n": rf.Int(1, 8)},
    [rf.Condition("n", "kind", ["b"])],
)


def history(**columns: object) -> rf.History:
    rng = np.random.default_rng(0)
    kind = ["a", "b"] * 20
    table = {
        "task": ["s"] * 18 + ["t"] * 18 + ["dead"] * 4,
        "x": rng.random(40),
        "kind": kind,
        "n": [int(n) if k == "b" else None for n, k in zip(rng.integers(1, 9, 40), kind)],
        "loss": rng.random(40),
        "seconds": [None, *rng.uniform(1.0, 9.0, 39)],
        "status": ["ok"] * 14 + ["oom", "failed", "timeout", "pruned"] * 5 + ["ok"] * 2
        + ["crashed"] * 4,
    }  # fmt: skip
    return rf.History.from_frame(pl.DataFrame({**table, **columns}), objective="loss")


def saved(tmp_path, runs: rf.History | None = None) -> tuple[rf.Optimizer, dict]:
    optimizer = rf.optimizer("transfer", SPACE, history=runs or history(), seed=3)
    optimizer.tell(optimizer.ask(), 0.5)
    optimizer.save(tmp_path / "run.json")
    return optimizer, json.loads((tmp_path / "run.json").read_text())


def load(tmp_path, content: dict) -> rf.Optimizer:
    (tmp_path / "again.json").write_text(json.dumps(content))
    return rf.load_optimizer(tmp_path / "again.json")


def test_costs_and_failures_come_back_and_the_search_goes_on(tmp_path):
    optimizer, content = saved(tmp_path)
    again = load(tmp_path, content)
    assert optimizer.setup.sources is not None and again.setup.sources is not None
    for here, there in zip(
        (*optimizer.setup.sources.tasks, *optimizer.setup.sources.failures),
        (*again.setup.sources.tasks, *again.setup.sources.failures),
        strict=True,
    ):
        assert (here.name, here.reasons) == (there.name, there.reasons)
        np.testing.assert_array_equal(here.rows, there.rows)
        np.testing.assert_array_equal(here.failed, there.failed)
        for one, other in ((here.costs, there.costs), (here.failed_costs, there.failed_costs)):
            assert (one is None) == (other is None)
            if one is not None and other is not None:
                np.testing.assert_array_equal(one, other)
    first, second = optimizer.setup.sources.tasks
    assert first.costs is not None and math.isnan(first.costs[0]) and not first.reasons[1]
    assert first.reasons[0] == "memory" and len(second.failed) > 5
    (dead,) = optimizer.setup.sources.failures
    assert (dead.name, dead.reasons) == ("dead", ("crash",) * 4)
    assert optimizer.ask() == again.ask()


def test_files_without_costs_and_failures_are_read(tmp_path):
    _, content = saved(tmp_path)
    for task in content["sources"]["tasks"]:
        for name in ("costs", "failed", "reasons", "failed_costs"):
            task.pop(name, None)
    del content["sources"]["failures"]
    sources = load(tmp_path, content).setup.sources
    assert sources is not None and sources.failures == ()
    assert all(task.costs is None and not len(task.failed) for task in sources.tasks)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("costs", [1.0]),
        ("costs", [-1.0] + [1.0] * 13),
        ("costs", [0.0] + [1.0] * 13),
        ("failed_costs", [1.0]),
        ("failed", [[2.0, 0.0, None]] * 3),
        ("failed", [[0.5, 0.0, 0.5]] * 3),
        ("failed", [[0.5, 0.0]] * 3),
        ("reasons", ["memory"]),
    ],
)
def test_damaged_costs_and_failures_are_refused_in_a_line(tmp_path, name, value):
    _, content = saved(tmp_path)
    content["sources"]["tasks"][0][name] = value
    with pytest.raises(FileError, match=r"is damaged: .*task 's'"):
        load(tmp_path, content)


def test_a_task_of_failures_has_failures_alone(tmp_path):
    _, content = saved(tmp_path)
    dead = content["sources"]["failures"][0]
    for change in ({"failed": [], "reasons": []}, {"values": [1.0]}, {"name": "s"}):
        content["sources"]["failures"] = [{**dead, "failed_costs": None, **change}]
        with pytest.raises(FileError, match="is damaged"):
            load(tmp_path, content)


def test_failures_that_are_ignored_are_no_part_of_the_sources(tmp_path):
    frame = history().frame
    runs = rf.History.from_frame(frame, objective="loss", failures="ignore")
    _, content = saved(tmp_path, runs)
    assert not content["sources"]["failures"]
    assert all("failed" not in task for task in content["sources"]["tasks"])
