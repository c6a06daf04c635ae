"""Unions: membership, volumes against closed forms, uniform draws where parts overlap, the cube."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from ringfence.errors import FitError
from ringfence.regions import Box, Clipped, Ellipsoid, Union, sample

FALSE_ALARM = 1e-6


def box(*sides):
    lower, upper = zip(*sides)
    return Box(np.array(lower, float), np.array(upper, float))


def ball(center, radius):
    return Clipped(Ellipsoid(np.array(center, float), radius * np.eye(len(center))))


CROSS = Union((box((0.1, 0.5), (0.1, 0.5)), box((0.3, 0.9), (0.4, 0.6)), box((0.4, 0.6), (0.0, 1))))
LENS = Union((ball([0.4, 0.5], 0.2), ball([0.6, 0.5], 0.2)))
CLIPPED = Union((ball([0.05, 0.5], 0.2), ball([0.2, 0.55], 0.2), ball([0.8, 0.9], 0.15)))
UNIONS = {"boxes": CROSS, "ellipsoids": LENS, "clipped": CLIPPED}


@st.composite
def unions(draw):
    """Two to five parts: disjoint, overlapping, nested; boxes or clipped ellipsoids."""
    dim, count = draw(st.integers(1, 4)), draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    ends = np.sort(rng.random((count, 2, dim)), axis=1)
    if draw(st.booleans()):
        return Union(tuple(Box(low, high + 1e-3) for low, high in ends))
    factors = [np.tril(rng.uniform(-0.1, 0.1, (dim, dim))) + 0.15 * np.eye(dim) for _ in ends]
    return Union(tuple(Clipped(Ellipsoid(e[0], f)) for e, f in zip(ends, factors)))


@settings(max_examples=60, deadline=None)
@given(unions(), st.integers(0, 2**32 - 1))
def test_inside_means_inside_some_part(union, seed):
    points = np.random.default_rng(seed).random((200, union.dim))
    by_part = np.array([part.contains(points) for part in union.parts])
    np.testing.assert_array_equal(union.contains(points), by_part.any(axis=0))
    np.testing.assert_array_equal(union.count(points), by_part.sum(axis=0))
    inside = by_part.any(axis=0)
    assert by_part[union.nearest(points)[inside], inside].all()
    lower, upper = union.bounds
    assert ((points[inside] >= lower - 1e-8) & (points[inside] <= upper + 1e-8)).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 6), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_the_volume_of_boxes_is_that_of_inclusion_and_exclusion(count, dim, seed):
    ends = np.sort(np.random.default_rng(seed).random((count, 2, dim)), axis=1)
    total = 0.0
    for size in range(1, count + 1):
        for some in itertools.combinations(ends, size):
            low, high = np.max([e[0] for e in some], axis=0), np.min([e[1] for e in some], axis=0)
            total -= (-1) ** size * float(np.prod(np.maximum(high - low, 0.0)))
    union = Union(tuple(Box(low, high) for low, high in ends))
    assert math.exp(union.log_volume) == pytest.approx(total, rel=1e-9)


def test_the_volume_of_two_discs_that_overlap_is_that_of_a_lens_less():
    """Two discs of radius r at the distance r share r² (2π/3 - √3/2)."""
    lens = 0.04 * (2 * math.pi / 3 - math.sqrt(3) / 2)
    assert math.exp(LENS.log_volume) == pytest.approx(2 * math.pi * 0.04 - lens, rel=0.01)


def test_the_volume_of_parts_that_do_not_meet_is_their_sum():
    apart = Union((ball([0.2, 0.2, 0.2], 0.1), ball([0.7, 0.7, 0.7], 0.2)))
    exact = 4 / 3 * math.pi * (0.1**3 + 0.2**3)
    assert math.exp(apart.log_volume) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("name", UNIONS)
def test_the_volume_is_the_share_of_the_cube(name):
    """A million draws, five standard errors (a false alarm in 1.7 million) and the stated 1 %."""
    union = UNIONS[name]
    share = union.contains(np.random.default_rng(1).random((1_000_000, 2))).mean()
    error = 5 * math.sqrt(share * (1 - share) / 1_000_000)
    assert math.exp(union.log_volume) == pytest.approx(share, abs=error + 0.01 * share)


def looks_uniform(points, union, side=20):
    """Chi-square over the cells of a grid that are wholly inside, at the declared rate of false
    alarms."""
    fine = np.stack(np.meshgrid(*[(np.arange(side * 8) + 0.5) / (side * 8)] * 2, indexing="ij"), -1)
    inside = union.contains(fine.reshape(-1, 2)).reshape(side, 8, side, 8).all(axis=(1, 3))
    counts = np.histogram2d(*points.T, bins=side, range=[[0, 1], [0, 1]])[0][inside]
    expected = counts.sum() / len(counts)
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return statistic < chi2.isf(FALSE_ALARM, len(counts) - 1)


@pytest.mark.parametrize("name", UNIONS)
def test_draws_are_uniform_and_overlaps_count_once(name):
    union = UNIONS[name]
    draws = sample(union, 40_000, np.random.default_rng(0))
    assert draws.method == "rejection"
    assert union.contains(draws.points).all()
    assert looks_uniform(draws.points, union)
    assert looks_uniform(draws.points[:20_000], union)  # the parts are mixed, not one by one


@pytest.mark.parametrize("name", UNIONS)
def test_a_draw_from_each_part_in_turn_would_not_be_uniform(name):
    """The negative control: without the thinning an overlap counts twice."""
    union, rng = UNIONS[name], np.random.default_rng(0)
    sizes = np.exp([part.log_volume for part in union.parts])
    counts = rng.multinomial(40_000, sizes / sizes.sum())
    twice = [sample(part, n, rng).points for part, n in zip(union.parts, counts)]
    assert not looks_uniform(np.concatenate(twice), union)


def test_where_rejection_keeps_nothing_walks_take_over_in_every_part():
    """Rounding lets one point in 10^6 survive; walks start from the known points of both parts."""
    thin = [
        Ellipsoid(np.array(c), np.array([[0.1, 0.0], [0.1, 1e-7]])) for c in ([0.2, 0.2], [0.7] * 2)
    ]
    union = Union(tuple(Clipped(e) for e in thin))
    snap = lambda points: np.column_stack([points[:, 0], np.round(points[:, 1] * 10) / 10])  # noqa: E731
    known = np.array([[0.2, 0.2], [0.7, 0.7], [0.3, 0.3]])
    draws = sample(union, 60, np.random.default_rng(0), snap=snap, known=known, max_proposals=5_000)
    assert draws.method == "random walk"
    assert union.contains(draws.points).all()
    assert {0, 1} == set(union.nearest(draws.points))


def test_boxes_whose_integers_all_round_away_are_an_error():
    union = Union((box((0.1, 0.2), (0.1, 0.2)), box((0.6, 0.7), (0.6, 0.7))))
    with pytest.raises(FitError, match="survives the rounding"):
        sample(union, 5, np.random.default_rng(0), snap=np.round, max_proposals=1_000)


@settings(max_examples=60, deadline=None)
@given(unions(), st.integers(0, 2**32 - 1))
def test_every_point_of_the_cube_is_inside_and_comes_back(union, seed):
    rng = np.random.default_rng(seed)
    cube = rng.random((100, union.dim))
    cube[:20] = rng.integers(2, size=(20, union.dim))
    points = union.from_cube(cube)
    assert union.contains(points).all()
    np.testing.assert_allclose(union.from_cube(union.to_cube(points)), points, atol=1e-6)


def test_the_cube_holds_each_part_in_proportion_and_none_too_thin():
    union = Union(
        (box((0.5, 0.9), (0.5, 0.9)), box((0.1, 0.3), (0.1, 0.3)), box((0.95, 1), (0, 0.01)))
    )
    slabs = union._slabs
    shares = np.diff(slabs.edges)
    assert slabs.order.tolist() == [1, 0, 2]  # in their order along the coordinate
    assert shares[1] / shares[0] == pytest.approx(4.0 * 0.2005 / 0.2005, rel=1e-6)
    assert shares[2] > 0.25 / 3 / 1.1
    parts, _ = slabs.split(np.random.default_rng(0).random((10_000, 2)))
    np.testing.assert_allclose(np.bincount(parts) / 10_000, shares[[1, 0, 2]], atol=0.03)


def test_points_outside_go_to_the_boundary_of_the_nearest_part():
    union = Union((box((0.1, 0.3), (0.1, 0.3)), box((0.6, 0.9), (0.6, 0.9))))
    moved = union.from_cube(union.to_cube(np.array([[0.35, 0.2], [0.95, 0.99]])))
    np.testing.assert_allclose(moved, [[0.3, 0.2], [0.9, 0.9]], atol=1e-6)
