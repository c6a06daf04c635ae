"""The demo without extras: what cannot be drawn is said in a line and skipped."""

from __future__ import annotations

import subprocess
import sys

MISSING = ("matplotlib",)


def test_the_demo_runs_without_extras(tmp_path):
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({MISSING!r})); "
        "from ringfence.cli import main; main()"
    )
    call = [sys.executable, "-c", code, "demo"]
    out = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    written = sorted(path.name for path in (tmp_path / "demo").iterdir())
    assert written == ["learned.json", "report.html"]
    skipped = [line for line in out.splitlines() if line.startswith("no ")]
    assert [line.split(":")[0] for line in skipped] == ["no picture of it"]
    assert "pip install 'ringfence[plot]'" in skipped[0]
    assert "would it have helped?" in out
