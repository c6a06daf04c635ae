"""Draw docs/pictures/demo.png and docs/pictures/check.png again: `python scripts/docs_pictures.py`.

They are what `ringfence demo` draws and checks."""

from __future__ import annotations

from pathlib import Path

import ringfence as rf

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"


def main() -> None:
    """Learn and check the embedded history as the demo does, without starting points."""
    history = rf.example_history()
    how = {"shape": "ellipsoid", "outliers": 0.1, "refit": True, "starts": 0}
    rf.learn(history, **how).plot().savefig(PICTURES / "demo.png", dpi=150)
    rf.check(history, **how).plot().savefig(PICTURES / "check.png", dpi=110)


if __name__ == "__main__":
    main()
