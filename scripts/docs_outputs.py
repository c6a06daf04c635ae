"""Write again what pages show below their blocks: `python scripts/docs_outputs.py docs/check.md …`.

Each page is run as the tests run it. Where a line `…` stands for lines left out, as many lines
before and after it are shown as there were.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "src")]

from tests.docs.pages import blocks, run  # noqa: E402
from tests.docs.test_blocks import masked  # noqa: E402


def rewritten(page: Path) -> str:
    """The page with what its blocks print now."""
    text, shown = page.read_text(), blocks(page)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        printed = run(page, Path(folder))
        os.chdir(ROOT)
    for block, output in printed:
        after = shown[shown.index(block) + 1 :][:1]
        if after and after[0].is_output and not block.skipped:
            old = after[0].text
            text = text.replace(f"```\n{old}```", f"```\n{_like(old, output)}```", 1)
    return text


def _like(old: str, output: str) -> str:
    """The output, cut where the old text was cut; if in several places, by its words."""
    lines = [line.rstrip() for line in output.strip("\n").splitlines()]
    kept = old.splitlines()
    if kept.count("…") == 1:
        head, tail = kept.index("…"), len(kept) - kept.index("…") - 1
        lines = [*lines[:head], "…", *(lines[-tail:] if tail else [])]
    elif "…" in kept:
        named = {masked(line): line for line in lines}
        lines = [line if line == "…" else named[masked(line)] for line in kept]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name).resolve()
        path.write_text(rewritten(path))
        print(f"written again: {name}")
