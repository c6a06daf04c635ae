"""Every Python block and every command of the README and the docs runs as pasted, in a fresh
folder. Nothing is added: the blocks of one page, in order, are one program, and what a page shows
below a block is what the block printed, numbers aside."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest
from tests.docs.pages import DOCS, ROOT, blocks, name_of, run, run_apart, runnable

PAGES = sorted([ROOT / "README.md", *DOCS.glob("**/*.md")])
APART = {"docs/adapters/raytune.md"}
"""Pages whose tools start servers; they have a process of their own."""
MOST_NOT_RUN = 8
"""Blocks that say title="not run: …": what needs hours, an account, or a server of one's own."""
LANGUAGES = {"python", "sh", "", "text", "yaml", "json", "toml", "csv", "sql", "html", "bibtex"}

with_programs = [page for page in PAGES if runnable(page)]


@pytest.mark.parametrize("page", with_programs, ids=name_of)
def test_a_page_runs_as_pasted(page, tmp_path, monkeypatch, recwarn):
    if page.parent.name in ("adapters", "readers"):
        warnings.simplefilter("default")  # other people's tools may warn, ours do not
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    if name_of(page) in APART:
        run_apart(page, tmp_path)
        return
    shown = blocks(page)
    for block, printed in run(page, tmp_path):
        after = shown[shown.index(block) + 1 :][:1]
        if after and after[0].is_output and not block.skipped:
            assert pattern(after[0].text).fullmatch(masked(printed)), (
                f"{page.name}, line {block.line} prints\n{printed}"
            )


def masked(text: str) -> str:
    """What must be equal on every machine: words, without numbers, bars and blanks."""
    text = re.sub(r"[-+]?\d[\d,.]*(e[-+]?\d+)?%?|[█·▏▎▍▌▋▊▉]+", "#", text)
    return " ".join(text.split())


def pattern(shown: str) -> re.Pattern[str]:
    """What a page shows; a line that is nothing but … stands for lines left out."""
    parts = re.split(r"^\s*…\s*$", shown, flags=re.MULTILINE)
    return re.compile(r"\s*.*?\s*".join(re.escape(masked(part)) for part in parts), re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_block_says_what_it_is(page):
    """Commands are not hidden in blocks without a language, which show what was printed."""
    for block in blocks(page):
        assert block.language in LANGUAGES, f"{page.name}, line {block.line}"
        commands = re.findall(r"^(?:ringfence|pip|make) .*", block.text, flags=re.MULTILINE)
        assert block.language or not commands, f"{page.name}, line {block.line}: {commands[:1]}"


def test_few_blocks_are_not_run_and_each_says_why():
    skipped = [block for page in PAGES for block in runnable(page) if block.skipped]
    assert len(skipped) <= MOST_NOT_RUN
    for block in skipped:
        assert len(re.search(r'title="not run: ([^"]*)"', block.note)[1].split()) >= 3


def test_a_page_that_shows_something_else_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nprint('a 3 c')\n```\n\n```\na 4 c\n```\n")
    block, shown = blocks(page)
    assert (block.language, shown.is_output) == ("python", True)
    ((_, printed),) = run(page, tmp_path)
    assert printed == "a 3 c\n"
    assert pattern(shown.text).fullmatch(masked(printed))
    assert not pattern("b 4 c").fullmatch(masked(printed))
    assert pattern("a 4\n…\ne").fullmatch(masked("a 5\nb\nc\ne"))


def test_names_of_the_test_are_unknown_to_a_page(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nrf.learn\n```\n")
    with pytest.raises(NameError):
        run(page, Path(tmp_path))
