"""What the README and the docs show is run: every Python block, every command line, every link."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ringfence as rf

ROOT = Path(__file__).parent.parent
COMMANDS = ("learn", "check", "report", "show", "sample", "starts", "export", "infer", "demo")
BENCH = ("run", "status", "table", "plot", "fetch openml", "fetch hpob")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), flags=re.DOTALL)


@pytest.fixture
def runs(tmp_path):
    """The table that the README speaks of: learning rate, depth, booster and its drop rate."""
    rng = np.random.default_rng(0)
    n = 600
    booster = rng.choice(["gbtree", "dart"], n)
    frame = pl.DataFrame(
        {
            "dataset": np.repeat([f"d{i}" for i in range(12)], 50),
            "lr": 10 ** rng.uniform(-5, 0, n),
            "depth": rng.integers(2, 13, n),
            "booster": booster,
            "rate_drop": np.where(booster == "dart", rng.uniform(0, 0.9, n), np.nan),
            "error": rng.random(n),
        }
    )
    frame.write_parquet(tmp_path / "runs.parquet")
    return tmp_path


def test_the_python_of_the_readme_runs(runs, monkeypatch, capsys):
    monkeypatch.chdir(runs)
    names: dict[str, object] = {"train": lambda config: abs(config["lr"] - 0.01)}
    for block in blocks(ROOT / "README.md", "python"):
        exec(block, names)
    assert isinstance(names["learned"], rf.LearnedSpace)
    assert "volume kept" in capsys.readouterr().out


def test_the_commands_of_the_readme_run(runs):
    text = (ROOT / "README.md").read_text()
    commands = re.findall(r"^ringfence .*$", text, flags=re.MULTILINE)
    assert len(commands) >= 4
    for command in commands:
        if "last-week.json" in command:
            (runs / "last-week.json").write_bytes((runs / "learned.json").read_bytes())
        program = [sys.executable, "-m", "ringfence", *shlex.split(command)[1:]]
        subprocess.run(program, cwd=runs, check=True, capture_output=True)


def test_the_spaces_in_the_docs_are_spaces(tmp_path):
    (shown,) = blocks(ROOT / "docs" / "history.md", "yaml")
    (tmp_path / "space.yaml").write_text(shown)
    assert len(rf.read_space(tmp_path / "space.yaml")) == 6


@pytest.mark.parametrize("kind", ["adapters", "readers"])
def test_every_tool_has_a_row_with_its_test(kind):
    """In the README each reader and adapter stands with its page and its test, and a newcomer finds
    its page."""
    rows = (ROOT / "README.md").read_text().splitlines()
    choose = (ROOT / "docs" / "how-to-choose.md").read_text()
    home = {"adapters": "tests/adapters", "readers": "tests/history/readers"}[kind]
    for page in (ROOT / "docs" / kind).glob("*.md"):
        (row,) = [row for row in rows if f"](docs/{kind}/{page.name})" in row]
        assert f"]({home}/test_{page.stem}.py) |" in row
        assert f"]({kind}/{page.name})" in choose


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere_and_nothing_is_left_open(page):
    text = page.read_text()
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert target.startswith("https://") or (page.parent / target).exists(), target
    for word in ("TODO", "FIXME", "DEMO", "BENCHTABLE", "FEWTABLE"):
        assert word not in text


def test_every_option_of_every_command_is_on_its_page():
    page = (ROOT / "docs" / "cli.md").read_text()
    for command in (*COMMANDS, *(f"bench {name}" for name in BENCH)):
        program = [sys.executable, "-m", "ringfence", *command.split(), "--help"]
        shown = subprocess.run(program, capture_output=True, text=True, check=True).stdout
        section = page.split(f"# ringfence {command}\n")[1].split("\n## ")[0].split("\n### ")[0]
        for option in set(re.findall(r"--[a-z][a-z-]+", shown)) - {"--help"}:
            assert option in section, (command, option)
