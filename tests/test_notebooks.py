"""The notebooks run from top to bottom in an empty folder, and are kept without outputs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import nbclient
import nbformat
import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
SAYS = {
    "mlflow_team": ("8 tasks", "volume kept", "exit code", "report.html"),
    "optuna_user": ("128 trials of 8 studies", "volume kept", "after 15 trials"),
}
"""Words that must be among what each one shows."""


def shown(notebook: nbformat.NotebookNode) -> str:
    """All texts that the cells show."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    texts = [output.get("text", "") for output in outputs]
    return "\n".join(texts + [str(output.get("data", "")) for output in outputs])


@pytest.mark.filterwarnings("ignore")  # of Jupyter
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_as_it_stands(path, tmp_path, monkeypatch):
    """`!ringfence` must be the command of this environment."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / ".ipython"))
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=300, resources=resources).execute()
    text = shown(notebook)
    assert [words for words in SAYS[path.stem] if words not in text] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs(path):
    """So that a change of it reads as a change of its text."""
    for cell in nbformat.read(path, as_version=4).cells:
        assert not cell.get("outputs") and cell.get("execution_count") is None


def test_each_notebook_is_known():
    assert {path.stem for path in NOTEBOOKS} == set(SAYS)
