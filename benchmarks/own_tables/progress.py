"""What is done, and how long the rest will take."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from benchmarks.own_tables.pieces import Piece

EVERY = 15.0
"""Seconds between two lines."""


class Progress:
    """Counts rows and seconds by learner, and prints a line now and then."""

    def __init__(self, pieces: Iterable[Piece], jobs: int) -> None:
        self.left = Counter(piece.learner for piece in pieces)
        self.total, self.jobs = sum(self.left.values()), jobs
        self.began = self.printed = time.monotonic()
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.rows: Counter[str] = Counter()
        self.statuses: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, piece: Piece, content: Mapping[str, Any]) -> None:
        """A finished piece."""
        self.left[piece.learner] -= 1
        self.rows[piece.learner] += len(content["rows"])
        self.statuses[piece.learner].update(row["status"] for row in content["rows"])
        self.seconds[piece.learner].append(content["spent"])
        if time.monotonic() - self.printed > EVERY:
            self.printed = time.monotonic()
            print(self.line(), flush=True)

    def line(self) -> str:
        """Pieces done, and hours left at the pace of each learner so far."""
        done = self.total - sum(self.left.values())
        means = {k: sum(v) / len(v) for k, v in self.seconds.items()}
        known = sum(means.values()) / len(means) if means else 0.0
        left = sum(n * means.get(k, known) for k, n in self.left.items()) / self.jobs / 3600
        spent = time.monotonic() - self.began
        return f"{spent:5.0f} s: {done} of {self.total} pieces; about {left:.2f} hours left"

    def summary(self) -> str:
        """A line for each learner."""
        lines = [self.line(), "learner, pieces, rows, seconds a row, statuses"]
        for learner, rows in sorted(self.rows.items()):
            spent = self.seconds[learner]
            statuses = ", ".join(f"{n} {s}" for s, n in self.statuses[learner].most_common())
            lines.append(
                f"{learner:24}{len(spent):5}{rows:7}{sum(spent) / max(rows, 1):8.2f}  {statuses}"
            )
        return "\n".join(lines)
