"""Measurements that a page shows: kept as CSV files in results/, and as tables in Markdown."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


def keep(name: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write results/NAME.csv; numbers with three digits after the point."""
    with (RESULTS / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in rows:
            writer.writerow([f"{x:.3f}" if isinstance(x, float) else x for x in row])


def kept(name: str) -> list[dict[str, str]]:
    """The rows of results/NAME.csv by their columns."""
    with (RESULTS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table(rows: Sequence[dict[str, str]]) -> str:
    """The rows as they were kept."""
    lines = ["| " + " | ".join(rows[0]) + " |", "|---" * len(rows[0]) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row.values()) + " |" for row in rows)])
