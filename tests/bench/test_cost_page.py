"""The numbers of docs/cost.md are what the results give, and spending is counted right."""

from __future__ import annotations

from types import SimpleNamespace

import polars as pl
from benchmarks.cost import main
from benchmarks.cost_cases import ChargedCase
from benchmarks.cost_page import OURS, RESULTS, TODAY, gap, mean


def test_the_page_and_the_results_agree(capsys):
    assert main(["page", "--check"]) == 0, "python -m benchmarks.cost page"
    assert "what the results give" in capsys.readouterr().out


def test_results_have_the_same_targets_for_every_method():
    frame = pl.read_parquet(RESULTS)
    cells = frame.group_by("table", "draw", "target").agg(pl.col("method").n_unique())
    assert cells["method"].n_unique() == 1
    assert frame["table"].n_unique() == 7


def test_a_trial_counts_once_it_has_ended():
    case = SimpleNamespace(
        costs={b"a": 3.0, b"b": 1.0, b"c": 20.0},
        regrets={b"a": 0.8, b"b": 0.9, b"c": 0.1},
        unit=2.0,
    )
    curve = ChargedCase.curve(case, [b"a", b"b", b"c"])  # they end at 1.5, 2 and 12 median trials
    expected = {"cost0.5": 1.0, "cost1": 1.0, "cost2": 0.8, "cost5": 0.8, "cost10": 0.8}
    assert curve == {**expected, "cost20": 0.1, "trial5": 0.1, "trial10": 0.1}


def test_gaps_are_paired_by_draw():
    rows = [
        {"draw": draw, "target": target, "method": method, "trial10": base + extra}
        for draw, base in enumerate((0.1, 0.5, 0.9))
        for target in "ab"
        for method, extra in ((TODAY, 0.0), (OURS, 0.01 * (draw + 1)))
    ]
    frame = pl.DataFrame(rows)
    difference = gap(frame, OURS, TODAY, "trial10")
    assert abs(difference.mean - 0.02) < 1e-12
    assert difference.low < 0.01 < 0.03 < difference.high
    assert abs(mean(frame, OURS, "trial10") - 0.52) < 1e-12
