"""The numbers of docs/mismatch.md are what the committed results give, and means are right."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from benchmarks.mismatch import main
from benchmarks.mismatch_cases import TRIALS, best_of_draws
from benchmarks.mismatch_page import RESULTS, gain, gap, over_tables
from scipy.stats import ttest_1samp


def test_the_page_and_the_results_agree(capsys):
    assert main(["page", "--check"]) == 0, "make results"
    assert "what the results give" in capsys.readouterr().out


def test_results_have_sixteen_draws_and_every_history():
    frame = pl.read_parquet(RESULTS).filter(part="tables")
    cells = frame.group_by("table", "draw", "target").agg(pl.struct("history", "method").n_unique())
    assert (cells["history"] == 8).all()
    assert (frame.group_by("table").agg(pl.col("draw").n_unique())["draw"] == 16).all()


def test_random_search_is_the_mean_over_all_ways_to_draw():
    regrets = np.array([0.1, 0.5, 0.3, 0.9, 0.2, 0.2])
    expected = [np.mean([min(c) for c in combinations(regrets, k)]) for k in range(1, 7)]
    np.testing.assert_allclose(best_of_draws(regrets), [*expected, *[0.1] * (TRIALS - 6)])


def test_gaps_are_paired_by_draw():
    rng = np.random.default_rng(0)
    rows, gaps = [], []
    for draw in range(8):
        each = rng.normal(0.1, 0.05, 3)
        gaps.append(each.mean())
        for target, off in zip("abc", each):
            base = rng.random()
            for history, at in (("own", base), ("joint", base + off)):
                key = {"table": "t", "draw": draw, "target": target, "history": history}
                rows.append({**key, "method": "starts", "at5": at, "random5": 1.0})
    frame = pl.DataFrame(rows)
    found = gap(frame, "starts", "joint", "own", 5)
    low, high = ttest_1samp(gaps, 0.0).confidence_interval(0.95)
    assert (found.mean, found.low, found.high) == pytest.approx((np.mean(gaps), low, high))
    own = frame.filter(history="own")
    assert gain(frame, "starts", "own", 5) == pytest.approx(1.0 - own["at5"].mean())
    renamed = frame.with_columns(method=pl.col("history"))
    assert over_tables(renamed, "joint", "own", 5) == found
