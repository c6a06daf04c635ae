"""The demo without extras: what cannot be drawn is said in a line and skipped."""

from __future__ import annotations

import subprocess
import sys

MISSING = "matplotlib", "plotly", "jinja2"


def test_the_demo_runs_without_extras(tmp_path):
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({MISSING!r})); "
        "from ringfence.cli import main; main()"
    )
    call = [sys.executable, "-c", code, "demo"]
    out = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert [path.name for path in (tmp_path / "demo").iterdir()] == ["learned.json"]
    skipped = [line for line in out.splitlines() if line.startswith("no ")]
    assert [line.split(":")[0] for line in skipped] == [
        "no picture of it",
        "no report for a browser",
    ]
    assert "pip install 'ringfence[plot]'" in skipped[0]
    assert "pip install 'ringfence[report]'" in skipped[1]
    assert "would it have helped?" in out
