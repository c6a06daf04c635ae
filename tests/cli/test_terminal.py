"""What the commands print in a terminal of 80 or 120 columns, and without one."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys

import pytest

import ringfence as rf
from conftest import MIXED, mixed_runs
from processes import ringfence
from ringfence.cli.output.terminal import is_colored
from ringfence.rendering.layout import Either, Table, Toned, columns_of, lay_out
from ringfence.space import write_space

pty = pytest.importorskip("pty")
COLOR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def in_terminal(columns, *words, cwd=None, **env):
    """What the command shows in a terminal of this width, progress bars left out."""
    import fcntl
    import termios

    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    unset = ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE")
    rest = {name: value for name, value in os.environ.items() if name not in unset}
    process = subprocess.Popen(
        [sys.executable, "-m", "ringfence", *map(str, words)],
        stdin=slave, stdout=slave, stderr=subprocess.DEVNULL, cwd=cwd,
        env={**rest, "TERM": "xterm", **env},
    )  # fmt: skip
    os.close(slave)
    shown = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(master)
    assert process.wait() == 0
    return shown.decode().replace("\r\n", "\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("terminal")
    runs = mixed_runs(tasks=8, runs=30)
    runs.rename({"lr": "a_learning_rate_with_a_very_long_name"}).write_parquet(
        path / "long.parquet"
    )
    runs.write_parquet(path / "runs.parquet")
    (path / "space.json").write_text(write_space(MIXED))
    ringfence("learn", path / "long.parquet", "--starts", "3", "-o", path / "learned.json")
    return path


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize(
    "words",
    [
        "learn long.parquet --starts 0",
        "show learned.json --tasks",
        "starts learned.json --format table",
        "check runs.parquet --space space.json --starts 0",
    ],
)
def test_no_line_is_wider_than_the_terminal(folder, words, columns):
    shown = in_terminal(columns, *words.split(), cwd=folder)
    lines = COLOR.sub("", shown).splitlines()
    assert len(lines) > 3 and [line for line in lines if columns_of(line) > columns] == []
    assert "\x1b[" in shown


def test_no_color_and_a_dumb_terminal_are_plain_and_a_pipe_is_plain_and_full(folder):
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"CLICOLOR": "0"}):
        assert "\x1b" not in in_terminal(80, "show", "learned.json", cwd=folder, **env)
    piped = ringfence("show", "learned.json", cwd=folder, env={"COLUMNS": "80"}).stdout
    assert "\x1b" not in piped and piped == f"{rf.load(folder / 'learned.json')}\n"
    forced = ringfence("show", "learned.json", cwd=folder, env={"FORCE_COLOR": "1"}).stdout
    assert "\x1b[1m" in forced and COLOR.sub("", forced) == piped


def test_which_settings_color(monkeypatch):
    class Stream:
        def __init__(self, terminal):
            self.isatty = lambda: terminal

    names = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "TERM")
    for settings, terminal, pipe in (
        ({}, True, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, True, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"CLICOLOR_FORCE": "1"}, True, True),
        ({"CLICOLOR_FORCE": "0"}, True, False),
        ({"TERM": "dumb"}, False, False),
    ):
        for name in names:
            monkeypatch.delenv(name, raising=False)
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        assert (is_colored(Stream(True)), is_colored(Stream(False))) == (terminal, pipe), settings


def test_tables_shorten_what_may_be_and_stack_what_does_not_fit():
    rows = [["name", "a", "b"], ["x" * 50, "1" * 15, "2" * 15], ["日本" * 20, "3", "4"]]
    short = lay_out([Table(rows, floors={0: 8})], 60)
    assert max(map(columns_of, short)) <= 60 and "…" in short[1] and "1" * 15 in short[1]
    stacked = lay_out([Table([[*row, "9" * 30, "8" * 30] for row in rows], floors={0: 8})], 60)
    assert max(map(columns_of, stacked)) <= 60
    assert sum(line.startswith("name") for line in stacked) > 1
    assert lay_out([Table(rows)]) == lay_out([Either([[Table(rows)], ["narrow"]])])
    assert lay_out([Either([[Table(rows)], ["narrow"]])], 60) == ["narrow"]


def test_sentences_fold_at_blanks_with_their_tones():
    pieces = ("says: ", Toned("very good", "good"), "; " + "word " * 30)
    lines = lay_out([pieces], 50, lambda text, tone: f"<{tone}>{text}</>")
    plain = [re.sub(r"<[^>]*>", "", line) for line in lines]
    assert " ".join(" ".join(plain).split()) == "".join(pieces).strip()
    assert all(len(line) <= 50 for line in plain) and all(x.startswith("  ") for x in plain[1:])
    assert lines[0].startswith("says: <good>very good</>;")
    assert lay_out(["a\x1b[31mb"]) == [r"a\x1b[31mb"]
