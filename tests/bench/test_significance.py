"""Tests of means against closed forms, and corrections against their definitions by brute force."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate

from ringfence.bench.significance import Difference, benjamini_hochberg, difference, holm


def density(x, degrees):
    """Student's t density, from its formula."""
    log_scale = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)
    return (
        math.exp(log_scale)
        / math.sqrt(degrees * math.pi)
        * (1 + x * x / degrees) ** (-(degrees + 1) / 2)
    )


def test_p_is_twice_the_tail_of_students_t():
    values = np.array([-0.3, -0.1, -0.25, 0.05, -0.2])
    found = difference(values)
    t = (values.mean() - 0.1) / (values.std(ddof=1) / math.sqrt(5))
    tail = integrate.quad(density, -np.inf, t, args=(4,))[0]
    assert found.p_below(0.1) == pytest.approx(2 * tail, rel=1e-8)
    assert found.p_above(-0.4) == pytest.approx(
        2 * integrate.quad(density, (values.mean() + 0.4) / found.error, np.inf, args=(4,))[0],
        rel=1e-8,
    )
    assert found.p_above(0.5) == 1.0


@pytest.mark.parametrize("seed", range(20))
def test_p_says_what_the_interval_says(seed):
    rng = np.random.default_rng(seed)
    found = difference(rng.normal(rng.normal(0, 0.1), 0.1, size=rng.integers(2, 20)))
    margin = 0.05
    assert (found.p_below(0) < 0.05) == (found.high < 0) == (found.answer == "better")
    assert (found.p_above(-margin) < 0.05) == (found.low > -margin)
    assert (found.p_within(margin) < 0.05) == (found.low > -margin and found.high < margin)
    assert (found.p_beyond(margin) < 0.05) == (found.low > margin or found.high < -margin)


def test_rounding_is_no_difference():
    sums = np.array([0.1 + 0.2 - 0.3, 0.7 - 0.6 - 0.1, 0.0, 0.3 - 0.2 - 0.1, 1e-17])
    assert sums.any()  # none of it is more than the last digit
    found = difference(sums)
    assert found.mean == found.error == 0.0
    assert found.p_below(0) == found.p_above(0) == 1.0 and found.p_within(0.05) == 0.0


def test_equivalence_is_shown_by_many_tasks_not_by_few():
    alike = np.array([0.02, -0.02, 0.01, -0.01])
    assert difference(alike).p_within(0.05) < 0.05
    assert difference(alike[:2]).p_within(0.05) > 0.05
    far_apart = np.array([0.3, -0.3, 0.2, -0.2])  # no difference seen, and nothing shown
    assert difference(far_apart).answer == "no difference seen"
    assert difference(far_apart).p_within(0.05) > 0.5


def test_equivalence_is_wrongly_shown_as_often_as_stated():
    # At a true difference of exactly the margin: 2.5 % of 4,000; 1.9 to 3.2 % fails 1 time in 100.
    rng = np.random.default_rng(1)
    draws = 0.05 + 0.02 * rng.standard_normal((4000, 10))
    found = np.mean([difference(row).p_within(0.05) < 0.05 for row in draws])
    assert 0.019 < found < 0.032


def test_one_task_shows_nothing_and_no_spread_shows_all():
    one = difference(np.array([-5.0]))
    assert one.p_below(0) == one.p_above(-9) == one.p_within(9) == 1.0
    same = difference(np.zeros(4))
    assert (same.p_below(0), same.p_within(0.05), same.p_beyond(0.05)) == (1.0, 0.0, 1.0)
    assert isinstance(same, Difference)


def holm_by_definition(p, level):
    """Step down: reject the smallest while p(i) ≤ level / (m - i + 1)."""
    order, rejected = sorted(range(len(p)), key=p.__getitem__), set()
    for i, index in enumerate(order):
        if p[index] > level / (len(p) - i):
            break
        rejected.add(index)
    return rejected


def bh_by_definition(p, level):
    """Reject the k smallest for the largest k with p(k) ≤ k level / m."""
    order = sorted(range(len(p)), key=p.__getitem__)
    small = [k for k in range(1, len(p) + 1) if p[order[k - 1]] <= k * level / len(p)]
    return set(order[: max(small, default=0)])


@pytest.mark.parametrize("seed", range(30))
def test_corrected_p_values_reject_what_the_procedures_reject(seed):
    rng = np.random.default_rng(seed)
    p = (rng.random(rng.integers(1, 12)) ** 3).tolist()
    for correct, rejects in ((holm, holm_by_definition), (benjamini_hochberg, bh_by_definition)):
        corrected = correct(p)
        for level in (0.001, 0.01, 0.05, 0.2, 0.7):
            assert set(np.flatnonzero(corrected <= level)) == rejects(p, level)
        assert np.all(corrected >= p) and corrected.max() <= 1


def test_holm_is_the_closed_test_of_bonferroni():
    """A hypothesis is rejected if every family that holds it is, by Bonferroni: try them all."""
    p = np.array([0.004, 0.03, 0.011, 0.4, 0.02])
    closed = [
        max(
            min(1.0, len(family) * p[list(family)].min())
            for size in range(1, 6)
            for family in itertools.combinations(range(5), size)
            if i in family
        )
        for i in range(5)
    ]
    assert holm(p) == pytest.approx(closed)


def test_known_corrections():
    p = [0.01, 0.04, 0.03, 0.005]
    assert holm(p) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert benjamini_hochberg(p) == pytest.approx([0.02, 0.04, 0.04, 0.02])
