"""The runs that all files of the corpus tell of."""

from __future__ import annotations

import random
from typing import Any

TASKS, RUNS = 4, 3
PARAMETERS = ("C", "kernel", "gamma", "depth")


def rows() -> list[dict[str, Any]]:
    """Twelve runs of four tasks; gamma is missing with the linear kernel, two runs have failed."""
    rng = random.Random(0)
    made = []
    for number in range(TASKS * RUNS):
        kernel = ("linear", "rbf")[number % 2]
        made.append(
            {
                "task": f"t{number // RUNS}",
                "C": round(10 ** rng.uniform(-3, 3), 5),
                "kernel": kernel,
                "gamma": round(rng.random(), 4) if kernel == "rbf" else None,
                "depth": rng.randint(1, 9),
                "loss": round(rng.random(), 4),
                "status": {4: "failed", 7: "oom"}.get(number, "finished"),
                "duration": 1.5 * (number + 1),
            }
        )
    return made


def config(row: dict[str, Any]) -> dict[str, Any]:
    """The configuration of a run, without what is missing."""
    return {name: row[name] for name in PARAMETERS if row[name] is not None}


def delimited(separator: str = ",", comma: str = ".") -> bytes:
    """The runs as text with a header."""
    table = rows()
    lines = [separator.join(table[0])]
    for row in table:
        cells = ["" if cell is None else str(cell) for cell in row.values()]
        lines.append(separator.join(cell.replace(".", comma) for cell in cells))
    return ("\n".join(lines) + "\n").encode()
