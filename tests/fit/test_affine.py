"""The affine frame: rank, whitening and the way back, for clouds of every awkward kind."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringfence.arrays import FloatArray
from ringfence.errors import FitError
from ringfence.fit.solvers.affine import Frame, affine_frame


def cloud(seed: int, count: int, dim: int, rank: int) -> FloatArray:
    """Points of the unit cube's size that span `rank` dimensions."""
    rng = np.random.default_rng(seed)
    directions = np.linalg.qr(rng.standard_normal((dim, dim)))[0][:, :rank]
    return rng.uniform(-1, 1, (count, rank)) @ directions.T + rng.uniform(-1, 1, dim)


def assert_whitens(frame: Frame, points: FloatArray, tolerance: float) -> None:
    z = frame.whiten(points)
    size = np.ptp(points, axis=0) + np.abs(points).max(axis=0) * 1e-15
    assert np.abs(z.mean(axis=0)).max(initial=0) <= tolerance
    assert np.abs(z.T @ z / len(z) - np.eye(frame.rank)).max(initial=0) <= tolerance
    assert np.abs(frame.dual.T @ frame.basis - np.eye(frame.rank)).max(initial=0) <= tolerance
    assert (np.abs(frame.restore(z) - points) <= tolerance * size).all()


@given(st.integers(0, 2**32), st.integers(1, 8), st.data())
def test_clouds_of_any_rank_are_whitened(seed: int, dim: int, data: st.DataObject) -> None:
    rank = data.draw(st.integers(0, dim))
    count = data.draw(st.integers(10 * rank + 1, 100))
    points = cloud(seed, count, dim, rank)
    frame = affine_frame(points)
    assert frame.rank == rank
    assert_whitens(frame, points, 1e-10)


@given(st.integers(0, 2**32), st.lists(st.integers(-8, 8), min_size=4, max_size=4))
def test_units_do_not_matter(seed: int, decades: list[int]) -> None:
    points = cloud(seed, 40, 4, 4)
    units = 10.0 ** np.array(decades)
    frame = affine_frame(points * units)
    assert frame.rank == 4
    assert_whitens(frame, points * units, 1e-10)
    # The whitened clouds agree up to a rotation, so their inner products agree.
    ours, plain = frame.whiten(points * units), affine_frame(points).whiten(points)
    np.testing.assert_allclose(ours @ ours.T, plain @ plain.T, atol=1e-9)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_few_points_span_one_dimension_less_than_their_number(count: int) -> None:
    points = np.random.default_rng(count).standard_normal((count, 6))
    frame = affine_frame(points)
    assert frame.rank == count - 1
    assert_whitens(frame, points, 1e-12)


def test_repeated_points_count_once() -> None:
    points = np.repeat(np.random.default_rng(0).standard_normal((3, 5)), 7, axis=0)
    assert affine_frame(points).rank == 2
    assert affine_frame(np.full((9, 5), 0.1)).rank == 0


def test_constant_coordinates_are_left_out_and_restored() -> None:
    points = cloud(0, 30, 3, 3)
    wide = np.insert(points, [1, 3], [1e8, 0.3], axis=1)
    frame = affine_frame(wide)
    assert frame.rank == 3
    assert not frame.basis[[1, 4]].any()
    assert not frame.dual[[1, 4]].any()
    np.testing.assert_allclose(frame.restore(frame.whiten(wide)), wide, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize(("aspect", "rank"), [(1e-6, 3), (1e-8, 3), (1e-12, 2)])
def test_a_flat_cloud_keeps_its_thin_side_down_to_rtol(aspect: float, rank: int) -> None:
    rng = np.random.default_rng(1)
    rotation = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    points = rng.uniform(-1, 1, (200, 3)) * [1, 1, aspect] @ rotation
    assert affine_frame(points).rank == rank
    if rank == 3:
        assert_whitens(affine_frame(points), points, 10 * np.finfo(float).eps / aspect)


def test_rtol_is_a_ratio_of_spreads() -> None:
    points = cloud(2, 100, 2, 2)
    points = np.column_stack([points[:, 0], points[:, 0] + 1e-3 * points[:, 1]])
    assert affine_frame(points, rtol=1e-5).rank == 2
    assert affine_frame(points, rtol=1e-2).rank == 1


def test_rounding_far_from_the_origin_is_no_dimension() -> None:
    along = np.linspace(0, 1, 50)[:, None]
    line = 1e7 / 3 + along * [1.0, 1 / 3, 0.7]
    assert affine_frame(line).rank == 1


def test_a_coordinate_that_differs_in_its_last_bit_is_constant() -> None:
    jitter = np.array([0.1 + 0.2, 0.3, 0.1 + 0.2, 0.3])
    assert affine_frame(jitter[:, None]).rank == 0
    frame = affine_frame(np.column_stack([[0.0, 1.0, 0.5, 2.0], jitter]))
    assert frame.rank == 1
    assert not frame.basis[1].any()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_named(bad: float) -> None:
    points = cloud(0, 10, 3, 3)
    points[4, 2] = bad
    with pytest.raises(FitError, match="coordinate 2"):
        affine_frame(points)


def test_a_range_beyond_double_precision_is_refused() -> None:
    with pytest.raises(FitError, match="range must be finite"):
        affine_frame(np.array([[-1.7e308], [1.7e308]]))


@pytest.mark.parametrize("shape", [(3,), (0, 2), (2, 0), (2, 2, 2)])
def test_the_shape_is_checked(shape: tuple[int, ...]) -> None:
    with pytest.raises(FitError, match="shape"):
        affine_frame(np.zeros(shape))
