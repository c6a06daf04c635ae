"""`python -m chaos`: do to ringfence what machines do to programs, and see what holds."""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path

from chaos.commands import prepare
from chaos.database import share_a_study
from chaos.disks import close_folders, fill_disks
from chaos.kills import kill_runs, kill_writers
from chaos.leftovers import end_leaders
from chaos.refreshes import soak
from chaos.tally import Tally

PARTS = ("kills", "runs", "leaders", "disks", "folders", "study", "refresh")


def main() -> int:
    """1 if a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=2.0, help="of kills of single commands")
    parser.add_argument(
        "--kills", type=int, default=20, help="of one `bench run`, and of refreshes"
    )
    parser.add_argument(
        "--leaders", type=int, default=2, help="times that a leader is ended, each way"
    )
    parser.add_argument("--workers", type=int, default=8, help="on one study")
    parser.add_argument("--trials", type=int, default=1000, help="of each of them")
    parser.add_argument(
        "--soak", type=float, default=10.0, help="minutes of refreshes while workers write"
    )
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--only", default=",".join(PARTS), help="parts, separated by commas")
    options = parser.parse_args()
    seed = time.time_ns() if options.seed is None else options.seed
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    rng, tally, parts = random.Random(seed), Tally(), options.only.split(",")
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ringfence-chaos-") as name:
        home, inputs = Path(name), Path(name) / "inputs"
        prepare(inputs)
        if "kills" in parts:
            kill_writers(inputs, home, 60 * options.minutes, rng, tally)
        if "runs" in parts:
            kill_runs(inputs, home, options.kills, rng, tally)
        if "leaders" in parts:
            end_leaders(inputs, home, options.leaders, tally)
        if "disks" in parts:
            fill_disks(inputs, home, rng, tally)
        if "folders" in parts:
            close_folders(inputs, home, tally)
        if "study" in parts:
            share_a_study(home, options.workers, options.trials, rng, tally)
        if "refresh" in parts:
            soak(home, options.soak, options.workers, options.kills, rng, tally)
    print(f"seed {seed}, {(time.monotonic() - begun) / 60:.1f} minutes")
    for what, count in sorted(tally.counts.items()):
        print(f"{count:>8}  {what}")
    print(f"promises broken: {len(tally.broken)}")
    for promise in sorted(set(tally.broken)):
        print(f"  {promise} ({tally.broken.count(promise)})")
    return 1 if tally.broken else 0


if __name__ == "__main__":
    sys.exit(main())
