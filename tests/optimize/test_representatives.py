"""The few tasks that stand for many: who is chosen, and that it follows from the data alone."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from ringfence.history import COUNT, TASK, usable_rows
from ringfence.learned.full import full_space
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.risk import found
from ringfence.optimize.surrogates.source_prior import Prior
from ringfence.optimize.transfer.cover import agreement_weights, greedy_cover
from ringfence.optimize.transfer.representatives import MOST_SOURCES, representatives
from ringfence.optimize.transfer.sources import source_tasks, sources_of

SPACE = rf.Space({"a": rf.Float(0, 1), "b": rf.Float(0, 1), "c": rf.Categorical(["x", "y"])})
LAYOUT = Layout(full_space(SPACE))


def table(optima, runs=20, seed=0, names=None):
    """A task a row of `optima`: a bowl around it, in units and with a level of its own."""
    rng = np.random.default_rng(seed)
    frames = []
    for number, optimum in enumerate(optima):
        rows = rng.random((runs, 2))
        loss = ((rows - optimum) ** 2).sum(axis=1) * 10.0 ** rng.uniform(-3, 3) + rng.normal()
        frame = pl.DataFrame({"a": rows[:, 0], "b": rows[:, 1], "loss": loss})
        name = f"task {number:04}" if names is None else names[number]
        choice = pl.Series("c", rng.choice(["x", "y"], runs))
        frames.append(frame.with_columns(choice, task=pl.lit(name)))
    return pl.concat(frames)


def history(frame):
    return rf.History.from_frame(
        frame, task="task", objective="loss", direction="minimize", parameters=["a", "b", "c"]
    )


def chosen(frame):
    return representatives(usable_rows(history(frame), SPACE).frame, LAYOUT)


def kinds(n, rare):
    """Optima of three kinds of tasks, and of a rare one of which there are so many."""
    rng = np.random.default_rng(1)
    centers = np.array([[0.1, 0.1], [0.9, 0.1], [0.1, 0.9]])
    usual = centers[rng.integers(3, size=n - rare)] + rng.normal(0, 0.02, (n - rare, 2))
    return np.concatenate([usual, np.full((rare, 2), 0.9)])


def test_few_tasks_all_have_a_model():
    assert chosen(table(kinds(MOST_SOURCES, 1))) is None


def test_every_kind_has_representatives_and_they_stand_for_all():
    all_kinds = chosen(table(kinds(600, 3)))
    assert len(all_kinds.weights) == MOST_SOURCES
    assert sum(all_kinds.weights.values()) == all_kinds.n_tasks == 600
    assert min(all_kinds.weights.values()) >= 1
    rare = {name: count for name, count in all_kinds.weights.items() if name >= "task 0597"}
    assert rare and sum(rare.values()) <= 12  # a few noisy tasks may look like them


@pytest.mark.parametrize(("different", "times"), [(1, 80), (30, 3), (80, 2)])
def test_copies_of_tasks_are_stood_for_in_full(different, times):
    frame = table(kinds(different, 1))
    copies = [
        frame.with_columns(task=pl.format("{} again {}", "task", pl.lit(copy)))
        for copy in range(1, times)
    ]
    some = chosen(pl.concat([frame, *copies]))
    assert sum(some.weights.values()) == some.n_tasks == different * times
    assert len(some.weights) == min(different, MOST_SOURCES)
    assert min(some.weights.values()) >= times


def test_the_choice_does_not_depend_on_the_order_of_rows_and_tasks():
    frame = table(kinds(200, 2))
    first = chosen(frame)
    for seed in range(3):
        again = chosen(frame.sample(fraction=1.0, shuffle=True, seed=seed))
        assert again == first or again.weights == first.weights


def test_units_and_levels_of_tasks_do_not_matter():
    frame = table(kinds(150, 2))
    number = pl.col("task").str.slice(5).cast(pl.Int64)
    other = frame.with_columns(loss=pl.col("loss") * (1 + number % 7) - 3.0 * number)
    assert chosen(other).weights == chosen(frame).weights


def test_tasks_that_do_not_tell_good_from_bad_neither_count_nor_stand_for_others():
    frame = table(kinds(120, 2))
    flat = table(np.zeros((40, 2)), names=[f"flat {n}" for n in range(40)])
    both = chosen(pl.concat([flat.with_columns(loss=pl.lit(1.0)), frame]))
    assert both.weights == chosen(frame).weights and both.n_tasks == 120


def test_parameters_that_some_tasks_lack_are_no_obstacle():
    frame = table(kinds(100, 2))
    lacking = frame.with_columns(b=pl.when(pl.col("task") < "task 0030").then(None).otherwise("b"))
    assert sum(chosen(lacking).weights.values()) == 100


def test_sources_are_the_chosen_tasks_with_all_their_rows_unless_meta_features_compare_them():
    frame = table(kinds(90, 2))
    past = history(frame)
    some = sources_of(past, LAYOUT).tasks
    weights = chosen(frame).weights
    assert {task.name: task.weight for task in some} == weights
    assert all(len(task.values) == 20 for task in some)
    features = {name: {"rows": 1.0} for name in past.tasks}
    every = sources_of(past, LAYOUT, features, {"rows": 1.0}).tasks
    assert len(every) == 90 and {task.weight for task in every} == {1.0}


def test_a_history_of_best_rows_has_no_choice():
    past = history(table(kinds(90, 2)))
    usable = usable_rows(past, SPACE).frame
    assert representatives(usable, LAYOUT) is not None
    assert representatives(usable.with_columns(pl.lit(20).alias(COUNT)), LAYOUT) is None


def test_the_file_names_them_and_the_note_says_so(tmp_path):
    past = history(table(kinds(90, 2), runs=32))
    learned = rf.learn(past, SPACE)
    counts = {task.name: task.stands_for for task in learned.tasks if task.stands_for}
    assert len(counts) == MOST_SOURCES and sum(counts.values()) == 90
    assert len(learned.portfolio) == 10
    assert any("64 of 90 tasks stand for all" in note for note in learned.provenance.notes)
    learned.save(tmp_path / "learned.json")
    assert rf.load(tmp_path / "learned.json").tasks == learned.tasks
    few = rf.learn(history(table(kinds(40, 2), runs=32)), SPACE)
    assert not any(task.stands_for for task in few.tasks)


def test_an_optimizer_with_representatives_is_saved_and_goes_on(tmp_path):
    past = history(table(kinds(80, 2)))
    engine = rf.optimizer("transfer", SPACE, history=past)
    engine.tell(engine.ask(), 1.0)
    engine.save(tmp_path / "state.json")
    again = rf.load_optimizer(tmp_path / "state.json")
    weights = [task.weight for task in engine.setup.sources.tasks]
    assert [task.weight for task in again.setup.sources.tasks] == weights and max(weights) > 1
    assert again.ask().config == engine.ask().config


@pytest.mark.parametrize("seed", range(3))
def test_a_task_that_stands_for_three_is_as_three_that_are_the_same(seed):
    rng = np.random.default_rng(seed)
    F, counts = rng.random((5, 30)), np.array([1.0, 3.0, 1.0, 2.0, 1.0])
    repeated = np.repeat(np.arange(5), counts.astype(int))
    order, left = greedy_cover(F, 6, counts=counts)
    same, same_left = greedy_cover(F[repeated], 6)
    np.testing.assert_array_equal(order, same)
    np.testing.assert_allclose(left, same_left)
    y = rng.random(4)
    w = agreement_weights(F[:, :4], y, counts)
    each = agreement_weights(F[repeated][:, :4], y)
    np.testing.assert_allclose(w, np.bincount(repeated, each))
    Z = rng.random((30, 2))
    few, many = Prior.of(F, Z, counts), Prior.of(F[repeated], Z)
    np.testing.assert_allclose(few.mean, many.mean)
    np.testing.assert_allclose(few.covariance(few, 0.03), many.covariance(many, 0.03))


def test_of_many_tasks_some_drawn_at_random_say_where_runs_fail(monkeypatch):
    monkeypatch.setattr(found, "MOST_TASKS", 20)
    frame = table(kinds(60, 2)).with_columns(
        status=pl.when((pl.col("a") > 0.8) | (pl.col("task") < "task 0010"))
        .then(pl.lit("FAILED"))
        .otherwise(pl.lit("FINISHED"))
    )

    def names(frame):
        past = rf.History.from_frame(
            frame, task="task", objective="loss", direction="minimize",
            parameters=["a", "b", "c"], status="status",
        )  # fmt: skip
        usable = usable_rows(past, SPACE)
        tasks = found.failing_tasks(usable.frame, usable.failed, LAYOUT)
        return {task.name: (len(task.values), len(task.failed)) for task in tasks}

    some = names(frame)
    assert sum(n > 0 for n, _ in some.values()) == 20
    assert sum(n == 0 for n, _ in some.values()) == 5
    assert names(frame.sample(fraction=1.0, shuffle=True, seed=2)) == some


def wide_runs_of_few(n_tasks, n_wide, reason):
    """Tasks whose runs are narrow, and a few that also tried wide ones; `reason` tells which of
    these fail."""
    rng = np.random.default_rng(0)
    task = np.repeat(np.arange(n_tasks), 32)
    wide = np.isin(task, rng.choice(n_tasks, n_wide, replace=False))
    a, b = rng.random(len(task)), rng.random(len(task))
    a = np.where(wide, a, a / 2)
    failed = wide & reason(a, rng.random(len(task)))
    loss = (a - 0.4) ** 2 + (b - 0.5) ** 2 + rng.normal(0, 0.01, len(task))
    frame = pl.DataFrame(
        {
            "task": [f"task {t:04d}" for t in task],
            "a": a,
            "b": b,
            "loss": np.where(failed, np.nan, loss),
            "status": np.where(failed, "oom", "ok"),
        }
    )
    return rf.read_history(frame, task="task", objective="loss", direction="minimize")


def test_where_the_few_of_many_tasks_failed_that_went_there_is_known_as_of_a_few_tasks():
    past = wide_runs_of_few(900, 8, lambda a, u: a > 0.8)
    learned = rf.learn(past, rf.Space({"a": rf.Float(0, 1), "b": rf.Float(0, 1)}))
    assert learned.zone is not None
    assert (learned.zone.parameters, learned.zone.tasks) == (("a",), 8)
    assert 0.78 < learned.zone.threshold < 0.88
    # Of the 64 tasks that stand for all, few or none went there: the learned space knows.
    engine = rf.optimizer("transfer", learned, history=past, seed=0)
    assert engine.method.weighing.weights


def test_crashes_at_random_of_few_of_many_tasks_are_no_pattern():
    past = wide_runs_of_few(900, 30, lambda a, u: u < 0.2)
    learned = rf.learn(past, rf.Space({"a": rf.Float(0, 1), "b": rf.Float(0, 1)}), starts=0)
    assert learned.zone is None
    assert learned.odds is None


def test_source_tasks_keep_the_failed_rows_of_the_chosen_alone():
    frame = table(kinds(90, 2)).with_columns(
        status=pl.when(pl.col("a") > 0.9).then(pl.lit("FAILED")).otherwise(pl.lit("FINISHED"))
    )
    past = rf.History.from_frame(
        frame, task="task", objective="loss", direction="minimize", parameters=["a", "b", "c"],
        status="status",
    )  # fmt: skip
    usable = usable_rows(past, SPACE)
    tasks = source_tasks(usable.frame, LAYOUT, usable.failed)
    failed = usable.failed.group_by(TASK).len()
    expected = dict(failed.iter_rows())
    assert len(tasks) == MOST_SOURCES
    assert all(len(task.failed) == expected.get(task.name, 0) for task in tasks)


def test_the_process_has_a_say_from_the_third_result_on():
    engine = rf.optimizer("transfer", SPACE, history=history(table(kinds(5, 1))))
    shares = [engine.method.process_share(n) for n in (0, 1, 2, 3, 4)]
    np.testing.assert_allclose(shares, [0.0, 0.0, 0.0, 5 / 9, 3 / 4])
