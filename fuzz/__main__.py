"""`python -m fuzz`: try damaged input for some minutes, or again what failed before."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from pathlib import Path

from fuzz.campaign import Campaign
from fuzz.case import Case
from fuzz.watch import watch
from fuzz.worker import Sandbox

HOME = Path(__file__).parent
PATIENCE = 10.0
"""Seconds after which an input hangs."""


def main() -> int:
    """1 if anything failed."""
    from fuzz.targets import SELF_TEST, TARGETS

    every = [target for target in TARGETS if target != SELF_TEST]
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default=",".join(every), help="targets, separated by commas")
    parser.add_argument(
        "--out", type=Path, default=HOME / "found", help="what is kept, and gone on from"
    )
    parser.add_argument("--patience", type=float, default=PATIENCE, help="seconds for one input")
    parser.add_argument("--replay", type=Path, nargs="+", help="kept cases, to be tried again")
    options = parser.parse_args()
    if options.replay:
        return replay(options.replay)
    os.environ |= dict.fromkeys(
        ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"), "1"
    )
    targets = options.only.split(",")
    campaign = Campaign(options.out, targets, 60 * options.minutes)
    begun = time.monotonic()
    try:
        watch(
            campaign.batch,
            campaign.done,
            campaign.broken,
            jobs=options.jobs,
            patience=options.patience,
        )
    except KeyboardInterrupt:
        print("interrupted")
    campaign.save()
    _print(campaign, time.monotonic() - begun)
    return 1 if campaign.failures else 0


def _print(campaign: Campaign, seconds: float) -> None:
    print(f"\n{'target':<14}{'inputs':>9}{'a CPU s':>10}{'fine':>9}{'refused':>9}{'failed':>8}")
    total: Counter[str] = Counter()
    for target, counts in campaign.counts.items():
        n = sum(counts.values())
        failed = n - counts["fine"] - counts["refused"]
        rate = n / campaign.seconds[target] if campaign.seconds[target] else 0.0
        print(
            f"{target:<14}{n:>9}{rate:>10.0f}{counts['fine']:>9}{counts['refused']:>9}{failed:>8}"
        )
        total += counts
    n = campaign.inputs
    print(
        f"{'all':<14}{n:>9}{n / seconds:>10.0f}{total['fine']:>9}{total['refused']:>9}"
        f"{n - total['fine'] - total['refused']:>8}"
    )
    print(
        f"\n{n} inputs in {seconds / 60:.1f} minutes; {campaign.tried + n} in all campaigns so far"
    )
    print("the slowest:")
    for took, target, number in reversed(campaign.slowest):
        print(f"  {took:7.2f} s  {target} {number}")
    print(f"kinds of failures: {len(campaign.failures)}")
    for key, (outcome, path, count) in sorted(campaign.failures.items()):
        print(f"  {key} ({count})\n    {outcome.detail[:160]!r}\n    {path}")


def replay(paths: list[Path]) -> int:
    """Try kept cases again, in this process."""
    import tempfile

    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        sandbox = Sandbox(Path(folder) / "up" / "here")
        cases = {path: Case.from_text(path.read_text()) for path in paths}
        for path, case in cases.items():
            outcome = sandbox.outcome(case, thorough=True)
            failed += outcome.failed
            print(f"{path.name}: {outcome.key} {outcome.detail}")
        os.chdir(HOME)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
