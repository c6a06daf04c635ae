"""Every example runs as a user runs it, and its page shows code that is in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from processes import python

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples" / "adapters").glob("*.py"))


@pytest.mark.filterwarnings("ignore")  # of the tools
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_the_example_runs(path, tmp_path):
    how = {"real": True} if "ray" in path.stem else {}  # Ray's servers would outlive it here
    result = python(path, cwd=tmp_path, **how)
    assert result.returncode == 0, result.stderr
    assert result.stdout
    assert len(path.read_text().splitlines()) <= 45


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_its_page_shows_what_the_example_does(path):
    page = ROOT / "docs" / "adapters" / f"{path.stem.removeprefix('with_')}.md"
    shown = re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)
    assert shown
    for line in shown[0].splitlines():
        assert line.rstrip() in path.read_text(), line


def test_every_adapter_has_a_page_an_example_and_a_test():
    for page in (ROOT / "docs" / "adapters").glob("*.md"):
        name = page.stem
        assert name in {path.stem.removeprefix("with_") for path in EXAMPLES}
        assert (ROOT / "tests" / "adapters" / f"test_{name}.py").exists()
        adapters = ROOT / "src" / "ringfence" / "adapters"
        assert (adapters / f"{name}.py").exists() or (adapters / name / "__init__.py").exists()


def test_the_program_on_the_page_that_helps_to_choose_runs():
    page = (ROOT / "docs" / "how-to-choose.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    exec(code, {})


def test_links_of_the_pages_lead_somewhere():
    for page in (ROOT / "docs" / "adapters").glob("*.md"):
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            assert target.startswith("https://") or (page.parent / target).exists(), target
