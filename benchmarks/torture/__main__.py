"""Does every learned space keep its promises, whatever it was learned from?

    python -m benchmarks.torture N [--seed S] [--first K]

learns from N tortured histories and checks each learned space: kept incumbents inside, samples
inside and legal, there and back the same, equal to itself. Prints the counts, the kinds of shapes,
the slowest, and each case that failed; --first K with N = 1 repeats one.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from benchmarks.torture.run import Outcome, outcome_of


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.torture")
    parser.add_argument("n", type=int, help="number of histories")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first history")
    given = parser.parse_args()
    begin = time.process_time()
    outcomes: list[Outcome] = []
    for number in range(given.first, given.first + given.n):
        outcome = outcome_of(number, given.seed)
        outcomes.append(outcome)
        if outcome.fault:
            print(f"FAILED {outcome.text}\n  {outcome.fault}", flush=True)
    report(outcomes, time.process_time() - begin)
    sys.exit(any(outcome.fault for outcome in outcomes))


def report(outcomes: list[Outcome], seconds: float) -> None:
    """The counts, the kinds, and the slowest."""
    faults = sum(bool(outcome.fault) for outcome in outcomes)
    print(f"{len(outcomes):,} histories, {faults} broken promises, {seconds:.0f} CPU seconds")
    for title in ("shape", "cloud", "end"):
        counts = Counter(getattr(outcome, title) for outcome in outcomes)
        print(f"{title}: " + ", ".join(f"{name} {n:,}" for name, n in counts.most_common()))
    for outcome in sorted(outcomes, key=lambda o: -o.seconds)[:3]:
        print(f"slow: {outcome.seconds:.2f} s, {outcome.text}")


if __name__ == "__main__":
    main()
