"""Methods by their names in the paper's legends."""

from __future__ import annotations

import pytest

from ringfence.bench.methods import ENGINES, REGIONS, method
from ringfence.errors import SettingError
from ringfence.optimize.registry import method_class


def test_a_name_is_a_region_and_an_engine():
    plain, slack = method("GP warping"), method("Slack Ellipsoid GP warping")
    assert plain.engine == slack.engine == ENGINES["GP warping"]
    assert (plain.region.shape, slack.region) == ("full", REGIONS["Slack Ellipsoid"])
    assert slack.region.outliers == "paper"


def test_numbers_go_where_they_belong():
    made = method("Box GP warm start (n=64, k=5)")
    assert (made.n, made.tasks, made.options) == (64, None, {"k": 5})
    assert method("Ellipsoid Random (T=3)").tasks == 3
    assert method("GP warm start T=29 (k=2)").engine.name == "gp-warm-start-all"
    tight = method("Slack Box Random (nu=0.7)")
    assert tight.region.arguments == REGIONS["Slack Box"].arguments | {"outliers": 0.7}
    assert not tight.options


@pytest.mark.parametrize(
    "name",
    [
        *("Boxes Random", "Box", "random", "Random (n=0)", "GP (q=1)", ""),
        *("Box Random (nu=0.1)", "Slack Box Random (nu=1)"),
    ],
)
def test_other_names_are_refused(name):
    with pytest.raises(SettingError, match="method"):
        method(name)


def test_every_engine_is_an_optimizer():
    for engine in ENGINES.values():
        assert method_class(engine.name).budgeted == engine.budgeted
