"""A learned space as a picture: ranges before and after, and the incumbents of pairs of parameters.

Numbers first (`pairs`), drawing second (`figure`, `draw`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.errors import FileError, MissingExtraError
from ringfence.learned.blocks import Block
from ringfence.learned.text import headline, volume_line
from ringfence.words import percent, plain, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ringfence.learned.space import LearnedSpace

MOST_PAIRS = 6
LEGEND = (
    "black: best configuration of a task inside   red, ×: left outside   blue: learned\n"
    "the lower panels show the region's shadow on two parameters; a cross may lie within it"
)
RING, FENCE, DOT, OUT = "#1f6f8b", "#e8f1f2", "#1b1b1e", "#d1495b"


@dataclass(frozen=True, eq=False)
class Pair:
    """Two parameters of a block: incumbents and the outline of the region's projection."""

    names: tuple[str, str]
    points: FloatArray  # (m, 2) in unit coordinates
    outside: BoolArray  # (m,)
    outline: FloatArray  # (k, 2) in unit coordinates, NaN between the parts of a union


def pairs(learned: LearnedSpace, most: int = MOST_PAIRS) -> list[Pair]:
    """Pairs of parameters that are active together, at most `most` of them."""
    every_pair = (
        (block, i, j)
        for block in learned.blocks
        for i, j in combinations(range(len(block.names)), 2)
    )
    return [_pair(learned, *pair) for pair in islice(every_pair, most)]


def _pair(learned: LearnedSpace, block: Block, i: int, j: int) -> Pair:
    tasks = [task for task in learned.tasks if block.names[0] in task.incumbent]
    points = [block.encoding.point(task.incumbent)[0, [i, j]] for task in tasks]
    outside = np.array([task.outside for task in tasks], dtype=bool)
    names = block.names[i], block.names[j]
    return Pair(names, np.array(points).reshape(-1, 2), outside, block.region.outline(i, j))


def draw(learned: LearnedSpace, path: str | PathLike[str]) -> None:
    """Write the picture to a file; the ending tells the format (.png, .svg, .pdf)."""
    try:
        figure(learned).savefig(Path(path), dpi=150)
    except (OSError, ValueError) as error:
        raise FileError(f"cannot write {path}: {error}") from error


def figure(learned: LearnedSpace) -> Any:
    """The picture as a matplotlib figure that belongs to no window."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plot") from error
    panels = pairs(learned)
    columns = max(1, min(3, len(panels)))
    rows = -(-len(panels) // columns)
    count = sum(len(block.names) for block in learned.blocks)
    picture: Any = Figure(figsize=(9, 1.5 + 0.42 * count + 3.0 * rows), layout="constrained")
    FigureCanvasAgg(picture)
    grid = picture.add_gridspec(
        1 + rows, columns, height_ratios=[0.42 * count + 0.5, *[3.0] * rows]
    )
    _draw_ranges(picture.add_subplot(grid[0, :]), learned)
    for k, pair in enumerate(panels):
        _draw_pair(picture.add_subplot(grid[1 + k // columns, k % columns]), learned, pair)
    picture.suptitle(f"{headline(learned)}\n{volume_line(learned)}", fontsize=11)
    picture.supxlabel(LEGEND, fontsize=8, color="#555555")
    return picture


def _draw_ranges(axes: Axes, learned: LearnedSpace) -> None:
    labels: list[str] = []
    for block in learned.blocks:
        tasks = [task for task in learned.tasks if block.names[0] in task.incumbent]
        points = np.array([block.encoding.point(t.incumbent)[0] for t in tasks])
        outside = np.array([task.outside for task in tasks], dtype=bool)
        lower, upper = block.spans
        for j, name in enumerate(block.names):
            y = len(labels)
            labels.append(label(name))
            axes.barh(y, 1.0, height=0.62, color=FENCE)
            axes.barh(y, upper[j] - lower[j], left=lower[j], height=0.62, color=RING, alpha=0.55)
            if len(points):
                for x, color in ((points[outside, j], OUT), (points[~outside, j], DOT)):
                    axes.scatter(x, np.full(len(x), y), s=14, c=color, zorder=3)
            low, high = learned.bounds[name]
            text = f"{_short(low)} … {_short(high)}  ({percent(upper[j] - lower[j])})"
            axes.text(1.02, y, text, va="center", fontsize=8)
    axes.set_yticks(range(len(labels)), labels)
    axes.set_xticks([])
    axes.set_xlim(0, 1.35)
    axes.invert_yaxis()
    for side in axes.spines.values():
        side.set_visible(False)


def _draw_pair(axes: Axes, learned: LearnedSpace, pair: Pair) -> None:
    ends = np.flatnonzero(np.isnan(pair.outline[:, 0]))
    for curve in np.split(pair.outline, ends):
        axes.fill(*curve[~np.isnan(curve[:, 0])].T, color=RING, alpha=0.25)
    axes.plot(*pair.outline.T, color=RING, lw=1.2)
    inside, outside = pair.points[~pair.outside], pair.points[pair.outside]
    axes.scatter(inside[:, 0], inside[:, 1], s=14, color=DOT, clip_on=False, zorder=3)
    axes.scatter(outside[:, 0], outside[:, 1], s=22, color=OUT, marker="x", clip_on=False, zorder=3)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    for axis, name in zip((axes.xaxis, axes.yaxis), pair.names):
        parameter = learned.space[name]
        low, high = getattr(parameter, "low", ""), getattr(parameter, "high", "")
        axis.set_ticks([0, 1], [_short(low), _short(high)], fontsize=8)
        axis.set_label_text(label(name))


def label(name: str) -> str:
    """A name from the data on one line; matplotlib would read dollar signs as mathematics."""
    return shortened(plain(name), 32).replace("$", r"\$")


def _short(item: Any) -> str:
    return f"{item:.4g}" if isinstance(item, (int, float)) else str(item)
