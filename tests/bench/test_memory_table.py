"""The table of runs that may run out of memory: it is what its README and its page say, and the
script that made it draws the same configurations and survives what it provokes."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest
from benchmarks.memory_table import HERE, PAGE, TABLE, logistic, numbers, ranking, read

README = (HERE / "data" / "README.md").read_text().split("# memory.parquet")[1]
LIMIT = 1024 * pl.col("limit_gb")  # in megabytes


@pytest.fixture(scope="module")
def table():
    return read()


def test_the_readme_counts_its_rows_and_names_its_columns(table):
    said = re.search(r"([\d,]+) rows: ([\d,]+) ok, ([\d,]+)\sout_of_memory, (\d+) diverged", README)
    counts = dict(table["status"].value_counts().iter_rows())
    known = [len(table), counts["ok"], counts["out_of_memory"], counts["diverged"]]
    assert [int(number.replace(",", "")) for number in said.groups()] == known
    assert set(counts) == {"ok", "out_of_memory", "diverged"}
    columns = re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", README, re.MULTILINE)))
    assert columns == table.columns
    assert TABLE.stat().st_size < 2e6


def test_every_task_has_its_configurations_and_its_share_of_failures(table):
    tasks = table.group_by("task").agg(
        pl.len(),
        pl.col("configuration").n_unique().alias("configurations"),
        pl.col("repeat").sum(),
        (pl.col("status") != "ok").mean().alias("failed"),
    )
    assert len(tasks) == 8
    assert set(tasks.select("len", "configurations", "repeat").iter_rows()) == {(315, 300, 15)}
    assert tasks["failed"].is_between(0.15, 0.45).all()


def test_a_failure_has_a_reason_and_nothing_else_has(table):
    ok = table.filter(pl.col("status") == "ok")
    assert ok.select(pl.col("loss").is_finite().all(), pl.col("steps").min() >= 2).row(0) == (1, 1)
    assert ok.select(pl.col("phase", "reason").null_count()).row(0) == (len(ok), len(ok))
    failed = table.filter(pl.col("status") != "ok")
    assert failed["loss"].null_count() == len(failed)
    phases = {"out_of_memory": {"forward", "backward"}, "diverged": {"optimizer"}}
    words = {"out_of_memory": r"^CUDA out of memory\. Tried to allocate .* [MG]iB\.$",
             "diverged": r"^the (training|held-out) loss is nan"}  # fmt: skip
    for status, reason in words.items():
        rows = failed.filter(pl.col("status") == status)
        assert rows["reason"].str.contains(reason).all()
        assert set(rows["phase"]) == phases[status]


def test_no_run_had_more_than_its_limit_and_a_failure_asked_for_more(table):
    assert table.select((pl.col("peak_reserved_mb") <= LIMIT).all()).item()
    assert table.select((pl.col("peak_allocated_mb") <= pl.col("peak_reserved_mb")).all()).item()
    asked = (
        table.filter(pl.col("status") == "out_of_memory")
        .with_columns(pl.col("reason").str.extract_groups(r"([\d.]+) ([MG])iB").alias("asked"))
        .unnest("asked")
        .select(
            pl.col("1").cast(float) * pl.when(pl.col("2") == "G").then(1024).otherwise(1),
            room=LIMIT - pl.col("peak_reserved_mb"),
        )
    )
    assert (asked["1"] > asked["room"]).all()


def test_the_page_shows_what_the_command_prints():
    shown = re.search(r"<!-- numbers -->\n\n(.*)\n\n<!-- /numbers -->", PAGE.read_text(), re.DOTALL)
    number = re.compile(r"[-+]?\d+(?:\.\d+)?")
    printed = numbers()
    assert number.sub("#", shown[1]) == number.sub("#", printed)
    one, other = (np.array(number.findall(text), float) for text in (shown[1], printed))
    np.testing.assert_allclose(one, other, atol=0.0101)  # the last digits are the machine's


def test_the_regression_knows_a_closed_form_and_the_ranking_all_pairs():
    """With one column of 0 and 1 the coefficient is the logarithm of the odds ratio."""
    x = np.repeat([0.0, 0.0, 1.0, 1.0], [30, 10, 15, 45])
    y = np.repeat([0.0, 1.0, 0.0, 1.0], [30, 10, 15, 45])
    b, errors = logistic(x[:, None], y, ridge=0.0)
    assert b == pytest.approx([np.log(10 / 30), np.log(45 / 15 * 30 / 10)])
    assert errors[1] == pytest.approx(np.sqrt(1 / 30 + 1 / 10 + 1 / 15 + 1 / 45))
    score, failed = np.array([1.0, 2.0, 2.0, 3.0, 0.0]), np.array([0, 1, 0, 1, 0], bool)
    pairs = [(a > b) + (a == b) / 2 for a in score[failed] for b in score[~failed]]
    assert ranking(score, failed) == pytest.approx(np.mean(pairs))


@pytest.fixture(scope="module")
def script():
    pytest.importorskip("torch")
    from scripts import make_memory_table

    return make_memory_table


def test_the_configurations_are_those_that_the_script_draws(script, table):
    once = table.filter(pl.col("repeat") == 0)
    for task in script.TASKS[: script.FIRST_TASKS]:
        rows = once.filter(pl.col("task") == task.name).sort("configuration")
        drawn = script.configurations(task, script.RANGES[task.family])
        assert rows.select(list(drawn[0])).to_dicts() == drawn


def test_a_run_without_enough_memory_fails_and_the_next_one_is_as_if_alone(script):
    """Under a feigned limit, on the CPU: the same in the end, whoever failed before."""
    config = {
        "batch": 128, "width": 16, "depth": 2, "heads": 2, "kernel": 3, "precision": "fp32",
        "checkpointing": False, "optimizer": "adamw", "learning_rate": 0.01,
    }  # fmt: skip
    device = script.Device("cpu")
    for family in script.RANGES:
        task = script.Task(0, family, 8, 0.1)
        problem = script.PROBLEMS[family](task, "cpu")

        def row(limit, config=config, task=task, problem=problem):
            small = script.replace(task, limit=limit / 1024)
            return script.run_trial(small, (0, 0), config, problem, device, 0.0)

        alone = row(100)
        need = alone["peak_allocated_mb"]
        failed = [row(need * share) for share in (0.001, 0.6, 0.99)]
        again = row(need * 1.01)
        assert [r["status"] for r in failed] == ["out_of_memory"] * 3
        assert failed[0]["phase"] == "build"
        assert all("Tried to allocate" in r["reason"] for r in failed)
        assert all(r["peak_allocated_mb"] <= need for r in failed)
        assert (again["status"], again["steps"]) == ("ok", alone["steps"])
        assert again["loss"] == pytest.approx(alone["loss"], rel=1e-5)
        assert again["peak_allocated_mb"] == pytest.approx(need)
        less = row(100, config | {"checkpointing": True})["peak_allocated_mb"]
        assert less < need < row(100, config | {"batch": 192})["peak_allocated_mb"]


def test_a_loss_that_is_no_number_is_told_apart(script):
    config = {
        "batch": 256, "width": 16, "depth": 1, "heads": 2, "precision": "fp32",
        "checkpointing": False, "optimizer": "sgd", "learning_rate": float("inf"),
    }  # fmt: skip
    task = script.Task(0, "transformer", 8, 0.1)
    problem = script.PROBLEMS["transformer"](task, "cpu")
    row = script.run_trial(task, (0, 0), config, problem, script.Device("cpu"), 0.0)
    assert (row["status"], row["loss"]) == ("diverged", None)
    assert "nan" in row["reason"]
