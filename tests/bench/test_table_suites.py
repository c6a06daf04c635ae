"""Suites from tables: what a description says is what is run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from benchmarks.own_tables.datasets import SAME

import ringfence as rf
from ringfence.bench.suites import SuiteSource, load_suite
from ringfence.bench.suites.description import read_description
from ringfence.bench.suites.loading import DESCRIPTIONS
from ringfence.errors import FileError, SettingError

ROOT = Path(__file__).parents[2]
BASE = """
file = "runs.csv"
origin = "made up"
task = "set"
"""
SPACE = """
[space.parameters]
x = {type = "float", low = 0.0, high = 1.0}
kind = {type = "categorical", choices = ["a", "b"]}
y = {type = "int", low = 1, high = 100, log = true}

[[space.conditions]]
child = "y"
parent = "kind"
values = ["b"]
"""


@pytest.fixture
def make(tmp_path):
    """A function that writes a description beside a table and loads it."""
    frame = pl.DataFrame(
        {
            "set": ["t"] * 4 + ["u"] * 2 + ["flat"] * 3,
            "x": [0.1, 0.2, 0.2, 0.9, 0.5, 0.6, 0.1, 0.2, 0.3],
            "kind": ["a", "b", "b", "b", "a", "a", "a", "a", "a"],
            "y": [7, 10, 10, 20, 1, 1, 1, 1, 1],
            "acc_0": [0.5, 0.6, 0.7, 0.9, 0.3, 0.1, 0.5, 0.5, 0.5],
            "acc_1": [0.7, 0.6, 0.9, 0.9, 0.3, 0.4, 0.5, 0.5, 0.5],
        }
    )
    frame.write_csv(tmp_path / "runs.csv")

    def made(text, evaluation="rows"):
        (tmp_path / "suite.toml").write_text(BASE + text + SPACE)
        load_suite.cache_clear()
        return load_suite(SuiteSource(str(tmp_path / "suite.toml"), (), evaluation))

    return made


META = '[meta_features]\nfile = "runs.csv"\ntask = "set"\n'
ACCURACY = 'objective = ["acc_0", "acc_1"]\ndirection = "maximize"\n'


def test_losses_are_means_over_seeds_and_repeats_turned_to_be_minimized(make):
    suite = make(ACCURACY)
    assert suite.name == "suite" and suite.tasks == ("t", "u", "flat")
    assert suite.evaluate("t", {"x": 0.1, "kind": "a"}) == pytest.approx(0.4)
    assert suite.evaluate("t", {"x": 0.2, "kind": "b", "y": 10}) == pytest.approx(0.3)
    reference = suite.reference("t")
    assert (reference.best, reference.median) == pytest.approx((0.1, 0.3))


def test_a_search_is_restricted_to_recorded_rows(make):
    suite = make(ACCURACY)
    candidates = suite.candidates("t", "log")
    assert len(candidates) == 3 and {"x": 0.1, "kind": "a"} in candidates
    with pytest.raises(SettingError, match="no evaluation of"):
        suite.evaluate("t", {"x": 0.15, "kind": "a"})


def test_neighbors_continue_the_losses_to_the_whole_space(make):
    suite = make(ACCURACY, "neighbors")
    assert suite.candidates("t", "log") is None
    # Three recorded configurations are fewer than the five that are averaged.
    assert suite.evaluate("t", {"x": 0.15, "kind": "a"}) == pytest.approx((0.4 + 0.3 + 0.1) / 3)
    assert suite.evaluate("t", {"x": 0.1, "kind": "a"}) == pytest.approx(0.4)


def test_tasks_without_signal_or_rows_are_left_out(make):
    assert make(ACCURACY + "least_range = 0.01\n").tasks == ("t", "u")
    assert make(ACCURACY + "least_rows = 3\n").tasks == ("t", "flat")
    assert make(ACCURACY + "most_tasks = 1\n").tasks == ("t",)


def test_a_description_can_name_its_tasks(make):
    assert make(ACCURACY + 'tasks = ["u", "flat", "gone"]\n').tasks == ("u", "flat")
    with pytest.raises(FileError, match="leaves no task"):
        make(ACCURACY + "tasks = [3]\n")


def test_meta_features_from_a_table_or_from_the_description(make, tmp_path):
    pl.DataFrame({"name": ["t", "u"], "rows": [10, None]}).write_csv(tmp_path / "meta.csv")
    tables = '[meta_features]\nfile = "meta.csv"\ntask = "name"\ncolumns = ["rows"]\n'
    suite = make(ACCURACY + tables)
    assert suite.tasks == ("t",) and suite.meta_features() == {"t": {"rows": 10.0}}
    named = make(ACCURACY + tables + 'names = {flat = "t", u = "gone"}\n')
    assert named.tasks == ("t", "flat") and named.meta_features()["flat"] == {"rows": 10.0}
    pl.DataFrame({"name": ["t", "u"], "rows": [11, None]}).write_csv(tmp_path / "meta.csv")
    assert make(ACCURACY + tables).digest != suite.digest
    written = "[meta_features.values]\nt = {rows = 1.0}\nu = {rows = 2.0}\n"
    assert make(ACCURACY + written).tasks == ("t", "u")


def test_a_curve_gives_the_loss_after_each_epoch(tmp_path):
    curves = np.array([[4.0, 2.0, 1.0], [9.0, 9.0, 9.0]])
    frame = pl.DataFrame({"task": ["t", "t"], "x": [0.0, 1.0]})
    frame.with_columns(c=pl.Series(curves)).write_parquet(tmp_path / "c.parquet")
    (tmp_path / "c.toml").write_text(
        'file = "c.parquet"\norigin = "made up"\ncurves = ["c"]\nlog_loss = true\n'
        '[space.parameters]\nx = {type = "float", low = 0.0, high = 1.0}\n'
    )
    suite = load_suite(SuiteSource(str(tmp_path / "c.toml")))
    assert suite.max_budget == 3 and suite.log_loss
    found = [suite.evaluate("t", {"x": 0.0}, budget) for budget in (0.4, 1.6, 3.0, None)]
    assert found == pytest.approx(np.log([4.0, 2.0, 1.0, 1.0]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'objective' or 'curves', one of the two"),
        ('objective = ["error"]\n', "no column 'error'; it has set, x"),
        ('objective = ["acc_0"]\nleast_rows = 99\n', "leaves no task"),
        ('objective = ["acc_0"]\nscale = 1\n', "unknown field `scale`"),
        (ACCURACY + "ceiling = 0.9\nlog_loss = true\n", "needs losses above 0"),
        ('objective = ["kind"]\n', "'kind' does not hold numbers alone"),
        (ACCURACY + f"least_rows = {10**30}\n", "least_rows"),
        (ACCURACY + META + 'columns = ["kind"]\n', "'kind' does not hold numbers alone"),
        (ACCURACY + META + 'columns = ["rows"]\n', "no column 'rows'"),
        (ACCURACY + META.replace("runs", "x" * 300), "no x+"),
    ],
)
def test_what_is_wrong_is_said(make, text, message):
    with pytest.raises(FileError, match=message):
        make(text)


@pytest.mark.parametrize(
    ("columns", "curves", "message"),
    [
        ({"a": [[1.0, 2.0]], "b": [[1.0]]}, ["a", "b"], "the curves a, b differ in length"),
        ({"a": [[]], "b": [[]]}, ["a"], "'a' does not hold numbers alone"),
        ({"a": [1.0], "task": [["t"]]}, ["a"], "'task' does not hold names of tasks"),
        ({"a": [], "task": []}, ["a"], "leaves no task"),
        ({"a": [1.0], "task": pl.Series([None], dtype=pl.String)}, ["a"], "leaves no task"),
    ],
)
def test_other_types_than_expected(columns, curves, message, tmp_path):
    arrays = {
        name: pl.Series(cells, dtype=pl.Array(pl.Float64, len(cells[0])))
        if name != "task" and cells and isinstance(cells[0], list) and cells[0]
        else pl.Series(cells, dtype=None if len(cells) else pl.Float64)
        for name, cells in columns.items()
    }
    frame = pl.DataFrame({"task": pl.Series(["t"] * len(columns["a"])), **arrays})
    frame.with_columns(x=pl.lit(0.5)).write_parquet(tmp_path / "c.parquet")
    (tmp_path / "c.toml").write_text(
        f'file = "c.parquet"\norigin = "made up"\ncurves = {curves}\n'
        '[space.parameters]\nx = {type = "float", low = 0.0, high = 1.0}\n'
    )
    load_suite.cache_clear()
    with pytest.raises(FileError, match=message):
        load_suite(SuiteSource(str(tmp_path / "c.toml")))


def test_a_suite_or_a_table_that_is_not_there():
    with pytest.raises(SettingError, match="no suite is called 'svm'; there are example, fcnet"):
        load_suite(SuiteSource("svm"))
    with pytest.raises(FileError, match=r"no fcnet_tabular\.parquet in .* --data"):
        load_suite(SuiteSource("fcnet"))


def test_other_data_is_another_suite(make, tmp_path):
    before = make(ACCURACY).digest
    text = (tmp_path / "runs.csv").read_text().replace("0.9", "0.8", 1)
    (tmp_path / "runs.csv").write_text(text)
    assert make(ACCURACY).digest != before


def test_runs_that_failed_are_left_out(make, tmp_path):
    """Else searches would be weighed by the chance of a failure, which is not the paper's."""
    before = make(ACCURACY)
    failed = [f"{task},{x},a,1,," for task in "tu" for x in (0.7, 0.75, 0.8, 0.85)]
    lines = [*(tmp_path / "runs.csv").read_text().splitlines(), *failed, "gone,0.3,a,1,0.5,"]
    (tmp_path / "runs.csv").write_text("\n".join(lines))
    suite = make(ACCURACY)
    assert suite.tasks == before.tasks == ("t", "u", "flat")
    assert suite.reference("t") == before.reference("t")
    history = suite.history(("t", "u"), 100, 0, "raw")
    assert len(history.frame) == 6 and history.frame[":loss"].is_finite().all()
    learned = rf.learn(history, suite.space, starts=0)
    assert learned.odds is None and learned.zone is None and not learned.provenance.dropped
    assert make(ACCURACY + "least_rows = 3\n").tasks == ("t", "flat")


def test_no_task_is_learned_from_for_one_of_the_same_data(make):
    suite = make('same = [["t", "flat"]]\n' + ACCURACY)
    assert [suite.sources(task) for task in ("t", "u", "flat")] == [("u",), ("t", "flat"), ("u",)]
    with pytest.raises(SettingError, match="no task 'gone' of the same data"):
        make('same = [["t", "gone"]]\n' + ACCURACY)


@pytest.mark.parametrize("learner", ["svm", "xgboost", "forest"])
def test_the_tables_of_our_own_leave_out_data_not_only_tasks(learner):
    what, _ = read_description(DESCRIPTIONS / f"{learner}_own.toml")
    together = {frozenset(group) for group in what.same}
    for task in what.tasks:
        same = {other for other in what.tasks if SAME.get(other, other) == SAME.get(task, task)}
        assert len(same) == 1 or same in together


def test_a_suite_of_named_tasks_stays_the_same_while_their_runs_do(make, tmp_path):
    named = ACCURACY + 'tasks = ["t", "u"]\n'
    before = make(named).digest
    text = (tmp_path / "runs.csv").read_text()
    (tmp_path / "runs.csv").write_text(text + "flat,0.4,a,1,0.2,0.2\nnew,0.4,a,1,0.2,0.2\n")
    assert make(named).digest == before != make(ACCURACY).digest
    (tmp_path / "runs.csv").write_text(text.replace("u,0.5", "u,0.4"))
    assert make(named).digest != before  # a parameter of a named task
    (tmp_path / "runs.csv").write_text(text.replace("0.4", "0.45"))
    assert make(named).digest != before  # a result of one


@pytest.mark.parametrize("path", sorted(DESCRIPTIONS.glob("*.toml")), ids=lambda p: p.stem)
def test_every_description_of_the_package_is_one(path):
    what, space = read_description(path)
    assert what.origin and len(space) >= 4


def test_the_description_in_the_docs_is_one(tmp_path):
    page = (ROOT / "docs" / "paper-experiments.md").read_text()
    shown = page.split("```toml\n")[1].split("```")[0]
    (tmp_path / "mine.toml").write_text(shown)
    what, space = read_description(tmp_path / "mine.toml")
    assert what.meta_features.columns == ("rows", "features") and list(space) == ["lr", "depth"]


def test_the_embedded_history_and_the_networks_are_suites():
    data = ROOT / "benchmarks" / "data"
    example = load_suite(SuiteSource("example"))
    networks = load_suite(SuiteSource("networks", (str(data),)))
    assert len(example.tasks) == 20 and len(example.candidates(example.tasks[0], "log")) == 256
    assert set(example.meta_features()) == set(example.tasks)
    assert len(networks.tasks) == 7 and networks.max_budget == 100
    assert len(networks.candidates("fair", "log")) == 1024
