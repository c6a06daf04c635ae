"""Every adapter has a page, a test and an example, and the page's program is the example. The pages
are run by tests/docs, so the examples are run there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from processes import python

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples" / "adapters").glob("*.py"))
RUN_HERE = {"with_neps"}
"""What its page cannot run, it runs only if the package is there."""


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_its_page_shows_the_example(path, tmp_path):
    if path.stem in RUN_HERE:
        result = python(path, cwd=tmp_path)
        assert result.returncode == 0 and result.stdout, result.stderr
        return
    page = ROOT / "docs" / "adapters" / f"{path.stem.removeprefix('with_')}.md"
    shown = re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)
    program = re.sub(r'^""".*?"""\n\n', "", path.read_text(), flags=re.DOTALL)
    assert shown[0] == program
    assert len(program.splitlines()) <= 50


def test_every_adapter_has_a_page_an_example_and_a_test():
    for page in (ROOT / "docs" / "adapters").glob("*.md"):
        name = page.stem
        assert name in {path.stem.removeprefix("with_") for path in EXAMPLES}
        assert (ROOT / "tests" / "adapters" / f"test_{name}.py").exists()
        adapters = ROOT / "src" / "ringfence" / "adapters"
        assert (adapters / f"{name}.py").exists() or (adapters / name / "__init__.py").exists()
