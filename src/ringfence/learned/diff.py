"""What changed between two learned spaces, in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ringfence.history.directions import goal_text
from ringfence.learned.file_format import encode_regions
from ringfence.learned.parts import shape_in_words
from ringfence.learned.ranges import spans_of
from ringfence.learned.space import LearnedSpace
from ringfence.learned.text import NAME, RANGE, volume_text
from ringfence.rendering.layout import Part, Table, lay_out
from ringfence.space import Categorical, Choice, Parameter
from ringfence.space.display import between, range_of
from ringfence.words import choices, percent, some

MOST_NAMED = 20
"""Tasks of one kind that are named: thousands may have changed, and logs of refreshes keep them."""


def describe(old: LearnedSpace, new: LearnedSpace) -> list[str]:
    """Lines that say what is different in `new`; one line if nothing is."""
    return lay_out(changes(old, new))


def changes(old: LearnedSpace, new: LearnedSpace) -> list[Part]:
    """The same, to be laid out in a given width."""
    lines: list[Part] = [
        *_goal(old, new),
        *_settings(old, new),
        *_originals(old, new),
        *_parameters(old, new),
        *_parts(old, new),
        *_tasks(old, new),
        *_starts(old, new),
    ]
    if not lines:
        return ["nothing changed"]
    before, after = volume_text(old), volume_text(new)
    same = "unchanged" if before == after else f"{before} → {after}"
    return [*lines, f"volume kept: {same}"]


def _goal(old: LearnedSpace, new: LearnedSpace) -> list[str]:
    """What is better, if that is another; a space that nothing taught has no goal."""
    before, after = (
        goal_text(learned.provenance.objective, learned.provenance.direction, guessed=False)
        for learned in (old, new)
    )
    return [f"goal: {before} → {after}"] if old.tasks and new.tasks and before != after else []


def _settings(old: LearnedSpace, new: LearnedSpace) -> list[str]:
    return [
        f"{name}: {getattr(old.settings, name)} → {getattr(new.settings, name)}"
        for name in old.settings.__struct_fields__
        if getattr(old.settings, name) != getattr(new.settings, name)
    ]


def _parameters(old: LearnedSpace, new: LearnedSpace) -> list[Table]:
    before, after = _ranges(old), _ranges(new)
    rows = [["parameter", "before", "after", "kept"]]
    for name in dict.fromkeys([*before, *after]):
        first = before.get(name, ("absent", ""))
        second = after.get(name, ("absent", ""))
        if first != second:
            shares = " → ".join(share for share in (first[1], second[1]) if share)
            rows.append([name, first[0], second[0], shares])
    return [Table(rows, floors={0: NAME, 1: RANGE, 2: RANGE})] if len(rows) > 1 else []


def _parts(old: LearnedSpace, new: LearnedSpace) -> list[str]:
    before, after = shape_in_words(old), shape_in_words(new)
    same_shape = old.shape == new.shape
    return [f"parts: {before} → {after}"] if same_shape and before != after else []


def _ranges(learned: LearnedSpace) -> dict[str, tuple[str, str]]:
    """Each parameter's learned range and the share of the original that it is."""
    bounds, spans = learned.bounds, spans_of(learned)
    ranges = {}
    for name, parameter in learned.space.parameters.items():
        if name in spans:
            low, high = bounds[name]
            start, stop = spans[name]
            ranges[name] = between(parameter, low, high), percent(stop - start)
        elif name in learned.choices:
            kept = choices(learned.choices[name])
            ranges[name] = kept, percent(len(learned.choices[name]) / _count(parameter))
        else:
            ranges[name] = range_of(parameter), ""
    return ranges


def _count(parameter: Parameter) -> int:
    return len(parameter.choices) if isinstance(parameter, Categorical) else 1


def _originals(old: LearnedSpace, new: LearnedSpace) -> list[str]:
    """Original ranges that changed, and regions that changed within the same ranges."""
    lines = [
        f"full range of {name}: {range_of(old.space[name])} → {range_of(new.space[name])}"
        for name in old.space
        if name in new.space and old.space[name] != new.space[name]
    ]
    same_ranges = _ranges(old) == _ranges(new)
    if same_ranges and encode_regions(old) != encode_regions(new):
        lines.append("the region within these ranges has another shape")
    return lines


def _tasks(old: LearnedSpace, new: LearnedSpace) -> list[str]:
    lines = []
    before, after = {t.name: t for t in old.tasks}, {t.name: t for t in new.tasks}
    for label, names in (
        ("new tasks", after.keys() - before.keys()),
        ("tasks gone", before.keys() - after.keys()),
        ("tasks with another best configuration", _moved(old, new)),
        ("now outside", set(new.outliers) - set(old.outliers)),
        ("no longer outside", (set(old.outliers) - set(new.outliers)) & after.keys()),
    ):
        if names:
            lines.append(f"{label}: {some(sorted(names, key=_natural), MOST_NAMED)}")
    return lines


def _starts(old: LearnedSpace, new: LearnedSpace) -> list[str]:
    if old.starts() == new.starts():
        return []
    before, after = len(old.portfolio), len(new.portfolio)
    return [f"starting points: {before} → {after}" if before != after else "other starting points"]


def _natural(name: str) -> list[tuple[int, str]]:
    """A key that sorts task10 after task2."""
    parts = re.split(r"(\d+)", name)
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts]


def _moved(old: LearnedSpace, new: LearnedSpace) -> set[str]:
    """The tasks of both whose best is another, apart from what one of the two has as fixed."""
    before = {task.name: task for task in old.tasks}
    pairs = [(before[task.name], task) for task in new.tasks if task.name in before]
    return {
        now.name
        for then, now in pairs
        if _without(then.found, now.fixed) != _without(now.found, then.fixed)
    }


def _without(config: Mapping[str, Choice], names: Sequence[str]) -> dict[str, Choice]:
    return {name: choice for name, choice in config.items() if name not in names}
