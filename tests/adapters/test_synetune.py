"""Syne Tune: its own domains for boxes, a searcher for the rest, with schedulers and ASHA."""

from __future__ import annotations

import numpy as np
import pytest

import ringfence as rf
from problems import SPACES, Problem, region

from .contract import AWKWARD, CELLS, PLAIN, evenly

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
pytest.importorskip("syne_tune")
from syne_tune.optimizer.schedulers.asha import AsynchronousSuccessiveHalving  # noqa: E402
from syne_tune.optimizer.schedulers.ask_tell_scheduler import AskTellScheduler  # noqa: E402
from syne_tune.optimizer.schedulers.single_objective_scheduler import (  # noqa: E402
    SingleObjectiveScheduler,
)

from ringfence.adapters import synetune  # noqa: E402


def tell(learned, searcher, problem, n):
    """Run a scheduler; inside means inside even though inactive parameters have values too."""
    scheduler = AskTellScheduler(
        SingleObjectiveScheduler(searcher.config_space, metric="loss", searcher=searcher)
    )
    values = []
    for _ in range(n):
        trial = scheduler.ask()
        config = trial.config
        assert config.keys() == set(learned.as_space())
        assert learned.contains(config), config
        assert all(type(value) in PLAIN for value in config.values()), config
        active = {name: config[name] for name in learned.space.active(config)}
        values.append(problem(active))
        scheduler.tell(trial, {"loss": values[-1]})
    return values


@pytest.mark.parametrize("kind, name", CELLS)
def test_every_suggestion_is_inside(kind, name):
    learned, problem = region(kind, name), Problem(SPACES[kind], 0.5)
    for base in (None, "regularized_evolution"):
        tell(learned, synetune.searcher(learned, base, seed=0), problem, 12)


def test_a_base_searches_the_cube_and_learns():
    """The mean ratio of late to early values: 1.1 ± 0.1 for random draws, 0.4 ± 0.1 for the model,
    over other seeds."""
    learned, problem = region("numeric", "ellipsoid"), Problem(SPACES["numeric"], 0.5)
    ratios = []
    for seed in range(4):
        values = tell(learned, synetune.searcher(learned, "kde", seed=seed), problem, 60)
        ratios.append(np.mean(values[-20:]) / np.mean(values[:20]))
    assert np.mean(ratios) < 0.7


def test_asha():
    learned = region("conditional", "slack ellipsoid")
    searcher = synetune.searcher(learned, seed=0)
    scheduler = AsynchronousSuccessiveHalving(
        searcher.config_space, metric="loss", searcher=searcher, max_t=9, time_attr="epoch"
    )
    asked = AskTellScheduler(scheduler)
    for _ in range(8):
        trial = asked.ask()
        assert learned.contains(trial.config)
        scheduler.on_trial_add(trial)
        scheduler.on_trial_result(trial, {"loss": trial.config["C"], "epoch": 1})


@pytest.mark.parametrize("kind", [kind for kind in SPACES if kind != "off"])
@pytest.mark.parametrize("name", ["full", "box", "slack box"])
def test_a_box_as_a_config_space(kind, name):
    learned = region(kind, name)
    space = synetune.config_space(learned)
    for _ in range(60):
        drawn = {n: d.sample() if hasattr(d, "sample") else d for n, d in space.items()}
        assert learned.contains(drawn), drawn


@pytest.mark.parametrize("log", [False, True])
def test_both_ends_of_whole_numbers_are_drawn(log):
    domain = synetune.config_space(rf.Space({"k": rf.Int(3, 7, log), "x": rf.Float(0, 1)}))["k"]
    drawn = domain.sample(size=2000, random_state=np.random.RandomState(0))
    assert set(drawn) == {3, 4, 5, 6, 7}
    if not log:
        evenly(drawn, 3, 7)


def test_the_seed_decides():
    learned = region("mixed", "ellipsoid")
    drawn = [[synetune.searcher(learned, seed=s).suggest() for _ in range(3)] for s in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_errors_say_what_is_wrong():
    with pytest.raises(rf.SettingError, match=r"synetune.searcher\(learned\), or learn with"):
        synetune.config_space(region("numeric", "ellipsoid"))
    with pytest.raises(rf.SettingError, match="no searcher 'gp'; it has random_search, bore"):
        synetune.searcher(SPACES["mixed"], "gp")
    with pytest.raises(rf.SettingError, match="choices of one type, and 'mixed' has"):
        synetune.searcher(AWKWARD)
