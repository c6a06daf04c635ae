"""Tasks of another space: asked for advice unless the tasks at home do better without it."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from ringfence.learned.full import full_space
from ringfence.optimize.domain.domain import domain_of
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.transfer import strangers
from ringfence.optimize.transfer.source_models import fit_source_models
from ringfence.optimize.transfer.sources import Source
from ringfence.optimize.transfer.strangers import is_at_home, strangers_note, without_strangers

SPACE = rf.Space({"a": rf.Float(0, 1), "b": rf.Float(0, 1), "k": rf.Int(1, 3)})
FULL = full_space(SPACE)
LAYOUT = Layout(FULL)


def task(name: str, optimum: float, unknown=(), extra: int = 0, n: int = 60) -> Source:
    """A narrow well along a and b around the optimum."""
    rng = np.random.default_rng([n, *name.encode()])
    points = rng.random((n, 2 + extra))
    values = 1.0 - np.exp(-8.0 * ((points[:, :2] - optimum) ** 2).sum(axis=1))
    rows = np.column_stack([points[:, :2], (rng.integers(3, size=n) + 0.5) / 3])
    rows[:, [LAYOUT.position(each) for each in unknown]] = np.nan
    return Source(name, rows, values, unknown, points[:, 2:] if extra else None)


def kept(tasks) -> set[str]:
    models = fit_source_models(tasks, LAYOUT)
    return {m.name for m in without_strangers(models, tasks, domain_of(FULL), 0).tasks}


HOME = [task(f"home{i}", 0.2 + 0.02 * i) for i in range(4)]
MISLEADING = [task(f"far{i}", 0.9, extra=1) for i in range(8)]
ALIKE = [task(f"near{i}", 0.2 + 0.01 * i, unknown=("k",), extra=1) for i in range(4)]


def test_strangers_that_mislead_leave_and_those_that_do_not_stay():
    names = kept([*HOME, *MISLEADING, *ALIKE])
    assert names >= {source.name for source in HOME}
    assert not names & {source.name for source in MISLEADING}
    assert names >= {source.name for source in ALIKE}


def test_with_fewer_than_two_at_home_there_is_nobody_to_ask():
    tasks = [HOME[0], *MISLEADING]
    assert kept(tasks) == {source.name for source in tasks}


def test_tasks_that_only_lack_a_parameter_stay():
    tasks = [*HOME, *[task(f"far{i}", 0.9, unknown=("k",)) for i in range(8)]]
    assert kept(tasks) == {source.name for source in tasks}


def test_narrower_ranges_and_fixed_values_are_neither_at_home_nor_strangers():
    narrow = replace(HOME[0], rows=HOME[0].rows * [0.5, 1.0, 1.0])
    fixed = replace(HOME[0], rows=np.where([False, True, False], 0.3, HOME[0].rows))
    assert is_at_home(HOME[0], LAYOUT)
    assert not is_at_home(narrow, LAYOUT) and not is_at_home(fixed, LAYOUT)
    assert not is_at_home(MISLEADING[0], LAYOUT) and not is_at_home(ALIKE[0], LAYOUT)
    far = [replace(task(f"f{i}", 0.9), rows=task(f"f{i}", 0.9).rows * [0.5, 1, 1]) for i in (0, 1)]
    tasks = [*HOME, *far]
    assert kept(tasks) == {source.name for source in tasks}


def test_a_parameter_that_is_never_active_does_not_make_a_stranger():
    inactive = replace(HOME[0], rows=np.where([False, True, False], np.nan, HOME[0].rows))
    assert is_at_home(inactive, LAYOUT)


def test_a_history_that_matches_is_not_touched(monkeypatch):
    models = fit_source_models(HOME, LAYOUT)
    monkeypatch.setattr(strangers, "Candidates", None)  # nothing is looked at
    assert without_strangers(models, HOME, domain_of(FULL), 0) is models


def test_many_kinds_of_strangers_are_at_most_seven_groups():
    lacking = [u for n in (0, 1, 2) for u in combinations(("a", "b", "k", "d"), n)]
    kinds = [replace(MISLEADING[0], unknown=u) for u in lacking]
    groups = strangers._groups(kinds)
    assert len(groups) == strangers.MOST_GROUPS + 1
    assert sorted(i for group in groups for i in group) == list(range(11))


def history() -> rf.History:
    """Four tasks of today's space, and six that also tuned c and mislead."""
    rows = []
    for source in [*HOME, *MISLEADING[:6]]:
        points = LAYOUT.columns(source.rows)
        for i, value in enumerate(source.values.tolist()):
            row = {name: float(points[name][i]) for name in ("a", "b")}
            row |= {"k": int(points["k"][i]), "task": source.name, "error": value}
            rows.append({**row, "c": None if source.extra is None else float(source.extra[i, 0])})
    return rf.History.from_frame(
        pl.DataFrame(rows, infer_schema_length=None), task="task", objective="error",
        parameters=["a", "b", "k", "c"],
    )  # fmt: skip


def test_learn_says_who_was_left_out_and_the_points_are_those_of_home(tmp_path):
    learned = rf.learn(history(), SPACE, shape="full", starts=4)
    (note,) = [note for note in learned.provenance.notes if "of another space" in note]
    assert note.startswith("6 tasks of another space are left out of the starting points (far0")
    learned.save(tmp_path / "l.json")
    assert note in rf.load(tmp_path / "l.json").provenance.notes
    alone = history().only([source.name for source in HOME])
    ours = learned.portfolio[0].config
    theirs = rf.learn(alone, SPACE, shape="full", starts=4).portfolio[0].config
    assert [ours["a"], ours["b"]] == pytest.approx([theirs["a"], theirs["b"]], abs=0.1)


def test_transfer_begins_where_the_tasks_at_home_are_good():
    optimizer = rf.optimizer("transfer", SPACE, history=history(), seed=0)
    first = optimizer.ask().config
    assert abs(first["a"] - 0.23) < 0.15 and abs(first["b"] - 0.23) < 0.15
    assert {m.name for m in optimizer.method.models.tasks} == {s.name for s in HOME}
    assert len(optimizer.method.memory["sources"]) == 10  # of all, so that it comes back exactly


def test_one_task_is_in_the_singular():
    models = fit_source_models([*HOME, MISLEADING[0]], LAYOUT)
    (note,) = strangers_note(models, replace(models, tasks=models.tasks[:-1]))
    assert note.startswith("1 task of another space is left out") and note.endswith("without it")
