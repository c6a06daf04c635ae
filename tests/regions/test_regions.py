"""Boxes and ellipsoids: volumes in closed form, membership, uniform draws, and the cube maps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringfence.errors import FitError
from ringfence.regions import Box, Clipped, Ellipsoid, sample
from ringfence.regions.maps.uniform import ball_to_cube
from ringfence.space import Encoding, Float, Int, Space

FALSE_ALARM = 1e-6


def ks_uniform(values):
    """Whether values look uniform on [0, 1]: Kolmogorov–Smirnov at the declared false-alarm rate,
    by the Dvoretzky–Kiefer–Wolfowitz bound."""
    n = len(values)
    ordered = np.sort(values)
    grid = np.arange(1, n + 1) / n
    distance = max(np.abs(grid - ordered).max(), np.abs(grid - 1 / n - ordered).max())
    return distance < math.sqrt(math.log(2 / FALSE_ALARM) / (2 * n))


def ellipsoid(dim, seed=0, size=0.3, center=0.5):
    rng = np.random.default_rng(seed)
    factor = np.tril(rng.uniform(-0.3, 0.3, (dim, dim)) * size)
    factor[np.diag_indices(dim)] = rng.uniform(0.3, 1.0, dim) * size
    return Ellipsoid(np.full(dim, center), factor)


@st.composite
def clipped(draw):
    """Clipped ellipsoids: inside, touching, mostly outside; round, flat, huge."""
    dim = draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    factor = np.tril(rng.standard_normal((dim, dim)))
    factor[np.diag_indices(dim)] = 10 ** rng.uniform(-3, 0.5, dim)
    factor *= draw(st.sampled_from([0.01, 0.3, 1.0, 5.0]))
    center = rng.random(dim)
    if draw(st.booleans()):
        center = np.round(center)  # a corner of the cube
    return Clipped(Ellipsoid(center, factor))


def test_volume_of_a_box():
    assert Box(np.array([0.0, 0.5]), np.array([0.5, 0.75])).log_volume == pytest.approx(
        math.log(0.125)
    )
    assert Box.unit(7).log_volume == 0.0


@pytest.mark.parametrize(
    ("dim", "volume"), [(1, 2), (2, math.pi), (3, 4 / 3 * math.pi), (4, math.pi**2 / 2)]
)
def test_volume_of_a_ball_and_of_its_images(dim, volume):
    image = ellipsoid(dim)
    ball = Ellipsoid(np.zeros(dim), np.eye(dim))
    assert math.exp(ball.log_volume) == pytest.approx(volume)
    assert math.exp(image.log_volume) == pytest.approx(volume * np.linalg.det(image.factor))


def test_the_papers_form_describes_the_same_set():
    region = ellipsoid(4)
    matrix, offset = region.paper_form
    points = np.random.default_rng(1).random((50, 4))
    norms = np.linalg.norm(points @ matrix.T + offset, axis=1)
    np.testing.assert_allclose(norms, region.norm(points), rtol=1e-10)
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-12)
    assert (np.linalg.eigvalsh(matrix) > 0).all()


def test_bounds_are_touched():
    region = ellipsoid(3)
    lower, upper = region.bounds
    for j in range(3):
        direction = region.factor[j] / np.linalg.norm(region.factor[j])
        top = region.center + region.factor @ direction
        assert top[j] == pytest.approx(upper[j])
        assert 2 * region.center[j] - top[j] == pytest.approx(lower[j])
        assert region.norm(top[None])[0] == pytest.approx(1.0)


def test_a_nearly_flat_ellipsoid_keeps_its_norms():
    """A x + b would cancel here; the center and the factor do not."""
    factor = np.array([[0.3, 0.0], [0.3, 1e-9]])
    region = Ellipsoid(np.array([0.5, 0.5]), factor)
    edge = region.from_ball(np.array([[0.6, 0.8], [0.0, -1.0], [1.0, 0.0]]))
    np.testing.assert_allclose(region.norm(edge), 1.0, atol=1e-6)


@pytest.mark.parametrize("dim", [1, 2, 5, 20])
def test_draws_are_uniform_in_the_ellipsoid(dim):
    """r^p is uniform, and so is every direction's sign."""
    region = ellipsoid(dim)
    points = region.draw(20_000, np.random.default_rng(0))
    assert ks_uniform(region.norm(points) ** dim)
    ball = (points - region.center) @ region.inverse.T
    assert np.abs(np.sign(ball).mean(axis=0)).max() < 6 / math.sqrt(20_000)


def test_the_wrong_law_is_noticed():
    """Without the p-th root the radius is wrong, and the test above says so."""
    rng = np.random.default_rng(0)
    ball = rng.standard_normal((20_000, 5))
    ball *= (rng.random(20_000) / np.linalg.norm(ball, axis=1))[:, None]
    assert not ks_uniform(np.linalg.norm(ball, axis=1) ** 5)


def test_algorithm_1_is_uniform_where_the_cube_cuts():
    """A disc centered on a corner: a quarter is left, and in polar coordinates it is uniform."""
    region = Clipped(Ellipsoid(np.zeros(2), np.eye(2) * 0.8))
    draws = sample(region, 20_000, np.random.default_rng(0))
    assert draws.method == "rejection"
    assert draws.acceptance == pytest.approx(math.pi / 4, abs=0.02)  # out of the bounding square
    assert ks_uniform((np.linalg.norm(draws.points, axis=1) / 0.8) ** 2)
    assert ks_uniform(np.arctan2(draws.points[:, 1], draws.points[:, 0]) / (math.pi / 2))
    assert math.exp(region.log_volume) == pytest.approx(math.pi * 0.64 / 4, rel=0.01)


def test_membership_is_tested_after_rounding():
    region = Clipped(Ellipsoid(np.array([0.5, 0.5]), np.eye(2) * 0.4))
    snap = lambda points: np.round(points * 4) / 4  # noqa: E731
    draws = sample(region, 2000, np.random.default_rng(0), snap=snap)
    assert region.contains(draws.points).all()
    assert (draws.points == snap(draws.points)).all()
    assert len(np.unique(draws.points, axis=0)) == 9


def test_where_rejection_collapses_a_random_walk_goes_on():
    """A needle between lattice lines: rounding kills every draw, the known points remain."""
    region = Clipped(Ellipsoid(np.array([0.5, 0.5]), np.array([[0.4, 0.0], [0.4, 1e-7]])))
    snap = lambda points: np.column_stack([points[:, 0], np.round(points[:, 1] * 10) / 10])  # noqa: E731
    known = np.array([[0.3, 0.3], [0.5, 0.5], [0.6, 0.6]])
    draws = sample(
        region, 100, np.random.default_rng(0), snap=snap, known=known, max_proposals=20_000
    )
    assert draws.method == "random walk"
    assert draws.points.shape == (100, 2)
    assert region.contains(draws.points).all()


def test_the_random_walk_reaches_the_uniform_law():
    """The same quarter disc, by the walk alone."""
    region = Clipped(Ellipsoid(np.zeros(2), np.eye(2) * 0.8))
    starts = np.full((1, 2), 0.01)
    points = region.walk(starts, 20_000, np.random.default_rng(0), lambda drawn: drawn)
    assert ks_uniform((np.linalg.norm(points, axis=1) / 0.8) ** 2)
    assert ks_uniform(np.arctan2(points[:, 1], points[:, 0]) / (math.pi / 2))


def halves(points):
    """The first coordinate as an integer, 0 or 1."""
    return np.column_stack([np.where(points[:, 0] < 0.5, 0.25, 0.75), points[:, 1:]])


def test_the_random_walk_has_the_law_of_rejection_with_integers():
    """The shares of the two integers, and mean and spread of the other coordinate beside each, are
    those of a million draws that rejection keeps. 40,000 walks, 5 standard errors: a false alarm in
    10^5. (A walk over rounded points misses by 8.)"""
    region = Clipped(Ellipsoid(np.full(2, 0.5), np.array([[0.45, 0.0], [0.3, 0.1]])))
    drawn = halves(region.propose(1_000_000, np.random.default_rng(0)))
    kept = drawn[region.contains(drawn)]
    ends = region.walk(kept[:3], 40_000, np.random.default_rng(1), halves)
    assert region.contains(ends).all() and (ends == halves(ends)).all()
    for value in (0.25, 0.75):
        here, there = kept[kept[:, 0] == value, 1], ends[ends[:, 0] == value, 1]
        assert len(there) / 40_000 == pytest.approx(len(here) / len(kept), abs=5 * 0.5 / 200)
        assert abs(here.mean() - there.mean()) < 5 * here.std() / math.sqrt(len(there))
        assert there.std() == pytest.approx(here.std(), rel=5 / math.sqrt(2 * len(there)))


def test_in_thirty_dimensions_a_walk_with_integers_keeps_the_symmetry():
    """A ball around the middle, half of its coordinates integers: every coordinate is as often low
    as high, and all integers have the same law. 5 standard errors for each of 30, and 5 for the
    spread over them: a false alarm in 10^4."""
    encoding = Encoding.of(Space({f"x{i}": Int(0, 4) if i % 2 else Float(0, 1) for i in range(30)}))
    region = Clipped(Ellipsoid(np.full(30, 0.5), np.eye(30) * 0.7))
    ends = region.walk(np.full((1, 30), 0.5), 500, np.random.default_rng(0), encoding.snap)
    assert region.contains(ends).all()
    offsets = ends - 0.5
    assert np.abs(offsets.mean(axis=0) / offsets.std(axis=0)).max() < 5 / math.sqrt(500)
    spread = (offsets[:, 1::2] ** 2).mean(axis=0)
    error = (offsets[:, 1::2] ** 2).std(axis=0) / math.sqrt(500)
    assert np.abs((spread - spread.mean()) / error).max() < 5


def test_rejection_gives_up_early_where_nothing_is_kept():
    """An ellipsoid at a corner of 60 dimensions: 4,096 proposals tell, not a million."""

    class Counted(Clipped):
        proposed = 0

        def propose(self, n, rng):
            Counted.proposed += n
            return super().propose(n, rng)

    region = Counted(Ellipsoid(np.full(60, 0.02), np.eye(60) * 0.4))
    draws = sample(region, 6, np.random.default_rng(0))
    assert draws.method == "random walk" and region.contains(draws.points).all()
    assert Counted.proposed < 10_000


def test_a_walk_from_where_rounding_leads_outside_comes_inside():
    """The anchor's own integer lies outside; those to its left and right do not."""
    region = Clipped(Ellipsoid(np.array([0.5, 0.5]), np.diag([0.45, 0.1])))
    snap = lambda points: np.column_stack(  # noqa: E731
        [points[:, 0], np.where(np.abs(points[:, 0] - 0.5) < 0.1, 0.9, points[:, 1])]
    )
    ends = region.walk(np.empty((0, 2)), 50, np.random.default_rng(0), snap)
    assert region.contains(ends).all() and len(ends) == 50


def test_a_region_without_any_integer_says_so():
    region = Clipped(Ellipsoid(np.array([0.5]), np.array([[0.1]])))
    with pytest.raises(FitError, match="survives the rounding"):
        sample(region, 2, np.random.default_rng(0), snap=lambda points: np.round(points))


def test_volume_by_growth_agrees_with_the_closed_form():
    region = Clipped(Ellipsoid(np.zeros(4), np.eye(4) * 0.9))
    exact = region.body.log_volume - 4 * math.log(2)
    assert region._by_growth()[0] == pytest.approx(exact, abs=0.3)
    assert region.log_volume == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("dim", [2, 5, 20, 45])
def test_the_volume_of_a_tilted_ellipsoid_in_a_corner_is_that_of_its_orthant(dim):
    """Coordinates that correlate by one half are all positive with probability 1 / (p + 1)."""
    factor = 0.9 * np.linalg.cholesky(0.5 * (np.eye(dim) + np.ones((dim, dim))))
    region = Clipped(Ellipsoid(np.zeros(dim), factor))
    exact = region.body.log_volume - math.log(dim + 1)
    assert 0.0 < region.log_volume_error < 0.02
    assert abs(region.log_volume - exact) < 6 * region.log_volume_error


@pytest.mark.parametrize("seed", range(6))
def test_the_volume_of_a_cut_ellipsoid_agrees_with_counting(seed):
    """A million draws; five standard errors, false alarm below 1e-6 a seed."""
    rng = np.random.default_rng(seed)
    dim = 2 + seed
    factor = np.linalg.cholesky(0.1 * np.cov(rng.standard_normal((dim, 3 * dim))))
    ellipsoid = Ellipsoid(rng.uniform(0, 0.3, dim), factor)
    inside = Clipped(ellipsoid).contains(ellipsoid.draw(1_000_000, rng)).mean()
    log_share, error = ellipsoid.log_share_in_cube()
    spread = math.hypot(error, math.sqrt((1 - inside) / (inside * 1e6)))
    assert abs(log_share - math.log(inside)) < 5 * spread


def test_the_volume_of_a_cube_inside_a_huge_ellipsoid_is_one():
    region = Clipped(Ellipsoid(np.full(12, 0.5), np.eye(12) * 5))
    assert region.log_volume == pytest.approx(0.0, abs=1e-9)
    assert region.proposal_log_volume == 0.0  # it is proposed from the cube, not the ellipsoid


@settings(max_examples=150, deadline=None)
@given(clipped(), st.integers(0, 2**32 - 1))
def test_the_gauge_map_is_a_bijection_that_never_leaves(region, seed):
    rng = np.random.default_rng(seed)
    corners = rng.integers(0, 2, (20, region.dim)).astype(float)
    cube = np.vstack([rng.random((40, region.dim)), corners, np.full((1, region.dim), 0.5)])
    points = region.from_cube(cube)
    assert region.contains(points).all()
    tolerance = 1e-12 + 100 * region.body.tolerance
    np.testing.assert_allclose(region.to_cube(points), cube, atol=tolerance)
    np.testing.assert_allclose(points[-1], region.anchor)


@settings(max_examples=150, deadline=None)
@given(clipped())
def test_the_anchor_is_inside_with_room(region):
    anchor = region.anchor[None]
    assert region.body.norm(anchor)[0] <= 0.5 + region.body.tolerance
    assert (anchor > 0).all() and (anchor < 1).all()


@settings(max_examples=100, deadline=None)
@given(clipped(), st.integers(0, 2**32 - 1))
def test_samples_are_inside_and_bounds_hold_them(region, seed):
    draws = sample(region, 50, np.random.default_rng(seed), max_proposals=20_000)
    assert draws.points.shape == (50, region.dim)
    assert region.contains(draws.points).all()
    lower, upper = region.bounds
    assert (draws.points >= lower - 1e-9).all() and (draws.points <= upper + 1e-9).all()


def test_the_uniform_map_keeps_the_uniform_law_and_comes_back():
    region = ellipsoid(3)
    cube = np.random.default_rng(0).random((20_000, 3))
    points = region.uniform_from_cube(cube)
    assert region.contains(points).all()
    assert ks_uniform(region.norm(points) ** 3)
    ball = (points - region.center) @ region.inverse.T
    np.testing.assert_allclose(ball_to_cube(ball), cube, atol=1e-8)
    np.testing.assert_allclose(
        region.uniform_from_cube(np.full((1, 3), 0.5))[0], region.center, atol=1e-8
    )


def test_a_box_is_drawn_uniformly_and_maps_to_the_cube():
    box = Box(np.array([0.2, 0.0]), np.array([0.3, 1.0]))
    points = sample(box, 5000, np.random.default_rng(0)).points
    assert ks_uniform((points[:, 0] - 0.2) / 0.1) and ks_uniform(points[:, 1])
    np.testing.assert_allclose(box.from_cube(box.to_cube(points)), points, atol=1e-15)
