"""Every file in examples/ runs as it stands and says something."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from processes import python

EXAMPLES = sorted(Path(__file__).parents[1].joinpath("examples").glob("*.py"))
EXTRAS = {"smac_forest": "smac"}


def test_there_is_an_example_for_each_optimizer():
    from ringfence.optimize.registry import names

    text = "".join(path.read_text() for path in EXAMPLES)
    assert [name for name in names() if f'"{name}"' not in text] == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_prints(path, tmp_path):
    package = EXTRAS.get(path.stem)
    if package is not None and find_spec(package) is None:
        pytest.skip(f"{path.name} needs the package {package}")
    finished = python(path, "-W", "error", cwd=tmp_path)  # here warnings are errors anyway
    assert finished.returncode == 0, finished.stderr
    assert finished.stderr == ""
    assert len(finished.stdout.splitlines()) >= 1
    assert list(tmp_path.iterdir()) == []
