"""The truth that the check is calibrated against, and its page."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.calibration.page import write_page
from benchmarks.calibration.tables import expected_best
from benchmarks.calibration.traces import WAYS, recorded


def test_the_expected_best_of_weighted_rows_agrees_with_simulation():
    """50,000 draws of five rows; five standard errors, false alarm below 1e-6."""
    rng = np.random.default_rng(0)
    values, weights = rng.random(30), rng.random(30)
    drawn = rng.choice(values, (50_000, 5), p=weights / weights.sum()).min(axis=1)
    exact = expected_best(values, weights, [5])[0]
    assert abs(drawn.mean() - exact) < 5 * drawn.std() / np.sqrt(len(drawn))


@pytest.mark.parametrize("way", WAYS)
def test_each_way_records_every_row_at_most_once(way):
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.random((90, 2)), rng.integers(3, size=90)])
    values = (rows[:, 0] - 0.3) ** 2 + 0.1 * (rows[:, 2] == 1)
    numbers = recorded(way, rows, values, np.array([0, 0, 3]), 24, 1)
    assert len(set(numbers.tolist())) == len(numbers) <= 24
    assert (numbers == recorded(way, rows, values, np.array([0, 0, 3]), 24, 1)).all()
    if way != "pruned tpe":
        assert len(numbers) == 24


def test_the_page_follows_from_the_committed_cells():
    assert write_page(None, check=True) == 0
