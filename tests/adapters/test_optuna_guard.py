"""A guard for Optuna's samplers: the trials it has, where they look, and what they find."""

from __future__ import annotations

import optuna
import pytest
from optuna.samplers import CmaEsSampler, NSGAIISampler, QMCSampler, RandomSampler, TPESampler

import ringfence as rf
from problems import SPACES, Problem, history, region
from ringfence.adapters.optuna import sampler, transfer_sampler
from ringfence.adapters.optuna.guard import GUARD, GuardedSampler

from .test_optuna import suggested

pytestmark = pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
optuna.logging.set_verbosity(optuna.logging.ERROR)

SPACE = SPACES["conditional"]


def study_of(how, **settings) -> optuna.Study:
    return optuna.create_study(sampler=how, **settings)


def guarded(study: optuna.Study) -> list[int]:
    return [trial.number for trial in study.trials if trial.system_attrs.get(GUARD)]


def prefers(learned: rf.LearnedSpace, inside: bool, sign: float = 1.0):
    return lambda t: sign * (learned.contains(suggested(t, learned.space)) != inside)


@pytest.mark.parametrize("base", [TPESampler, lambda: CmaEsSampler(n_startup_trials=2, popsize=4)])
@pytest.mark.parametrize("where", ["box", "ellipsoid"])
def test_the_share_is_exact_while_the_best_is_inside(base, where):
    learned = region("conditional", where)
    study = study_of(sampler(learned, base(), guard=0.2))
    study.optimize(prefers(learned, True), 16)
    assert guarded(study) == [4, 9, 14]
    assert all(learned.contains(t.params) for t in study.trials if t.number not in (4, 9, 14))


@pytest.mark.parametrize("direction, sign", [("minimize", 1.0), ("maximize", -1.0)])
def test_every_second_trial_while_the_best_is_outside(direction, sign):
    learned = region("conditional", "box")
    study = study_of(sampler(learned, guard=0.1), direction=direction)
    study.optimize(prefers(learned, False, sign), 20)
    first = next(n for n in guarded(study) if not learned.contains(study.trials[n].params))
    later = [n for n in range(first + 1, 20) if n % 2 == 1 or n in (9, 19)]
    assert [n for n in guarded(study) if n > first] == later


def test_an_optimum_outside_is_found_with_a_guard_and_not_without():
    space = SPACES["numeric"]
    learned, problem = region("numeric", "box"), Problem(space, 0.1)
    best = {}
    for guard in ("auto", None):
        study = study_of(sampler(learned, TPESampler(multivariate=True), guard=guard))
        study.optimize(lambda trial: problem(suggested(trial, space)), 60)
        best[guard] = study.best_value
    assert best["auto"] < 0.6 * best[None]


def test_a_study_goes_on_in_another_process_as_it_would_have(tmp_path):
    learned, problem = region("conditional", "ellipsoid"), Problem(SPACE, 0.2)

    def run(name: str, *parts: int) -> list[dict]:
        url = f"sqlite:///{tmp_path}/{name}.db"
        for n in parts:
            study = study_of(
                sampler(learned, guard=0.25), storage=url, study_name="s", load_if_exists=True
            )
            study.optimize(lambda trial: problem(suggested(trial, SPACE)), n)
        return [trial.params for trial in study.trials]

    assert run("parts", 5, 4, 5) == run("whole", 14)


def test_a_study_narrower_than_the_original_space_keeps_its_ranges():
    learned = region("numeric", "box")
    bounds = {name: (float(low), float(high)) for name, (low, high) in learned.bounds.items()}
    study = study_of(sampler(learned, guard=0.5))
    study.optimize(lambda t: sum(t.suggest_float(n, *bounds[n]) for n in bounds), 10)
    for trial in study.trials:
        assert all(low <= trial.params[n] <= high for n, (low, high) in bounds.items())
    assert guarded(study) == [1, 3, 5, 7, 9]


def test_several_objectives_keep_the_plain_share():
    learned = region("conditional", "box")
    study = study_of(sampler(learned, guard=0.25), directions=["minimize", "maximize"])
    study.optimize(lambda t: (prefers(learned, False)(t), 1.0), 12)
    assert guarded(study) == [3, 7, 11]


def test_samplers_with_a_model_have_a_guard_unless_told_otherwise():
    learned = region("conditional", "box")
    assert isinstance(sampler(learned), GuardedSampler)
    assert isinstance(transfer_sampler(learned, history("conditional")), GuardedSampler)
    for plain in (
        *(sampler(learned, base()) for base in (RandomSampler, QMCSampler, NSGAIISampler)),
        sampler(learned, guard=None),
        sampler(learned, guard=0),
        sampler(SPACE),
        transfer_sampler(learned, history("conditional"), guard=None),
    ):
        assert not isinstance(plain, GuardedSampler)
    assert isinstance(sampler(learned, RandomSampler(), guard=0.1), GuardedSampler)
    with pytest.raises(rf.SettingError, match="from 0 to 1, not 2"):
        sampler(learned, guard=2)


def test_transfer_has_a_guard_too():
    learned, problem = region("numeric", "box"), Problem(SPACES["numeric"], 0.1)
    study = study_of(transfer_sampler(learned, history("numeric"), guard=0.25))
    study.optimize(lambda trial: problem(suggested(trial, SPACES["numeric"])), 8)
    assert set(guarded(study)) >= {3, 7}
    assert all(learned.contains(t.params) for t in study.trials if t.number not in guarded(study))
