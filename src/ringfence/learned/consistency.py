"""Whether the parts of a received file say the same: regions, settings, tasks, starting points."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ringfence.errors import FileError
from ringfence.fit.shapes import is_union, shape_names, shape_of
from ringfence.learned.blocks import Block
from ringfence.learned.space import LearnedSpace
from ringfence.learned.zone.odds import odds_fault
from ringfence.learned.zone.rule import zone_fault
from ringfence.regions import Region
from ringfence.space import Choice, Encoding, choice_key
from ringfence.space.partial import is_of_space


def check_learned(learned: LearnedSpace) -> None:
    """FileError with the first contradiction, if there is one."""
    _check_blocks(learned)
    _check_choices(learned)
    _check_tasks(learned)
    if learned.zone is not None and (wrong := zone_fault(learned.zone, learned.space)):
        raise FileError(wrong)
    if learned.odds is not None and (wrong := odds_fault(learned.odds, learned.space)):
        raise FileError(wrong)
    for points in (learned.portfolio, learned.portfolio_by_cost):
        for place, start in enumerate(points, 1):
            if not learned.contains(start.config):
                raise FileError(f"starting point {place} is not in the learned space")
    if learned.portfolio_by_cost and learned.costs is None:
        raise FileError("it has starting points by cost, and no costs")


def _check_blocks(learned: LearnedSpace) -> None:
    """Every numeric parameter in one block, and regions as the shape says."""
    if learned.shape not in (*shape_names(), "full"):
        raise FileError(f"this ringfence knows no shape {learned.shape!r}")
    placed = [name for block in learned.blocks for name in block.names]
    expected = Encoding.of(learned.space).names
    if sorted(placed) != sorted(expected):
        raise FileError(f"the blocks hold {placed}, the space's numeric parameters are {expected}")
    for block in learned.blocks:
        if not _is_everything(block.region) and not _has_shape(block.region, learned.shape):
            raise FileError(f"a region is not what the shape {learned.shape!r} says")
        if block.widened > len(block.names):
            raise FileError(f"a block of {len(block.names)} keeps room in {block.widened}")
        _check_integers(block)


def _has_shape(region: Region, shape: str) -> bool:
    if shape == "full" or (len(region.parts) > 1 and not is_union(shape)):
        return False
    return all(type(part.record()) is shape_of(shape).record for part in region.parts)


def _is_everything(region: Region) -> bool:
    """Whether it is the unit cube, which any shape has where no task says anything."""
    lower, upper = region.bounds
    return region.is_box and bool((lower == 0.0).all() and (upper == 1.0).all())


def _check_integers(block: Block) -> None:
    """The sides of a box hold an integer each, or nothing could ever be drawn from it."""
    for part in block.region.parts:
        middle = [axis.span(*ends) for axis, *ends in zip(block.encoding.axes, *part.bounds)]
        points = block.encoding.encode(dict(zip(block.names, np.array(middle))))
        cells = [axis.has_cells for axis in block.encoding.axes]
        if part.is_box and not part.contains(np.where(cells, points, part.anchor)).all():
            wholes = [axis.integer for axis in block.encoding.axes if axis.has_cells]
            what = "integer" if all(wholes) else "value"
            raise FileError(f"a box holds no {what} of {', '.join(block.names)}")


def _check_choices(learned: LearnedSpace) -> None:
    """Choices of the space, in its order, for each parameter that has some."""
    choices = learned.space.unordered_choices()
    if learned.choices.keys() != choices.keys():
        raise FileError(f"choices are given for {[*learned.choices]}, not for {[*choices]}")
    for name, kept in learned.choices.items():
        keys = [choice_key(choice) for choice in kept]
        known = set(keys)
        if not keys or keys != [k for k in map(choice_key, choices[name]) if k in known]:
            raise FileError(f"the choices {list(kept)} of {name!r} are not among the space's")


def _check_tasks(learned: LearnedSpace) -> None:
    """Different tasks, each with its best configuration on the side that it is said to be."""
    names = [task.name for task in learned.tasks]
    if len(set(names)) < len(names):
        raise FileError("two tasks have the same name")
    for task in learned.tasks:
        if not is_of_space(learned.space, task.incumbent, task.unknown):
            raise FileError(f"the incumbent of task {task.name!r} is not in the space")
        if not all(name in task.incumbent for name in task.fixed):
            raise FileError(f"task {task.name!r} has no value of a parameter that it had fixed")
        if _is_inside(learned, task.found) == task.outside:
            side = "outside" if task.outside else "inside"
            raise FileError(f"the incumbent of task {task.name!r} is not {side} the region")
    if sum(task.stands_for for task in learned.tasks) > len(learned.tasks):
        raise FileError("tasks stand for more tasks than there are")
    if learned.outliers and not learned.settings.outliers:
        raise FileError(f"no task was to be left outside, but {learned.outliers[0]!r} is")


def _is_inside(learned: LearnedSpace, incumbent: Mapping[str, Choice]) -> bool:
    """Whether the regions and the kept choices hold what a task knows of its best."""
    for name, kept in learned.choices.items():
        if name in incumbent and choice_key(incumbent[name]) not in map(choice_key, kept):
            return False
    points = [(block, block.encoding.point(incumbent)) for block in learned.blocks]
    return all(bool(block.inside(point)[0]) for block, point in points)
