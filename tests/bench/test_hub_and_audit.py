"""What entries of the hub and the audit rest on: exact tests, left-out data sets, pages in step."""

from __future__ import annotations

from math import comb

import numpy as np
import polars as pl
import pytest
from benchmarks import audit_page, audit_tests
from benchmarks.hub import page
from benchmarks.hub.compact import MOST_ROWS, compact
from benchmarks.hub.edges import clipped, ends, holm, scaled
from benchmarks.hub.judging import FULL, coverage, judged
from benchmarks.hub.runs import ANY, HubRuns, part_of
from benchmarks.hub.sizes import sizes_differ
from benchmarks.hub.starting import Bench, start_evidence
from benchmarks.hub.studies import studies
from scipy.stats import t as student

import ringfence as rf
from ringfence.learned.hub.past import DATA_SET, KIND, LOSS, ROWS, TASK

SPACE = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True), "depth": rf.Int(1, 10)})


def runs(lr, depth, *, space=SPACE, splits=1, loss=0.0, rows=100, dense=False, **more) -> HubRuns:
    """One row a task unless losses are many."""
    n = len(lr)
    names = [f"t{i:03}" for i in range(n)] if "tasks" not in more else more.pop("tasks")
    frame = pl.DataFrame(
        {
            TASK: names,
            DATA_SET: [f"d{int(name[1:4]) // splits:03}" for name in names],
            KIND: ["classification" if i % 2 else "regression" for i in range(n)],
            ROWS: np.broadcast_to(rows, n),
            LOSS: np.broadcast_to(loss, n).astype(float),
            "lr": lr,
            "depth": depth,
        }
    )
    return HubRuns("it", "it", "", "", "", dense, {ANY: space}, frame, 1000, **more)


def uniform(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return 10 ** rng.uniform(-4, 0, n), rng.integers(1, 11, n)


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.9]).tolist() == [1.0, 1.0] and holm([]).tolist() == []


def test_an_end_that_holds_too_many_clips_and_no_other_does():
    lr, depth = np.geomspace(2e-4, 0.5, 30), np.arange(30) % 9 + 1
    depth[:15] = 10
    found = {(end.parameter, end.end): end for end in ends(runs(lr, depth), SPACE, "it")}
    high = found["depth", "high"]
    k = int((depth == 10).sum())
    exact = sum(comb(30, i) * 0.1**i * 0.9 ** (30 - i) for i in range(k, 31))
    assert (high.count, high.data_sets, high.chance) == (k, 30, 0.1)
    assert high.p == pytest.approx(exact)
    assert [(e.parameter, e.end) for e in clipped(list(found.values()))] == [("depth", "high")]
    assert high.edge().words == f"depth: {k / 30:.0%} of the optima at its high end, 10"


def test_a_step_of_an_integer_makes_its_ends_larger():
    lr, _ = uniform(35)
    space = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True), "depth": rf.Int(16, 32)})
    depth = np.array([32] * 11 + [16] * 10 + [20, 24] * 7)
    on_grid = runs(lr, depth, space=space, steps={"depth": 4})
    found = {(end.parameter, end.end): end for end in ends(on_grid, space, "it")}
    high, low = found["depth", "high"], found["depth", "low"]
    assert (high.count, high.chance, high.value) == (11, 0.2, 32) and low.count == 10
    exact = sum(comb(35, i) * 0.2**i * 0.8 ** (35 - i) for i in range(11, 36))
    assert high.p == pytest.approx(exact) and clipped([high, low]) == []


def test_an_end_of_an_integer_of_many_values_is_as_wide_as_its_chance():
    for values in (2, 19, 20, 30, 49, 1000):
        space = rf.Space({"lr": SPACE["lr"], "depth": rf.Int(1, values)})
        every = np.arange(values) + 1
        low = next(e for e in ends(runs(np.full(values, 0.1), every, space=space), space, "it")
                   if (e.parameter, e.end) == ("depth", "low"))  # fmt: skip
        assert low.count / values == pytest.approx(low.chance)


def test_entries_with_the_same_configurations_for_many_tasks_say_nothing_about_ends():
    assert not [part.edges for one in rf.hub() if one.record.dense for part in one.record.parts
                if part.edges]  # fmt: skip
    assert any(part.edges for one in rf.hub() for part in one.record.parts)


def test_intervals_are_over_data_sets():
    gaps = pl.DataFrame({"target": ["a", "a", "b", "b", "c"], "gap": [1.0, 1.0, 0.0, 0.0, 0.5]})
    found = page.over_data_sets(gaps, pl.col("gap"))
    half = student.ppf(0.975, 2) * np.sqrt((1.0 + 1.0 + 0.0) * 3 / 2) / 5
    assert (found.mean, found.high - found.mean) == (0.5, pytest.approx(half))


def test_splits_of_a_data_set_count_once():
    lr, depth = uniform(30)
    depth[:] = 5
    depth[0:30:3] = 10  # the first split of each of ten data sets
    high = next(e for e in ends(runs(lr, depth, splits=3), SPACE, "it")
                if (e.parameter, e.end) == ("depth", "high"))  # fmt: skip
    assert (high.count, high.data_sets) == (10, 10)
    assert high.share == pytest.approx(1 / 3)


def test_what_is_off_presses_against_no_end():
    space = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True, off=0.0), "depth": rf.Int(1, 10)})
    lr, depth = uniform(40)
    lr[:20] = 0.0
    low = next(iter(ends(runs(lr, depth, space=space), space, "it")))
    assert (low.parameter, low.end, low.data_sets) == ("lr", "low", 20)


def test_places_on_a_scale():
    assert scaled(rf.Float(0.01, 100.0, log=True), np.array([0.01, 1.0, 100.0])).tolist() == [
        pytest.approx(x) for x in (0.0, 0.5, 1.0)
    ]
    assert scaled(rf.Int(1, 4), np.array([1.0, 4.0])).tolist() == [0.125, 0.875]


def test_the_other_scale_is_told_where_it_is_the_right_one():
    rng = np.random.default_rng(0)
    wide = rf.Float(0.1, 100.0)
    on_log = np.array(scaled(wide, 10 ** rng.uniform(-1, 2, 40)))
    p, gain = audit_tests.scale_test(on_log, wide)
    assert p < 0.001 and gain > 0
    assert audit_tests.scale_test(rng.random(40), wide)[0] > 0.001  # false alarms: 1 in 1,000
    assert audit_tests.scale_test(on_log, rf.Float(10.0, 20.0)) is None


def test_a_scale_that_fits_worse_than_the_declared_one_is_not_wrong():
    scales = pl.DataFrame({"test": "scale", "space": "tabr/mlp/plain#0", "parameter": ["a", "b"],
                           "end": "log", "share": [0.2, -0.1], "corrected": 0.01})  # fmt: skip
    assert audit_page.found(scales, "scale")["parameter"].to_list() == ["a"]
    ends = scales.with_columns(test=pl.lit("end"))
    assert audit_page.found(ends, "end").height == 2
    counted = audit_page.found(pl.read_parquet(audit_page.RESULTS / "tests.parquet"), "scale")
    text = audit_page.PAGE.read_text("utf-8")
    assert f"fits the optima better | 83 | {counted.height} |" in text
    assert text.count("| log | linear |") + text.count("| linear | log |") == counted.height


@pytest.mark.parametrize("cells", [None, 5])
def test_distance_from_uniform_by_hand(cells):
    if cells is None:
        assert audit_tests.distance(np.array([0.5, 0.5]), None) == 0.5
    else:
        assert audit_tests.distance(np.array([0.1, 0.1, 0.9, 0.9]), 5) == pytest.approx(0.3)
    rng = np.random.default_rng(3)
    u = rng.random(40)
    if cells is not None:
        u = (np.floor(u * cells) + 0.5) / cells
    assert audit_tests.concentration_test(u, cells) > 0.001  # false alarms: 1 in 1,000
    assert audit_tests.concentration_test(np.full(40, 0.5), cells) < 0.001


def test_splits_that_agree_are_seen():
    lr, depth = uniform(20)
    one = runs(np.repeat(lr, 3), np.repeat(depth, 3), splits=3).frame
    assert audit_tests.agreement_test(one, "lr", SPACE["lr"]) < 0.001
    other = runs(*uniform(60, 1), splits=3).frame
    assert audit_tests.agreement_test(other, "lr", SPACE["lr"]) > 0.001
    assert audit_tests.agreement_test(runs(lr, depth).frame, "lr", SPACE["lr"]) is None


def test_a_small_region_that_holds_data_sets_left_out_is_taken():
    rng = np.random.default_rng(0)
    tight = runs(10 ** rng.uniform(-2.2, -2, 40), rng.integers(4, 6, 40))
    answer = judged(tight, ANY)
    assert answer.covered >= 0.9 and answer.settings != FULL
    corners = runs(10.0 ** np.tile([-4, 0], 10), np.tile([1, 1, 10, 10], 5), splits=2)
    assert judged(corners, ANY).covered >= 0.9


def test_coverage_leaves_all_splits_out():
    lr = np.repeat([1e-3, 1e-3, 1e-3, 1e-3, 0.5], 2)
    odd = runs(lr, np.tile([3, 7], 5), splits=2)
    assert coverage(odd, ANY, {"shape": "box"}) == pytest.approx(0.8)


def test_sizes_are_told_apart_if_optima_differ():
    lr, depth = uniform(60)
    rows = np.where(np.arange(60) < 30, 100, 5000)
    assert not sizes_differ(runs(lr, depth, rows=rows), ANY)
    shifted = np.where(np.arange(60) < 30, lr, np.sqrt(lr))
    assert sizes_differ(runs(shifted, depth, rows=rows), ANY)
    assert part_of(runs(lr, depth, rows=rows), ANY, 1000, None).frame.height == 30


def dense(n_tasks: int = 6, n: int = 80) -> HubRuns:
    """Tasks with the same configurations and optima near 0.01 and 5."""
    lr, depth = uniform(n)
    away = np.abs(np.log10(lr) + 2) + np.abs(depth - 5) / 4
    loss = np.concatenate([away + t / 10 for t in range(n_tasks)])
    tasks = [f"t{t:03}" for t in range(n_tasks) for _ in range(n)]
    defaults = {f"t{t:03}": float(np.max(away)) + t / 10 for t in range(n_tasks)}
    meta = {f"t{t:03}": [float(t)] for t in range(n_tasks)}
    more = {"tasks": tasks, "defaults": defaults, "meta": meta}
    return runs(np.tile(lr, n_tasks), np.tile(depth, n_tasks), loss=loss, dense=True, **more)


def test_starting_points_of_tasks_that_agree_are_the_best():
    some = dense()
    found = start_evidence(Bench(some, ANY), dict.fromkeys(some.frame[TASK]), FULL)
    assert found["starts"] < 0.1 * found["random"] and found["default"] == 1.0
    rows = list(studies(some, ANY))
    assert {row["study"] for row in rows} == {"own, alike", "own, any", "similar"}
    assert all(0.0 <= row["all"] <= row["first"] <= 1.0 for row in rows)


def test_kept_rows_are_the_best_and_a_spread():
    kept = compact(dense())
    for _, rows in kept.group_by(TASK):
        assert rows.height == MOST_ROWS
    whole = dense().frame
    best = whole.group_by(TASK).min().sort(TASK)[LOSS]
    worst = whole.group_by(TASK).max().sort(TASK)[LOSS]
    assert kept.group_by(TASK).min().sort(TASK)[LOSS].to_list() == pytest.approx(
        best.to_list(), 1e-4
    )
    assert kept.group_by(TASK).max().sort(TASK)[LOSS].to_list() == pytest.approx(
        worst.to_list(), 1e-4
    )


def test_the_pages_are_what_the_results_give():
    assert page.write(check=True) == 0, "python -m benchmarks.hub write"
    assert audit_page.write(check=True) == 0, "python -m benchmarks.audit --write"
    bests = [entry.record for entry in rf.hub() if not entry.record.dense]
    assert all(part.evidence.is_smallest for record in bests for part in record.parts)  # its text
