"""rf.match: parameters by groups of tasks, suggestions, and that none is applied unasked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from processes import ringfence
from ringfence.history.mismatch.fits import compared
from ringfence.history.mismatch.suggestions import alike
from ringfence.history.mismatch.units import odd_units, unit_ratio
from ringfence.reporting.facts import gather

SPACE = rf.Space(
    {
        "lr": rf.Float(1e-4, 1.0, log=True),
        "dropout": rf.Float(0.0, 0.5),
        "depth": rf.Int(1, 9),
        "opt": rf.Categorical(["adam", "sgd"]),
        "momentum": rf.Float(0.0, 1.0),
    },
    [rf.Condition("momentum", "opt", ["sgd"])],
)
RNG = np.random.default_rng(0)


def runs(tasks: str, **columns) -> rf.History:
    n = 20
    table = pl.concat(
        pl.DataFrame({"task": task, "error": RNG.uniform(size=n)}).with_columns(
            **{name: pl.Series(draw(n)) for name, draw in columns.items()}
        )
        for task in tasks
    )
    return rf.History.from_frame(table, task="task", objective="error", parameters=[*columns])


def log(low, high):
    return lambda n: np.exp(RNG.uniform(np.log(low), np.log(high), n))


def flat(low, high):
    return lambda n: RNG.uniform(low, high, n)


def whole(low, high):
    return lambda n: RNG.integers(low, high + 1, n)


def one_of(*choices):
    return lambda n: [choices[i % len(choices)] for i in range(n)]


NOW = runs(
    "ab", lr=log(1e-4, 1), dropout=flat(0, 0.5), depth=whole(1, 9), opt=one_of("adam"),
    momentum=lambda n: [None] * n,
)  # fmt: skip
OLD = runs("cde", learning_rate=log(1e-3, 0.1), n_layers=whole(1, 3), seed_no=whole(1, 99))


def cells(match: rf.Match) -> dict[str, dict[str, tuple[str, ...]]]:
    """The kinds of each parameter by the first task of each group."""
    return {g.tasks[0]: {fit.parameter: fit.kinds for fit in g.fits} for g in match.groups}


def test_tasks_with_the_same_fit_are_one_group_and_names_are_only_suggested():
    history = rf.History.concat([OLD, NOW])
    match = rf.match(history, SPACE)
    assert [group.tasks for group in match.groups] == [("c", "d", "e"), ("a", "b")]
    assert cells(match)["a"] == {
        "lr": ("same",), "dropout": ("same",), "depth": ("same",), "opt": ("same",),
        "momentum": ("inactive",),
    }  # fmt: skip
    old = cells(match)["c"]
    assert {name for name, kinds in old.items() if kinds == ("missing",)} == set(SPACE)
    assert {name for name, kinds in old.items() if kinds == ("extra",)} == set(OLD.roles.parameters)
    assert match.groups[0].renamed == {"learning_rate": "lr", "n_layers": "depth"}
    assert history.roles.parameters[0] == "learning_rate"  # nothing was applied
    calls = [one.call for one in match.suggestions]
    assert calls[:2] == [
        "history.rename({'learning_rate': 'lr'})",
        "history.rename({'n_layers': 'depth'})",
    ]
    assert calls[2] == "history.with_values(dropout=…)"
    assert not match.fits


def test_the_calls_of_a_match_mend_it():
    history = rf.History.concat([OLD, NOW])
    for one in rf.match(history, SPACE).suggestions:
        if "rename" in one.call:
            history = eval(one.call, {"history": history})
    history = history.with_values(dropout=0.1, opt="adam")
    match = rf.match(history, SPACE)
    kinds = {kind for group in match.groups for fit in group.fits for kind in fit.kinds}
    assert kinds == {"same", "inactive", "extra", "fixed"}
    assert match.suggestions == ()


def test_it_prints_the_table_and_a_notebook_shows_the_same():
    match = rf.match(rf.History.concat([OLD, NOW]), SPACE)
    text, html = str(match), match._repr_html_()
    assert text.startswith("how 5 tasks fit the space of 5 parameters")
    for part in ("learning_rate", "probably lr", "c, d, e (60 runs)", "--rename=learning_rate=lr"):
        assert part in text and part in html
    assert repr(match) == "Match(5 tasks in 2 groups, 5 suggestions)"
    assert str(rf.match(rf.example_history())).startswith("20 tasks fit the space as it is")


@pytest.mark.parametrize(
    ("then", "today", "kinds", "overlap"),
    [
        (rf.Float(0, 1), rf.Float(0, 1), ("same",), 1.0),
        (rf.Float(0, 0.5), rf.Float(0, 1), ("other range",), 0.5),
        (rf.Float(2, 3), rf.Float(0, 1), ("other range",), 0.0),
        (rf.Float(0.01, 1, log=True), rf.Float(1e-4, 1, log=True), ("other range",), 0.5),
        (rf.Float(0.01, 1), rf.Float(0.01, 1, log=True), ("other scale",), 1.0),
        (rf.Int(1, 4), rf.Int(1, 8), ("other range",), 0.5),
        (rf.Int(1, 8), rf.Float(1, 8), ("other type",), 1.0),
        (rf.Constant(0.1), rf.Float(0, 1), ("fixed",), 0.0),
        (rf.Categorical([8, 16]), rf.Int(8, 16), ("other type",), 1.0),
        (rf.Categorical(["a", "b"]), rf.Categorical(["a", "b", "c", "d"]), ("other range",), 0.5),
        (rf.Categorical([8, 16]), rf.Categorical([16, 8]), ("same",), 1.0),
    ],
)
def test_declared_parameters_are_compared(then, today, kinds, overlap):
    assert compared(then, today) == (kinds, pytest.approx(overlap))


def test_a_declared_range_is_shown_with_the_share_that_overlaps():
    narrow = rf.Space({"lr": rf.Float(1e-2, 1.0, log=True)})
    history = runs("a", lr=log(1e-2, 1))
    history = replace(history, task_spaces={"a": narrow}, space=narrow)
    fit = rf.match(history, SPACE).groups[0].fit("lr")
    assert fit.words == "other range: 0.01 … 1 (log) (50% of today's)"


def test_what_was_tuned_beyond_todays_range_is_said_with_the_parameter_that_would_hold_it():
    history = runs("ab", lr=log(0.1, 100), depth=whole(3, 20))
    calls = [one.call for one in rf.match(history, SPACE).suggestions]
    highest = history.frame["lr"].max()
    assert f"lr = rf.Float(0.0001, {highest!r}, log=True)" in calls
    assert f"depth = rf.Int(1, {history.frame['depth'].max()})" in calls


def test_words_where_today_has_numbers_are_another_type():
    history = runs("ab", lr=one_of("0.1", "high", "0.2", "0.3"))
    fit = rf.match(history, SPACE).groups[0].fit("lr")
    assert fit.kinds == ("other type", "other range")
    assert fit.words == "other type, other range: 75% of its values count"


def test_a_value_that_was_given_is_fixed_and_not_tuned():
    old = runs("ab", lr=log(1e-4, 1)).with_values(dropout=10)
    history = rf.History.concat([old, runs("c", lr=log(1e-4, 1), dropout=flat(20, 50))])
    match = rf.match(history, rf.Space({"lr": SPACE["lr"], "dropout": SPACE["dropout"]}))
    assert cells(match)["a"]["dropout"] == ("fixed",)
    assert cells(match)["c"]["dropout"] == ("other range",)
    assert not any("was tuned beyond today's range in 3" in one.why for one in match.suggestions)
    one = rf.match(old, rf.Space({"dropout": SPACE["dropout"]}))
    assert str(one).startswith("how 2 tasks fit the space of 1 parameter\n")


def test_words_alone_where_today_has_numbers_are_no_traceback():
    only = rf.match(runs("cd", depth=one_of("deep", "flat")), SPACE)
    assert only.groups[0].fit("depth").kinds == ("other type", "other range")


@pytest.mark.parametrize("space", ["newest", 3, {"lr": rf.Float(0, 1)}])
def test_what_is_no_space_is_refused_as_by_learn(space):
    with pytest.raises(rf.SettingError) as of_match:
        rf.match(NOW, space)
    with pytest.raises(rf.SettingError) as of_learn:
        rf.learn(NOW, space)
    assert str(of_match.value) == str(of_learn.value)
    inferred = rf.infer_space(rf.example_history())
    assert rf.match(rf.example_history(), inferred).space == inferred.space


class TestUnits:
    def test_per_cent_and_fractions(self):
        history = rf.History.concat(
            [runs("ab", dropout=flat(0, 0.5)), runs("cd", dropout=flat(5, 50))]
        )
        (warning,) = rf.match(history, SPACE).warnings
        assert warning.startswith(
            "dropout is probably in other units in c, d: its values are about 100 times the others "
            "(per cent and fractions?)"
        )
        learned = rf.learn(history, rf.Space({"dropout": rf.Float(0, 100)}))
        # the other way round, since neither is many: both ways are 100 times apart
        assert any("in other units" in note for note in learned.provenance.notes)

    @pytest.mark.parametrize(("small", "large"), [(3, 3), (5, 2), (8, 2), (9, 1), (2, 5)])
    def test_without_a_declared_space_two_units_are_no_log_scale(self, small, large):
        tasks = "abcdefghij"
        history = rf.History.concat(
            [
                runs(tasks[:small], drop=flat(0, 0.5), lr=log(1e-4, 1e-2)),
                runs(tasks[small : small + large], drop=flat(0, 50), lr=log(1e-2, 1.0)),
            ]
        )
        (warning,) = rf.match(history).warnings
        assert warning.startswith("drop is probably in other units in ")
        assert ("100 times" in warning) == (large < small)

    @pytest.mark.parametrize("factor", [100.0, 1000.0, 1e6, 0.01, 1e-3, 1e-6])
    def test_the_ratio_is_found(self, factor):
        assert unit_ratio((0.1 * factor, 0.5 * factor), (0.05, 0.6)) == factor

    def test_ranges_that_meet_or_that_no_factor_brings_together_are_left_alone(self):
        assert unit_ratio((0.1, 0.5), (0.4, 2.0)) is None
        assert unit_ratio((0.1, 100.0), (1e-4, 1.0), log=True) is None
        assert unit_ratio((7.0, 8.0), (0.1, 0.2)) is None
        assert unit_ratio((-1.0, 8.0), (10.0, 20.0)) is None
        assert unit_ratio((0.0, 0.0), (1.0, 2.0)) is None
        assert odd_units({"a": (0.1, 0.5), "b": (0.2, 0.9)}, None) == {}

    def test_ordinary_histories_raise_no_doubt(self):
        assert rf.match(rf.example_history()).warnings == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("learning_rate", "lr"), ("lr", "learningRate"), ("LEARNING-RATE", "learning_rate"),
        ("eta", "lr"), ("n_estimators", "num_trees"), ("max_depth", "depth"), ("bs", "batch_size"),
        ("model/lr", "lr"), ("drop_out", "dropout"), ("weight_decay", "wd"), ("drop", "dropout"),
        ("batch", "batch_size"), ("lambda_l1", "reg_alpha"), ("num_layers", "n_layers"),
    ],
)  # fmt: skip
def test_names_of_one_thing_are_alike(old, new):
    assert alike(old, new) and alike(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("gamma", "degree"), ("C", "gamma"), ("momentum", "dropout"), ("x", "y"),
        ("beta1", "beta2"), ("min_samples_split", "min_samples_leaf"),
        ("encoder_dropout", "decoder_dropout"), ("warmup_steps", "warmup_epochs"),
    ],
)  # fmt: skip
def test_names_of_two_things_are_not(old, new):
    assert not alike(old, new)


def test_a_name_alone_is_not_enough():
    history = runs("a", learning_rate=flat(20, 27), depth=whole(1, 9))
    assert rf.match(history, SPACE).groups[0].renamed == {}


def test_the_same_declared_range_suggests_a_name_if_it_is_the_only_one():
    own = rf.Space({"zeta": SPACE["lr"], "depth": SPACE["depth"]})
    history = replace(runs("a", zeta=log(1e-4, 1), depth=whole(1, 9)), task_spaces={"a": own})
    assert rf.match(history, SPACE).groups[0].renamed == {"zeta": "lr"}


def test_a_range_that_many_parameters_have_suggests_no_name():
    space = rf.Space({"x": rf.Int(3, 8), "dropout": rf.Float(0, 1)})
    own = rf.Space({"x": rf.Int(3, 8), "momentum": rf.Float(0, 1)})
    history = replace(runs("a", x=whole(3, 8), momentum=flat(0, 1)), task_spaces={"a": own})
    assert rf.match(history, space).groups[0].renamed == {}


def test_without_a_space_the_union_tells_probable_names():
    history = rf.History.concat(
        [
            runs("abc", lr=log(1e-4, 1), beta1=flat(0, 1)),
            runs("de", learning_rate=log(1e-4, 0.1), beta2=flat(0, 1)),
            runs("f", **{"config/lr": log(1e-3, 1)}),
        ]
    )
    calls = [one.call for one in rf.match(history).suggestions]
    assert calls == [
        "history.rename({'learning_rate': 'lr'})",
        "history.rename({'config/lr': 'lr'})",
        "history.with_values(beta1=…)",
        "history.with_values(beta2=…)",
    ]


def test_the_command_line(tmp_path):
    rf.History.concat([OLD, NOW]).frame.write_parquet(tmp_path / "runs.parquet")
    (tmp_path / "space.json").write_text(
        '{"lr": {"type": "float", "low": 1e-4, "high": 1.0, "log": true},'
        ' "dropout": {"type": "float", "low": 0.0, "high": 0.5}}'
    )
    columns = ["--task", "task", "--objective", "error"]

    def run(*words):
        return ringfence(*words, *columns, "--space", "space.json", cwd=tmp_path).stdout

    shown = run("match", "runs.parquet")
    assert "probably lr" in shown and "--value dropout=…" in shown
    mends = ["--rename", "learning_rate=lr", "--value", "dropout=0"]
    mended = run("match", "runs.parquet", *mends)
    assert "probably" not in mended and "took learning_rate as lr" in mended
    learned = run("learn", "runs.parquet", *mends, "-o", "l.json")
    assert "dropout is 0 in the 60 runs of 3 tasks that did not tune it" in learned
    assert all(task.unknown == () for task in rf.load(tmp_path / "l.json").tasks)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--rename", "lr"], "--rename must be NAME=VALUE, such as learning_rate=lr, not 'lr'"),
        (["--rename", "lr=a", "--rename", "lr=b"], "--rename says lr=a and lr=b; which?"),
        (["--rename", "nope=lr"], "no parameter 'nope' to rename to 'lr'"),
        (["--rename", "dropout=lr"], "task 'a' has values of 'lr' and of 'dropout'"),
        (["--value", "dropout"], "--value must be NAME=VALUE"),
        (["--value", "lr=0.1"], "every task has values of 'lr'"),
        (["--space", "latest"], "no time stamp tells"),
    ],
)
@pytest.mark.parametrize("command", ["match", "learn", "check", "report", "infer"])
def test_bad_options_are_one_clear_line_in_every_command(tmp_path, command, options, says):
    columns = {"lr": log(1e-4, 1), "dropout": flat(0, 0.5)}
    runs("ab", **columns).frame.write_csv(tmp_path / "runs.csv")
    words = [command, "runs.csv", "--task", "task", "--objective", "error", *options]
    finished = ringfence(*words, cwd=tmp_path)
    assert finished.returncode == 1
    assert says in " ".join(finished.stderr.split())
    assert "Traceback" not in finished.stderr


def test_a_value_must_be_said(tmp_path):
    OLD.frame.write_csv(tmp_path / "runs.csv")
    process = ringfence("match", str(tmp_path / "runs.csv"), "--value", "dropout=")
    assert process.returncode != 0
    assert "--value dropout= has no value" in process.stderr


def test_a_name_must_be_another():
    with pytest.raises(rf.HistoryError, match="'lr' has that name already"):
        NOW.rename({"lr": "lr"})


def test_a_report_of_mended_runs_says_how_to_mend_them_again(tmp_path):
    OLD.frame.write_csv(tmp_path / "runs.csv")
    history = rf.read_history(tmp_path / "runs.csv", task="task", objective="error")
    mended = history.rename({"learning_rate": "lr", "n_layers": "depth"}).with_values(dropout=0.1)
    space = rf.Space({name: SPACE[name] for name in ("lr", "depth", "dropout")})
    facts = gather(mended, rf.learn(mended, space, starts=0), None, None)
    assert "history = history.with_values({'dropout': 0.1})" in "\n".join(facts.recipe.python)
    assert "--rename=n_layers=depth --value=dropout=0.1" in facts.recipe.commands[0]
    (tmp_path / "space.json").write_text(facts.recipe.space)
    words = facts.recipe.commands[0].split()[1:]
    finished = ringfence(*words, cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    again = rf.load(tmp_path / "learned.json")
    assert again.bounds == rf.learn(mended, space, starts=0).bounds
