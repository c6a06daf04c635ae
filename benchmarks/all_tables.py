"""Learn every shape on every table of a folder; print what is kept, stop at the first error.

python -m benchmarks.all_tables FOLDER
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from benchmarks.tables import TABLES, read_table
from ringfence import learn


def main(folder: Path) -> None:
    print("| table | rows | tasks | shape | ν | volume kept | left outside | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    for name in TABLES:
        if not (folder / f"{name}.parquet").exists():
            print(f"| {name} | not there, skipped |")
            continue
        history = read_table(folder, name)
        for shape in ("box", "ellipsoid"):
            for outliers in (0.0, 0.1, 0.5):
                start = time.perf_counter()
                learned = learn(history, shape=shape, outliers=outliers, starts=0)
                seconds = time.perf_counter() - start
                configs = learned.sample(100, seed=0)
                assert all(learned.contains(config) for config in configs)
                print(
                    f"| {name} | {len(history):,} | {len(learned.tasks)} | {shape} | {outliers} "
                    f"| {learned.volume_fraction:.3g} | {len(learned.outliers)} | {seconds:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
