"""Progress with the time left: on a terminal, never in a pipe; and the shell's completion."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from processes import ringfence


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    rng = np.random.default_rng(0)
    x = rng.random((120, 2))
    frame = pl.DataFrame(
        {"task": np.repeat(["a", "b", "c"], 40), "x": x[:, 0], "y": x[:, 1], "error": x.sum(axis=1)}
    )
    path = tmp_path_factory.mktemp("runs") / "runs.csv"
    frame.write_csv(path)
    return path


def test_learn_counts_the_tasks_that_it_models(runs):
    steps = []
    history = rf.read_history(runs, task="task", objective="error")
    rf.learn(history, starts=2, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(1, 3), (2, 3), (3, 3)]


def test_learn_shows_a_bar_on_a_terminal_and_nothing_in_a_pipe(runs):
    words = ["learn", str(runs), "--task", "task", "--objective", "error", "--starts", "2"]
    pty = pytest.importorskip("pty")
    reader, writer = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    command = [sys.executable, "-m", "ringfence", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=writer, env=environment) as done:
        os.close(writer)
        shown = everything_from(reader)
        out = done.stdout.read()
    assert done.returncode == 0
    assert "learning" in shown and "3/3" in shown and "0:00:00" in shown
    assert b"learning" not in out
    assert ringfence(*words).stderr == ""


def everything_from(reader: int) -> str:
    """What a terminal got until its other end was closed; a slow machine draws a bar often."""
    shown = b""
    with suppress(OSError):  # how Linux says that it is closed
        while part := os.read(reader, 65536):
            shown += part
    os.close(reader)
    return shown.decode()


def test_the_shell_can_complete_commands():
    """What bash asks the installed command; the program is known by its name."""
    script = "import sys; sys.argv = ['ringfence']; from ringfence.cli import main; main()"
    asked = {"_RINGFENCE_COMPLETE": "complete_bash", "COMP_WORDS": "ringfence le"}
    told = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **asked, "COMP_CWORD": "1"},
        capture_output=True,
        text=True,
    )
    assert told.stdout.split() == ["learn"], told.stderr
