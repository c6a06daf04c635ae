"""What every learned space promises, whatever it was learned from or read from."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ringfence.learned.cube import UnitCube
from ringfence.learned.diff import describe
from ringfence.learned.file import decode
from ringfence.learned.file_format import encode
from ringfence.learned.space import LearnedSpace
from ringfence.optimize.domain.layout import Layout
from ringfence.space import Choice, Config, allows

SAMPLES = 6
CLOSE = 1e-9  # relative, of values that went to unit coordinates and back
SAME_POINT = 1e-5  # of points that went to a cube and back: a flat region turns rounding into that


def broken_promise(learned: LearnedSpace) -> str | None:
    """The first promise that is broken; None if all are kept."""
    return next(_broken(learned), None)


def _broken(learned: LearnedSpace) -> Iterator[str]:
    configs = learned.sample(SAMPLES, seed=0)
    yield from _incumbents(learned)
    yield from _samples(learned, configs)
    yield from _encodings(learned, configs)
    yield from _regions(learned)
    yield from _cubes(learned, configs)
    yield from _files(learned, configs)
    yield from _words(learned)


def _incumbents(learned: LearnedSpace) -> Iterator[str]:
    """Those that are kept are inside, those left outside are not; without outliers all are kept.
    One that lacks values, or has some that nobody tuned, is inside if other values make it so."""
    layout = Layout(learned)
    for task in learned.tasks:
        whole = not (task.unknown or task.fixed)
        known = task.incumbent if whole else task.found
        inside = learned.contains(known) if whole else layout.inside(layout.encode([known]))[0]
        if inside == task.outside:
            yield f"the incumbent of {task.name!r} is not {'out' if task.outside else 'in'}side"
    if learned.outliers and not learned.settings.outliers and not learned.settings.top:
        yield f"no outliers were allowed, and {learned.outliers} are"


def _samples(learned: LearnedSpace, configs: list[Config]) -> Iterator[str]:
    """Inside, legal for the full space, and within the ranges that are shown."""
    ranges = learned.as_space()
    for config in configs:
        if not learned.contains(config):
            yield f"a sample is outside: {config}"
        if not learned.space.contains(config):
            yield f"a sample is not legal: {config}"
        for name in config:
            if name in ranges and not _nearly_allows(ranges, name, config[name]):
                yield f"a sample has {name!r} = {config[name]!r}, out of {ranges[name]}"
    for name, ends in learned.bounds.items():
        if not all(allows(learned.space[name], end) for end in ends):
            yield f"the bounds {ends} of {name!r} leave the space"


def _nearly_allows(space: object, name: str, value: Choice) -> bool:
    """Whether the value is in range, to rounding."""
    parameter = space[name]  # type: ignore[index]
    if allows(parameter, value):
        return True
    ends = getattr(parameter, "low", None), getattr(parameter, "high", None)
    single = getattr(parameter, "value", None)
    return isinstance(value, float) and any(
        (isinstance(end, (int, float)) and math.isclose(value, end, rel_tol=1e-6, abs_tol=0.0))
        or _near_zero_end(learned_end=end, value=value, ends=ends)
        for end in (*ends, single)
        if end is not None
    )


def _near_zero_end(
    learned_end: Choice, value: float, ends: tuple[float | None, float | None]
) -> bool:
    """Whether the value misses an end by a sliver of the range."""
    low, high = ends
    if low is None or high is None or not isinstance(learned_end, (int, float)):
        return False
    return abs(value - learned_end) <= 1e-6 * (high - low)


def _encodings(learned: LearnedSpace, configs: list[Config]) -> Iterator[str]:
    """Values → unit coordinates → values."""
    for block in learned.blocks:
        for config in configs:
            if not block.has_some(config):
                continue
            back = block.encoding.values(block.point(config))
            for name in filter(config.__contains__, block.names):
                if not _same(config[name], back[name][0]):
                    yield f"{name!r} = {config[name]!r} comes back as {back[name][0]!r}"


def _same(one: Choice, other: Choice) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=CLOSE, abs_tol=1e-300)
    return one == other


def _regions(learned: LearnedSpace) -> Iterator[str]:
    """Volumes are shares; cube → region → cube ends where it began, and never outside."""
    if not 0.0 <= learned.volume_fraction <= 1.0:
        yield f"the volume is {learned.volume_fraction}"
    rng = np.random.default_rng(1)
    for block in learned.blocks:
        cube = rng.random((SAMPLES, len(block.names)))
        points = block.region.from_cube(cube)
        if not block.region.contains(points).all():
            yield f"the cube of {block.names} leads outside"
        again = block.region.from_cube(block.region.to_cube(points))
        if np.abs(again - points).max() > SAME_POINT:
            yield f"the cube of {block.names} does not lead back: {np.abs(again - points).max():g}"
        lower, upper = block.region.bounds
        if not ((lower >= 0) & (lower <= upper) & (upper <= 1)).all():
            yield f"the bounds of {block.names} are out of order"


def _cubes(learned: LearnedSpace, configs: list[Config]) -> Iterator[str]:
    """The cube that other tools search: all of it is inside."""
    cube = UnitCube(learned)
    if not learned.contains(cube.decode(cube.center)):
        yield "the middle of the cube is outside"
    for config in configs[:2]:
        if not learned.contains(cube.decode(cube.encode(config))):
            yield f"the cube leads outside for {config}"


def _files(learned: LearnedSpace, configs: list[Config]) -> Iterator[str]:
    """Saved and read again it is the same, and so are its samples; nothing changed."""
    again = decode(encode(learned))
    if again != learned or again.sample(SAMPLES, seed=0) != configs:
        yield "it is not the same after it was saved"
    if describe(learned, again) != ["nothing changed"]:
        yield f"it differs from itself: {describe(learned, again)}"


def _words(learned: LearnedSpace) -> Iterator[str]:
    """It can be shown, and what is shown is a number."""
    text = f"{learned}\n{learned!r}\n{learned._repr_html_()}"
    if "nan" in text.split():
        yield "its text shows nan"
