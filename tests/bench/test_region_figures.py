"""Figure 2: the learned spaces themselves."""

from __future__ import annotations

import pytest

from ringfence.bench.plan import RegionPicture
from ringfence.bench.region_figures import learned_regions, region_figure
from ringfence.bench.suites import SuiteSource, load_suite
from ringfence.errors import SettingError


def test_slack_makes_the_ellipsoid_of_the_ridge_regressions_smaller():
    picture = RegionPicture("2", "spaces", "sgd", ("Ellipsoid", "Slack Ellipsoid"))
    regions = learned_regions(picture, load_suite(SuiteSource("sgd")))
    exact, slack = regions["Ellipsoid"], regions["Slack Ellipsoid"]
    assert not exact.outliers and len(slack.outliers) >= 3
    assert slack.volume_fraction < exact.volume_fraction < 0.5


def test_a_picture_shows_the_parameters_asked_for():
    suite = load_suite(SuiteSource("sgd"))
    asked = ("momentum", "learning_rate")
    made = region_figure(RegionPicture("2", "spaces", "sgd", ("Box",), asked), suite)
    assert (made.axes[0].get_xlabel(), made.axes[0].get_ylabel()) == asked
    with pytest.raises(SettingError, match="numeric parameters, 'kernel' is none"):
        region_figure(RegionPicture("2", "spaces", "sgd", ("Box",), ("kernel", "momentum")), suite)


def test_a_picture_needs_three_numbers(tmp_path):
    (tmp_path / "runs.csv").write_text("task,x,error\nt,0.5,1\nu,0.6,1\n")
    (tmp_path / "s.toml").write_text(
        'file = "runs.csv"\norigin = "made up"\nobjective = ["error"]\n'
        '[space.parameters]\nx = {type = "float", low = 0.0, high = 1.0}\n'
    )
    suite = load_suite(SuiteSource(str(tmp_path / "s.toml")))
    with pytest.raises(SettingError, match="three numeric parameters"):
        region_figure(RegionPicture("2", "spaces", "s", ("Box",)), suite)
