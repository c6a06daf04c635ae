"""What runs cost and which of them failed: the columns, the one rule for odd costs, the words."""

from __future__ import annotations

import json
import math
from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from processes import ringfence
from ringfence.errors import HistoryError
from ringfence.history import COST, REASON, ROW, TASK, History, usable_rows
from ringfence.history.outcomes.failures import is_failure, reason_in
from ringfence.history.prepared import PreparedHistory
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.transfer.sources import sources_of

SPACE = rf.Space(
    {"x": rf.Float(0.0, 1.0), "kind": rf.Categorical(["a", "b"]), "n": rf.Int(1, 8, log=True)},
    [rf.Condition("n", "kind", ["b"])],
)


def runs(rows: int = 12, **columns: object) -> pl.DataFrame:
    table = {
        "task": ["s", "t"] * (rows // 2),
        "x": np.linspace(0.0, 1.0, rows),
        "kind": ["a", "a", "b", "b"] * (rows // 4),
        "n": [None, None, 1, 8] * (rows // 4),
        "loss": np.linspace(1.0, 2.0, rows),
    }
    return pl.DataFrame({**table, **columns}, strict=False)


def costs(history: History) -> list[float | None]:
    return usable_rows(history, SPACE).frame[COST].to_list()


@pytest.mark.parametrize(
    ("name", "values", "seconds"),
    [
        ("duration", 3.0, 3.0),
        ("train_time", 3.0, 3.0),
        ("fit_seconds", 3.0, 3.0),
        ("time_total_s", 3.0, 3.0),
        ("timetrain", 3.0, 3.0),
        ("_runtime", 3.0, 3.0),
        ("runtime_ms", 3.0, 0.003),
        ("Training time (min)", 3.0, 180.0),
        ("elapsed_hours", 0.5, 1800.0),
        ("duration", "1h 20m", 4800.0),
        ("duration", "2 min 5,5 s", 125.5),
        ("wall_time", "0:01:23", 83.0),
        ("wall_time", "1 day, 0:00:01.5", 86401.5),
        ("elapsed", "PT1H5S", 3605.0),
        ("Laufzeit (s)", "12.5", 12.5),
        ("duration", timedelta(minutes=2), 120.0),
        ("Laufzeit", "12,44", 12.44),
        ("Laufzeit (min)", "1.200,5", 72030.0),
        ("elapsed", "1-02:03:04", 93784.0),
        ("duration", "1h20", 4800.0),
        ("duration", "250 µs", 0.00025),
    ],
)
def test_times_are_costs_unasked_and_in_seconds(name, values, seconds):
    history = History.from_frame(runs(**{name: [values] * 12}), objective="loss")
    assert history.roles.cost == name and name not in history.roles.parameters
    assert history.cost_unit == "seconds"
    assert any(f"took the column {name!r} as what a run cost" in note for note in history.notes)
    assert costs(history) == pytest.approx([seconds] * 12)


@pytest.mark.parametrize("name", ["cost", "time", "timeout", "time_limit", "max_runtime", "s"])
def test_what_may_be_a_parameter_is_no_cost(name):
    history = History.from_frame(runs(**{name: np.linspace(1.0, 9.0, 12)}), objective="loss")
    assert history.roles.cost is None and history.cost_unit is None
    assert COST not in usable_rows(history, SPACE).frame.columns


def test_any_column_is_a_cost_if_it_is_named():
    history = History.from_frame(runs(dollars=[2.5] * 12), objective="loss", cost="dollars")
    assert (history.cost_unit, costs(history)) == ("dollars", [2.5] * 12)
    with pytest.raises(HistoryError, match="no column 'dolars'; did you mean"):
        History.from_frame(runs(dollars=[2.5] * 12), objective="loss", cost="dolars")
    with pytest.raises(HistoryError, match="cannot play two parts, objective and cost"):
        History.from_frame(runs(), objective="loss", cost="loss")


def test_costs_that_cannot_be_are_unknown_and_counted():
    odd = [1.0, 2.0, None, 0.0, -3.0, math.inf, math.nan, 3.0, 1.0, 2.0, 1.0, 2.0]
    history = History.from_frame(runs(seconds=odd), objective="loss")
    usable = usable_rows(history, SPACE)
    assert usable.frame[COST].to_list() == [1.0, 2.0, *[None] * 5, 3.0, 1.0, 2.0, 1.0, 2.0]
    (note,) = [note for note in usable.notes if "cost" in note]
    assert note.startswith("3 costs in 'seconds' are unknown: not positive and finite")
    assert "row 3" in note


@pytest.mark.parametrize(("cell", "cost"), [("$1.20", 1.2), ("3,5", 3.5), ("2 €", 2.0)])
def test_prices_in_text_are_read(cell, cost):
    history = History.from_frame(runs(bill=[cell] * 12), objective="loss", cost="bill")
    assert costs(history) == [cost] * 12


def test_costs_that_cannot_be_read_are_counted():
    durations = ["2 min", "2 min", "about an hour"] * 4
    usable = usable_rows(History.from_frame(runs(duration=durations), objective="loss"), SPACE)
    assert usable.frame[COST].to_list() == [120.0, 120.0, None] * 4
    (note,) = [note for note in usable.notes if "cost" in note]
    assert note.startswith("4 costs in 'duration' are unknown: no numbers that can be read")
    assert "row 2" in note


@pytest.mark.parametrize("cell", ["ok", "1.5 h", "1,234"])
def test_a_named_cost_of_which_nothing_can_be_read_is_an_error(cell):
    with pytest.raises(HistoryError, match=f"the cost 'bill' holds values such as '{cell}'"):
        History.from_frame(runs(bill=[cell] * 12), objective="loss", cost="bill")


def test_a_job_that_slept_over_night_is_unknown_and_a_wide_range_is_not():
    rng = np.random.default_rng(0)
    narrow, wide = np.exp(rng.normal(3.0, 0.3, 40)), np.exp(rng.normal(3.0, 3.0, 40))
    narrow[7] = 8 * 3600.0
    table = runs(80, task=["n"] * 40 + ["w"] * 40, seconds=np.concatenate([narrow, wide]))
    known = costs(History.from_frame(table, objective="loss"))
    assert [i for i, cost in enumerate(known) if cost is None] == [7]
    scaled = runs(80, task=table["task"], seconds=table["seconds"] * 1e-3)
    again = costs(History.from_frame(scaled, objective="loss"))
    assert [i for i, cost in enumerate(again) if cost is None] == [7]


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ("FAILED", None), ("crashed", "crash"), ("Error", "crash"), ("MEMOUT", "memory"),
        ("oom", "memory"), ("OUT_OF_MEMORY", "memory"), ("timeout", "timeout"),
        ("timed out", "timeout"), ("diverged", "diverged"), ("compile_failed", "compile"),
        ("failed: loss is NaN", "diverged"), ("OOMKilled", "memory"), ("MemoryError", "memory"),
        ("Killed (OOM)", "memory"), ("oom-killed", "memory"), ("OUT_OF_ME+", "memory"),
        ("cancelled: out of memory", "memory"), ("aborted: nan loss", "diverged"),
        ("job killed: exceeded memory limit", "memory"), ("RuntimeError", "runtimeerror"),
        ("ValueError", "valueerror"), ("exit code 137", "exit code 137"), ("segfault", "crash"),
        ("finished with errors", "finished with"),
    ],
)  # fmt: skip
def test_words_of_failures(status, reason):
    assert is_failure(status) and reason_in(status) == reason


@pytest.mark.parametrize(
    "status",
    ["pruned", "RUNNING", "waiting", "queued", "killed", "cancelled", "preempted", "stopped",
     "NODE_FAIL", "incomplete", "aborted", "", "what", "finished, no errors", "exit code 0",
     "completed without error", "done (memory ok)", "success, 0 failed folds", "exit code 143"],
)  # fmt: skip
def test_words_of_runs_that_did_not_fail_by_themselves(status):
    assert not is_failure(status)


def test_failed_runs_are_kept_in_the_codes_of_the_usable_ones():
    status = ["ok"] * 12
    status[1:7] = ["failed", "oom", "pruned", "running", "killed", "timeout"]
    table = runs(status=status, seconds=[2.0] * 12)
    usable = usable_rows(History.from_frame(table, objective="loss"), SPACE)
    everything = usable_rows(
        History.from_frame(table.drop("status"), objective="loss"), SPACE
    ).frame.filter(pl.col(ROW).is_in([1, 2, 6]))
    failed = usable.failed
    assert failed[ROW].to_list() == [1, 2, 6]
    assert failed[REASON].to_list() == [None, "memory", "timeout"]
    assert failed.drop(REASON).equals(everything.select(failed.drop(REASON).columns))
    assert usable.frame[ROW].to_list() == [0, 7, 8, 9, 10, 11]
    assert [d.rows for d in usable.dropped] == [6]


def test_values_that_are_not_finite_are_failures_and_missing_ones_are_not():
    loss = [*np.linspace(1.0, 2.0, 8), math.nan, math.inf, None, -math.inf]
    usable = usable_rows(History.from_frame(runs(loss=loss), objective="loss"), SPACE)
    assert usable.failed[ROW].to_list() == [8, 9, 11]
    assert usable.failed[REASON].to_list() == ["diverged"] * 3
    assert usable.failed[COST].to_list() == [None] * 3
    words = [*map(str, np.linspace(1.0, 2.0, 8)), "1.5", "CUDA OOM", "-", "diverged"]
    usable = usable_rows(History.from_frame(runs(loss=words), objective="loss"), SPACE)
    assert usable.failed.select(ROW, REASON).rows() == [(9, "memory"), (11, "diverged")]


def test_failures_that_are_ignored_change_nothing_else():
    status = ["ok"] * 10 + ["failed"] * 2
    table = runs(status=status)
    kept = usable_rows(History.from_frame(table, objective="loss"), SPACE)
    ignored = usable_rows(History.from_frame(table, objective="loss", failures="ignore"), SPACE)
    assert kept.failed.height == 2 and ignored.failed.height == 0
    assert ignored.failed.columns == kept.failed.columns
    assert ignored.frame.equals(kept.frame) and ignored.dropped == kept.dropped
    with pytest.raises(HistoryError, match="failures must be 'keep' or 'ignore', not 'drop'"):
        rf.read_history(table, failures="drop")


def test_failed_rows_that_are_no_configurations_are_left_out():
    x = [*np.linspace(0.0, 1.0, 8), 0.5, 7.0, None, 0.25]
    table = runs(x=x, status=["ok"] * 8 + ["failed"] * 4)
    usable = usable_rows(History.from_frame(table, objective="loss"), SPACE)
    assert usable.failed[ROW].to_list() == [8, 11]
    assert not any("x" in note for note in usable.notes)


def test_sources_have_costs_and_failures():
    table = runs(
        seconds=[*range(1, 12), None],
        task=["s"] * 8 + ["t"] * 2 + ["dead"] * 2,
        status=["ok"] * 6 + ["oom", "failed", "ok", "ok", "crashed", "pruned"],
    )
    layout = Layout(rf.learn(table, SPACE, shape="full", objective="loss", starts=0))
    sources = sources_of(rf.read_history(table, objective="loss"), layout)
    s, t = sources.tasks
    assert s.costs is not None and s.costs.tolist() == [1, 2, 3, 4, 5, 6]
    assert s.reasons == ("memory", "") and s.failed_costs is not None
    assert s.failed_costs.tolist() == [7, 8]
    kind = layout.names.index("kind")
    assert s.failed[:, kind].tolist() == [1.0, 1.0]
    assert t.failed.shape == (0, 3) and t.reasons == () and t.failed_costs is None
    (dead,) = sources.failures
    assert (dead.name, len(dead.rows), dead.reasons) == ("dead", 0, ("crash",))


def test_joined_histories_keep_costs_of_one_unit_and_failures():
    one = History.from_frame(runs(minutes=[2.0] * 12), objective="loss", task="task")
    other = runs(runtime_s=[30.0] * 12, status=["ok"] * 11 + ["oom"])
    both = History.concat([one, History.from_frame(other, objective="loss")])
    usable = usable_rows(both, SPACE)
    assert both.cost_unit == "seconds"
    assert usable.frame[COST].to_list() == [120.0] * 12 + [30.0] * 11
    assert usable.failed.select(ROW, REASON, COST).rows() == [(23, "memory", 30.0)]
    again = usable_rows(History.concat([both, one]), SPACE)
    assert again.frame[COST].to_list() == [120.0] * 12 + [30.0] * 11 + [120.0] * 12


def test_costs_of_different_units_are_left_out_and_that_is_said():
    one = History.from_frame(runs(minutes=[2.0] * 12), objective="loss")
    paid = History.from_frame(runs(dollars=[3.0] * 12), objective="loss", cost="dollars")
    both = History.concat([one, paid])
    assert both.roles.cost is None
    assert any("some sources count them in seconds and others in dollars" in n for n in both.notes)
    half = History.concat([one, History.from_frame(runs(), objective="loss")])
    assert costs(half) == [120.0] * 12 + [None] * 12


def test_mended_histories_keep_costs_and_failures():
    table = runs(seconds=[4.0] * 12, status=["ok"] * 11 + ["oom"], width=[1.0, 2.0, 3.0] * 4)
    mended = History.from_frame(table, objective="loss").rename({"width": "depth"})
    mended = mended.with_values(shrink=0.5).only(["t"])
    space = rf.Space({"x": rf.Float(0.0, 1.0), "depth": rf.Float(1.0, 3.0)})
    usable = usable_rows(mended, space)
    assert usable.frame[COST].to_list() == [4.0] * 5
    assert usable.failed.select(TASK, REASON, "depth").rows() == [("t", "memory", 3.0)]
    with pytest.raises(HistoryError, match="'seconds' is the column of the cost"):
        mended.rename({"x": "seconds"})


@pytest.mark.parametrize("n", [12, 50])
def test_wide_costs_of_small_tasks_are_hardly_ever_far(n):
    """Of 3,000 tasks of twelve log-normal costs 13 are expected to lose one, of 720 of fifty one;
    40 or more would be seven standard deviations."""
    rng = np.random.default_rng(1)
    tasks = [f"t{i // n}" for i in range(36_000)]
    table = runs(36_000, task=tasks, seconds=np.exp(4.0 * rng.normal(size=36_000)))
    far = sum(cost is None for cost in costs(History.from_frame(table, objective="loss")))
    assert far < (40 if n == 12 else 8)


def test_a_gap_among_many_costs_may_be_narrower_than_among_few():
    """Log costs from 0 to 1.2 times log 20, and a job 30 times as dear as the dearest other."""
    for n, is_far in ((12, False), (200, True)):
        seconds = np.append(np.exp(1.2 * np.log(20.0) * np.linspace(0, 1, n - 1)), 0.0)
        seconds[-1] = 30.0 * seconds.max()
        known = costs(History.from_frame(runs(n, seconds=seconds), objective="loss"))
        assert [cost is None for cost in known] == [False] * (n - 1) + [is_far]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "pandas", "rows"])
def test_nan_is_kept_apart_from_missing_in_files(tmp_path, ending):
    loss = [*np.linspace(1.0, 2.0, 10), math.nan, None]
    table = runs(loss=loss)
    rows = [{**row, "loss": loss[i]} for i, row in enumerate(table.to_dicts())]
    source: object = tmp_path / f"runs.{ending}"
    if ending == "csv":
        table.write_csv(tmp_path / "runs.csv")
    elif ending == "jsonl":
        text = "\n".join(json.dumps(row) for row in rows)
        (tmp_path / "runs.jsonl").write_text(text)
    elif ending == "parquet":
        table.write_parquet(tmp_path / "runs.parquet")
    else:
        source = table.to_pandas() if ending == "pandas" else rows
    usable = usable_rows(rf.read_history(source, objective="loss"), SPACE)
    expected = {"pandas": [10, 11], "csv": []}  # there NaN is also what is missing
    assert usable.failed[ROW].to_list() == expected.get(ending, [10])
    assert set(usable.failed[REASON]) <= {"diverged"}


def test_a_status_of_yes_and_no_tells_no_reason():
    table = runs(status=[True] * 10 + [False] * 2)
    failed = usable_rows(History.from_frame(table, objective="loss"), SPACE).failed
    assert failed.select(ROW, REASON).rows() == [(10, None), (11, None)]


def test_the_command_line_names_the_cost_and_ignores_failures(tmp_path):
    table = runs(dollars=[-1.0] + [2.0] * 11, status=["ok"] * 10 + ["oom"] * 2)
    table.write_csv(tmp_path / "runs.csv")
    learn = ("learn", tmp_path / "runs.csv", "--objective", "loss", "-o", tmp_path / "out.json")
    assert ringfence(*learn, "--cost", "dollars", "--failures", "ignore").returncode == 0
    notes = json.loads((tmp_path / "out.json").read_text())["provenance"]["notes"]
    assert any(note.startswith("1 cost in 'dollars' is unknown") for note in notes)
    refused = ringfence(*learn, "--failures", "drop")
    assert refused.returncode == 2 and "'keep', 'ignore'" in refused.stderr
    refused = ringfence(*learn, "--cost", "dolars")
    assert refused.returncode == 1 and "did you mean 'dollars'?" in refused.stderr


HALF_FAILED = ["ok", "failed"] * 6


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("exit_code", 0, 137), ("failed", False, True), ("oom", False, True),
        ("error_message", None, "CUDA out of memory"), ("peak_memory_gb", 3.5, 80.0),
        ("anything", None, 4), ("run_status", "ok", "failed"),
    ],
)  # fmt: skip
def test_what_only_tells_of_failures_is_no_parameter(name, good, bad):
    table = runs(status=HALF_FAILED, **{name: [good, bad] * 6})
    history = History.from_frame(table, objective="loss")
    assert history.roles.parameters == ("x", "kind", "n")
    assert any(name in note for note in history.notes if note.startswith("not taken"))
    inferred = rf.infer_space(history).space
    assert list(inferred) == ["x", "kind", "n"]


def test_the_error_of_runs_without_an_objective_is_no_parameter():
    loss = [1.0, 2.0, None] * 4
    table = runs(loss=loss, error_message=[None, None, "OOM"] * 4)
    assert "error_message" not in History.from_frame(table, objective="loss").roles.parameters


@pytest.mark.parametrize(
    ("name", "values"),
    [("optimizer", ["adam", "sgd"]), ("on_error", ["raise", "raise"]), ("exit_depth", [1, 2])],
)
def test_what_was_tried_in_failed_runs_is_a_parameter(name, values):
    table = runs(status=["ok", "ok", "ok", "failed"] * 3, **{name: [*values, *values[::-1]] * 3})
    assert name in History.from_frame(table, objective="loss").roles.parameters


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("run_status", "ok", "oom"), ("job_state", "COMPLETED", "FAILED"), ("success", True, False),
        ("outcome", "success", "crash"), ("result", "passed", "failed"),
        ("exit_status", "finished", "error"),
    ],
)  # fmt: skip
def test_columns_called_much_like_a_status_are_one_if_their_words_are(name, good, bad):
    history = History.from_frame(runs(**{name: [good, bad] * 6}), objective="loss")
    assert history.roles.status == name
    assert usable_rows(history, SPACE).failed[ROW].to_list() == [1, 3, 5, 7, 9, 11]


@pytest.mark.parametrize(
    ("name", "values"),
    [("result", ["ok", "mean"]), ("outcome", ["binary", "count"]), ("use_state", [True, False])],
)
def test_columns_called_much_like_a_status_are_none_for_other_words(name, values):
    history = History.from_frame(runs(**{name: values * 6}), objective="loss")
    assert history.roles.status is None and name in history.roles.parameters


@pytest.mark.parametrize(
    "name", ["gpu_hours", "GPU hours", "cost_usd", "price", "compute_cost", "training_cost"]
)
def test_what_was_paid_is_no_parameter(name):
    history = History.from_frame(runs(**{name: [1.0, 2.0] * 6}), objective="loss")
    assert history.roles.cost is None and name not in history.roles.parameters


def test_the_other_costs_are_no_parameters_and_units_are_told():
    table = runs(hours=[1.0, 2.0] * 6, minutes=[60.0, 120.0] * 6)
    history = History.from_frame(table, objective="loss")
    assert history.roles.parameters == ("x", "kind", "n")
    note = "took the column 'hours' as what a run cost, in hours, read as seconds, not minutes"
    assert note in history.notes


def test_failed_runs_outside_an_inferred_space_are_said():
    history = History.from_frame(runs(status=["ok"] * 9 + ["failed"] * 3), objective="loss")
    (note,) = [n for n in PreparedHistory.of(history, None, rf.learn).account if "failed runs" in n]
    assert note.startswith("3 failed runs outside the space that was read off the finished ones: x")
    account = PreparedHistory.of(history, SPACE, rf.learn).account
    assert not any("failed runs" in note for note in account)


@pytest.mark.filterwarnings("error")
def test_times_of_pandas_with_nanoseconds_are_read_without_a_warning():
    pandas = pytest.importorskip("pandas")
    table = runs().to_pandas()
    table["started_at"] = pandas.to_datetime([1_700_000_000_000_000_001] * 12, unit="ns")
    table["duration"] = pandas.to_timedelta([1_500_000_001] * 12, unit="ns")
    assert costs(History.from_frame(table, objective="loss")) == pytest.approx([1.5] * 12)


def test_a_history_without_a_finished_run_says_what_its_status_says():
    runs = pl.DataFrame({"task": ["a", "b"], "lr": [0.1, 0.2], "loss": [1.0, 2.0]})
    runs = runs.with_columns(status=pl.Series([None, "OOM"], dtype=pl.String))
    with pytest.raises(rf.HistoryError, match="'status' says OOM, nothing"):
        rf.learn(runs, task="task", objective="loss")


@pytest.mark.parametrize("cells", [[None] * 8, [""] * 8, ["", " ", None, ""] * 2])
def test_an_empty_status_counts_as_finished_and_that_is_said(cells):
    runs = pl.DataFrame({"task": ["a", "b"] * 4, "x": range(8), "loss": range(8)})
    runs = runs.with_columns(status=pl.Series(cells, dtype=pl.String))
    history = rf.History.from_frame(runs, task="task", objective="loss", direction="minimize")
    assert len(usable_rows(history, rf.infer_space(history).space).frame) == 8
    assert "'status' is empty: every run with an objective counts as finished" in history.notes
    told = runs.with_columns(status=pl.lit("ok"))
    told = rf.History.from_frame(told, task="task", objective="loss", direction="minimize")
    assert not any("is empty" in note for note in told.notes)


def test_a_long_status_is_quoted_in_part():
    runs = pl.DataFrame(
        {"task": ["a", "a", "b", "b"], "lr": [0.1, 0.2, 0.3, 0.4], "loss": [1.0, 2.0, 1.0, 2.0]}
    )
    runs = runs.with_columns(status=pl.Series(["ok", "failed " + "x" * 10_000, "ok", "ok"]))
    learned = rf.learn(runs, task="task", objective="loss", starts=0)
    assert max(len(one.example) for one in learned.provenance.dropped) < 300


@pytest.mark.parametrize(
    "cells",
    [[[1.0], [2.0]], [{"a": 1}, {"a": 2}], [b"1", b"2"], [date(2026, 1, 1), date(2026, 1, 2)]],
)
def test_what_is_no_number_is_no_cost(cells):
    with pytest.raises(HistoryError, match="cannot be read as costs") as caught:
        History.from_frame(
            runs(12, price=cells * 6), task="task", objective="loss", cost="price",
            parameters=["x"],
        )  # fmt: skip
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("cells", [[1e308, 1.7e308], [5e-324, 1e-320], [1e299, 1e-320]])
def test_a_space_of_costs_beyond_all_measure_is_read_again(tmp_path, cells):
    frame = runs(24).with_columns(
        pl.Series("price", cells * 12),
        (pl.int_range(pl.len()) % 5 / 5).alias("loss"),
    )
    history = History.from_frame(
        frame, task="task", objective="loss", cost="price", parameters=["x"]
    )
    rf.learn(history, starts=3).save(tmp_path / "learned.json")
    known = rf.load(tmp_path / "learned.json").costs
    assert (known is None) == (cells[0] == 1e308)
