"""What a reader meets: long tables are folded, and a word of ours is explained where it is used."""

from __future__ import annotations

import re

import pytest
from tests.docs.pages import DOCS, name_of

PAGES = sorted(DOCS.glob("**/*.md"))
MOST_ROWS = 20
"""As many as fit a screen; what happens to the rows of a table (history.md) takes 19."""
DEFINED = re.compile(
    r"index\.md#words|[Rr]egret is here the|0 is the best[^.]* 1 |0 at the [^.]*best[^.]*1 at"
    r"|\(0 best[^)]*1 median"
)
"""A link to the list of words, the definition itself, or another meaning that is spelled out."""


def outside_folds(text: str) -> str:
    return re.sub(r"<details markdown=\"1\"( open)?>.*?</details>", "", text, flags=re.DOTALL)


def tables(text: str) -> list[str]:
    return re.findall(r"^\|.*(?:\n\|.*)*", text, flags=re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_long_table_is_folded(page):
    for table in tables(outside_folds(page.read_text())):
        rows = table.count("\n") - 1
        assert rows <= MOST_ROWS, f"{rows} rows below {table.splitlines()[0]}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_fold_is_closed_and_says_what_is_in_it(page):
    text = page.read_text()
    folds = re.findall(r"<details markdown=\"1\"(?: open)?>\n<summary>.+</summary>\n\n", text)
    assert text.count("<details") == len(folds) == text.count("\n\n</details>")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_regret_is_defined_on_every_page_that_uses_it(page):
    prose = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(), flags=re.DOTALL)
    if re.search(r"\bregrets?\b", prose, flags=re.IGNORECASE):
        assert DEFINED.search(" ".join(prose.split())), page.name


def test_the_map_names_every_page():
    """But for those of single tools, which how-to-choose.md names."""
    page = (DOCS / "index.md").read_text()
    pages = {p.relative_to(DOCS) for p in PAGES if p.parent.name not in ("adapters", "readers")}
    missing = [p.as_posix() for p in pages if f"]({p.as_posix()})" not in page]
    assert sorted(missing) == ["index.md"]
