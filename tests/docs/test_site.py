"""The site: built strictly, so that every page is in the navigation and every link and anchor leads
somewhere; complete in its folder; and with every public name in its reference."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.pages import DOCS, ROOT

import ringfence as rf

pytest.importorskip("mkdocstrings")


# Without --quiet: mkdocs would then not count its warnings, and --strict would let them pass.
def build(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(folder), *options],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    finished = build(folder)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return folder


def test_every_page_is_there(site):
    for page in DOCS.glob("**/*.md"):
        assert (site / page.relative_to(DOCS).with_suffix(".html")).exists()


def test_nothing_comes_from_elsewhere(site):
    """Scripts, styles, fonts and pictures are files of the site."""
    for page in site.glob("**/*.html"):
        text = page.read_text()
        loaded = re.findall(r'\bsrc="([^"]*)"|<link [^>]*\bhref="([^"]*)"', text)
        outside = [a or b for a, b in loaded if re.match(r"(https?:)?//", a or b)]
        assert outside == [], page.name
    for style in site.glob("**/*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//", style.read_text()), style.name


def test_it_can_be_searched(site):
    index = json.loads((site / "search" / "search_index.json").read_text())
    texts = {entry["location"]: entry["text"].lower() for entry in index["docs"]}
    assert "starting points" in texts["index.html#words"]
    assert "outliers" in texts["api.html#ringfence.learn"]


def test_every_public_name_is_in_the_reference_once(site):
    pages = [path.read_text() for path in site.glob("api*.html")]
    for name in rf.__all__:
        if name != "__version__":
            places = sum(text.count(f' id="ringfence.{name}" ') for text in pages)
            assert places == 1, name


def test_a_dead_link_and_a_missing_anchor_fail(tmp_path):
    """The negative control: the same configuration over two pages with one mistake each."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# A\n\n[b](other.md#nowhere) [c](missing.md)\n")
    (tmp_path / "docs" / "other.md").write_text("# Other\n")
    config = (ROOT / "mkdocs.yml").read_text().split("\nnav:")[0]
    config = re.sub(r"^hooks:\n.*\n", "", config, flags=re.MULTILINE)
    config = config.replace("docs_dir: docs", f"docs_dir: {tmp_path / 'docs'}")
    config = config.replace("favicon: pictures/icon.svg", "")
    (tmp_path / "mkdocs.yml").write_text(config)
    finished = build(tmp_path / "site", "-f", str(tmp_path / "mkdocs.yml"))
    assert finished.returncode != 0
    said = finished.stdout + finished.stderr
    assert "missing.md" in said and "#nowhere" in said
