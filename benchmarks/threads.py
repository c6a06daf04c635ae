"""A plain call on shared cores: as it comes, with the limit taken away, and with one thread set.

python -m benchmarks.threads

Each core has a busy neighbor meanwhile, and no variable of the environment names a number of
threads, unless a column says so.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.timing import Row

NAMES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
ROUNDS = 3
CALL = """
import time
import ringfence as rf
history = rf.example_history()
start = time.perf_counter()
{call}
print(time.perf_counter() - start)
"""
UNLIMITED = """
from ringfence.threads import OneThread
OneThread.__enter__ = lambda self: self
OneThread.__exit__ = lambda self, *error: None
"""
DEMO = """
import contextlib, io, sys
from ringfence.cli import main
sys.argv = ['ringfence', 'demo', '-o', {folder!r}]
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
    main()
"""


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder, busy_neighbors():
        for what, call in {
            "rf.learn(rf.example_history())": "rf.learn(history)",
            "rf.check(rf.example_history())": "rf.check(history)",
            "ringfence demo": DEMO.format(folder=folder),
        }.items():
            code = CALL.format(call=call)
            pairs = [(wall(code), wall(code, threads="1")) for _ in range(ROUNDS)]
            plain, one = (sorted(times)[ROUNDS // 2] for times in zip(*pairs))
            yield Row(
                f"{what} (wall)",
                plain,
                wall(UNLIMITED + code),
                note=f"{one:.2f} s with OMP_NUM_THREADS=1",
            )


def wall(code: str, threads: str | None = None) -> float:
    """Wall seconds that the program prints; a process of its own."""
    environment = {name: value for name, value in os.environ.items() if name not in NAMES}
    if threads is not None:
        environment |= dict.fromkeys(NAMES, threads)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return float(done.stdout)


@contextmanager
def busy_neighbors() -> Iterator[None]:
    """A process for each core that does nothing but count."""
    count = [sys.executable, "-c", "while True: pass"]
    neighbors = [subprocess.Popen(count) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for neighbor in neighbors:
            neighbor.kill()
            neighbor.wait()


def main() -> None:
    for row in rows():
        print(f"{row.what}: {row.ours:.2f} s, {row.note}, {row.other:.1f} s without the limit")


if __name__ == "__main__":
    main()
