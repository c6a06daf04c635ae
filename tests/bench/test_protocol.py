"""The protocol: what a cell knows, what it spends, and that nothing else matters."""

from __future__ import annotations

import copy
import math
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from ringfence.bench.cell import Cell
from ringfence.bench.methods import method
from ringfence.bench.protocol import known_evaluations, learned_space, run_cell, source_tasks
from ringfence.bench.store import Store
from ringfence.bench.suites import SuiteSource, load_suite
from ringfence.bench.suites.suite import on_scale
from ringfence.errors import SettingError
from ringfence.optimize.domain.candidate_list import CandidateList
from ringfence.optimize.domain.layout import Layout

SUITE = load_suite(SuiteSource("example"))


def cell(name="Random", task="iris", **changes):
    task = next(t for t in SUITE.tasks if t.startswith(task))
    made = Cell(SUITE.name, SUITE.digest, task, name, replication=0, trials=12)
    return msgspec.structs.replace(made, **changes)


@pytest.mark.parametrize("name", ["Random", "Slack Box Random", "Ellipsoid GP", "ABLR"])
def test_a_cell_is_a_function_of_its_description(name):
    first, again = (run_cell(cell(name), SUITE) for _ in range(2))
    assert first == again
    assert list(first.curve) == sorted(first.curve, reverse=True) and len(first.curve) == 12
    assert first.best <= first.curve[-1] and math.isfinite(first.curve[0])


def test_random_search_is_the_running_minimum_of_draws_without_replacement():
    everything = run_cell(cell(trials=256), SUITE)
    assert everything.curve[-1] == everything.best == SUITE.reference(cell().task).best
    beyond = run_cell(cell(trials=300), SUITE)
    assert beyond.exhausted and beyond.curve[:256] == everything.curve
    assert set(beyond.curve[256:]) == {everything.best}


def test_the_left_out_task_is_never_learned_from():
    here = cell("Box Random")
    known = known_evaluations(here, SUITE, method(here.method)).history
    assert here.task not in known.tasks and len(known.tasks) == len(SUITE.tasks) - 1
    few = known_evaluations(cell("Box Random", n_evaluations=8), SUITE, method("Box GP")).history
    assert len(few) == 152


def test_a_region_without_a_row_to_try_is_a_stored_result(tmp_path):
    class OneRow(type(SUITE)):
        def candidates(self, task, scale):
            rows = super().candidates(task, scale)
            outside = ~Layout(learned).inside(rows.rows)
            keep = np.flatnonzero(outside)[:1]
            return CandidateList.of(rows.space, [rows.configs[i] for i in keep])

    here = cell("Box Random (T=3)")
    known = known_evaluations(here, SUITE, method(here.method))
    learned, _ = learned_space(here, method(here.method), known, on_scale(SUITE.space, "raw"))
    suite = copy.copy(SUITE)
    suite.__class__ = OneRow
    result = run_cell(here, suite)
    assert result.curve == () and result.exhausted
    assert result.volume == learned.volume_fraction
    assert result.median == SUITE.reference(here.task).median
    store = Store(tmp_path)
    store.put(here, result)
    assert here in store and store.get(here) == result
    searched = run_cell(msgspec.structs.replace(here, method="Random"), suite)
    assert len(set(searched.curve)) == 1 and math.isfinite(searched.curve[0])


def test_methods_share_their_sources_and_replications_do_not():
    box, ball = (
        known_evaluations(cell(n, n_evaluations=8), SUITE, method(n)).history
        for n in ("Box Random", "Ellipsoid GP")
    )
    other = known_evaluations(
        cell("Box Random", n_evaluations=8, replication=1), SUITE, method("Box Random")
    ).history
    assert box.digest() == ball.digest() != other.digest()


def test_what_rows_cost_changes_no_cell():
    history = SUITE._history
    assert history.roles.cost
    plain = copy.copy(SUITE)
    plain._history = replace(history, roles=replace(history.roles, cost=None))
    here = cell("ABLR", n_evaluations=64)
    assert run_cell(here, SUITE).curve == run_cell(here, plain).curve


def test_evaluations_are_divided_between_region_and_model():
    here, how = cell("Box ABLR (n=64)"), method("Box ABLR (n=64)")
    known = known_evaluations(here, SUITE, how)
    space = on_scale(SUITE.space, "raw")
    learned, rest = learned_space(here, how, known, space)
    assert len(rest) == len(known.history) - 64 * 19
    assert {task.n_evaluations for task in learned.tasks} == {64}


def test_few_sources_are_drawn_anew_or_taken_by_similarity():
    how = method("Box Random (T=3)")
    drawn = {source_tasks(cell(replication=r), SUITE, how) for r in range(4)}
    assert len(drawn) > 1 and all(len(tasks) == 3 for tasks in drawn)
    near = {source_tasks(cell(replication=r, sources="similar"), SUITE, how) for r in range(4)}
    assert len(near) == 1
    sgd = load_suite(SuiteSource("sgd"))
    with pytest.raises(SettingError, match="has no meta-features"):
        source_tasks(Cell("sgd", "", "ridge-00", "", 0, 1, sources="similar"), sgd, how)


def test_the_raw_scale_takes_logarithms_away():
    raw = on_scale(SUITE.space, "raw")
    assert not raw["C"].log and SUITE.space["C"].log and raw.conditions == SUITE.space.conditions
    assert on_scale(SUITE.space, "log") == SUITE.space


def test_hyperband_spends_no_more_than_its_budget_and_needs_curves():
    sgd = load_suite(SuiteSource("sgd"))
    spent = []

    class Counting(type(sgd)):
        def evaluate(self, task, config, budget=None):
            spent.append((tuple(config.values()), budget))
            return super().evaluate(task, config, budget)

    here = Cell("sgd", sgd.digest, "ridge-00", "HB", replication=0, trials=6)
    result = run_cell(here, Counting("sgd"))
    best: dict[tuple, float] = {}
    for config, budget in spent:
        best[config] = max(best.get(config, 0.0), budget)
    # A configuration that goes on pays only the difference: its last budget is all it cost.
    assert 5 * 81 < sum(best.values()) <= 6 * 81
    assert len(result.curve) == 6 and np.all(np.diff(result.curve) <= 0)
    with pytest.raises(SettingError, match="no learning curves for 'HB'"):
        run_cell(cell("HB"), SUITE)
