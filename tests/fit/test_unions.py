"""How many parts: one cloud stays one, clouds apart are told apart, outliers belong to none."""

from __future__ import annotations

import numpy as np
import pytest

from ringfence.fit.any_shape import fit_shape
from ringfence.fit.box import fit_box
from ringfence.fit.ellipsoid import fit_ellipsoid
from ringfence.fit.shapes import shape_of
from ringfence.fit.unions.box_split import LEAST_PART, box_cut
from ringfence.fit.unions.cells import Cells
from ringfence.fit.unions.clusters import clusters
from ringfence.fit.unions.splitting import LEAST_GAIN

SHAPES = ("boxes", "ellipsoids")


def mixture(points, shape, outliers=0.0):
    return fit_shape(shape, Cells.of_reals(points), np.arange(len(points)), outliers)


def clouds(count, n, dim, seed, spread=0.03):
    """`count` normal clouds around the corners of a cube, and who belongs where."""
    rng = np.random.default_rng(seed)
    centers = np.array([[0.2 + 0.6 * (k >> (j % 2) & 1) for j in range(dim)] for k in range(count)])
    owner = np.arange(n) % count
    return centers[owner] + spread * rng.standard_normal((n, dim)), owner


def same_division(labels, owner):
    pairs = set(zip(labels.tolist(), owner.tolist()))
    return len(pairs) == len(set(labels.tolist())) == len(set(owner.tolist()))


def arrays(fit):
    region = fit.region
    return np.concatenate([np.ravel(value) for value in vars(region).values() if np.ndim(value)])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("outliers", [0.0, 0.2])
def test_one_part_is_the_plain_region(shape, outliers):
    points = np.random.default_rng(0).random((40, 3))
    (fit,) = mixture(points, shape, outliers).fits
    plain = (fit_box if shape == "boxes" else fit_ellipsoid)(points, outliers)
    np.testing.assert_array_equal(arrays(fit), arrays(plain))
    np.testing.assert_array_equal(fit.slack, plain.slack)
    assert (fit.penalty, fit.gap, fit.widened) == (plain.penalty, plain.gap, plain.widened)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n, dim", [(6, 1), (12, 2), (30, 2), (30, 5), (60, 3)])
def test_one_cloud_is_seldom_divided(shape, n, dim):
    """At 1 % a cloud, four or more of 40 would be divided once in 1,000 such tests (six thousand
    for ten of them); the seeds are fixed."""
    rng = np.random.default_rng([n, dim])
    drawn = [rng.random((n, dim)) for _ in range(20)]
    drawn += [0.5 + 0.1 * rng.standard_normal((n, dim)) for _ in range(20)]
    divided = [len(mixture(points, shape).fits) > 1 for points in drawn]
    assert sum(divided) <= 3


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "count, n, dim", [(2, 30, 1), (2, 30, 2), (3, 45, 2), (2, 60, 10), (4, 80, 3)]
)
def test_clouds_apart_are_told_apart(shape, count, n, dim):
    for seed in range(3):
        points, owner = clouds(count, n, dim, seed)
        assert same_division(mixture(points, shape).labels, owner)


def test_three_clouds_that_no_coordinate_tells_from_the_rest():
    """Across each coordinate one cloud lies between the others or beside one of them, so the cut
    with the largest gain may run through a cloud."""
    rng = np.random.default_rng(4)
    centers = np.array([[0.2, 0.5, 0.5, 0.3], [0.5, 0.2, 0.5, 0.6], [0.5, 0.5, 0.2, 0.9]])
    owner = np.arange(60) % 3
    points = centers[owner] + 0.05 * rng.standard_normal((60, 4))
    assert same_division(mixture(points, "boxes").labels, owner)


def test_parallel_sheets_are_told_apart_by_ellipsoids():
    """Two thin sheets across the diagonal: no coordinate and no principal axis tells them apart."""
    rng = np.random.default_rng(0)
    along, across = rng.uniform(-0.3, 0.3, 60), np.repeat([-0.02, 0.02], 30)
    across = across + 0.003 * rng.standard_normal(60)
    points = 0.5 + np.column_stack([along + across, along - across])
    assert same_division(mixture(points, "ellipsoids").labels, np.repeat([0, 1], 30))


@pytest.mark.parametrize("shape", SHAPES)
def test_parts_are_numbered_from_low_coordinates_to_high(shape):
    points, _ = clouds(3, 60, 2, seed=0)
    found = mixture(points, shape)
    lowest = [tuple(min(map(tuple, points[found.labels == k]))) for k in range(3)]
    assert lowest == sorted(lowest)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_order_of_the_tasks_does_not_matter(shape):
    points, _ = clouds(3, 40, 3, seed=5, spread=0.05)
    order = np.random.default_rng(1).permutation(40)
    first, second = mixture(points, shape, 0.1), mixture(points[order], shape, 0.1)
    np.testing.assert_array_equal(first.labels[order], second.labels)
    for one, other in zip(first.fits, second.fits):
        np.testing.assert_allclose(arrays(one), arrays(other), atol=1e-6)


def test_the_cut_of_a_box_is_the_best_of_all_cuts():
    """Against every cut across every coordinate, one by one."""
    points = np.random.default_rng(2).random((15, 3))
    best = -np.inf
    for j in range(3):
        for at in np.sort(points[:, j])[:-1]:
            left = points[:, j] <= at
            if min(left.sum(), (~left).sum()) >= LEAST_PART:
                sides = [np.ptp(points[s], axis=0).prod() for s in (left, ~left)]
                best = max(best, np.log(np.ptp(points, axis=0).prod() / sum(sides)))
    cut = box_cut(Cells.of_reals(points))
    assert cut is not None and cut.gain >= best - 1e-12
    sides = [np.ptp(points[s], axis=0).prod() for s in (cut.left, ~cut.left)]
    assert cut.gain == pytest.approx(np.log(np.ptp(points, axis=0).prod() / sum(sides)))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_whole_number_that_takes_two_values_is_no_reason_to_divide(shape):
    """Two values side by side fill their cells, and the space between them is not empty."""
    rng = np.random.default_rng(0)
    points = rng.random((60, 3))
    points[:, 0] = np.where(rng.random(60) < 0.5, 0.25, 0.75)
    half = np.zeros_like(points)
    half[:, 0] = 0.25
    cells = Cells(points, points - half, points + half)
    assert len(fit_shape(shape, cells, np.arange(60), 0.0).fits) == 1


@pytest.mark.parametrize("shape", SHAPES)
def test_as_many_points_as_asked_for_are_left_outside_mostly_those_that_stand_alone(shape):
    """Who is left outside a part is the choice of eqs. 7 and 8, how many that of the division."""
    points, owner = clouds(2, 54, 2, seed=3)
    alone = np.array([[0.5, 0.5], [0.9, 0.1], [0.05, 0.95], [0.5, 0.95], [0.1, 0.6], [0.6, 0.1]])
    points = np.vstack([points, alone])
    labels, outside = clusters(Cells.of_reals(points), np.arange(60), shape_of(shape).splitting, 6)
    assert outside.sum() == 6
    assert same_division(labels[:54], owner)
    left = np.flatnonzero(mixture(points, shape, 0.1).slack > 0)
    assert len(left) >= 6 and len(set(left) & set(range(54, 60))) >= 5


@pytest.mark.parametrize("shape", SHAPES)
def test_further_rows_of_a_task_follow_and_do_not_decide(shape):
    """Ten rows of each of twelve tasks lie close together; that alone makes no parts."""
    rng = np.random.default_rng(0)
    points = np.repeat(rng.random((12, 2)), 10, axis=0) + 0.002 * rng.standard_normal((120, 2))
    task = np.repeat(np.arange(12), 10)
    assert len(fit_shape(shape, Cells.of_reals(points), task, 0.0).fits) == 1


@pytest.mark.parametrize("shape", SHAPES)
def test_parts_that_stay_apart_are_better_apart(shape):
    points, _ = clouds(4, 80, 2, seed=1, spread=0.04)
    found = mixture(points, shape)
    cells, measure = Cells.of_reals(points), shape_of(shape).splitting
    groups = [np.flatnonzero(found.labels == k) for k in range(len(found.fits))]
    for i, one in enumerate(groups):
        for other in groups[:i]:
            both = cells.rows(np.union1d(one, other))
            volumes = [measure.log_volume(cells.rows(rows)) for rows in (one, other)]
            assert measure.excess(both, *volumes) > 0
            assert measure.enough(both) >= LEAST_GAIN


@pytest.mark.parametrize("shape", SHAPES)
def test_a_coordinate_in_which_all_agree_hides_no_parts(shape):
    points, owner = clouds(2, 40, 2, seed=0)
    flat = np.column_stack([points, np.full(40, 0.5)])
    assert same_division(mixture(flat, shape).labels, owner)


@pytest.mark.parametrize("shape", SHAPES)
def test_degenerate_clouds_are_one_part(shape):
    rng = np.random.default_rng(0)
    few = [rng.random((n, 6)) for n in (1, 4, 5, 6, 7)]
    for points in (np.full((1, 2), 0.5), np.full((30, 2), 0.5), *few):
        assert len(mixture(points, shape).fits) == 1
        assert len(mixture(points, shape, 0.1).fits) == 1


@pytest.mark.parametrize("seed", [8, 18, 34])
def test_a_part_of_outliers_alone_is_no_part(seed):
    """Nine in ten may leave: of the points on one side of a cut nobody may be left."""
    rng = np.random.default_rng(seed)
    line = rng.random(2) + rng.uniform(-0.5, 0.5, (25, 1)) * rng.standard_normal(2)
    cells = Cells.of_reals(np.clip(line, 0.0, 1.0))
    assert len(fit_shape("boxes", cells, np.arange(25), 0.9).clipped().parts) == 1
