"""Who would be left outside, told from one fit, against fitting anew without each point."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ringfence.fit.shapes import shape_of
from ringfence.fit.unions.left_out_density import left_out_log_density

CLOUDS = {
    "normal": np.random.default_rng(0).normal(0.5, 0.1, (25, 2)),
    "many dimensions": np.random.default_rng(1).random((30, 5)),
    "a grid": np.random.default_rng(2).integers(0, 4, (30, 2)) / 4 + 0.1,
    "twins": np.repeat(np.random.default_rng(3).random((8, 2)), 2, axis=0),
}


@pytest.mark.parametrize("name", CLOUDS)
@pytest.mark.parametrize("shape", ["box", "ellipsoid"])
def test_it_is_what_leaving_each_point_out_gives(name, shape):
    points, fit = CLOUDS[name], shape_of(shape).fit
    alone = [
        bool(fit(np.delete(points, i, axis=0)).region.contains(points[[i]])[0])
        for i in range(len(points))
    ]
    told = shape_of(shape).splitting.stays_inside(points, fit(points).region)
    if shape == "box":
        np.testing.assert_array_equal(told, alone)
    else:  # a point may touch without a multiplier: then it is told to be outside, and is not
        assert not (told & ~np.array(alone)).any()
        assert (told != alone).sum() <= 4


def test_the_density_is_the_share_over_the_volume():
    points = CLOUDS["normal"]
    box = shape_of("box")
    region = box.fit(points).region
    inside = int(box.splitting.stays_inside(points, region).sum())
    assert inside == 21
    density = left_out_log_density([points], [region], box.splitting, region.log_volume)
    assert density == pytest.approx(math.log(22 / 27) - region.log_volume)
