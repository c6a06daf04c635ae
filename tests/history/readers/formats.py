"""One history that every format's test writes with the format's own tool and reads back."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from ringfence.learned.file_format import encode

ROLES = {"task": "task", "objective": "loss"}


def made_history(tasks: int = 4, runs: int = 6, seed: int = 0) -> pl.DataFrame:
    """Runs of a support vector machine: gamma is missing with the linear kernel, one run a task has
    failed with what would have been the best loss."""
    rng = np.random.default_rng(seed)
    n = tasks * runs
    kernel = rng.choice(["linear", "rbf"], n)
    kernel[:2] = ["linear", "rbf"]
    return pl.DataFrame(
        {
            "task": np.repeat([f"t{i}" for i in range(tasks)], runs),
            "C": 10 ** rng.uniform(-3, 3, n),
            "kernel": kernel,
            "gamma": [float(g) if k == "rbf" else None for k, g in zip(kernel, rng.random(n))],
            "depth": rng.integers(1, 9, n),
            "shrinking": rng.random(n) < 0.5,
            "loss": np.where(np.arange(n) % runs == 3, -9.0, rng.random(n)),
            "status": np.where(np.arange(n) % runs == 3, "failed", "finished"),
        }
    )


PARAMETERS = ["C", "kernel", "gamma", "depth", "shrinking"]


def configs(frame: pl.DataFrame):
    """The runs as task, configuration without what is missing, loss, and whether it failed."""
    for row in frame.iter_rows(named=True):
        config = {name: row[name] for name in PARAMETERS if row[name] is not None}
        yield row["task"], config, row["loss"], row["status"] == "failed"


def but_for_provenance(learned: rf.LearnedSpace) -> str:
    """The file of a learned space without its provenance."""
    content = json.loads(encode(learned))
    del content["provenance"]
    return json.dumps(content, indent=1)


def assert_same_learned(one: rf.History, two: rf.History, space: rf.Space | None = None) -> None:
    """Both histories teach the same, in every shape."""
    for shape, outliers in (("box", 0.0), ("box", 0.25), ("ellipsoid", 0.0)):
        first, second = (
            rf.learn(h, space, shape=shape, outliers=outliers, starts=0) for h in (one, two)
        )
        assert but_for_provenance(first) == but_for_provenance(second)


def in_memory(frame: pl.DataFrame) -> rf.History:
    return rf.History.from_frame(frame, status="status", parameters=PARAMETERS, **ROLES)


def run_page(name: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Run the Python of the reader's page in a folder that holds the files it names."""
    page = Path(__file__).parents[3] / "docs" / "readers" / f"{name}.md"
    blocks = re.findall(r"```python[^\n]*\n(.*?)```", page.read_text(), flags=re.DOTALL)
    assert blocks
    monkeypatch.chdir(folder)
    for block in blocks:
        exec(block, {})
