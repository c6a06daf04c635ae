"""Who would be left outside, told from one fit, against fitting anew without each point."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ringfence.fit.box import fit_box
from ringfence.fit.ellipsoid import fit_ellipsoid
from ringfence.fit.unions.left_out_density import log_density, stays_inside

CLOUDS = {
    "normal": np.random.default_rng(0).normal(0.5, 0.1, (25, 2)),
    "many dimensions": np.random.default_rng(1).random((30, 5)),
    "a grid": np.random.default_rng(2).integers(0, 4, (30, 2)) / 4 + 0.1,
    "twins": np.repeat(np.random.default_rng(3).random((8, 2)), 2, axis=0),
}


@pytest.mark.parametrize("name", CLOUDS)
@pytest.mark.parametrize("fit", [fit_box, fit_ellipsoid])
def test_it_is_what_leaving_each_point_out_gives(name, fit):
    points = CLOUDS[name]
    alone = [
        bool(fit(np.delete(points, i, axis=0)).region.contains(points[[i]])[0])
        for i in range(len(points))
    ]
    told = stays_inside(points, fit(points).region)
    if fit is fit_box:
        np.testing.assert_array_equal(told, alone)
    else:  # a point may touch without a multiplier: then it is told to be outside, and is not
        assert not (told & ~np.array(alone)).any()
        assert (told != alone).sum() <= 4


def test_the_density_is_the_share_over_the_volume():
    points = CLOUDS["normal"]
    region = fit_box(points).region
    inside = int(stays_inside(points, region).sum())
    assert inside == 21
    found = log_density([points], [region], region.log_volume)
    assert found == pytest.approx(math.log(22 / 27) - region.log_volume)
