"""Histories that do not match: renamed, filled in, joined; the union of spaces, or the latest."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

import ringfence as rf
from ringfence.history import usable_rows
from ringfence.history.mismatch.spaces import union_of, widest

SPACE = rf.Space(
    {"lr": rf.Float(1e-4, 1.0, log=True), "dropout": rf.Float(0.0, 0.5), "depth": rf.Int(1, 9)}
)


def runs(tasks: str, **columns) -> rf.History:
    """Two runs of each task; the first is the better one."""
    size = 2 * len(tasks)
    base = {"task": [t for t in tasks for _ in (0, 1)], "error": [0.1, 0.2] * len(tasks)}
    table = pl.DataFrame(
        {**base, **{k: v * size if len(v) == 1 else v for k, v in columns.items()}}
    )
    return rf.History.from_frame(table, task="task", objective="error", parameters=[*columns])


OLD = runs("ab", learning_rate=[0.1, 0.2, 0.3, 0.4], depth=[2])
NEW = runs("cd", lr=[0.01, 0.02, 0.03, 0.04], depth=[3], dropout=[0.1])


def test_the_mess_of_the_readme_becomes_one_history():
    old = OLD.rename({"learning_rate": "lr"}).with_values(dropout=0.0)
    history = rf.History.concat([old, NEW])
    frame = usable_rows(history, SPACE).frame
    assert frame["lr"].to_list() == [0.1, 0.2, 0.3, 0.4, 0.01, 0.02, 0.03, 0.04]
    assert frame["dropout"].to_list() == [0.0] * 4 + [0.1] * 4
    learned = rf.learn(history, SPACE)
    assert all(task.unknown == () for task in learned.tasks)
    assert "took learning_rate as lr (4 values), as you said" in learned.provenance.notes
    said = "dropout is 0.0 in the 4 runs of 2 tasks that did not tune it (a, b), as you said"
    assert said in learned.provenance.notes


def test_without_a_word_each_task_counts_with_what_it_has():
    history = rf.History.concat([OLD, NEW])
    assert history.roles.parameters == ("learning_rate", "depth", "lr", "dropout")
    learned = rf.learn(history, SPACE)
    assert {t.name: t.unknown for t in learned.tasks} == {
        "a": ("lr", "dropout"),
        "b": ("lr", "dropout"),
        "c": (),
        "d": (),
    }
    assert "2 tasks did not tune lr: they count with what they have (a, b)" in (
        learned.provenance.notes
    )


def test_joining_twice_keeps_what_each_source_lacks():
    once = rf.History.concat([OLD, NEW])
    twice = rf.History.concat([once, runs("e", depth=[5])])
    space = rf.Space({"dropout": rf.Categorical([None, 0.1]), "depth": rf.Int(1, 9)})
    frame = usable_rows(twice, space).frame
    # None is a choice, yet what a source lacks is not None
    assert frame["dropout"].is_nan().to_list() == [True] * 4 + [False] * 4 + [True] * 2


def test_a_none_that_was_given_is_a_choice():
    space = rf.Space({"dropout": rf.Categorical([None, 0.1]), "lr": rf.Float(0, 1)})
    old = OLD.rename({"learning_rate": "lr"}).with_values(dropout=None)
    frame = usable_rows(rf.History.concat([old, NEW]), space).frame
    assert frame["dropout"].to_list() == [0.0] * 4 + [1.0] * 4


def test_the_same_task_in_two_sources_one_without_a_parameter():
    both = rf.History.concat([runs("a", lr=[0.1], depth=[1]), runs("a", lr=[0.2])])
    depth = usable_rows(both, SPACE).frame["depth"]
    assert depth.is_nan().to_list() == [False, False, True, True]


def test_a_task_tuned_twice_with_one_more_parameter_needs_no_declared_space():
    first, again = (
        runs("ab", lr=[0.1, 0.2, 0.3, 0.4]),
        runs("ac", lr=[0.1, 0.9] * 2, d=[1.0, 2.0] * 2),
    )
    history = rf.History.concat([first, again])
    learned = rf.learn(history)
    assert dict(learned.space.parameters) == {"lr": rf.Float(0.1, 0.9), "d": rf.Int(1, 2)}
    assert learned.provenance.rows_used == 8
    kinds = {g.tasks[0]: g.fit("d").kinds for g in rf.match(history).groups}
    assert kinds == {"a": ("same", "missing"), "b": ("missing",), "c": ("same",)}
    assert "same, missing in some runs" in str(rf.match(history))


def test_two_old_names_may_become_one_if_no_task_has_both():
    history = rf.History.concat([OLD, runs("e", eta=[0.5]), NEW])
    one = history.rename({"learning_rate": "lr", "eta": "lr"})
    assert one.roles.parameters == ("lr", "depth", "dropout")
    assert one.frame["lr"].to_list()[3:7] == [0.4, 0.5, 0.5, 0.01]
    assert usable_rows(one, SPACE).frame["lr"].is_nan().any() is False


def test_names_may_be_exchanged():
    turned = runs("a", x=[1.0], y=[2.0]).rename({"x": "y", "y": "x"})
    assert (turned.frame["x"].to_list(), turned.frame["y"].to_list()) == ([2.0] * 2, [1.0] * 2)


def test_the_declared_space_is_renamed_as_well():
    example = rf.example_history()
    renamed = example.rename({"kernel": "kind", "C": "cost"})
    assert list(renamed.space)[:2] == ["kind", "cost"]
    assert {c.parent for c in renamed.space.conditions} == {"kind"}
    again = renamed.rename({"kind": "kernel", "cost": "C"})
    assert again.space == example.space
    assert again.digest() == example.digest()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda: OLD.rename({"lerning_rate": "lr"}), "no parameter 'lerning_rate' to rename.*did"),
        (lambda: OLD.rename({"depth": "learning_rate"}), "task 'a' has values of 'learning_rate'"),
        (lambda: OLD.rename({"learning_rate": "x", "depth": "x"}), "so they cannot both be 'x'"),
        (lambda: OLD.rename({"depth": "task"}), "'task' is the column of the task"),
        (lambda: OLD.rename({"depth": ":x"}), "cannot begin with a colon"),
        (lambda: OLD.rename({"depth": "^x$"}), "is a pattern"),
        (lambda: OLD.rename({}), "from old names to new ones"),
        (lambda: OLD.rename({"depth": 3}), "named by text"),
        (lambda: OLD.with_values(), "name a parameter"),
        (lambda: OLD.with_values(depth=3), "every task has values of 'depth'"),
        (lambda: OLD.with_values(error=3), "is the column of the objective"),
        (lambda: OLD.with_values(x=[3]), "'x' cannot have had this value"),
        (lambda: OLD.with_values(x=float("nan")), "'x' cannot have had this value"),
        (lambda: rf.learn(OLD.with_values(dropout=7), SPACE), "7, and it is not a number from 0"),
        (lambda: rf.learn(OLD.rename({"depth": "d"}), SPACE), "no run has a value of a parameter"),
        (lambda: rf.learn(OLD, "latest"), "no time stamp tells"),
        (lambda: rf.learn(OLD, "newest"), "must be a Space or 'latest'"),
    ],
)
def test_bad_input_is_one_clear_line(change, says):
    with pytest.raises(rf.RingfenceError, match=says) as raised:
        change()
    assert "\n" not in str(raised.value)


def test_values_convert_where_they_can():
    """A list of numbers then and a range now, 0 and 1 for booleans, text for numbers."""
    space = rf.Space({"x": rf.Float(0, 10), "flag": rf.Categorical([False, True])})
    then = runs("ab", x=["0.5", "1e1", " 2", "many"], flag=[0, 1, 1, 0])
    now = runs("c", x=[3.5], flag=[True, False])
    usable = usable_rows(rf.History.concat([then, now]), space)
    assert usable.frame["x"].to_list() == [0.5, 10.0, 2.0, 3.5, 3.5]
    assert usable.frame["flag"].to_list() == [0.0, 1.0, 1.0, 1.0, 0.0]
    (dropped,) = usable.dropped
    assert (dropped.rows, dropped.reason) == (1, "x is not a number from 0 to 10")


@pytest.mark.parametrize("other", [["yes", "no"], ["Yes ", "NO"], [1, 0], [1.0, 0.0]])
def test_booleans_written_otherwise_become_booleans(other):
    flags, others = runs("ab", bn=[True, False] * 2), runs("cd", bn=other * 2)
    for order in ([flags, others], [others, flags]):
        history = rf.History.concat(order)
        assert rf.infer_space(history).space["bn"] == rf.Categorical([False, True])
        assert history.frame["bn"].to_list() == [True, False] * 4
        assert "bn is true or false in some sources; the others are as well" in history.notes
    words = rf.History.concat([flags, runs("cd", bn=["yes", "maybe"] * 2)])
    assert words.frame["bn"].dtype == pl.String


def test_notes_of_several_sources_are_counted():
    each = [replace(runs(task, x=[0.1]), notes=("2 trials of 1 study",)) for task in "abc"]
    assert rf.History.concat(each).notes == ("2 trials of 1 study (in each of 3 sources)",)


def test_numbers_survive_a_column_that_became_text():
    import numpy as np

    values = np.random.default_rng(0).lognormal(size=64) * 10.0 ** np.arange(-32, 32)
    table = pl.DataFrame({"task": "a", "x": values, "error": np.arange(64.0)})
    now = rf.History.from_frame(table, task="task", objective="error", parameters=["x"])
    both = rf.History.concat([runs("b", x=["much"]), now])
    frame = usable_rows(both, rf.Space({"x": rf.Float(0, 1e40)})).frame
    assert frame["x"].to_list() == values.tolist()


class TestUnion:
    def test_ranges_and_choices_grow(self):
        assert widest([rf.Float(0, 1), rf.Float(0.5, 2)]) == rf.Float(0, 2)
        assert widest([rf.Int(1, 3), rf.Float(0.5, 2)]) == rf.Float(0.5, 3)
        assert widest([rf.Int(1, 3), rf.Categorical([8, 16])]) == rf.Int(1, 16)
        assert widest([rf.Int(1, 3), rf.Constant(0)]) == rf.Int(0, 3)
        assert widest([rf.Float(1, 3, log=True), rf.Float(2, 9)]) == rf.Float(1, 9, log=True)
        assert widest([rf.Categorical(["a", "b"]), rf.Constant("c")]) == rf.Categorical(
            ["a", "b", "c"]
        )
        assert widest([rf.Constant(32), rf.Constant(64)]) == rf.Int(32, 64)

    def test_what_is_of_two_kinds_is_that_of_the_last_and_said(self):
        assert widest([rf.Int(1, 3), rf.Categorical(["few", "many"])]) is None

    @pytest.mark.parametrize("other", [["true", "false"], ["True", "False"], [0, 1], ["1", "0"]])
    def test_choices_that_a_table_does_not_tell_apart_are_one(self, other):
        flags, others = rf.Categorical([True, False]), rf.Categorical(other)
        assert {*widest([others, flags]).choices} == {True, False}
        assert {type(choice) for choice in widest([others, flags]).choices} == {bool}
        numbers = widest([rf.Categorical(["16", "x"]), rf.Categorical([16, "y"])])
        assert numbers == rf.Categorical([16, "x", "y"])

    def test_of_two_kinds_the_note_says_which(self):
        old, new = rf.Space({"x": rf.Int(1, 3)}), rf.Space({"x": rf.Categorical(["a", "b"])})
        space, notes = union_of([old, new])
        assert space["x"] == new["x"]
        assert notes[0].startswith("x is 1 … 3 in some sources; took a, b, which the last has")

    def test_it_holds_every_configuration_of_each(self):
        import numpy as np

        from ringfence.learned.full import full_space

        one = rf.Space(
            {"k": rf.Categorical(["l", "r"]), "g": rf.Float(0, 1)},
            [rf.Condition("g", "k", ["r"])],
        )
        two = rf.Space({"k": rf.Categorical(["p", "l"]), "g": rf.Float(0.5, 3), "n": rf.Int(1, 9)})
        space, _ = union_of([one, two])
        rng = np.random.default_rng(0)
        for config in full_space(one).sample(50, seed=rng):
            assert space.contains({**config, "n": 1})
        for config in full_space(two).sample(50, seed=rng):
            active = set(space.active(config))
            assert space.contains({k: v for k, v in config.items() if k in active})

    def test_conditions_that_contradict_are_left_out_and_said(self):
        one = rf.Space(
            {"a": rf.Categorical([1, 2]), "b": rf.Categorical([1, 2])},
            [rf.Condition("a", "b", [1])],
        )
        two = rf.Space(dict(one.parameters), [rf.Condition("b", "a", [1])])
        space, notes = union_of([one, two])
        assert space.conditions == one.conditions
        assert notes[0].startswith("left out that b depends on a")


def test_the_space_is_the_union_or_that_of_the_latest_task():
    wide, tall = rf.Space({"x": rf.Float(0, 1)}), rf.Space({"x": rf.Float(0, 3), "n": rf.Int(1, 4)})
    one = replace(runs("a", x=[0.5]), space=wide, task_spaces={"a": wide}, task_times={"a": 2e9})
    two = replace(
        runs("b", x=[0.7], n=[2]), space=tall, task_spaces={"b": tall}, task_times={"b": 1e9}
    )
    history = rf.History.concat([one, two])
    assert rf.infer_space(history).space == history.space == tall
    learned = rf.learn(history)
    assert learned.space == tall
    assert any("union of those of 2 tasks" in note for note in learned.provenance.notes)
    latest = rf.learn(history, "latest")
    assert latest.space == wide == rf.infer_space(history, space="latest").space
    assert "the space is that of a, the latest task (2033-05-18)" in latest.provenance.notes
    assert rf.check(history, "latest").tasks


def test_the_latest_task_has_a_finished_run_and_a_time_that_can_be_read():
    done = runs("ab", x=[0.1, 0.2, 0.3, 0.4])
    times = {"a": 1e9, "b": 1.1e9, "crashed": 2e9}
    crashed = runs("c", x=[0.5], y=[0.6])
    failed = crashed.frame.with_columns(task=pl.lit("crashed"), error=pl.lit(float("inf")))
    crashed = replace(crashed, frame=failed)
    undated = runs("d", x=[0.5], z=[0.7])
    history = replace(rf.History.concat([done, crashed, undated]), task_times=times)
    learned = rf.learn(history, "latest")
    assert list(learned.space) == ["x"]
    said = (
        "the space is that of b, the latest task (2004-11-09) of those with a time stamp that can "
        "be read; d has none"
    )
    assert said in str(learned).splitlines()


def test_what_changes_the_region_is_printed():
    space = rf.Space({"dropout": rf.Float(0.0, 0.5), "depth": rf.Int(3, 9)})
    old = OLD.with_values(droput=0.1)
    text = str(rf.learn(rf.History.concat([old, NEW]), space))
    assert "the best run of 2 tasks does not count: depth is not an integer from 3 to 9" in text
    assert "learning_rate, droput, lr are no parameters of the space: the runs count by" in text
    assert "droput was given a value, and is no parameter of the space; did you mean" in text


def test_the_latest_task_without_a_declared_space_has_what_was_tried():
    times = {"a": 1e9, "b": 3e9, "c": 2e9}
    history = rf.History.concat([runs("a", y=[1.0, 9.0]), runs("bc", x=[0.1, 0.2, 0.3, 0.4])])
    space = rf.infer_space(replace(history, task_times=times), space="latest").space
    assert dict(space.parameters) == {"x": rf.Float(0.1, 0.4)}


def test_a_condition_is_seen_in_the_tasks_that_have_both_parameters():
    full = runs("ab", k=["l", "r", "l", "r"], g=[None, 0.1, None, 0.3])
    history = rf.History.concat([full, runs("c", k=["r", "l"]), runs("d", g=[0.7, 0.6])])
    inferred = rf.infer_space(history)
    assert inferred.space.conditions == (rf.Condition("g", "k", ["r"]),)
    frame = usable_rows(history, inferred.space).frame
    assert frame["g"].is_null().to_list() == [True, False, True, False, False, True, False, False]
    assert (
        frame["g"].is_nan().fill_null(value=False).to_list() == [False] * 4 + [True] + [False] * 3
    )


def test_a_table_that_was_written_and_read_again_is_the_same(tmp_path):
    history = rf.History.concat([OLD, NEW])
    history.frame.write_parquet(tmp_path / "runs.parquet")
    again = rf.read_history(tmp_path / "runs.parquet", task="task", objective="error")
    assert set(again.roles.parameters) == set(history.roles.parameters)
    assert usable_rows(again, SPACE).frame.equals(usable_rows(history, SPACE).frame)


class TestValuesOfInactiveParameters:
    """A value that was said of a task counts where the parameter is active, and nowhere else."""

    CONDITION = rf.Condition("momentum", "opt", ["sgd"])

    def history(self) -> rf.History:
        rows = [
            {"task": t, "opt": o, "momentum": 0.5 + i / 40 if o == "sgd" and t == "a" else None,
             "error": i / 10}
            for t in "ab"
            for i, o in enumerate(["sgd", "adam"] * 8)
        ]  # fmt: skip
        return rf.History.from_frame(
            pl.DataFrame(rows, infer_schema_length=None), task="task", objective="error",
            parameters=["opt", "momentum"],
        )  # fmt: skip

    def test_the_condition_that_the_other_tasks_show_stays(self):
        history = self.history().with_values(momentum=0.99)
        inferred = rf.infer_space(history).space
        assert inferred.conditions == (self.CONDITION,)
        assert inferred["momentum"] == rf.Float(0.5, 0.99)
        frame = usable_rows(history, inferred).frame.filter(pl.col(":task") == "b")
        assert frame["momentum"].to_list() == [0.99, None] * 8

    def test_a_declared_condition_keeps_the_value_out(self):
        opts = rf.Categorical(["sgd", "adam"])
        declared = rf.Space({"opt": opts, "momentum": rf.Float(0, 1)}, [self.CONDITION])
        history = replace(self.history(), space=declared).with_values(momentum=0.9)
        given = history.frame.filter(pl.col("task") == "b")["momentum"]
        assert given.to_list() == [0.9, None] * 8
        assert "in the 8 runs of 1 task that did not tune it" in history.notes[-1]

    def test_no_note_calls_them_ignored(self):
        history = self.history().with_values(momentum=0.9)
        notes = usable_rows(history, rf.infer_space(history).space).notes
        assert not any("ignored" in note for note in notes)


@pytest.mark.parametrize(
    ("texts", "seconds"),
    [
        (["01.05.2026", "30.04.2026"], 1777593600),
        (["1.5.2026", "30.4.2026"], 1777593600),
        (["01.05.26", "30.04.26"], 1777593600),
        (["01.05.2026 14:05", "30.04.2026 23:59"], 1777593600 + 14 * 3600 + 5 * 60),
        (["2026-05-01T14:05:09", "2026-04-30T10:00:00"], 1777593600 + 14 * 3600 + 5 * 60 + 9),
    ],
)
@pytest.mark.parametrize("name", ["date", "Datum", "wann"])
def test_dates_as_germans_write_them_are_time_stamps(name, texts, seconds):
    table = pl.DataFrame({"task": ["a", "a"], "lr": [0.1, 0.2], name: texts, "error": [0.1, 0.2]})
    history = rf.History.from_frame(table, task="task", objective="error")
    assert history.task_times == {"a": seconds}
    assert history.roles.parameters == ("lr",)


def test_a_date_with_slashes_does_not_say_which_is_the_month():
    dates = ["01/05/2026", "02/05/2026"]
    table = pl.DataFrame({"task": ["a", "a"], "lr": [0.1, 0.2], "date": dates, "error": [0.1, 0.2]})
    assert rf.History.from_frame(table, task="task", objective="error").task_times == {}


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["True", "false", "1", "0"], [True, False, True, False]),
        (["yes", "no", "TRUE", "0"], [True, False, True, False]),
        (["WAHR", "FALSCH", "WAHR", None], [True, False, True, None]),
        (["ja", "nein", "1", "0"], [True, False, True, False]),
        (["yes", "no", "yes", "no"], ["yes", "no", "yes", "no"]),
        (["on", "off", "auto", "on"], ["on", "off", "auto", "on"]),
    ],
)
def test_booleans_are_mixed_within_one_table(cells, values):
    table = pl.DataFrame({"task": list("aabb"), "flag": cells, "error": [0.1, 0.2, 0.3, 0.4]})
    history = rf.History.from_frame(table, task="task", objective="error", parameters=["flag"])
    assert history.frame["flag"].to_list() == values
