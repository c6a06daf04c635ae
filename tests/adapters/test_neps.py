"""NePS: the prior points to the middle of the region, the more firmly the narrower it is.

The package wants pandas before 3, so the tests run without it and check what is handed to it; where
it is installed, a run of NePS itself is tested too.
"""

from __future__ import annotations

import importlib.util

import pytest

import ringfence as rf
from problems import SPACES, region
from ringfence.adapters import neps


@pytest.mark.parametrize("kind", ["numeric", "mixed"])
@pytest.mark.parametrize(
    "name", ["full", "box", "ellipsoid", "slack ellipsoid", "boxes", "ellipsoids"]
)
def test_the_prior_is_inside_and_the_ranges_are_the_original_ones(kind, name):
    learned = region(kind, name)
    found = neps.priors(learned)
    prior = {}
    for parameter, given in found.items():
        original = SPACES[kind][parameter]
        if "choices" in given:
            assert given["choices"] == list(original.choices)
            prior[parameter] = given["choices"][given["prior"]]
        else:
            assert (given["lower"], given["upper"]) == (original.low, original.high)
            assert given["log"] is original.log
            assert type(given["prior"]) is (int if isinstance(original, rf.Int) else float)
            prior[parameter] = given["prior"]
    assert learned.contains(prior)
    assert found.keys() == {n for n in SPACES[kind] if n != "seed"}


def test_confidence_grows_as_the_range_shrinks():
    space = rf.Space({n: rf.Float(0, 1) for n in ("tight", "middling", "wide", "all")})
    import polars as pl

    rows = [
        {"task": str(i), "y": 0.0, "tight": 0.5 + 0.01 * i, "middling": 0.3 + 0.03 * i,
         "wide": 0.1 + 0.07 * i, "all": i / 10}
        for i in range(11)
    ]  # fmt: skip
    history = rf.History.from_frame(
        pl.DataFrame(rows), task="task", objective="y", direction="minimize", parameters=list(space)
    )
    found = neps.priors(rf.learn(history, space, shape="box"))
    confidence = {name: given["prior_confidence"] for name, given in found.items()}
    assert confidence == {"tight": "high", "middling": "medium", "wide": "low", "all": "low"}
    assert found["tight"]["prior"] == pytest.approx(0.55)


def test_the_usual_choice_is_the_prior_of_a_category():
    learned = region("mixed", "box")
    votes = [task.incumbent["loss"] for task in learned.tasks]
    given = neps.priors(learned)["loss"]
    usual = given["choices"][given["prior"]]
    assert votes.count(usual) == max(map(votes.count, given["choices"])) > len(votes) / 3


def test_conditions_are_an_error():
    with pytest.raises(rf.SettingError, match="has no conditions"):
        neps.priors(region("conditional", "box"))


@pytest.mark.skipif(importlib.util.find_spec("neps") is not None, reason="NePS is installed")
def test_without_the_package_the_error_names_the_command():
    with pytest.raises(rf.MissingExtraError, match=r"pip install 'ringfence\[neps\]'"):
        neps.pipeline_space(region("mixed", "box"))


@pytest.mark.filterwarnings("ignore::Warning")
@pytest.mark.skipif(importlib.util.find_spec("neps") is None, reason="NePS is not installed")
def test_neps_samples_its_prior_space(tmp_path):
    import neps as package

    learned = region("mixed", "ellipsoid")
    seen = []

    def evaluate(**config):
        seen.append(config)
        return float(config["lr"])

    package.run(
        evaluate, pipeline_space=neps.pipeline_space(learned), root_directory=tmp_path / "results",
        total_evaluations_to_spend=5,
    )  # fmt: skip
    assert len(seen) == 5
    assert all(learned.space.contains(config) for config in seen)
