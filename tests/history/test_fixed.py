"""Values that nobody varied: models and records keep them, and they shape no region."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from ringfence.adapters import cmaes
from ringfence.history import PreparedHistory
from ringfence.history.mismatch.fixed import FIXED

SPACE = rf.Space(
    {"lr": rf.Float(1e-4, 1, log=True), "dropout": rf.Float(0, 0.5), "depth": rf.Int(1, 3)}
)
SHAPES = ("box", "ellipsoid", "boxes", "ellipsoids")


def runs(prefix: str, n_tasks: int, columns: tuple[str, ...], n_runs: int = 30) -> rf.History:
    """Tasks whose best dropout is near 0.3."""
    rng = np.random.default_rng(len(prefix) + n_tasks)
    tables = []
    for t in range(n_tasks):
        best = -2 + rng.uniform(-0.5, 0.5)
        table = pl.DataFrame(
            {
                "task": f"{prefix}{t}",
                "lr": 10 ** rng.uniform(-4, 0, n_runs),
                "dropout": rng.uniform(0, 0.5, n_runs),
                "depth": rng.integers(1, 4, n_runs),
            }
        )
        error = (pl.col("lr").log10() - best) ** 2 + 20 * (pl.col("dropout") - 0.3) ** 2
        table = table.with_columns(error.alias("error"))
        tables.append(table.select("task", *columns, "error"))
    return rf.History.from_frame(pl.concat(tables), task="task", objective="error")


OLD, NEW = runs("old", 9, ("lr", "depth")), runs("new", 6, ("lr", "dropout", "depth"))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_value_that_was_said_leaves_the_region_as_saying_nothing_does(tmp_path, shape):
    unsaid = rf.learn(rf.History.concat([OLD, NEW]), SPACE, shape=shape, starts=0)
    said = rf.learn(
        rf.History.concat([OLD.with_values(dropout=0.1), NEW]), SPACE, shape=shape, starts=0
    )
    assert said.bounds == unsaid.bounds
    assert [t.outside for t in said.tasks] == [t.outside for t in unsaid.tasks]
    for task in said.tasks[:9]:
        assert (task.incumbent["dropout"], task.fixed, task.unknown) == (0.1, ("dropout",), ())
        assert set(task.found) == {"lr", "depth"}
    assert all(task.fixed == () for task in said.tasks[9:])
    said.save(tmp_path / "learned.json")
    assert rf.load(tmp_path / "learned.json") == said
    assert "9 of 15 tasks did not tune dropout" in str(said)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_parameter_that_every_task_had_fixed_keeps_all_of_its_range(shape):
    learned = rf.learn(OLD.with_values(dropout=0.1), SPACE, shape=shape, starts=0)
    assert learned.bounds["dropout"] == (0, 0.5)
    assert "no task tuned dropout: all of it stays" in str(learned)
    assert {task.incumbent["dropout"] for task in learned.tasks} == {0.1}


def test_what_was_said_stays_with_its_tasks_through_renames_joins_and_choices_of_tasks():
    said = OLD.with_values(drop=0.1).rename({"drop": "dropout"})
    history = rf.History.concat([NEW, said])
    history = history.only(history.tasks[4:])
    fixed = {task.name: task.fixed for task in rf.learn(history, SPACE, starts=0).tasks}
    assert fixed == {t: ("dropout",) * t.startswith("old") for t in history.tasks}


def test_models_have_what_was_said_as_an_input():
    history = rf.History.concat([OLD.with_values(dropout=0.1), NEW])
    rows = PreparedHistory.of(history, SPACE, rf.learn).rows
    old = rows.filter(pl.col(":task").str.starts_with("old"))
    assert old["dropout"].unique().to_list() == [0.1]
    assert old[f"{FIXED}dropout"].all()


def test_a_value_that_a_source_declares_constant_is_fixed():
    fixed = OLD.frame.with_columns(pl.lit(0.2).alias("dropout"))
    old = rf.History.from_frame(fixed, task="task", objective="error")
    spaces = {
        task: rf.Space({**SPACE.parameters, "dropout": rf.Constant(0.2)}) for task in old.tasks
    }
    learned = rf.learn(replace(old, task_spaces=spaces), SPACE, starts=0)
    assert learned.bounds["dropout"] == (0, 0.5)


def test_a_column_that_only_other_tasks_vary_is_fixed_and_match_says_so():
    frame = pl.concat(
        [OLD.frame.with_columns(pl.lit(0.2).alias("dropout")), NEW.frame], how="diagonal"
    )
    history = rf.History.from_frame(frame, task="task", objective="error")
    learned = rf.learn(history, SPACE, starts=0)
    assert learned.bounds["dropout"] == rf.learn(NEW, SPACE, starts=0).bounds["dropout"]
    groups = {group.tasks: group for group in rf.match(history, SPACE).groups}
    fit = groups[OLD.tasks].fit("dropout")
    assert fit is not None and fit.words == "fixed: 0.2"
    assert {task.name for task in learned.tasks if task.fixed} == set(OLD.tasks)


def test_runs_that_agree_by_chance_or_repeat_each_other_were_not_fixed():
    few = runs("few", 4, ("lr", "dropout", "depth"), n_runs=3)
    few = rf.History.from_frame(
        few.frame.with_columns(pl.lit(2).alias("depth")), task="task", objective="error"
    )  # three values of three: one in nine times
    one = runs("one", 3, ("lr", "dropout", "depth"), n_runs=1)
    repeated = pl.concat([one.frame] * 40)
    history = rf.History.concat(
        [NEW, few, rf.History.from_frame(repeated, task="task", objective="error")]
    )
    assert not any(task.fixed for task in rf.learn(history, SPACE, starts=0).tasks)


def test_a_choice_that_was_fixed_is_not_one_that_was_observed():
    space = rf.Space({**SPACE.parameters, "opt": rf.Categorical(["adam", "sgd", "lion"])})
    alone = rf.learn(NEW.with_values(opt="sgd"), space, categories="observed", starts=0)
    assert alone.choices["opt"] == ("adam", "sgd", "lion")


def test_a_task_that_could_not_try_a_side_has_no_say_on_it_if_it_had_the_parameter_fixed():
    """Six tasks stopped at 0.2 and their bests lie there; nine had it fixed: the side is open."""
    narrow = NEW.frame.with_columns((pl.col("dropout") * 0.4).alias("dropout")).with_columns(
        (20 * (pl.col("dropout") - 0.3) ** 2).alias("error")
    )
    new = rf.History.from_frame(narrow, task="task", objective="error")
    spaces = {
        task: rf.Space({**SPACE.parameters, "dropout": rf.Float(0, 0.2)}) for task in new.tasks
    }
    history = rf.History.concat([OLD.with_values(dropout=0.1), replace(new, task_spaces=spaces)])
    assert rf.learn(history, SPACE, starts=0).bounds["dropout"][1] == 0.5


def test_tools_for_vectors_search_what_no_task_tuned_as_well():
    learned = rf.learn(OLD.with_values(dropout=0.1), SPACE, shape="ellipsoid", starts=0)
    start = cmaes.start(learned)
    assert start.vectors.names == ("lr", "depth", "dropout")
    variance = start.sigma**2 * np.diag(start.cov)
    assert variance[2] == pytest.approx(1 / 12)  # all of its range, apart from the others
    assert np.abs(start.cov[2, :2]).max() == 0
    for config in learned.sample(20, seed=0):
        back = start.decode(start.encode(config))
        assert back == pytest.approx(config)


def test_match_shows_a_value_that_was_said_and_is_none_of_todays():
    history = rf.History.concat([OLD.with_values(dropout=7.0), NEW])
    fit = rf.match(history, SPACE).groups[0].fit("dropout")
    assert fit is not None and fit.words == "fixed: 7 (outside today's)"
    with pytest.raises(rf.HistoryError, match="said to have been 7"):
        rf.learn(history, SPACE, starts=0)
