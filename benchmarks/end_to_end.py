"""What a user waits for: a million draws, a million rows, an import."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.timing import Row, cpu_seconds
from ringfence.regions import Clipped, Ellipsoid, sample


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.parquet"
        million_rows().write_parquet(path)
        learn = [
            _command(path, shape, outliers)
            for shape in ("box", "ellipsoid")
            for outliers in (0, 0.1)
        ]
    return [
        _million_samples(),
        *learn,
        Row("import ringfence (wall)", _wall("import ringfence"), goal="< 0.35 s"),
        Row("ringfence --help (wall)", _wall(HELP), goal="< 0.5 s"),
    ]


HELP = "import sys; sys.argv = ['ringfence', '--help']; from ringfence.cli import main; main()"


def million_rows() -> pl.DataFrame:
    """10,000 tasks of 100 rows with 10 parameters."""
    rng = np.random.default_rng(0)
    columns = {f"p{j}": rng.random(1_000_000) for j in range(10)}
    return pl.DataFrame(
        {"dataset": np.repeat(np.arange(10_000), 100), **columns, "error": rng.random(1_000_000)}
    )


def _million_samples() -> Row:
    rng = np.random.default_rng(0)
    factor = np.tril(rng.uniform(-0.1, 0.1, (10, 10))) + 0.2 * np.eye(10)
    region = Clipped(Ellipsoid(np.full(10, 0.5), factor))
    seconds = cpu_seconds(lambda: sample(region, 1_000_000, np.random.default_rng(0)), at_least=1)
    rate = sample(region, 10_000, np.random.default_rng(0)).acceptance
    return Row("1,000,000 samples, 10-D", seconds, goal="< 2 s", note=f"acceptance {rate:.2f}")


def _command(path: Path, shape: str, outliers: float) -> Row:
    """`ringfence learn` from the shell: wall seconds, and the peak memory of any child so far."""
    command = "from ringfence.cli import main; import sys; sys.argv[0] = 'ringfence'; main()"
    arguments = ["learn", str(path), "--task", "dataset", "--objective", "error", "--shape", shape,
                 "--outliers", str(outliers), "-o", str(path.with_suffix(".json"))]  # fmt: skip
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", command, *arguments], check=True, capture_output=True)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    what = f"learn, 1,000,000 rows, {shape}, ν = {outliers} (wall)"
    return Row(what, seconds, goal="< 5 s, < 1.5 GB", note=f"peak {peak:.2f} GB")


def _wall(code: str) -> float:
    """Median wall seconds of a fresh interpreter that runs `code`."""
    times = []
    for _ in range(7):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return sorted(times)[3]
