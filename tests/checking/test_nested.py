"""The choice made anew without each task: honest, and the same as the long way."""

from __future__ import annotations

import numpy as np
import pytest
from histories import SPACE, bowls, unrelated

import ringfence as rf
from ringfence.checking.belief.beliefs import Beliefs
from ringfence.checking.comparison import OBSERVED, SETTINGS, settings_for
from ringfence.checking.leave_one_out import LeaveOneOut
from ringfence.checking.nested import _choices, groups_of, n_steps
from ringfence.history import PreparedHistory
from ringfence.learned.settings import checked_settings

EXACT = ({"shape": "box"}, {"shape": "ellipsoid"}, {"shape": "box", "top": 0.05})
FEW = np.random.default_rng(3).normal(0.4, 0.08, (7, 2))


def test_with_few_tasks_it_is_leave_one_out_within_leave_one_out():
    """Each task: compare on the others alone, take what that recommends, look at the task."""
    history = bowls(FEW, runs=60)
    comparison = rf.compare(history, SPACE, EXACT)
    chosen = set()
    for task in comparison.nested.tasks:
        others = history.only([name for name in history.tasks if name != task.name])
        settings = rf.compare(others, SPACE, EXACT, nested=False).settings
        chosen.add(settings)
        learned = rf.learn(others, SPACE, shape=settings.shape, top=settings.top)
        rows = history.only([task.name]).frame
        inside = learned.inside({n: rows[n].to_numpy() for n in SPACE})
        assert task.rows_inside == int(inside.sum())
        kept = rows["error"].to_numpy()[inside]
        assert task.rank_of_best_inside == 1 + int((rows["error"].to_numpy() < kept.min()).sum())
    assert len(chosen) > 1  # else nothing was tested


def test_a_choice_that_keeps_the_full_space_says_so():
    comparison = rf.compare(unrelated(6, runs=60), SPACE, EXACT, starts=0)
    assert comparison.best is None
    for text in (
        str(comparison),
        str(rf.check(unrelated(6, runs=60), SPACE, shape="full", starts=0)),
    ):
        assert "; it keeps the full space" in text and "are worth 10 in" not in text


def test_a_group_takes_no_part_in_its_own_choice(monkeypatch):
    """Other evidence on the tasks of a group changes the choices of other groups, never its own."""
    asked = [
        checked_settings("box"),
        checked_settings("ellipsoid"),
        checked_settings("box", top=0.1),
    ]
    groups = groups_of(11)
    history = bowls(np.random.default_rng(0).normal(0.5, 0.2, (11, 2)), 60)
    case = LeaveOneOut.of(PreparedHistory.of(history, SPACE, rf.check), asked[0].rows)
    told = _choices(case, asked, groups, lambda: None)
    changed, believed = 0, Beliefs.best_regrets
    for g in (0, 4, 9):
        names = {case.tasks[number].name for number in groups[g]}

        def other(beliefs, name, *arguments, names=names):
            curves = believed(beliefs, name, *arguments)
            return 1.0 - curves if name in names else curves

        with monkeypatch.context() as patch:
            patch.setattr(Beliefs, "best_regrets", other)
            again = _choices(case, asked, groups, lambda: None)
        assert again[g] == told[g]
        changed += again != told
    assert changed  # the control: errors do matter


@pytest.mark.parametrize("n_tasks", [2, 7, 10, 11, 47])
def test_groups_divide_the_tasks_evenly(n_tasks):
    groups = groups_of(n_tasks)
    assert sorted(number for group in groups for number in group) == list(range(n_tasks))
    assert len(groups) == min(10, n_tasks)
    assert max(map(len, groups)) - min(map(len, groups)) <= 1


def test_progress_covers_the_choice_to_the_end():
    seen: list[tuple[int, int]] = []
    rf.compare(
        bowls(FEW, 40), SPACE, EXACT, progress=lambda done, total: seen.append((done, total))
    )
    total = 3 * 7 + n_steps(7, 3)
    assert n_steps(7, 3) == 3 * 21
    assert seen == [(i, total) for i in range(1, total + 1)]


def test_auto_is_what_compare_recommends_and_checks(monkeypatch):
    monkeypatch.setattr("ringfence.checking.comparison.SETTINGS", EXACT)
    history = bowls(np.random.default_rng(0).normal(0.4, 0.04, (9, 2)))
    comparison = rf.compare(history, SPACE, starts=0)
    found = rf.check(history, SPACE, shape="auto", starts=0)
    assert found == comparison.nested and found.chosen_from == 3
    assert found.settings == comparison.settings == comparison.checks[comparison.best].settings
    learned = rf.learn(history, SPACE, shape="auto")
    assert learned.settings == found.settings
    (note,) = (note for note in learned.provenance.notes if "chosen" in note)
    assert "chosen among 3 settings; chosen anew without each task: helps; 10 trials" in note
    assert note.split(": ", 1)[1].split("; ", 1)[1] in str(comparison)
    same = rf.learn(history, SPACE, shape=learned.shape, top=learned.settings.top)
    assert same.bounds == learned.bounds
    assert str(found).startswith("the choice among 3 settings (from all tasks: ")


def test_where_nothing_helps_the_full_space_stays(monkeypatch):
    monkeypatch.setattr("ringfence.checking.comparison.SETTINGS", EXACT)
    history = unrelated(12, seed=1)
    comparison = rf.compare(history, SPACE)
    assert comparison.best is None and comparison.settings.shape == "full"
    assert "keep the full space" in str(comparison)
    learned = rf.learn(history, SPACE, shape="auto")
    assert learned.shape == "full" and learned.volume_fraction == 1.0
    assert "the full space (12 tasks)" in str(learned)
    nested = comparison.nested
    assert nested.settings.shape == "full" and nested.volume_kept == 1.0
    kept = [task for task in nested.tasks if task.rows_inside == task.rows]
    assert kept and all(task.best_is_inside for task in kept)


def test_two_tasks_are_too_few_to_choose_by():
    history = bowls(FEW[:2])
    nested = rf.compare(history, SPACE, EXACT).nested
    assert all(task.rows_inside == task.rows for task in nested.tasks)
    assert nested.verdict == "cannot tell" and nested.settings.shape == "full"


def test_rows_that_count_are_the_same_for_the_choice(mixed_history):
    learned = rf.compare(mixed_history, None, EXACT[:1], n_evaluations=10, seed=3, nested=False)
    assert learned.checks[0].settings.n_evaluations == 10
    once = rf.check(mixed_history, n_evaluations=10, seed=3)
    assert once == learned.checks[0]
    assert once != rf.check(mixed_history)


def test_observed_categories_are_tried_where_there_are_categories():
    assert settings_for(SPACE) == SETTINGS
    named = rf.Space({"a": rf.Float(0, 1), "k": rf.Categorical(["x", "y"])})
    assert settings_for(named) == (*SETTINGS, *OBSERVED)
    ordered = rf.Space({"a": rf.Float(0, 1), "k": rf.Categorical([1, 2], ordered=True)})
    assert settings_for(ordered) == SETTINGS


@pytest.mark.parametrize(
    "settings", [[], [{"shape": "auto"}], [{"shape": "box", "average_repeats": True}]]
)
def test_settings_that_cannot_be_compared_are_named(settings):
    with pytest.raises(rf.SettingError, match="setting"):
        rf.compare(bowls(FEW), SPACE, settings)
