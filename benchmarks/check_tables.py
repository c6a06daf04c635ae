"""Would a learned space have helped? The check of several settings on every table of a folder.

python -m benchmarks.check_tables FOLDER
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from benchmarks.tables import TABLES, read_table
from ringfence import compare
from ringfence.checking.text import describe

SETTINGS = (
    {"shape": "box"},
    {"shape": "box", "outliers": 0.5},
    {"shape": "ellipsoid"},
    {"shape": "ellipsoid", "outliers": 0.1, "refit": True},
)


def main(folder: Path) -> None:
    print("| table | tasks | setting | volume | speed-up at 10 draws | verdict | hurts | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    for name in TABLES:
        if not (folder / f"{name}.parquet").exists():
            print(f"| {name} | not there, skipped |")
            continue
        start = time.perf_counter()
        comparison = compare(read_table(folder, name), settings=SETTINGS)
        seconds = time.perf_counter() - start
        for check in comparison.checks:
            at = next((up for up in check.speed_ups if up.draws == 10), None)
            up = "" if at is None else f"{at.value:.2f} ({at.low:.2f} to {at.high:.2f})"
            cells = [
                name,
                len(check.tasks),
                describe(check.settings),
                f"{check.volume_kept:.2g}",
                up,
                check.verdict,
                len(check.hurt),
                f"{seconds:.1f}",
            ]
            print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
