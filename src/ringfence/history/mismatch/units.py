"""Numbers in other units: per cent here and fractions there, seconds and milliseconds.

Two ranges of positive numbers that do not meet, and would if one were a hundred or a thousand times
the other, are probably the same thing in other units. That is said, with the call that converts
them (`scaling`), and nothing is done unasked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from ringfence.history.mismatch.mending import Mend
from ringfence.history.usable import finished_rows
from ringfence.history.values import as_number
from ringfence.quoting import shell_word
from ringfence.space import Float, Int, Space
from ringfence.space.scales import suggests_log
from ringfence.words import some

if TYPE_CHECKING:
    from ringfence.history.history import History

Ends: TypeAlias = tuple[float, float]
"""The smallest and the largest number."""

OTHER_UNITS = "is probably in other units in"
"""The words of a warning, by which others find it."""
FACTORS = (100.0, 1000.0, 1e6, 0.01, 0.001, 1e-6)
"""Per cent, then the steps of units."""
MEETING = 0.05
"""Ranges that share less of what both cover do not meet."""
ALIKE = 0.2
"""Ranges that share this much of what both cover, one of them converted, are alike."""
APART, TOGETHER = 0.5, 0.8
"""Numbers over decades meet in any units: a factor is told if it lifts what they share with today's
from less than half, so that most of it lies elsewhere, to nearly all."""


def unit_ratio(own: Ends, other: Ends, *, log: bool = False) -> float | None:
    """How many times the `other` numbers the own ones probably are; None if the ranges meet, or if
    no factor brings them together. Ranges are compared on a `log` scale or a linear one."""
    if min(own) < 0 or min(other) < 0 or own[1] == 0 or other[1] == 0:
        return None
    log = log and min(*own, *other) > 0
    if _shared(own, other, log) > MEETING:
        return None
    for factor in FACTORS:
        if _shared((own[0] / factor, own[1] / factor), other, log) >= ALIKE:
            return factor
    return None


def shifted_ratio(own: Ends, today: Ends) -> float | None:
    """How many times those of today's range numbers over decades probably are, though both meet;
    None if no factor makes them nearly the same."""
    if min(*own, *today) <= 0 or _shared(own, today, log=True) >= APART:
        return None
    for factor in FACTORS:
        if _shared((own[0] / factor, own[1] / factor), today, log=True) > TOGETHER:
            return factor
    return None


def odd_units(
    ranges: Mapping[str, Ends], today: Ends | None, *, log: bool = False
) -> dict[str, float]:
    """The tasks whose numbers are probably in other units, and how many times those of the range of
    `today` they are; without that, those of the other tasks, if these are as many or more: they are
    parted where the largest numbers jump most."""
    if today is not None:
        ratios = {task: unit_ratio(own, today, log=log) for task, own in ranges.items()}
        return {task: ratio for task, ratio in ratios.items() if ratio is not None}
    by_size = sorted(ranges, key=lambda task: ranges[task][1])
    highs = [ranges[task][1] for task in by_size]
    jumps = [after / before if before > 0 else 1.0 for before, after in pairwise(highs)]
    if not jumps:
        return {}
    split = 1 + jumps.index(max(jumps))
    small = _all([ranges[task] for task in by_size[:split]])
    large = _all([ranges[task] for task in by_size[split:]])
    if 2 * split <= len(by_size):
        few, ratio = by_size[:split], unit_ratio(small, large)
    else:
        few, ratio = by_size[split:], unit_ratio(large, small)
    return {} if ratio is None else dict.fromkeys(few, ratio)


def _all(ranges: Sequence[Ends]) -> Ends:
    return min(low for low, _ in ranges), max(high for _, high in ranges)


def _shared(one: Ends, two: Ends, log: bool) -> float:
    """What two ranges have in common, as a share of what both cover."""
    if log:
        one, two = (math.log(one[0]), math.log(one[1])), (math.log(two[0]), math.log(two[1]))
    common = min(one[1], two[1]) - max(one[0], two[0])
    covered = max(one[1], two[1]) - min(one[0], two[0])
    return max(common, 0.0) / covered if covered > 0 else 1.0


def ends_by_task(
    history: History, name: str, off: float | None = None
) -> dict[str, tuple[float, float]]:
    """The smallest and the largest number of a parameter in each task, without the one that
    switches it `off`; of text, none."""
    return {task: (low, high) for task, low, high, _ in _spreads(history, name, off).iter_rows()}


def _are_linear(history: History, name: str, off: float | None) -> bool:
    """Whether the numbers of most tasks, each for itself, are spread on a linear scale."""
    spreads = [
        low <= 0 or not suggests_log(low, high, median)
        for _, low, high, median in _spreads(history, name, off).iter_rows()
        if low < high
    ]
    return bool(2 * sum(spreads) > len(spreads))


def _spreads(history: History, name: str, off: float | None = None) -> pl.DataFrame:
    """The least, the largest and the median number of a parameter in each task."""
    rows = finished_rows(history)
    column, tasks = history.frame[name].gather(rows), history.task_column().gather(rows)
    if not (column.dtype.is_numeric() or column.dtype == pl.String):
        column = pl.Series([None], dtype=pl.Float64).new_from_index(0, len(rows))
    x = pl.col("x")
    known = pl.DataFrame({"task": tasks, "x": as_number(column)}).filter(x.is_finite())
    if off is not None:
        known = known.filter(x != off)
    by_task = known.group_by("task", maintain_order=True)
    return by_task.agg(low=x.min(), high=x.max(), median=x.median())


def unit_warnings(history: History, odd: Mapping[str, Mapping[str, float]]) -> list[str]:
    """A line for each parameter that is probably in other units in some tasks of the history, with
    the call that converts it."""
    warnings = []
    for name, ratios in odd.items():
        for ratio in dict.fromkeys(ratios.values()):
            tasks = [task for task, own in ratios.items() if own == ratio]
            times = f"{ratio:g} times" if ratio > 1 else f"1/{1 / ratio:g} of"
            what = " (per cent and fractions?)" if ratio in (100.0, 0.01) else ""
            everyone = len(tasks) == len(ends_by_task(history, name))
            mend = Mend({name: 1.0 / ratio}, "scaled", () if everyone else tuple(tasks))
            options = " ".join(shell_word(option) for option in mend.options)
            warnings.append(
                f"{name} {OTHER_UNITS} {some(tasks, 3)}: its values are about {times} the "
                f"others{what}; if so, history.{mend.call} converts them ({options})"
            )
    return warnings


def odd_tasks(history: History, space: Space) -> dict[str, dict[str, float]]:
    """For each parameter, the tasks in which it is probably in other units, with the factor: seen
    from today's range; and on a linear scale, where tasks share one, from each other. If the scale
    is said to be log, the tasks are asked: two units in one column look like a log scale."""
    odd = {}
    for name, parameter in space.parameters.items():
        if not isinstance(parameter, (Float, Int)) or name not in history.roles.parameters:
            continue
        # On a log scale 0 is no number: where it is not said to be off, it means so all the same.
        off = 0.0 if parameter.log and parameter.off is None else parameter.off
        ranges = ends_by_task(history, name, off)
        today = float(parameter.low), float(parameter.high)
        ratios = odd_units(ranges, today, log=parameter.log)
        if parameter.log and not ratios:  # of a range that was declared, that is no guess
            observed = {t: own for t, own in ranges.items() if t not in history.task_spaces}
            shifted = {task: shifted_ratio(own, today) for task, own in observed.items()}
            ratios = {task: ratio for task, ratio in shifted.items() if ratio is not None}
        linear = not parameter.log or _are_linear(history, name, off)
        odd[name] = ratios or (odd_units(ranges, None) if linear else {})
    return {name: ratios for name, ratios in odd.items() if ratios}
