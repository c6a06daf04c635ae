"""CPU time of a call, and the rows that `make bench` prints."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """One line of the benchmark: ours against the alternative, or ours against a limit."""

    what: str
    ours: float  # CPU seconds
    other: float | None = None  # CPU seconds of the alternative, measured in the same run
    goal: str = ""  # the ratio or time to reach, e.g. "≥ 30×" or "< 0.5 s"
    note: str = ""

    @property
    def ratio(self) -> float | None:
        return None if self.other is None else self.other / self.ours


def cpu_seconds(call: Callable[[], Any], *, at_least: float = 0.2, most: int = 200) -> float:
    """Median CPU seconds of `call`, repeated until `at_least` seconds are spent, warmed up once."""
    call()
    times: list[float] = []
    while sum(times) < at_least and len(times) < most:
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return sorted(times)[len(times) // 2]
