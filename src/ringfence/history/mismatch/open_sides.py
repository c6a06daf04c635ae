"""Bests at the end of a range that was narrower then: bounds rather than points.

If a task's best value lies at the end of what its source declared, and today's range goes on beyond
it, the task says "at least so much" and not "so much". If most tasks had such an end, nobody knows
how far: the best row of such a task comes a second time, with today's end in place of the value, so
that a region of any shape reaches that far. If most tasks could go beyond it, their bests say how
far to go, and nothing is opened: both were measured (docs/mismatch.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from ringfence.history.mismatch.fixed import unfixed
from ringfence.history.usable import TASK
from ringfence.space import Axis, Encoding, Float, Int, Space
from ringfence.words import some

EDGE = 0.05
"""Of the range then: a best value this near to its end may well lie beyond."""
MOST = 0.5
"""Of the tasks that tuned a parameter: if more could not go beyond an end, it is open."""


@dataclass(frozen=True)
class _Side:
    """One end of a parameter's range today."""

    name: str
    axis: Axis
    upper: bool

    @property
    def end(self) -> float:
        return float(self.axis.high if self.upper else self.axis.low)

    def limit(self, then: Space | None) -> Float | Int | None:
        """The parameter as a task declared it, if its range ended before today's."""
        old = None if then is None else then.parameters.get(self.name)
        if not isinstance(old, (Float, Int)) or not old.low < old.high:
            return None
        narrower = old.high < self.axis.high if self.upper else old.low > self.axis.low
        return old if narrower else None

    def is_at(self, old: Float | Int, value: float) -> bool:
        """Whether a value is at this end of the range then."""
        low, high, here = self.axis.encode(np.array([old.low, old.high, value], float))
        gap = high - here if self.upper else here - low
        return bool(gap <= EDGE * (high - low) + 1e-9)


def with_open_sides(
    best: pl.DataFrame, space: Space, declared: Mapping[str, Space]
) -> tuple[pl.DataFrame, list[str]]:
    """The best rows, with a second one after each that shows an open side, and a note for each
    side. `declared` is the space of each task's source, where that is known."""
    rows, found = best.rows(named=True), unfixed(best)
    beyond: dict[int, dict[str, float]] = {}
    notes = []
    for side in _sides(space) if declared else ():
        known = {i: x for i, x in enumerate(found[side.name]) if _is_number(x)}
        limits = {i: side.limit(declared.get(rows[i][TASK])) for i in known}
        limited = {i: old for i, old in limits.items() if old is not None}
        there = [i for i, old in limited.items() if side.is_at(old, known[i])]
        if there and len(limited) > MOST * len(known):
            tasks = list(dict.fromkeys(str(rows[i][TASK]) for i in there))
            notes.append(
                f"the best {side.name} lies at the end of a range that was narrower, of "
                f"{some(tasks, 3)}; the region goes on to {side.end:g}"
            )
            for i in there:
                beyond.setdefault(i, {})[side.name] = side.end
    if not beyond:
        return best, []
    doubled = [
        each
        for i, row in enumerate(rows)
        for each in ([row, {**row, **beyond[i]}] if i in beyond else [row])
    ]
    return pl.DataFrame(doubled, schema=best.schema), notes


def _sides(space: Space) -> list[_Side]:
    encoding = Encoding.of(space)
    return [
        _Side(name, axis, upper)
        for name, axis, parameter in zip(encoding.names, encoding.axes, encoding.parameters)
        if isinstance(parameter, (Float, Int))
        for upper in (False, True)
    ]


def _is_number(value: float | None) -> bool:
    return value is not None and not np.isnan(value)
