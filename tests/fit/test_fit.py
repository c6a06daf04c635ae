"""The fits that users get: exact where the incumbents determine a region, with room where not."""

from __future__ import annotations

import numpy as np
import pytest

from ringfence.fit.box import fit_box
from ringfence.fit.ellipsoid import fit_ellipsoid
from ringfence.fit.outlier_count import n_outliers
from ringfence.fit.result import FEW_TASKS_REACH, least_reach
from ringfence.fit.solvers.minimum_ellipsoid import minimum_ellipsoid

RNG = np.random.default_rng(0)


def test_the_rule_leaves_a_determined_ellipsoid_alone():
    points = RNG.random((12, 4))
    fit = fit_ellipsoid(points)
    exact = minimum_ellipsoid(points)
    assert fit.widened == 0 and fit.penalty is None
    np.testing.assert_array_equal(fit.region.factor, exact.factor)
    np.testing.assert_array_equal(fit.region.center, exact.center)


def test_the_rule_leaves_a_determined_box_alone():
    points = RNG.random((2, 5))
    fit = fit_box(points)
    np.testing.assert_array_equal(fit.region.lower, points.min(axis=0))
    np.testing.assert_array_equal(fit.region.upper, points.max(axis=0))
    assert fit.widened == 0 and fit.gap == 0.0


def test_one_task_gets_a_ball_and_a_cube_around_it():
    point = np.array([[0.5, 0.4, 0.6]])
    ball = fit_ellipsoid(point).region
    np.testing.assert_allclose(ball.half_axes, FEW_TASKS_REACH)
    np.testing.assert_allclose(ball.center, point[0])
    box = fit_box(point).region
    np.testing.assert_allclose(box.upper - box.lower, 2 * FEW_TASKS_REACH)


def test_two_far_tasks_keep_their_axis_and_get_room_across():
    points = np.array([[0.0, 0.5, 0.5, 0.5], [1.0, 0.5, 0.5, 0.5]])
    fit = fit_ellipsoid(points)
    np.testing.assert_allclose(np.sort(fit.region.half_axes), [0.3, 0.3, 0.3, 0.5])
    np.testing.assert_allclose(fit.region.norm(points), 1.0)
    assert fit.widened == 3


def test_two_near_tasks_get_room_along_their_axis_too():
    points = np.array([[0.5, 0.5, 0.5], [0.51, 0.5, 0.5]])
    np.testing.assert_allclose(fit_ellipsoid(points).region.half_axes, 0.3)


def test_the_more_tasks_agree_the_less_room_they_need():
    """Thirty tasks that agree in one of three coordinates: eq. 6 in the other two, exactly."""
    points = np.column_stack([RNG.random((30, 2)), np.full(30, 0.7)])
    fit = fit_ellipsoid(points)
    assert fit.widened == 1
    lower, upper = fit.region.bounds
    assert upper[2] - lower[2] == pytest.approx(2 * 0.3 * 4 / 30)
    plane = minimum_ellipsoid(points[:, :2])
    np.testing.assert_allclose(fit.region.factor[:2, :2], plane.factor, atol=1e-6)
    box = fit_box(points).region
    assert box.upper[2] - box.lower[2] == pytest.approx(2 * 0.3 * 4 / 30)
    assert least_reach(3, 3) == FEW_TASKS_REACH > least_reach(8, 3) > least_reach(100, 3)


def test_the_hull_may_lie_askew():
    """Points in a plane across the coordinates: covered, flat only where the rule says."""
    basis = np.linalg.qr(RNG.standard_normal((5, 2)))[0]
    points = 0.5 + 0.3 * RNG.uniform(-1, 1, (20, 2)) @ basis.T
    fit = fit_ellipsoid(points)
    assert fit.widened == 3
    assert fit.region.norm(points).max() == pytest.approx(1.0, abs=1e-6)
    np.testing.assert_allclose(np.sort(fit.region.half_axes)[:3], least_reach(20, 5), rtol=1e-6)


@pytest.mark.parametrize("shape", [fit_box, fit_ellipsoid])
def test_slack_belongs_to_the_tasks_outside(shape):
    points = np.vstack([RNG.uniform(0.3, 0.7, (19, 3)), [[0.0, 1.0, 0.0]]])
    fit = shape(points, 0.05)
    assert fit.slack[19] > 0 and (fit.slack >= 0).all()
    np.testing.assert_array_equal(fit.slack > 1e-6, ~fit.region.contains(points))


@pytest.mark.parametrize("shape", [fit_box, fit_ellipsoid])
def test_tasks_that_all_agree_cannot_be_left_out(shape):
    fit = shape(np.full((9, 2), 0.25), 0.5)
    assert fit.penalty is None and not fit.slack.any()
    assert fit.region.contains(np.full((1, 2), 0.25))[0]


@pytest.mark.parametrize("seed", [106, 118, 154, 494, 726, 814, 898, 998, 1299, 1488])
def test_a_task_counts_as_left_outside_only_if_the_box_does_not_contain_it(seed):
    """At these seeds a point on a face came out 1e-12 to 1e-10 beyond it, was counted as outside by
    the solver, and one task fewer than ⌈νT⌉ was left out."""
    rng = np.random.default_rng(seed)
    n, dim = int(rng.integers(8, 40)), int(rng.integers(1, 5))
    outliers = float(rng.choice([0.1, 0.3, 0.5, 0.5, 0.7]))
    points = rng.random((n, dim)) if seed % 4 == 0 else rng.random((n, dim)) ** 3
    if seed % 4 == 2:
        points = rng.normal(0.5, 0.1, (n, dim)).clip(0, 1)
        points[:3] = rng.random((3, dim))
    fit = fit_box(points, outliers)
    assert (~fit.region.contains(points)).sum() >= n_outliers(outliers, n)


def test_points_that_leave_their_hull_by_less_than_the_resolution_are_inside():
    """Six points span four of five dimensions, but for 2e-11; the fourth is 3e-5 thin beside it."""
    points = np.array(
        [
            [0.875, 0.0445054346, 0.0364635365, 0.788532849, 0.248930538],
            [0.875, 0.0, 0.210289710, 0.754357482, 0.284351430],
            [0.875, 0.0, 0.374125874, 0.722246740, 0.317632452],
            [0.125, 0.504985739, 0.000499500500, 0.883903092, 0.150084516],
            [0.875, 0.0, 0.199300699, 0.756539963, 0.282089409],
            [0.875, 0.0, 0.352147852, 0.726522962, 0.313200382],
        ]
    )
    fit = fit_ellipsoid(points)
    assert fit.widened == 1
    assert fit.region.contains(points).all()
