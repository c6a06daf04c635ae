"""Tasks drawn at random: each by a lot of its own."""

from __future__ import annotations

import numpy as np

from ringfence.history.lots import by_lot, tasks_by_lot

NAMES = [f"task {number}" for number in range(500)]


def test_a_task_that_joins_draws_nothing_anew():
    before = tasks_by_lot(NAMES, 100)
    joined = [tasks_by_lot([*NAMES, f"new {number}"], 100) for number in range(50)]
    lost = [len(before - after) for after in joined]
    assert max(lost) <= 1 and 0 < sum(lost) < 25  # 100 of 501 draw a new task: 10 of 50


def test_lots_do_not_depend_on_the_order_and_differ_by_salt():
    order = [NAMES[number] for number in by_lot(NAMES)]
    assert order == [NAMES[::-1][number] for number in by_lot(NAMES[::-1])]
    assert sorted(order) == sorted(NAMES) and order != NAMES
    assert by_lot(NAMES, "other").tolist() != by_lot(NAMES).tolist()
    assert len(by_lot([])) == 0


def test_lots_are_even():
    chosen = [set(by_lot(NAMES, str(salt))[:100].tolist()) for salt in range(400)]
    counts = np.bincount([number for one in chosen for number in one], minlength=500)
    # 80 expected of each, deviation 8; the sum of squares is chi-squared with 499 * 0.8 as mean
    assert abs(((counts - 80) ** 2 / 80).sum() - 400) < 4 * np.sqrt(2 * 500)
