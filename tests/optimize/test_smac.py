"""SMAC behind ask and tell: inside the region, reproducible, quiet, and better than chance."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("smac")

from scipy.stats import wilcoxon
from smac import HyperparameterOptimizationFacade as Facade
from smac import Scenario

import ringfence as rf
from problems import SPACES, Problem, history, region
from ringfence.optimize.domain.domain import domain_of
from ringfence.optimize.methods.smac import Forest, Method, scaled_log
from ringfence.optimize.smac_cube import SmacCube

QUICK = {"n_initial": 4, "challengers": 200, "local_searches": 1}
ON_WHOLE = rf.Space(
    {"layers": rf.Int(1, 3), "width": rf.Float(0, 1), "skip": rf.Float(0, 1)},
    [rf.Condition("skip", "layers", [2, 3])],
)


def make(kind: str = "conditional", where: str = "ellipsoid", **options) -> rf.Optimizer:
    return rf.optimizer("smac", region(kind, where), **{"seed": 3, **QUICK, **options})


def run(engine: rf.Optimizer, objective, n: int) -> list[dict]:
    for _ in range(n):
        trial = engine.ask()
        engine.tell(trial, objective(trial.config))
    return [trial.config for trial in engine.trials]


def in_another_process(code: str, **environment: str) -> str:
    """What the code prints; nothing may reach the error output."""
    here = Path(__file__).parent
    paths = os.pathsep.join([str(here), str(here.parent), *sys.path])
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": paths, **environment},
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    return finished.stdout


@pytest.mark.parametrize("kind", SPACES)
@pytest.mark.parametrize("where", ["box", "slack ellipsoid"])
def test_every_model_proposal_is_inside_and_new(kind, where):
    engine = make(kind, where, random_share=0.0, guard=None)  # the guard's trial may be outside
    configs = run(engine, Problem(SPACES[kind], 0.55), 10)
    assert all(region(kind, where).contains(config) for config in configs)
    assert len({json.dumps(config, sort_keys=True) for config in configs}) == 10


def test_nothing_is_tried_twice_among_categories():
    """65,536 configurations, too many to list; the local search often ends where it began."""
    space = rf.Space({f"c{j}": rf.Categorical([*"pqrs"]) for j in range(8)})
    engine = rf.optimizer("smac", space, random_share=0.0, **QUICK)
    configs = run(engine, lambda config: sum(choice != "p" for choice in config.values()), 25)
    assert len({tuple(config.values()) for config in configs}) == 25


@pytest.mark.parametrize("kind", SPACES)
@pytest.mark.parametrize("where", ["full", "box", "ellipsoid"])
def test_rows_go_to_vectors_and_back(kind, where):
    domain = domain_of(region(kind, where))
    cube = SmacCube(domain)
    rows = domain.draw(300, np.random.default_rng(0))
    vectors = cube.vectors(rows)
    assert ((vectors >= 0) & (np.isfinite(vectors))).all()
    np.testing.assert_allclose(cube.rows(vectors), rows, atol=1e-9)


def test_choices_that_were_not_kept_are_not_counted():
    learned = rf.learn(history("mixed"), SPACES["mixed"], categories="observed")
    assert learned.choices == {"loss": ("log",)}
    domain = domain_of(learned)
    cube = SmacCube(domain)
    rows = domain.draw(50, np.random.default_rng(0))
    column = domain.layout.position("loss")
    assert (rows[:, column] == 1).all() and (cube.vectors(rows)[:, column] == 0).all()
    np.testing.assert_allclose(cube.rows(cube.vectors(rows)), rows, atol=1e-9)


@pytest.mark.parametrize("space", [SPACES["conditional"], ON_WHOLE], ids=["category", "whole"])
def test_the_forest_does_not_see_coordinates_of_inactive_parameters(space):
    domain = domain_of(space)
    cube = SmacCube(domain)
    rng = np.random.default_rng(0)
    rows = domain.draw(200, rng)
    off = np.isnan(rows)
    vectors = cube.vectors(rows)
    shaken = np.where(off, rng.random(rows.shape), vectors)
    assert off.any() and not np.array_equal(shaken, vectors)
    np.testing.assert_allclose(cube.inputs(shaken), cube.inputs(vectors), atol=1e-9)
    assert (cube.inputs(vectors)[off] == -1).all()
    assert (cube.inputs(vectors)[~off] >= 0).all()


def test_an_inactive_category_is_marked_by_the_number_of_its_choices():
    space = rf.Space(
        {
            "solver": rf.Categorical(["a", "b"]),
            "mode": rf.Categorical([*"uvw"]),
            "x": rf.Float(0, 1),
        },
        [rf.Condition("mode", "solver", ["b"])],
    )
    cube = SmacCube(domain_of(space))
    np.testing.assert_array_equal(
        cube.inputs(np.array([[0, 2, 0.25], [1, 2, 0.25]])), [[0, 3, 0.25], [1, 2, 0.25]]
    )


def test_the_forest_and_the_scale_of_values_are_those_of_the_facade():
    rng = np.random.default_rng(0)
    engine = make("numeric", "ellipsoid")
    X, y = rng.random((30, 3)), rng.normal(3.0, 2.0, 30)
    scenario = Scenario(engine.method.space, seed=11)
    encoder = Facade.get_runhistory_encoder(scenario)
    encoder._min_y, encoder._max_y = y[[y.argmin()]], y[[y.argmax()]]
    encoder._percentile = np.percentile(y, [5])
    np.testing.assert_allclose(scaled_log(y), encoder.transform_response_values(y), atol=1e-8)

    theirs = Facade.get_model(scenario).train(X, scaled_log(y)[:, None])
    ours = Forest(engine.method.cube, engine.method.space, 30, 11)
    ours.train(X, scaled_log(y)[:, None])
    points = rng.random((500, 3))
    for mine, other in zip(ours.predict_marginalized(points), theirs.predict_marginalized(points)):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("values", [[2.0, 2.0, 2.0], [-3e9, -3e9, 5.0], [1e12, 1e12, 1e12 + 1]])
def test_values_on_any_scale_have_finite_logarithms_in_their_order(values):
    logs = scaled_log(np.array(values))
    assert np.isfinite(logs).all() and logs.max() == 0
    assert (np.argsort(logs, kind="stable") == np.argsort(values, kind="stable")).all()


def test_only_the_order_and_spacing_of_values_matter():
    objective = Problem(SPACES["mixed"], 0.55)
    plain = run(make("mixed"), objective, 9)
    assert run(make("mixed"), lambda config: 4 * objective(config), 9) == plain
    assert run(make("mixed"), lambda config: -objective(config), 9) != plain


def steady_sequence() -> list[dict]:
    engine = make(random_share=0.0, local_searches=4)
    return run(engine, Problem(SPACES["conditional"], 0.55), 7)


def test_another_process_with_other_hashes_proposes_the_same_and_leaves_nothing_else(tmp_path):
    """Nothing else is printed or logged, and no file is written."""
    code = (
        f"import json, logging, os; os.chdir({str(tmp_path)!r});"
        "before = logging.root.handlers[:], logging.root.level;"
        "import test_smac as t; print(json.dumps(t.steady_sequence()));"
        "assert (logging.root.handlers, logging.root.level) == before;"
        "assert not os.listdir()"
    )
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    shown = in_another_process(code, PYTHONHASHSEED=seed, TMPDIR=str(tmp_path))
    assert json.loads(shown) == steady_sequence()


def test_a_saved_optimizer_goes_on_as_it_would_have_done(tmp_path):
    objective = Problem(SPACES["mixed"], 0.55)
    straight = make("mixed")
    first = run(straight, objective, 10)
    engine = make("mixed")
    run(engine, objective, 6)
    engine.save(tmp_path / "state.json")
    assert run(rf.load_optimizer(tmp_path / "state.json"), objective, 4) == first


def test_asking_again_about_the_same_log_gives_the_same_answer():
    engine = make("mixed", random_share=0.0)
    run(engine, Problem(SPACES["mixed"], 0.55), 6)
    first, second = (engine.method.propose(engine.log, np.random.default_rng(5)) for _ in range(2))
    assert first.config == second.config


def test_a_list_is_searched_to_its_end_and_its_best_is_found_early():
    """In random order the best stands in the first half in all of five lists once in 32 times."""
    space = rf.Space({"x": rf.Float(0, 1), "y": rf.Float(0, 1)})
    candidates = [{"x": i / 5, "y": j / 5} for i in range(6) for j in range(6)]
    for seed in range(5):
        outcome = rf.minimize(
            lambda config: (config["x"] - 0.2) ** 2 + (config["y"] - 0.8) ** 2,
            space,
            "smac",
            100,
            seed=seed,
            candidates=candidates,
            random_share=0.0,
            **QUICK,
        )
        tried = [(trial.config["x"], trial.config["y"]) for trial in outcome.trials]
        np.testing.assert_allclose(sorted(tried), sorted((c["x"], c["y"]) for c in candidates))
        assert outcome.best.number < 18


def test_it_beats_random_search_on_a_smooth_function():
    """Six pairs, signed ranks: were the two alike, a false alarm in 5 % of such tests."""
    objective = Problem(SPACES["numeric"], 0.3)
    where = region("numeric", "full")
    options = {**QUICK, "n_initial": 6}
    found = [rf.minimize(objective, where, "smac", 20, seed=s, **options).value for s in range(6)]
    drawn = [rf.minimize(objective, where, "random", 20, seed=s).value for s in range(6)]
    assert wilcoxon(np.log(found), np.log(drawn), alternative="less").pvalue < 0.05


def test_workers_at_once_get_different_configurations():
    engine = make("mixed", random_share=0.0)
    run(engine, Problem(SPACES["mixed"], 0.55), 5)
    batch = [json.dumps(engine.ask().config, sort_keys=True) for _ in range(4)]
    assert len(set(batch)) == 4


def test_a_running_trial_is_feared_to_fail_until_it_is_told():
    objective = Problem(SPACES["numeric"], 0.55)
    engines = [make("numeric", random_share=0.0) for _ in range(3)]
    for engine in engines:
        run(engine, objective, 6)
    running, failed, good = ((engine, engine.ask()) for engine in engines)
    failed[0].fail(failed[1])
    good[0].tell(good[1], -1.0)
    assert running[0].ask().config == failed[0].ask().config != good[0].ask().config


def test_failures_count_as_the_worst_value():
    """Everything right of 1/2 fails, and nothing else is told apart: the model stays left, but for
    one proposal in 50."""
    space = rf.Space({"x": rf.Float(0, 1), "y": rf.Float(0, 1)})
    right = 0
    for seed in range(2):
        options = {**QUICK, "n_initial": 12}
        engine = rf.optimizer("smac", space, seed=seed, random_share=0.0, **options)
        for _ in range(20):
            trial = engine.ask()
            if trial.config["x"] > 0.5:
                engine.fail(trial)
            else:
                engine.tell(trial, trial.config["x"] + trial.config["y"])
        right += sum(trial.config["x"] > 0.5 for trial in engine.trials[12:])
    assert right <= 3  # of 16


def test_the_design_is_ten_for_each_parameter_and_twelve_at_most():
    def n_initial(dim: int) -> int:
        space = rf.Space({f"x{j}": rf.Float(0, 1) for j in range(dim)})
        method = rf.optimizer("smac", space).method
        assert isinstance(method, Method)
        return method.n_initial

    assert [n_initial(dim) for dim in (1, 2, 9)] == [10, 12, 12]


@pytest.mark.parametrize("package", ["smac", "ConfigSpace"])
def test_without_the_package_the_error_says_what_to_install(package):
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "import ringfence as rf\n"
        "try: rf.optimizer('smac', rf.Space({'x': rf.Float(0, 1)}))\n"
        "except rf.MissingExtraError as error: print(error)"
    )
    assert "pip install 'ringfence[smac]'" in in_another_process(code)


@pytest.mark.parametrize("options", [{"n_initial": 0}, {"random_share": 1.5}, {"trees": 9}])
def test_settings_that_make_no_sense_are_refused(options):
    with pytest.raises(rf.SettingError, match="optimizer 'smac'"):
        rf.optimizer("smac", rf.Space({"x": rf.Float(0, 1)}), **options)
