"""The distributions of many trials as one space: what each study tuned, merged."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ringfence import words
from ringfence.errors import HistoryError, SpaceError
from ringfence.history.tables import from_objects
from ringfence.history.values import one_of_each, require_apart
from ringfence.incoming.parsing import json_of
from ringfence.space import Categorical, Choice, Constant, Float, Int, Parameter
from ringfence.words import shortened

KINDS = {
    "FloatDistribution": "float",
    "UniformDistribution": "float",
    "LogUniformDistribution": "float",
    "DiscreteUniformDistribution": "float",
    "IntDistribution": "int",
    "IntUniformDistribution": "int",
    "IntLogUniformDistribution": "int",
    "CategoricalDistribution": "categorical",
}
"""Optuna's names, those of its earlier versions included."""


@dataclass(frozen=True)
class Range:
    """One distribution of one parameter, as a study had it."""

    study: str
    kind: str
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    step: float | None = None
    choices: tuple[Choice, ...] = ()

    @property
    def words(self) -> str:
        """All of it but the study: the same for ranges that are the same."""
        return repr((self.kind, self.low, self.high, self.log, self.step, self.choices))


@dataclass(frozen=True)
class Merged:
    """A parameter for all studies, and what had to be merged."""

    parameter: Parameter
    notes: tuple[str, ...]


def parse(study: str, name: str, text: str) -> Range:
    """The distribution that Optuna wrote down."""
    try:
        content = json_of(text, "it")
        kind, attributes = KINDS[content["name"]], content["attributes"]
        if kind == "categorical":
            return Range(study, kind, choices=tuple(plain(c) for c in attributes["choices"]))
        return Range(
            study,
            kind,
            float(attributes["low"]),
            float(attributes["high"]),
            bool(attributes.get("log", "Log" in content["name"])),
            _step(attributes.get("step", attributes.get("q"))),
        )
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError):
        raise HistoryError(
            f"study {study!r}, parameter {name!r}: {shortened(str(text), 200)} is not a "
            "distribution known to ringfence"
        ) from None


def _step(step: Any) -> float | None:
    return None if step is None else float(step)


def plain(choice: object) -> Choice:
    """A choice that is a list or an object is its JSON text."""
    if choice is None or isinstance(choice, (bool, int, float, str)):
        return choice
    return json.dumps(choice)


def is_mixed(ranges: Sequence[Range]) -> bool:
    """Whether a parameter is a number in some studies and a choice in others."""
    return len({r.kind == "categorical" for r in ranges}) > 1


def merge(name: str, ranges: Sequence[Range], times: Mapping[str, float] | None = None) -> Merged:
    """The union of a parameter's distributions. Of numbers here and choices there, it is a range if
    all choices are numbers, else what the newest study has, by the `times` of the studies."""
    if is_mixed(ranges):
        return _mixed(name, ranges, times or {})
    first = ranges[0]
    try:
        return _choices(name, ranges) if first.kind == "categorical" else _numbers(name, ranges)
    except SpaceError as error:
        raise HistoryError(
            f"the parameter {name!r} cannot be used: {error}; leave it out (ignore=[{name!r}])"
        ) from error


def _mixed(name: str, ranges: Sequence[Range], times: Mapping[str, float]) -> Merged:
    numbers = [r for r in ranges if not r.choices]
    lists = [r for r in ranges if r.choices]
    listed = [_listed(r) for r in lists]
    said = f"{name} is {_words(numbers[0])} in some studies and {_words(lists[0])} in others; took "
    if all(listed):
        whole = merge(name, [*numbers, *(r for r in listed if r is not None)])
        return Merged(whole.parameter, (f"{said}the range of all", *whole.notes))
    newest = max(ranges, key=lambda r: times.get(r.study, 0.0))
    kept = merge(name, lists if newest.choices else numbers)
    note = (
        f"{said}what the newest study has ({newest.study}); other values are converted if they can "
        "be, else dropped and counted"
    )
    return Merged(kept.parameter, (note, *kept.notes))


def _listed(range_: Range) -> Range | None:
    """A list of numbers as a range; None if there are others."""
    numbers = [c for c in range_.choices if isinstance(c, (int, float)) and not isinstance(c, bool)]
    if len(numbers) < len(range_.choices):
        return None
    kind = "int" if all(isinstance(number, int) for number in numbers) else "float"
    return Range(range_.study, kind, float(min(numbers)), float(max(numbers)))


def all_choices(ranges: Sequence[Range]) -> tuple[Choice, ...]:
    """The choices of all studies in the order of first use; True here and "true" there are one."""
    return tuple(one_of_each(choice for r in _apart(ranges) for choice in r.choices))


def _apart(ranges: Sequence[Range]) -> list[Range]:
    """The first of those with the same choices: thousands of studies may share theirs."""
    first: dict[str, Range] = {}
    for r in ranges:
        first.setdefault(repr(r.choices), r)  # True, 1 and "1" differ
    return list(first.values())


def _choices(name: str, ranges: Sequence[Range]) -> Merged:
    for r in _apart(ranges):
        require_apart(r.choices, from_objects(name, list(r.choices)))
    choices = all_choices(ranges)
    notes = []
    if len({r.choices for r in ranges}) > 1:
        labels = words.choices(choices)
        notes.append(f"the choices of {name} differ between studies; took all of them: {labels}")
    if len(choices) == 1:
        return Merged(Constant(choices[0]), tuple(notes))
    return Merged(Categorical(choices), tuple(notes))


def _numbers(name: str, ranges: Sequence[Range]) -> Merged:
    for r in ranges:
        if not (math.isfinite(r.low) and math.isfinite(r.high)):
            raise SpaceError(f"its bounds must be finite, not {r.low:g} and {r.high:g}")
    low, high = min(r.low for r in ranges), max(r.high for r in ranges)
    log = any(r.log for r in ranges) and low > 0
    integer = all(r.kind == "int" for r in ranges)
    notes = []
    if len({(r.low, r.high) for r in ranges}) > 1:
        notes.append(f"the range of {name} differs between studies; took {low:g} to {high:g}")
    if len({r.log for r in ranges}) > 1:
        scale = "log" if log else "linear"
        notes.append(f"{name} is on a log scale in some studies only; took the {scale} scale")
    if not integer and any(r.kind == "int" for r in ranges):
        notes.append(f"{name} is an integer in some studies only; took it as a real number")
    steps = sorted({r.step for r in ranges if r.step not in (None, 1)}, key=float)
    if steps:
        notes.append(f"the steps of {name} ({', '.join(f'{s:g}' for s in steps)}) are left out")
    if low == high:
        return Merged(Constant(int(low) if integer else low), tuple(notes))
    parameter = Int(int(low), int(high), log) if integer else Float(low, high, log)
    return Merged(parameter, tuple(notes))


def _words(range_: Range) -> str:
    if range_.kind == "categorical":
        return f"one of {words.choices(range_.choices)}"
    return f"a number from {range_.low:g} to {range_.high:g}"
