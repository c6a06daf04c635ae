"""A learned space that stays current: what is written when, what is kept, and what it says."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from processes import ringfence
from ringfence.learned.file_format import encode
from ringfence.refreshing.lock import NO_LINK, BusyError, locked
from ringfence.refreshing.log import folder_of, read_log, write_log
from ringfence.refreshing.matters import reasons
from ringfence.refreshing.refresh import refresh
from ringfence.refreshing.request import Request
from ringfence.refreshing.versions import FOUND

COLUMNS = {"task": "task", "objective": "error", "direction": "minimize"}


def runs(n, *, centre=0.3, rows=12, seed=0, first=0):
    rng = np.random.default_rng(seed)
    tables = []
    for t in range(n):
        x = rng.random((rows, 2))
        y = ((x - centre - 0.05 * rng.standard_normal(2)) ** 2).sum(1)
        tables.append(
            pl.DataFrame({"task": f"t{first + t:02}", "a": x[:, 0], "b": x[:, 1], "error": y})
        )
    return pl.concat(tables)


SPACE = rf.Space({"a": rf.Float(0, 1), "b": rf.Float(0, 1)})


@pytest.fixture
def path(tmp_path):
    runs(6).write_csv(tmp_path / "runs.csv")
    return tmp_path / "space.json"


def request(path, **more):
    more = {"check": False, "space": SPACE, "starts": 0, **more}
    return Request(str(path.with_name("runs.csv")), COLUMNS, **more)


def learned(path, **settings):
    source = path.with_name("runs.csv")
    return encode(rf.learn(source, SPACE, starts=0, **COLUMNS, **settings))


def files(folder):
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in folder.rglob("*")
        if p.is_file() and p.name != "lock"
    }


def test_the_file_is_that_of_learn_and_old_versions_are_kept(path):
    first = refresh(request(path), path)
    assert first.changed and path.read_bytes() == learned(path)
    before = path.read_bytes()
    runs(8).write_csv(path.with_name("runs.csv"))
    second = refresh(request(path), path)
    assert second.changed and second.entry.number == 2
    assert path.read_bytes() == learned(path) != before
    assert (folder_of(path) / "0001.json").read_bytes() == before
    assert (folder_of(path) / "0002.json").read_bytes() == path.read_bytes()
    assert "new tasks: t06, t07" in second.entry.changes


def test_nothing_new_is_not_read_and_writes_nothing(path):
    refresh(request(path), path)
    before = files(path.parent)
    again = refresh(request(path), path)
    assert not again.changed and "nothing was read" in again.note
    os.utime(path.with_name("runs.csv"))  # another time, the same content
    assert "nothing was read" in refresh(request(path), path).note
    assert files(path.parent) == before


def test_other_bytes_of_the_same_runs_are_no_new_version(path):
    refresh(request(path), path)
    runs(6).write_csv(path.with_name("runs.csv"), quote_style="always")
    again = refresh(request(path), path)
    assert not again.changed and "were read" in again.note
    assert "nothing was read" in refresh(request(path), path).note


def test_everything_reads_again(path):
    refresh(request(path), path)
    again = refresh(request(path), path, everything=True)
    assert not again.changed and "were read" in again.note


def test_a_dry_run_says_it_and_writes_nothing(path):
    before = files(path.parent)
    assert refresh(request(path), path, dry_run=True).changed
    assert files(path.parent) == before and not folder_of(path).exists()
    refresh(request(path), path)
    runs(7).write_csv(path.with_name("runs.csv"))
    before = files(path.parent)
    would = refresh(request(path), path, dry_run=True)
    assert would.changed and would.entry.number == 2 and files(path.parent) == before
    did = refresh(request(path), path)
    assert did.entry.changes == would.entry.changes and did.entry.digest == would.entry.digest


def test_a_file_of_learn_is_the_first_version(path):
    path.write_bytes(learned(path))
    assert not refresh(request(path), path).changed
    assert [entry.changes for entry in read_log(path).entries] == [(FOUND,)]
    assert read_log(path).watch.past  # its tasks are what new ones are compared with
    path.write_bytes(learned(path, shape="ellipsoid"))
    assert refresh(request(path), path).entry.number == 3
    assert (folder_of(path) / "0002.json").read_bytes() == learned(path, shape="ellipsoid")


def test_a_file_that_is_none_of_ours_is_left_alone(path):
    path.write_text("my notes")
    with pytest.raises(rf.FileError, match=r"space\.json"):
        refresh(request(path), path)
    assert path.read_text() == "my notes"


@pytest.mark.parametrize("step", ["version", "log"])
def test_a_refresh_that_was_killed_is_finished_by_the_next(path, step):
    refresh(request(path), path)
    old, old_log = path.read_bytes(), read_log(path)
    runs(8).write_csv(path.with_name("runs.csv"))
    refresh(request(path), path)
    new, new_log = path.read_bytes(), read_log(path)
    path.write_bytes(old)  # as if killed before it was put in place
    if step == "version":
        write_log(path, old_log)  # as if killed before that, too
    outcome = refresh(request(path), path)
    assert path.read_bytes() == new
    assert [e.digest for e in read_log(path).entries] == [e.digest for e in new_log.entries]
    assert outcome.changed == (step == "version")


def test_a_file_that_was_removed_is_back(path):
    refresh(request(path), path)
    content = path.read_bytes()
    path.unlink()
    refresh(request(path), path)
    assert path.read_bytes() == content


def test_another_setting_is_another_version_that_matters(path):
    refresh(request(path), path)
    other = refresh(request(path, settings={"shape": "ellipsoid"}), path)
    assert other.changed and other.matters and path.read_bytes() == learned(path, shape="ellipsoid")


def test_a_failure_leaves_the_file_as_it_was(path):
    refresh(request(path), path)
    before = files(path.parent)
    path.with_name("runs.csv").write_text("task,a\n1,2\n")
    with pytest.raises(rf.HistoryError):
        refresh(request(path), path)
    after = files(path.parent)
    assert {n: after[n] for n in after if n != "runs.csv"} == {
        n: before[n] for n in before if n != "runs.csv"
    }


def test_folders_and_globs_are_told_apart_by_what_is_in_them(path):
    source = path.with_name("more")
    source.mkdir()
    runs(3).write_csv(source / "one.csv")
    asked = Request(str(source / "*.csv"), COLUMNS, space=SPACE, starts=0, check=False)
    refresh(asked, path)
    assert not refresh(asked, path).changed
    runs(3, first=3, seed=1).write_csv(source / "two.csv")
    assert refresh(asked, path).entry.tasks == 6


def test_a_source_that_does_not_tell_is_read_and_compared(path, monkeypatch):
    monkeypatch.setattr("ringfence.refreshing.refresh.digest_of_source", lambda source: None)
    refresh(request(path), path)
    before = files(path.parent)
    again = refresh(request(path), path)
    assert not again.changed and again.note == "72 runs were read" and files(path.parent) == before
    runs(7).write_csv(path.with_name("runs.csv"))
    assert refresh(request(path), path).changed


@pytest.mark.parametrize(
    "damage", ["", "[]", "{}", '{"format": "other"}', "[" * 100_000, "\0", "\xe6"]
)
def test_a_damaged_log_is_said_to_be(path, damage):
    refresh(request(path), path)
    (folder_of(path) / "log.json").write_bytes(damage.encode("latin-1"))
    if damage == "{}":  # an empty log: the file becomes a version that was found
        assert refresh(request(path), path).entry.changes == (FOUND,)
        return
    before = path.read_bytes()
    with pytest.raises(rf.FileError, match=r"log\.json is damaged"):
        refresh(request(path), path)
    assert path.read_bytes() == before


def test_the_check_then_and_now(path):
    first = refresh(request(path, check=True), path)
    assert first.entry.speed_up.low <= first.entry.speed_up.value <= first.entry.speed_up.high
    expected = rf.check(path.with_name("runs.csv"), SPACE, starts=0, **COLUMNS)
    assert first.entry.speed_up.verdict == expected.verdict


def test_drift_is_part_of_what_matters(path):
    runs(20).write_csv(path.with_name("runs.csv"))
    refresh(request(path), path)
    shifted = runs(3, centre=0.9, first=20, seed=2)
    pl.concat([runs(20), shifted]).write_csv(path.with_name("runs.csv"))
    outcome = refresh(request(path), path)
    assert outcome.entry.drift.found and outcome.matters
    assert any(reason.startswith("drift in t20, t21, t22") for reason in outcome.entry.matters)
    assert read_log(path).watch.past[-1] == "t22"


def test_what_matters_is_what_somebody_would_notice():
    def space(low, high):
        frame = pl.DataFrame(
            {"task": ["x", "y"], "a": [low, high], "b": [0.0, 1.0], "error": [1.0, 2.0]}
        )
        history = rf.History.from_frame(frame, task="task", objective="error")
        return rf.learn(history, SPACE, starts=0)

    one = space(0.2, 0.6)
    assert reasons(one, one, None, None, None) == ()
    (wider,) = reasons(one, space(0.2, 0.9), None, None, None)
    assert "of the new space lies outside the old one" in wider
    (narrower,) = reasons(space(0.2, 0.9), one, None, None, None)
    assert "of the old space lies outside the new one" in narrower
    assert len(reasons(space(0.0, 0.2), space(0.8, 1.0), None, None, None)) == 2
    assert reasons(one, space(0.2, 0.61), None, None, None) == ()


@pytest.mark.parametrize(("low", "matters"), [(-0.01, False), (-0.5, True)])
def test_a_bad_run_just_beyond_an_inferred_range_matters_little(path, low, matters):
    inferred = request(path, space=None)
    refresh(inferred, path)
    bad = pl.DataFrame({"task": "t00", "a": low, "b": 0.5, "error": 9.0})
    pl.concat([runs(6), bad]).write_csv(path.with_name("runs.csv"))
    done = refresh(inferred, path)
    assert any(line.startswith("full range of a: ") for line in done.entry.changes)
    assert done.matters is matters


@pytest.mark.skipif(not NO_LINK, reason="this system opens links")
def test_what_a_lock_leads_to_is_not_emptied(path, tmp_path):
    other = tmp_path / "other"
    other.write_text("precious")
    lock = tmp_path / "lock"
    lock.symlink_to(other)
    with pytest.raises(rf.FileError, match="cannot write"), locked(lock, path):
        pass
    assert other.read_text() == "precious"


def test_a_lock_is_held_by_one_and_ends_with_its_process(path):
    program = (
        "import sys, time; from pathlib import Path; from ringfence.refreshing.lock import locked\n"
        "with locked(Path(sys.argv[1]), Path('space.json')):\n"
        "    print('held', flush=True); time.sleep(600)"
    )
    lock = path.with_name("lock")
    holder = subprocess.Popen(
        [sys.executable, "-c", program, str(lock)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(BusyError, match=f"process {holder.pid} on "), locked(lock, path):
        pass
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    with locked(lock, path):
        pass


# The command


def command(folder, *words, code=0):
    result = ringfence("refresh", *words, cwd=folder)
    assert result.returncode == code, result.stdout + result.stderr
    return result.stdout + result.stderr


OPTIONS = ["--task", "task", "--objective", "error", "--minimize", "--starts", "0", "--no-check"]


def test_exit_codes_tell_cron_what_happened(path):
    folder = path.parent
    words = ["runs.csv", "-o", "space.json", *OPTIONS]
    assert "version 1" in command(folder, *words)
    assert "is current" in command(folder, *words)
    runs(9, centre=0.8).write_csv(folder / "runs.csv")
    assert "would be version 2" in command(folder, *words, "--dry-run", code=3)
    assert "it matters" in command(folder, *words, code=3)
    told = json.loads(command(folder, *words, "--json"))
    assert told["changed"] is False and told["entry"]["number"] == 2
    with locked(folder_of(path) / "lock", path):
        assert "another refresh of space.json is under way" in command(folder, *words, code=4)
    command(folder, "nowhere.csv", "-o", "space.json", *OPTIONS, code=1)
    command(folder, "runs.csv", code=2)
    command(folder, "-", "-o", "space.json", *OPTIONS, code=1)
    shown = ringfence("show", "space.json", "--history", cwd=folder).stdout
    assert shown.splitlines()[1].split()[0] == "2" and "it matters" in shown


PLAN = """
task = "task"
objective = "error"
direction = "minimize"
starts = 0
no_check = true

[[space]]
source = "runs.csv"
output = "one.json"

[[space]]
source = "postgresql://me:${SECRET}@localhost:1/nowhere"
output = "two.json"

[[space]]
source = "runs.csv"
output = "three.json"
shape = "ellipsoid"
ignore = ["b"]

[[space]]
source = "runs.csv"
output = "four.json"
shpae = "ellipsoid"
"""


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_one_failing_source_does_not_stop_the_others(path, jobs):
    (path.parent / "plan.toml").write_text(PLAN)
    result = ringfence(
        "refresh", "--all", "plan.toml", "-j", jobs, cwd=path.parent, env={"SECRET": "hush"}
    )
    assert result.returncode == 1
    told = result.stdout + result.stderr
    assert "4 spaces: 2 current" in told and "2 failed" in told
    assert "hush" not in told and "--shpae" in told
    assert rf.load(path.with_name("three.json")).space.parameters.keys() == {"a"}
    assert path.with_name("one.json").exists() and not path.with_name("two.json").exists()


def test_a_plan_of_one_space_makes_its_folder(path):
    plan = PLAN.split("[[space]]")[0] + "[[space]]\nsource = 'runs.csv'\noutput = 'new/one.json'"
    (path.parent / "plan.toml").write_text(plan)
    assert "would be version 1" in command(path.parent, "--all", "plan.toml", "--dry-run")
    assert not (path.parent / "new").exists()
    result = ringfence("refresh", "--all", "plan.toml", cwd=path.parent)
    assert result.returncode == 0 and "1 space: 1 current" in result.stderr
    assert (path.parent / "new" / "one.json").exists()


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        ("", "names no spaces"),
        ("[[space]]\nsource = 'a.csv'", "has no output"),
        ("[[space]]\nsource='a'\noutput='b'\n[[space]]\nsource='a'\noutput='b'", "twice"),
        ("[[space]]\nsource='a'\noutput='b'\n[[space]]\nsource='a'\noutput='./b.json'", "twice"),
        ("[[space]]\nsource='a'\noutput='b'\n'output=c' = true", "has a key 'output=c', and"),
        ("'' = true\n[[space]]\nsource='a'\noutput='b'", "has a key '', and keys are"),
        ("[[space]]\nsource='a'\noutput='b'\nhelp = true", "o such option: --help"),
        ("version = true\n[[space]]\nsource='a'\noutput='b'", "o such option: --version"),
    ],
)
def test_a_plan_that_is_none_is_said_to_be(path, plan, why):
    (path.parent / "plan.toml").write_text(plan)
    assert why in command(path.parent, "--all", "plan.toml", code=1)


def test_a_source_that_is_a_variable_is_named_and_its_value_is_not(path):
    plan = "[[space]]\nsource = '${PLACE}'\noutput = 'one.json'\n"
    (path.parent / "plan.toml").write_text(plan)
    words = ("refresh", "--all", "plan.toml")
    for secret in ("hush", "folder/hush=x", "hush.csv"):
        result = ringfence(*words, cwd=path.parent, env={"PLACE": secret})
        told = result.stdout + result.stderr
        assert result.returncode == 1 and "${PLACE}" in told and "hush" not in told
    result = ringfence(*words, cwd=path.parent, env={"PLACE": "me:hush@db/hush"})
    assert result.returncode == 1 and "hush" not in result.stdout + result.stderr
    again = plan + "task = 'task'\nobjective = 'error'\nstarts = 0\nno_check = true\n"
    (path.parent / "plan.toml").write_text(again)
    assert ringfence(*words, cwd=path.parent, env={"PLACE": "runs.csv"}).returncode == 0


def test_a_variable_of_a_plan_that_is_not_set_is_named_and_the_others_go_on(path):
    (path.parent / "plan.toml").write_text(
        PLAN.split("[[space]]")[0]
        + "[[space]]\nsource = 'sqlite:///$PLACE/${NO_SUCH}.db'\noutput = 'one.json'\n"
        "[[space]]\nsource = '${NO_SUCH}'\noutput = 'two.json'\n"
        "[[space]]\nsource = 'runs$NO_SUCH.csv'\noutput = 'three.json'\n"
    )
    path.with_name("runs.csv").rename(path.with_name("runs$NO_SUCH.csv"))  # a $ of a name
    told = command(path.parent, "--all", "plan.toml", code=1)
    assert "one.json: $PLACE and ${NO_SUCH} in the source are variables" in told
    assert "two.json: ${NO_SUCH} in the source is a variable of the environment" in told
    assert path.with_name("three.json").exists() and "1 current" in told
    assert "2 failed" in told


def test_of_many_tasks_that_changed_twenty_are_named(path):
    refresh(request(path), path)
    runs(90, centre=0.8).write_csv(path.with_name("runs.csv"))
    entry = refresh(request(path), path).entry
    (new,) = (line for line in entry.changes if line.startswith("new tasks: "))
    assert new.endswith("and 64 more") and new.count(", ") == 19
    assert max(map(len, (*entry.changes, *entry.matters))) < 200


def test_times_are_in_the_log_and_not_in_the_space(path):
    refresh(request(path), path)
    (entry,) = read_log(path).entries
    assert entry.time[:4].encode() not in path.read_bytes()


def test_the_report_tells_how_a_space_came_to_be(path):
    refresh(request(path), path)
    runs(9, centre=0.8).write_csv(path.with_name("runs.csv"))
    refresh(request(path), path)
    page = rf.report(
        path.with_name("runs.csv"), SPACE, path=path.with_name("r.html"), starts=0, refreshed=path,
        **COLUMNS,
    ).read_text()  # fmt: skip
    assert "How it came to be" in page and "version 2 matters: " in page
    with pytest.raises(rf.FileError, match="has no history"):
        rf.report(path.with_name("runs.csv"), refreshed=path.with_name("other.json"), **COLUMNS)
