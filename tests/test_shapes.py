"""A new shape is a region, a fit and one entry of the table: tests/diamond.py is one, and does all
that a box or an ellipsoid does, with no edit in the package."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import jsonschema
import numpy as np
import optuna
import pytest
from scipy.stats import kstest
from tests.diamond import DIAMOND, Diamond

import ringfence as rf
from problems import META, SPACES, TARGET, Problem, history
from ringfence.adapters.optuna import sampler
from ringfence.fit.shapes import SHAPES, shape_choices, shape_names
from ringfence.learned.file import schema
from ringfence.optimize.registry import names
from ringfence.regions import sample
from ringfence.space.pairs import from_pairs, paired

OPTIONS = {
    "hyperband": {"max_budget": 9},
    "successive-halving": {"max_budget": 9},
    "smac": {"n_initial": 4, "challengers": 100, "local_searches": 1},
}
REGION = Diamond(np.array([0.3, 0.6, 0.5]), np.array([0.5, 0.35, 0.2])).clipped()
"""The first coordinate of it is cut by the cube."""


@pytest.fixture(autouse=True, scope="module")
def registered():
    SHAPES.append(DIAMOND)
    yield
    SHAPES.remove(DIAMOND)


@pytest.fixture(scope="module", params=list(SPACES))
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def learned(kind):
    return rf.learn(history(kind), SPACES[kind], shape="diamond", outliers=0.1)


def test_it_is_learned_around_the_tasks_that_are_not_outliers(learned, kind):
    assert learned.shape == "diamond"
    assert len(learned.outliers) >= 2  # ⌈0.1 · 12⌉
    assert all(learned.contains(t.incumbent) for t in learned.tasks if not t.outside)
    assert not any(learned.contains(t.incumbent) for t in learned.tasks if t.outside)
    assert 0.0 < learned.volume_fraction < 1.0
    assert "diamond around the best configurations of" in str(learned)
    paper = rf.learn(history(kind), SPACES[kind], shape="diamond", outliers="paper", starts=0)
    assert paper.settings.outliers == 0.2


def test_it_is_saved_and_loaded_and_its_file_follows_the_schema(learned, tmp_path):
    learned.save(tmp_path / "learned.json")
    assert rf.load(tmp_path / "learned.json") == learned
    content = json.loads((tmp_path / "learned.json").read_bytes())
    jsonschema.validate(content, schema())
    assert {block["region"]["type"] for block in content["blocks"]} == {"diamond"}
    content["blocks"][0]["region"]["reach"] = [0.1]
    (tmp_path / "learned.json").write_text(json.dumps(content))
    with pytest.raises(rf.FileError, match="is damaged"):
        rf.load(tmp_path / "learned.json")


def test_it_is_sampled_and_its_starting_points_lie_inside(learned):
    assert all(learned.contains(config) for config in learned.sample(200, seed=0))
    assert len(learned.starts()) == 10
    assert all(learned.contains(config) for config in learned.starts())


@pytest.mark.parametrize("name", names())
def test_every_optimizer_searches_it(learned, kind, name):
    objective = Problem(SPACES[kind], 0.55)
    sources = {}
    if name in ("ablr", "gp-warm-start", "gp-warm-start-all", "transfer"):
        sources = {"history": history(kind), "meta_features": META, "target": TARGET}
    engine = rf.optimizer(name, learned, starts=2, guard=None, **sources, **OPTIONS.get(name, {}))
    for _ in range(7):
        trial = engine.ask()
        assert learned.contains(trial.config)
        engine.tell(trial, objective(trial.config, trial.budget))


def test_it_is_checked_and_compared(kind):
    check = rf.check(history(kind), SPACES[kind], shape="diamond", starts=0)
    assert check.settings.shape == "diamond" and check.speed_ups
    settings = [{"shape": "box"}, {"shape": "diamond"}]
    comparison = rf.compare(history(kind), SPACES[kind], settings, starts=0)
    assert [c.settings.shape for c in comparison.checks] == ["box", "diamond"]


def test_it_is_drawn_and_reported(learned, kind, tmp_path):
    assert learned.plot().axes
    assert "diamond" in learned._repr_html_()
    page = rf.report(
        history(kind), SPACES[kind], shape="diamond", starts=0, path=tmp_path / "report.html"
    )
    assert "diamond" in Path(page).read_text()


def test_it_is_handed_to_optuna(learned, kind):
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    original = SPACES[kind]
    space = paired(original)  # of what can be off, Optuna is asked for a flag first

    def objective(trial):
        config = {}
        for name in space.parents_first:
            parameter = space[name]
            if not all(c.holds(config.get(c.parent)) for c in space.conditions_of(name)):
                continue
            if isinstance(parameter, (rf.Float, rf.Int)):
                suggest = (
                    trial.suggest_int if isinstance(parameter, rf.Int) else trial.suggest_float
                )
                config[name] = suggest(name, parameter.low, parameter.high, log=parameter.log)
            elif isinstance(parameter, rf.Categorical):
                config[name] = trial.suggest_categorical(name, parameter.choices)
        constants = {n: p.value for n, p in space.parameters.items() if isinstance(p, rf.Constant)}
        config = from_pairs(original, {**constants, **config})
        assert learned.contains(config)
        return Problem(original, 0.55)(config)

    study = optuna.create_study(sampler=sampler(learned, seed=0, guard=None))
    study.optimize(objective, n_trials=12)


def test_one_table_gives_the_names_to_python_the_command_line_and_the_schema():
    assert "diamond" in shape_names() and "diamond" in shape_choices()
    assert "diamond" in schema()["$defs"]["Settings"]["properties"]["shape"]["enum"]
    assert "DiamondRecord" in schema()["$defs"]
    with pytest.raises(rf.SettingError, match="'diamond'"):
        rf.learn(history("numeric"), shape="square")
    code = (
        "from ringfence.fit.shapes import SHAPES; from tests.diamond import DIAMOND; "
        "SHAPES.append(DIAMOND); from ringfence.cli import main; main()"
    )
    call = [sys.executable, "-c", code, "learn", "--help"]
    text = subprocess.run(call, capture_output=True, text=True, check=True, cwd=Path.cwd()).stdout
    assert "ellipsoid|diamond|boxes" in text.replace("\n", "").replace(" ", "").replace("│", "")


def test_the_volume_is_what_uniform_draws_say():
    """Of 200,000 draws from the cube; a difference of five standard errors is one false alarm in
    two million."""
    share = REGION.contains(np.random.default_rng(0).random((200_000, 3))).mean()
    error = math.sqrt(share * (1 - share) / 200_000)
    measured = 0.04 * share  # log_volume is measured by draws itself
    assert abs(math.exp(REGION.log_volume) - share) < 5 * error + measured


def test_draws_follow_the_uniform_law():
    """The norm to the power p of a uniform point of the body is uniform; p below 1e-6 is one false
    alarm in a million."""
    body = REGION.body
    drawn = body.draw(20_000, np.random.default_rng(0))
    mapped = body.uniform_from_cube(np.random.default_rng(1).random((20_000, 3)))
    for points in (drawn, mapped):
        assert kstest(body.norm(points) ** 3, "uniform").pvalue > 1e-6
        np.testing.assert_allclose(np.cov(points.T), body.covariance, atol=2e-3)
    assert kstest(drawn[:, 0], mapped[:, 0]).pvalue > 1e-6


def test_cubes_and_smooth_coordinates_lead_inside_and_back():
    rng = np.random.default_rng(0)
    points = sample(REGION, 100, rng).points
    np.testing.assert_allclose(REGION.from_cube(REGION.to_cube(points)), points, atol=1e-7)
    assert REGION.contains(REGION.from_cube(rng.random((200, 3)))).all()
    smooth = REGION.coordinates
    np.testing.assert_allclose(smooth.decode(smooth.encode(points)), points, atol=1e-6)
    assert REGION.contains(smooth.decode(rng.normal(0, 2, (200, 3)))).all()


def test_gradients_through_the_smooth_coordinates_agree_with_differences():
    rng = np.random.default_rng(0)
    w, slope = rng.normal(0, 0.8, (40, 3)), rng.standard_normal((40, 3))
    pulled = REGION.coordinates.linearized(w)[1](slope)
    for j in range(3):
        step = np.zeros(3)
        step[j] = 1e-6
        ahead, behind = (REGION.coordinates.decode(w + s * step) for s in (1, -1))
        expected = ((ahead - behind) * slope).sum(axis=1) / 2e-6
        # a ray that leaves through an edge between two faces has no gradient
        assert np.isclose(pulled[:, j], expected, rtol=1e-3, atol=1e-4).mean() >= 0.95
