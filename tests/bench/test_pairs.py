"""Paired differences: closed forms, and how often two equal methods are told apart."""

import math

import numpy as np
import polars as pl
import pytest

from ringfence.bench.pairs import compare, judged_regrets
from ringfence.bench.significance import difference


def regrets(values):
    """One figure's regrets from {(suite, task, replication, method): regret}."""
    rows = [(*key, value, value) for key, value in values.items()]
    names = ["suite", "task", "replication", "method", "early", "end"]
    return pl.DataFrame(rows, schema=names, orient="row")


def test_differences_are_paired_by_replication_and_averaged_by_task():
    pair = compare(
        regrets(
            {
                ("s", "a", 0, "A"): 0.1, ("s", "a", 0, "B"): 0.4,
                ("s", "a", 1, "A"): 0.3, ("s", "a", 1, "B"): 0.4,
                ("s", "b", 0, "A"): 0.0, ("s", "b", 0, "B"): 0.4,
                ("s", "b", 1, "A"): 9.0,
            }
        ), "A", "B",
    )  # fmt: skip
    # Task a: (-0.3 - 0.1) / 2, task b: -0.4; the unpaired replication counts for nothing.
    assert pair.early.mean == pytest.approx(-0.3) and pair.early.n_tasks == 2
    half = 12.706 * 0.1414 / math.sqrt(2)
    assert pair.early.high - pair.early.mean == pytest.approx(half, rel=1e-3)
    assert pair.early.answer == "no difference seen"


def test_methods_without_a_common_cell_are_not_compared():
    assert compare(regrets({("s", "a", 0, "A"): 0.1, ("s", "b", 0, "B"): 0.1}), "A", "B") is None


def test_the_answer_follows_the_interval():
    assert difference(np.array([-0.2, -0.21, -0.19])).answer == "better"
    assert difference(np.array([0.2, 0.21, 0.19])).answer == "worse"
    assert difference(np.array([-5.0])).answer == "no difference seen"


def test_equal_methods_are_told_apart_as_often_as_stated():
    # 2,000 tables of 12 tasks: 5 % expected; 3.6 to 6.5 % has a false-alarm rate below 1 %.
    rng = np.random.default_rng(0)
    found = [difference(rng.standard_normal(12)).answer for _ in range(2000)]
    assert 0.036 < np.mean([answer != "no difference seen" for answer in found]) < 0.065


def test_a_regret_counts_as_one_at_most():
    curve = [30.0, 2.0, 0.5]
    results = pl.DataFrame(
        {
            "figure": "1a", "title": "made up", "order": 0, "suite": "s", "origin": "by hand",
            "log_loss": False, "scale": "raw", "evaluation": "rows", "sources": "mixed",
            "n_evaluations": 1, "task": "t", "method": "Random", "replication": 0, "volume": 1.0,
            "best": 0.0, "median": 1.0, "exhausted": False, "trial": [1, 2, 3], "loss": curve,
        }
    )  # fmt: skip
    row = judged_regrets(results).row(0, named=True)
    assert row["early"] == pytest.approx((1 + 1 + 0.5) / 3) and row["end"] == pytest.approx(0.5)
