"""Running a plan: killed and resumed, shared, failing, on Ray; and the commands around it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path

import msgspec
import numpy as np
import polars as pl
import pytest
from benchmarks.renew_results import renewed

from processes import ringfence
from ringfence.bench.plan import Plan, planned, read_plan
from ringfence.bench.results import packed, put_known, read_results, results
from ringfence.bench.runner import finish, in_turn, missing, run
from ringfence.bench.store import Store
from ringfence.errors import FileError, SettingError

PLAN = """
name = "small"
[[experiment]]
figure = "3a"
title = "made up"
suites = ["example"]
methods = ["Random", "Box Random", "Slack Ellipsoid Random"]
replications = 3
trials = 10
"""
KILLS = 20


FORKS = get_context("forkserver")
FORKS.set_forkserver_preload(["ringfence.bench.runner", "ringfence.bench.methods", "joblib"])


def finished(folder: Path) -> int:
    return len(list(folder.glob("*/*.json")))


@pytest.fixture
def plan(tmp_path):
    (tmp_path / "small.toml").write_text(PLAN)
    return tmp_path / "small.toml"


@pytest.fixture
def few(tmp_path):
    (tmp_path / "few.toml").write_text(
        PLAN.replace("replications = 3", "tasks = 2\nreplications = 1")
    )
    return tmp_path / "few.toml"


def killed(plan: Plan, store: Store, delay: float) -> bool:
    """Start a run, kill it `delay` after its first new cell. False: it was done before."""
    before = finished(store.folder)
    process = FORKS.Process(target=run, args=(plan, store))
    process.start()
    while process.is_alive() and finished(store.folder) == before:
        time.sleep(0.002)
    time.sleep(delay)
    process.kill()
    process.join()
    return process.exitcode == -signal.SIGKILL


def test_twenty_kills_at_random_moments_change_nothing(plan, tmp_path):
    """A cell takes about as long as the longest delay, and the plan has many times 20 of them."""
    rng = np.random.default_rng(7)
    broken, whole = Store(tmp_path / "broken"), Store(tmp_path / "whole")
    assert all(killed(read_plan(plan), broken, rng.uniform(0, 0.03)) for _ in range(KILLS))
    assert missing(read_plan(plan), broken)
    assert not run(read_plan(plan), broken).failures
    assert not run(read_plan(plan), whole).failures
    assert results(read_plan(plan), broken).equals(results(read_plan(plan), whole))
    for item in planned(read_plan(plan)):
        assert broken.path(item.cell).read_bytes() == whole.path(item.cell).read_bytes()


def test_a_cell_that_had_nothing_to_try_is_infinite_in_the_table(few, tmp_path):
    plan, store = read_plan(few), Store(tmp_path / "store")
    run(plan, store)
    item = next(item for item in planned(plan) if item.cell.method == "Box Random")
    result = store.get(item.cell)
    store.put(item.cell, msgspec.structs.replace(result, curve=(), exhausted=True))
    frame = results(plan, store)
    empty = frame.filter(pl.col("loss").is_infinite())
    assert empty["trial"].to_list() == list(range(1, 11)) and empty["method"][0] == "Box Random"
    assert not missing(plan, store)
    frame.write_parquet(tmp_path / "results.parquet")
    assert read_results(tmp_path / "results.parquet").equals(frame)


def test_a_store_is_filled_from_results(few, tmp_path):
    plan, full, filled = read_plan(few), Store(tmp_path / "full"), Store(tmp_path / "filled")
    run(plan, full)
    item = next(item for item in planned(plan) if item.cell.method == "Box Random")
    result = full.get(item.cell)
    full.put(item.cell, msgspec.structs.replace(result, curve=(), exhausted=True))
    table = results(plan, full)
    table.write_parquet(tmp_path / "results.parquet")
    known = read_results(tmp_path / "results.parquet")
    assert put_known(known, filled) == finished(full.folder) == 6
    assert put_known(known, filled) == 0
    for item in planned(plan):
        assert filled.path(item.cell).read_bytes() == full.path(item.cell).read_bytes()
    # Results of other data, or of files from before they said which, are not this plan's.
    for other in (table.with_columns(data=pl.lit("other")), table.drop("data", "protocol")):
        other.write_parquet(tmp_path / "results.parquet")
        strange = Store(tmp_path / "strange")
        assert put_known(read_results(tmp_path / "results.parquet"), strange)
        assert len(missing(plan, strange)) == 6


def test_results_of_which_trials_are_missing_are_no_known_ones(few, tmp_path):
    store = Store(tmp_path / "s")
    run(read_plan(few), store)
    whole = results(read_plan(few), store)
    for damaged in (whole.filter(pl.col("trial") != 3), pl.concat([whole, whole.head(1)])):
        with pytest.raises(FileError, match="lack trials or have some twice"):
            put_known(damaged, Store(tmp_path / "other"))


def test_results_of_very_many_cells_are_written_a_row_for_each(few, tmp_path, monkeypatch):
    store = Store(tmp_path / "s")
    run(read_plan(few), store)
    whole = results(read_plan(few), store)
    files = [tmp_path / "trials.parquet", tmp_path / "cells.parquet"]
    files[0].write_bytes(packed(whole))
    monkeypatch.setenv("RINGFENCE_MAX_CELLS", str(whole.height * whole.width - 1))
    files[1].write_bytes(packed(whole))
    assert len(pl.read_parquet(files[1])) == len(missing(read_plan(few), Store(tmp_path / "none")))
    with pytest.raises(FileError, match="RINGFENCE_MAX_CELLS"):
        read_results(files[0])
    again = read_results(files[1])
    assert again.select(whole.columns).equals(whole)
    assert put_known(again, Store(tmp_path / "other")) == len(pl.read_parquet(files[1]))


def test_new_results_over_old_ones(few, tmp_path):
    """Old cells stay where the new run has none, unless the plan has lost them; both say so."""
    plan, store = read_plan(few), Store(tmp_path / "store")
    run(plan, store)
    new = results(plan, store).sort("order", "task", "replication", "trial")
    old = new.drop("data", "protocol").with_columns(loss=pl.col("loss") + 1, order=7)
    lost = old.with_columns(method=pl.lit("SMAC"))
    pl.concat([old, lost]).write_parquet(tmp_path / "old.parquet")
    some = new.filter(pl.col("method") != "Box Random")
    both = renewed(some, read_results(tmp_path / "old.parquet"), few)
    kept = pl.col("method") == "Box Random"
    assert both.filter(~kept).equals(some)
    expected = new.filter(kept).with_columns(pl.col("loss") + 1, data=pl.lit(""), protocol=2)
    assert both.filter(kept).equals(expected.with_columns(pl.col("protocol").cast(pl.Int32)))
    assert both.columns == new.columns and both["method"].to_list() == new["method"].to_list()


def test_part_of_a_plan_then_the_rest(few, tmp_path):
    """By the commands: a figure's first replication, then what is known of it and all others."""
    second = few.read_text().split("\n", 2)[2].replace('"3a"', '"3b"').replace('"Box Random", ', "")
    few.write_text((few.read_text() + second).replace("replications = 1", "replications = 3"))
    store = tmp_path / "store"
    ringfence("bench", "run", few, "--store", store, "--figure", "3b", "--replications", 1)
    assert finished(store) == 4
    ringfence("bench", "table", few, "--store", store, "-o", tmp_path / "known.parquet")
    other = tmp_path / "other"
    done = ringfence("bench", "run", few, "--store", other, "--known", tmp_path / "known.parquet")
    assert "4 cells taken from" in done.stderr and "14 cells finished" in done.stderr
    wrong = ringfence("bench", "run", few, "--store", store, "--figure", "9")
    assert wrong.returncode and "no figure '9'; it has 3a, 3b" in wrong.stderr


def group_of(leader: int) -> list[str]:
    """The commands of the processes that a leader of a session began, those that ended aside."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended while we looked
            state, _, group = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
            if int(group) == leader and state != "Z":
                found.append((folder / "cmdline").read_text().replace("\0", " "))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are listed in /proc")
@pytest.mark.parametrize(
    ("sent", "code", "flags"),
    [
        (signal.SIGTERM, 143, ()),
        (signal.SIGKILL, -9, ()),
        pytest.param(signal.SIGTERM, 143, ("--ray",), marks=pytest.mark.slow),
    ],
)
def test_no_process_outlives_its_leader(sent, code, flags, plan, tmp_path):
    words = ["bench", "run", plan, "--store", tmp_path / "store", "--jobs", 2, *flags]
    command = [sys.executable, "-m", "ringfence", *map(str, words)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, start_new_session=True, stderr=pipe) as leader:
        try:
            while leader.poll() is None and not finished(tmp_path / "store"):
                time.sleep(0.01)
            assert len(group_of(leader.pid)) > 2  # the leader and its workers
            leader.send_signal(sent)
            assert leader.wait(timeout=60) == code
            patience = time.monotonic() + 60  # of a busy machine; on an idle one it takes a second
            while group_of(leader.pid) and time.monotonic() < patience:
                time.sleep(0.05)
            assert group_of(leader.pid) == []
        finally:
            with suppress(ProcessLookupError):
                os.killpg(leader.pid, signal.SIGKILL)
        said = leader.stderr.read()
    assert sent == signal.SIGKILL or b"ringfence: terminated\n" in said


@pytest.mark.parametrize("flags", [("--jobs", 2), ("--jobs", 2, "--ray")])
def test_other_engines_give_the_same_table(few, tmp_path, flags):
    if "--ray" in flags:
        pytest.importorskip("ray")
    here, there = Store(tmp_path / "here"), Store(tmp_path / "there")
    run(read_plan(few), here)
    real = {"real": True} if "--ray" in flags else {}  # Ray's servers would outlive the command
    made = ringfence("bench", "run", few, "--store", there.folder, *flags, **real)
    assert made.returncode == 0, made.stderr
    expected = results(read_plan(few), here)
    assert expected.height == 2 * 3 * 10
    assert results(read_plan(few), there).equals(expected)


def test_failures_are_listed_and_never_stored(few, tmp_path):
    text = few.read_text().replace('"Box Random"', '"HB"')
    few.write_text(text)
    store = Store(tmp_path / "store")
    made = run(read_plan(few), store)
    assert made.finished == 4 and len(made.failures) == 2
    assert {f.cell.method for f in made.failures} == {"HB"}
    assert "no learning curves" in made.failures[0].reason
    assert finished(store.folder) == 4 and len(missing(read_plan(few), store)) == 2
    told = ringfence("bench", "run", few, "--store", store.folder)
    assert told.returncode == 1
    assert "0 cells finished, 2 failed\nfailed: HB on example, " in told.stderr


def test_cells_that_share_what_they_learn_from_are_run_in_turn(plan, tmp_path):
    todo = missing(read_plan(plan), Store(tmp_path / "s"))
    for most in (1, 2, 16):
        turns = in_turn(todo, most)
        assert sorted(c.key for turn in turns for _, c in turn) == sorted(c.key for _, c in todo)
        assert max(map(len, turns)) <= most
        for turn in turns:
            assert len({(c.task, c.replication, c.scale) for _, c in turn}) == 1
    assert len(turns) == len(todo) / 3  # of three methods


def test_what_another_machine_finished_is_not_run_again(few, tmp_path):
    store = Store(tmp_path / "store")
    run(read_plan(few), store)
    (source, cell), *_ = [(p.source, p.cell) for p in planned(read_plan(few))]
    before = store.path(cell).stat().st_mtime_ns
    assert finish(source, cell, store) is None
    assert store.path(cell).stat().st_mtime_ns == before


@pytest.mark.parametrize("suite, evaluation", [("example", "rows"), ("sgd", "computed")])
def test_the_table_says_whether_losses_are_looked_up(suite, evaluation, few, tmp_path):
    few.write_text(few.read_text().replace('"example"', f'"{suite}"'))
    store = Store(tmp_path / "store")
    assert not run(read_plan(few), store).failures
    assert results(read_plan(few), store)["evaluation"].unique().to_list() == [evaluation]


def test_a_damaged_cell_is_named(few, tmp_path):
    store = Store(tmp_path / "store")
    run(read_plan(few), store)
    first, second, *_ = [p.cell for p in planned(read_plan(few))]
    content = store.path(first).read_bytes()
    store.path(first).write_bytes(content[:40])
    with pytest.raises(FileError, match="is damaged"):
        store.get(first)
    store.path(second).write_bytes(content)
    with pytest.raises(FileError, match="holds another cell"):
        store.get(second)


def test_the_commands_from_an_empty_store_to_figures(few, tmp_path):
    def bench(*words):
        made = ringfence("bench", *words, cwd=tmp_path)
        return made.returncode, made.stdout + made.stderr

    code, said = bench("table", few)
    assert code == 1 and said.startswith("ringfence: no cell of") and said.count("\n") == 1
    assert bench("status", few)[1].split("\n")[1].split() == ["3a", "example", "0", "6"]
    assert "6 cells finished, 0 failed" in bench("run", few)[1]
    assert bench("status", few)[1].split("\n")[1].split() == ["3a", "example", "6", "6"]
    code, said = bench("table", few, "-o", "results.parquet")
    assert code == 0 and "real SVM runs" in said and "1.000 ± 0.000" in said
    assert pl.read_parquet(tmp_path / "results.parquet").height == 60
    for source in (few, "results.parquet"):
        code, said = bench(
            "plot", source, "--metric", "regret", "-o", f"{Path(source).stem}-figures"
        )
        assert code == 0 and said.split()[-1].endswith("figure-3a.svg")
    images = [
        (tmp_path / f"{stem}-figures" / "figure-3a.svg").read_bytes() for stem in ("few", "results")
    ]
    assert images[0] == images[1]
    assert "metric must be one of" in bench("plot", few, "--metric", "loss")[1]


def test_one_suite_of_several_is_shown_alone(few, tmp_path, capsys):
    from ringfence.cli.app import app

    few.write_text(few.read_text().replace('["example"]', '["example", "sgd"]'))
    store, table = tmp_path / "store", tmp_path / "results.parquet"
    run(read_plan(few), Store(store))
    shown = ["bench", "table", str(few), "--store", str(store)]
    app([*shown, "-o", str(table)], standalone_mode=False)
    both = capsys.readouterr().out
    app([*shown, "--suite", "example"], standalone_mode=False)
    one = capsys.readouterr().out
    app(["bench", "table", str(table), "--suite", "example"], standalone_mode=False)
    assert capsys.readouterr().out == one != both
    with pytest.raises(SettingError, match="the results have no suite 'svm'; they have example, s"):
        app(["bench", "table", str(table), "--suite", "svm"], standalone_mode=False)
    with pytest.raises(SettingError, match="the plan has no suite 'svm'"):
        app([*shown, "--suite", "svm"], standalone_mode=False)
