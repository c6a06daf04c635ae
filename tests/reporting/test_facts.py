"""The numbers and words of the report against ones worked out by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strange_names import check_of, full_regret, task_check

import ringfence as rf
from conftest import MIXED, incumbent_history, unit_space
from ringfence.checking.display.evidence import curve, task_rows
from ringfence.regions.nets import ball, cut_to_cube
from ringfence.reporting.facts import gather
from ringfence.reporting.sentence import sentence, worth_sentence
from ringfence.reporting.tables import ChoiceRow, Excerpt, excerpt
from ringfence.reporting.views import drawn_tasks, views_of
from ringfence.space import axis_of
from ringfence.space.ticks import scale_of


def tasks(count: int, inside: float | None, speed: float = 1.0):
    return [task_check(f"t{i}", inside, speed) for i in range(count)]


def tasks_at(count: int, inside: float):
    """Tasks with this regret inside, whatever the number of draws."""
    return [task_check(f"u{i}", inside) for i in range(count)]


def test_the_curve_is_the_mean_and_the_worth_where_the_curves_meet():
    """Each draw inside is worth three: ten draws are worth thirty."""
    found = curve(check_of(*tasks(5, 0, speed=3.0)))
    assert found.inside == pytest.approx([full_regret(3 * k) for k in found.draws])
    assert found.inside == pytest.approx(found.inside_low)
    assert found.inside == pytest.approx(found.inside_high)
    assert found.full == pytest.approx([full_regret(k) for k in found.full_draws])
    assert [found.worth, found.low, found.high] == pytest.approx([30] * 3)
    assert found.full_draws[-1] == 100


def test_tasks_that_cannot_be_judged_take_no_part_in_the_curve():
    judged = tasks(4, 0, speed=2.0)
    silent = [task_check("s", None)]
    assert curve(check_of(*judged, *silent)) == curve(check_of(*judged))
    assert curve(check_of(*silent)) is None


def test_the_curve_in_a_sentence_and_as_a_table(mixed_history):
    check = check_of(*tasks(5, 0, speed=3.0))
    assert worth_sentence(curve(check)) == (
        "10 random trials in the learned space are worth 30.0 in the full space (90% interval 30.0 "
        "to 30.0), a speed-up of 3.00."
    )
    facts = gather(mixed_history, rf.learn(mixed_history, MIXED, starts=0), check, None)
    assert [row.trials for row in facts.regrets] == [1, 2, 5, 10, 25, 50]
    for row in facts.regrets:
        assert row.full == pytest.approx(full_regret(row.trials))
        assert row.learned == pytest.approx(full_regret(3 * row.trials))


def test_an_excerpt_counts_what_it_leaves_out():
    assert excerpt("abcde", 2) == Excerpt(("a", "b"), 3)
    assert excerpt("ab", 2) == excerpt("ab", 9) == Excerpt(("a", "b"), 0)


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (check_of(*tasks(5, 0, 3.0)), "In 10 trials the learned space reaches what the full space "
         "needs 30 for; no worse on 5 of 5 tasks."),
        (check_of(*tasks(5, 0, 3.0), task_check("s", None)),
         "for; no worse on 5 of 5 tasks (1 more could not be judged)."),
        (check_of(*tasks(5, 0, 0.5)), "The learned space would hurt: 10 trials in it reach what 5 "
         "reach in the full space, and it is worse on 5 of 5 tasks. Keep the full space."),
        (check_of(*tasks(5, 0, 1.0)), "No clear difference: 10 trials in the learned space are "
         "worth 10.0 in the full one; from 10.0 to 10.0 would fit the data as well."),
        (check_of(*tasks(5, 0, 1000.0)), "needs 1,000 or more for"),
        (check_of(*tasks(2, 0), *(task_check(f"s{i}", None) for i in range(3))),
         "cannot tell whether the learned space helps: only 2 of 5 tasks have runs that tell"),
        (check_of(task_check("a", None), task_check("b", None)), "helps: no task has runs"),
        (check_of(*tasks(6, 0, 2.5), *tasks_at(6, 0.3)), "any speed-up from"),
        (check_of(*tasks(5, 0), shape="full"), "This is the full space itself"),
        (None, "Nothing to check against"),
    ],
)  # fmt: skip
def test_the_sentence_fits_the_verdict(found, says):
    assert says in sentence(found)


def test_a_task_that_fares_the_same_is_no_worse():
    found = check_of(*tasks(4, 0, 3.0), task_check("the same", 0), task_check("worse", 0, 0.9))
    assert "no worse on 5 of 6 tasks" in sentence(found)


def test_the_sentence_where_no_setting_is_worth_choosing():
    found = check_of(*tasks(5, 0), shape="full", chosen_from=12)
    assert sentence(found) == (
        "Keep the full space: none of the 12 settings tried is clearly better."
    )


def test_tasks_come_worst_first_and_the_silent_ones_last():
    found = check_of(
        task_check("gains", 0, speed=2.0),
        task_check("silent", None),
        task_check("loses", full_regret(10) + 0.3),
        task_check("loses a little", full_regret(10) + 0.02),
    )
    rows = task_rows(found)
    assert [row.name for row in rows] == ["loses", "loses a little", "gains", "silent"]
    assert [row.gain for row in rows] == [
        pytest.approx(-0.3), pytest.approx(-0.02),
        pytest.approx(full_regret(10) - full_regret(20)), None,
    ]  # fmt: skip
    assert [row.verdict for row in rows] == [
        "would be hurt", "a little worse", "no worse", "not judged",
    ]  # fmt: skip


def test_a_task_whose_runs_are_all_alike_is_named():
    found = check_of("a", *tasks(1, 0))
    assert task_rows(found)[-1].name == "a"
    assert task_rows(found)[-1].verdict == "not judged"


@pytest.mark.parametrize(
    ("parameter", "labels", "places"),
    [
        (rf.Float(0, 1), ["0", "0.2", "0.4", "0.6", "0.8", "1"], [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (rf.Float(1e-4, 1, log=True), ["0.0001", "0.001", "0.01", "0.1", "1"],
         [0, 0.25, 0.5, 0.75, 1]),
        (rf.Int(2, 5), ["2", "3", "4", "5"], [0.125, 0.375, 0.625, 0.875]),
        (rf.Float(2.0, 8.0, log=True), ["2", "4", "6", "8"], [0, 0.5, np.log(3) / np.log(4), 1]),
        (rf.Float(0.1, 1, log=True), ["0.1", "0.2", "0.5", "1"],
         [0, np.log10(2), np.log10(5), 1]),
        (rf.Float(1e5, 1e5 + 1), ["100000", "100000.2", "100000.4", "100000.6", "100000.8",
         "100001"], [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (rf.Categorical(["low", "mid", "high"], ordered=True), ["low", "mid", "high"],
         [1 / 6, 0.5, 5 / 6]),
    ],
)  # fmt: skip
def test_ticks_are_round_numbers_at_their_places(parameter, labels, places):
    scale = scale_of("x", parameter)
    assert [label for _, label in scale.ticks] == labels
    assert [at for at, _ in scale.ticks] == pytest.approx(places, abs=1e-9)


@pytest.mark.parametrize(
    "parameter",
    [rf.Float(-3e5, 7e9), rf.Float(0, 1e-310), rf.Int(1, 2**40), rf.Int(-1, 0), rf.Float(1, 1.3),
     rf.Int(1, 4096, log=True), rf.Categorical(list(range(50)), ordered=True)],
)  # fmt: skip
def test_ticks_are_few_and_in_order(parameter):
    scale = scale_of("x", parameter)
    places, labels = zip(*scale.ticks)
    assert 2 <= len(places) <= 9 and len(set(labels)) == len(labels)
    assert sorted(set(places)) == list(places) and places[0] >= 0 and places[-1] <= 1
    assert not set(scale.minor) & set(places)


@settings(max_examples=200)
@given(
    low=st.floats(1e-6, 1e6),
    width=st.floats(1.05, 1e9),
    log=st.booleans(),
    whole=st.booleans(),
)
def test_every_scale_has_three_ticks_that_say_where_they_are(low, width, log, whole):
    """Read back, each label is the value at its place; whole numbers if the parameter is one."""
    if whole:
        low = max(1, round(low))
        parameter = rf.Int(low, low + 2 + round(min(width, 1e12)), log=log)
    else:
        parameter = rf.Float(low, low * width, log=log)
    ticks = scale_of("x", parameter).ticks
    assert 3 <= len(ticks) <= 9
    axis = axis_of(parameter)
    assert axis.encode(np.array([float(text) for _, text in ticks])) == pytest.approx(
        [at for at, _ in ticks], abs=1e-3
    )
    assert not whole or all(float(text) == round(float(text)) for _, text in ticks)


def learned_ellipsoid(dim: int = 4):
    points = np.random.default_rng(3).random((30, dim))
    return rf.learn(incumbent_history(points), unit_space(dim), shape="ellipsoid")


def test_the_shadow_is_the_farthest_the_ellipsoid_reaches_in_every_direction():
    """max of d'x over the ellipsoid is d'c + ‖F'd‖: the shadow's boundary must reach just that."""
    (block,) = learned_ellipsoid().blocks
    ellipsoid = block.region.body
    rng = np.random.default_rng(0)
    shadows = (
        ([0, 2], block.region.outline(0, 2), 1e-4),
        ([0, 1, 3], ellipsoid.surface([0, 1, 3])[0], 3e-2),
    )
    for places, boundary, tolerance in shadows:
        for _ in range(20):
            direction = np.zeros(4)
            direction[places] = rng.standard_normal(len(places))
            reach = direction @ ellipsoid.center + np.linalg.norm(ellipsoid.factor.T @ direction)
            found = (boundary @ direction[places]).max()
            assert found <= reach + 1e-9 and found == pytest.approx(reach, abs=tolerance)


def test_a_surface_is_closed():
    """Every edge of the net belongs to two triangles (those that shrink to a point apart)."""
    box = rf.learn(incumbent_history(np.eye(3) * 0.5 + 0.2), unit_space(3)).blocks[0]
    ellipsoid = learned_ellipsoid(3).blocks[0]
    assert ellipsoid.region.body.bounds[1].max() > 1  # so that the cube cuts it
    for block, tolerance in ((box, 1e-9), (ellipsoid, 0.05)):
        corners, triangles = block.region.surface([0, 1, 2])
        a, b, c = corners[triangles].transpose(1, 0, 2)
        areas = np.cross(b - a, c - a) / 2
        np.testing.assert_allclose(areas.sum(axis=0), 0, atol=1e-9)  # Gauss: closed, one way round
        volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6  # positive: it faces outward
        assert volume == pytest.approx(np.exp(block.region.log_volume), rel=tolerance)
        assert corners.min() >= 0 and corners.max() <= 1


@pytest.mark.parametrize("center", [(0.5, 0.5, 0.5), (0.1, 0.9, 0.5), (0.0, 1.0, 0.2)])
def test_a_body_that_the_cube_cuts_is_drawn_without_holes(center):
    """A sphere cut by the cube: its volume by counting, and it stays closed at the cuts."""
    net, triangles = ball()
    corners, cut = cut_to_cube(np.array(center) + 0.6 * net, triangles)
    points = np.stack(np.meshgrid(*[(np.arange(60) + 0.5) / 60] * 3), axis=-1).reshape(-1, 3)
    share = (((points - center) ** 2).sum(axis=1) <= 0.36).mean()
    a, b, c = corners[cut].transpose(1, 0, 2)
    assert np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6 == pytest.approx(share, rel=0.03)
    np.testing.assert_allclose(np.cross(b - a, c - a).sum(axis=0), 0, atol=1e-7)
    assert corners.min() >= 0 and corners.max() <= 1
    inside = 0.2 + 0.1 * net  # not cut: as it was
    assert cut_to_cube(inside, triangles)[0] is inside


def test_the_tightest_pairs_are_drawn_and_the_tightest_three():
    points = np.random.default_rng(0).random((40, 5)) * np.array([1, 0.2, 0.9, 0.1, 0.3])
    learned = rf.learn(incumbent_history(points), unit_space(5))
    views = views_of(learned)
    assert views.of_pairs == 10 and len(views.pairs) == 6
    assert [scale.name for scale in views.pairs[0].scales] == ["b", "d"]
    assert [scale.name for scale in views.solid.scales] == ["b", "d", "e"]
    assert views.solid.upper == pytest.approx(points[:, [1, 3, 4]].max(axis=0))


def test_tasks_at_the_same_place_are_one_spot():
    points = np.array([[0.2, 0.3], [0.2, 0.3], [0.7, 0.9]])
    (view,) = views_of(rf.learn(incumbent_history(points), unit_space(2))).pairs
    assert [[task.name for task in spot.tasks] for spot in view.spots] == [["t0", "t1"], ["t2"]]
    assert view.spots[0].point == (0.2, 0.3) and view.spots[0].values == ("0.2", "0.3")


def test_of_too_many_tasks_those_outside_are_drawn_first():
    points = np.random.default_rng(0).random((60, 2))
    learned = rf.learn(incumbent_history(points), unit_space(2), outliers=0.1)
    drawn = drawn_tasks(learned.tasks, most=20)
    assert len(drawn) == 20
    assert {task.name for task in drawn} >= set(learned.outliers)
    assert drawn_tasks(learned.tasks, most=60) == learned.tasks


def test_conditional_parameters_have_views_of_their_own(mixed_history):
    """depth is active for two boosters, rate for one: neither shares a block with lr and batch."""
    learned = rf.learn(mixed_history, MIXED, shape="ellipsoid")
    views = views_of(learned)
    assert [[s.name for s in view.scales] for view in views.pairs] == [["lr", "batch"]]
    assert views.solid is None


def facts_of(history, space=None, **how):
    learned = rf.learn(history, space, **how)
    return gather(history, learned, rf.check(history, space, **how), None)


def test_ranges_and_choices_say_what_the_learned_space_holds(mixed_history):
    facts = facts_of(mixed_history, MIXED, categories="observed")
    learned = rf.learn(mixed_history, MIXED, categories="observed")
    ranges = {row.name: row for row in facts.ranges}
    assert list(ranges) == list(MIXED)
    low, high = learned.bounds["lr"]
    assert ranges["lr"].learned == f"{low:.4g} … {high:.4g}"
    assert ranges["lr"].kept == pytest.approx(np.log(high / low) / np.log(1e5))
    assert ranges["rate"].condition == "where booster is dart"
    assert ranges["seed"].learned == "unchanged"
    (booster,) = facts.frequencies
    taken = [task.incumbent["booster"] for task in learned.tasks]
    rows = booster.choices.rows
    assert {row.choice: row.tasks for row in rows} == {
        choice: taken.count(choice) for choice in ("gbtree", "dart", "gblinear")
    }
    counts = [row.tasks for row in rows]
    assert counts == sorted(counts, reverse=True) and sum(counts) == booster.tasks == 20
    assert [row.share for row in rows] == pytest.approx([count / 20 for count in counts])
    assert {row.choice for row in rows if row.kept} == set(learned.choices["booster"])


def test_choices_come_most_frequent_first():
    frame = pl.DataFrame(
        {"task": [*"aabbcc"], "kind": [*"xyxyxy"], "error": [2.0, 1.0, 2.0, 1.0, 1.0, 2.0]}
    )
    history = rf.History.from_frame(frame, task="task", objective="error")
    (kind,) = facts_of(history).frequencies
    assert kind.choices == Excerpt(
        (ChoiceRow("y", 2, 2 / 3, True), ChoiceRow("x", 1, 1 / 3, True)), 0
    )


def test_dropped_rows_and_guesses_are_told():
    frame = pl.DataFrame(
        {"task": ["a", "a", "b", "b"], "x": [0.1, 0.2, 0.3, 0.9], "error": [1.0, None, 2.0, 3.0]}
    )
    facts = facts_of(rf.History.from_frame(frame))
    assert (facts.rows, facts.rows_used) == (4, 3)
    assert [(d.rows, d.reason) for d in facts.dropped] == [(1, "error is missing or not finite")]
    assert any("took the column 'task' as the task" in note for note in facts.notes)


def test_warnings_name_the_tasks_and_count_the_rest(mixed_history):
    learned = rf.learn(mixed_history, MIXED)
    names = [task_check(f"n{i}", None) for i in range(14)]
    found = check_of(*tasks(3, 0.9), *names, warnings=("the data is thin",))
    told = gather(mixed_history, learned, found, None).warnings
    assert told[0] == "3 tasks would be hurt: t0, t1, t2"
    assert told[2].endswith("n10, n11 and 2 more") and told[2].startswith("14 tasks could not")
    assert "the data is thin" in told
