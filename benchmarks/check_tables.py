"""Would a learned space have helped? Several settings and the choice among them, on many tables.

    python -m benchmarks.check_tables FOLDER [TABLE …]

The first table has a few of the settings, the second the choice: what is recommended from all
tasks, and what the choice is worth if it is made again without each task.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.tables import TABLES, read_table
from ringfence import Check, Comparison, compare
from ringfence.checking.left_out.speedup import SpeedUp
from ringfence.checking.verdict import JUDGED_AT
from ringfence.learned.settings import describe

SHOWN = (
    "box",
    "box, outliers 0.5",
    "ellipsoid",
    "ellipsoid, outliers 0.1, refit",
    "ellipsoid, outliers 0.3, refit, top 5%",
)


def main(folder: Path, names: Sequence[str]) -> None:
    choices = []
    print("| table | tasks | setting | volume | speed-up at 10 draws | verdict | hurts |")
    print("|---|---|---|---|---|---|---|")
    for name in names:
        if not (folder / f"{name}.parquet").exists():
            print(f"| {name} | not there, skipped |")
            continue
        start = time.process_time()
        comparison = compare(read_table(folder, name), starts=0)
        seconds = time.process_time() - start
        for check in comparison.checks:
            if describe(check.settings) in SHOWN:
                print(_line(name, check), flush=True)
        choices.append(_choice(name, comparison, seconds))
    print("\n| table | settings | recommended | chosen anew | verdict | CPU seconds |")
    print("|---|---|---|---|---|---|")
    print("\n".join(choices))


def _line(name: str, check: Check) -> str:
    cells = [name, len(check.tasks), describe(check.settings), f"{check.volume_kept:.2g}"]
    cells += [_figure(check.speed_ups), check.verdict, len(check.hurt)]
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _choice(name: str, comparison: Comparison, seconds: float) -> str:
    nested = comparison.nested
    assert nested is not None
    cells = [name, len(comparison.checks), describe(comparison.settings)]
    cells += [_figure(nested.speed_ups), nested.verdict]
    return "| " + " | ".join(str(cell) for cell in (*cells, f"{seconds:.0f}")) + " |"


def _figure(ups: Sequence[SpeedUp]) -> str:
    up = next((up for up in ups if up.draws == JUDGED_AT), None)
    return "" if up is None else f"{up.value:.2f} ({up.low:.2f} to {up.high:.2f})"


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or list(TABLES))
