"""What `make chaos` takes for broken is broken, and what it takes for whole is whole."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest
from chaos.commands import WRITERS, prepare, save_again_and_again
from chaos.database import _wait
from chaos.kills import OLD, _kill_once, _whole
from chaos.leftovers import MARK, alive
from chaos.refreshes import _is_whole, soak_storage
from chaos.tally import Tally

import ringfence as rf


@pytest.fixture
def folder(tmp_path):
    prepare(tmp_path)
    return tmp_path


def test_half_a_file_is_noticed(tmp_path):
    path, new = tmp_path / "out.json", b"the new file"
    assert _whole(path, new, planted=False) and not _whole(path, new, planted=True)
    for content, whole in [(new, True), (OLD, True), (new[:5], False), (b"", False)]:
        path.write_bytes(content)
        assert _whole(path, new, planted=True) is whole
    path.write_bytes(OLD)
    assert not _whole(path, new, planted=False)  # nobody had put it there


def test_half_of_a_file_that_is_saved_again_and_again_is_noticed(folder):
    path = folder / "learned.json"
    path.write_bytes((folder / "ball.json").read_bytes())
    assert _whole(path, None, planted=False)
    path.write_bytes(path.read_bytes()[:-100])
    assert not _whole(path, None, planted=False)
    optimizer = rf.optimizer("random", rf.load(folder / "box.json"), seed=0)
    optimizer.tell(optimizer.ask(), 1.0)
    optimizer.save(folder / "run.json")
    assert _whole(folder / "run.json", None, planted=False)
    (folder / "run.json").write_bytes((folder / "run.json").read_bytes()[:-9])
    assert not _whole(folder / "run.json", None, planted=False)


def test_a_space_survives_kills_while_it_is_saved(folder):
    tally, rng = Tally(), random.Random(0)
    (writer,) = (w for w in WRITERS if w.run is save_again_and_again)
    for _ in range(3):
        _kill_once(writer, folder, {}, 0.0, rng, tally)
    assert not tally.broken and tally.counts["save: killed"] == 3


def test_a_space_is_refreshed_while_workers_write_and_refreshes_are_killed(postgres, tmp_path):
    tally = Tally()
    soak_storage(postgres, tmp_path, 3.0, 2, 2, random.Random(0), tally)
    assert not tally.broken and tally.counts["refresh: killed"] == 2
    live = tmp_path / "soak" / "live.json"
    assert _is_whole(live) and _is_whole(tmp_path / "nowhere.json")
    live.write_bytes(live.read_bytes()[:-50])
    assert not _is_whole(live)


def test_a_process_that_is_left_is_found():
    mark = "a mark of this test"
    assert alive(mark) == []
    sleeper = subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, env={**os.environ, MARK: mark}
    )
    try:
        assert alive(mark) == [sleeper.pid]
    finally:
        sleeper.kill()
        sleeper.communicate()
    assert alive(mark) == []


def test_waiting_for_workers_that_are_all_gone_ends(tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    _wait([tmp_path / "log"], 1, [gone])


def test_a_broken_promise_is_remembered():
    tally = Tally()
    tally.require(True, "kept")
    tally.require(False, "not kept")
    assert tally.broken == ["not kept"]
