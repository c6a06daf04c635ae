"""A learned space as a picture: ranges before and after, and the incumbents of pairs of parameters.

Drawing only: the numbers come from `numbers`.
"""

from __future__ import annotations

from collections import Counter
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.files import write_atomically
from ringfence.learned.picture.numbers import LONGEST_CHOICE, Pair, Row, pairs, rows
from ringfence.learned.text import headline, volume_line
from ringfence.rendering.fitting import (
    apart,
    label,
    name_axis,
    shorten_ticks,
    thin,
    thin_ticks,
)
from ringfence.space.ticks import OFF, Scale, scale_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ringfence.learned.space import LearnedSpace

LEGEND = "black: best configuration of a task inside   red, ×: left outside   blue: learned"
SHADOW = "the lower panels show the region's shadow on two parameters; a cross may lie within it"
ROW, PANEL = 0.52, 3.0  # inches of a parameter's row, and of a panel of two
NAMES = 2.3  # inches for names beside the rows: a quarter of the picture
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")  # mathtext was seen to keep figures alive
STACK = 5  # dots at one place that can be told apart within a bar
RING, FENCE, DOT, OUT, GRAY = "#1f6f8b", "#e8f1f2", "#1b1b1e", "#d1495b", "#555555"


def draw(learned: LearnedSpace, path: str | PathLike[str]) -> None:
    """Write the picture to a file; the ending tells the format (.png, .svg, .pdf)."""
    from ringfence.rendering.figure import encoded  # brings matplotlib

    write_atomically(Path(path), encoded(figure(learned), Path(path)))


def figure(learned: LearnedSpace) -> Any:
    """The picture as a matplotlib figure that belongs to no window."""
    from ringfence.rendering.figure import new_figure  # brings matplotlib

    bars, panels = rows(learned), pairs(learned)
    columns = max(1, min(3, len(panels)))
    lines = -(-len(panels) // columns)
    height = ROW * len(bars) + 0.3
    picture: Any = new_figure(9, 1.0 + height + PANEL * lines)
    heights = [height, PANEL * lines] if panels else [height]
    parts = picture.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
    ranges = parts[0].subplots()
    ticks = [_draw_row(ranges, y, row) for y, row in enumerate(bars)]
    _frame_rows(ranges, bars)
    drawn = parts[1].subplots(lines, columns, squeeze=False).ravel() if panels else []
    for axes, pair in zip(drawn, panels):
        _draw_pair(axes, learned, pair)
        axes.set_box_aspect(0.8 if columns == 1 else None)
    for axes in drawn[len(panels) :]:
        axes.set_axis_off()
    picture.suptitle(f"{headline(learned)}\n{volume_line(learned)}", fontsize=11)
    picture.supxlabel(_legend(learned, len(panels)), fontsize=8, color=GRAY)
    picture.draw_without_rendering()  # finds the places of all
    shorten_ticks(ranges.yaxis, NAMES * picture.dpi)
    for axes, pair in zip(drawn, panels):
        _name_axes(axes, learned, pair)
    picture.draw_without_rendering()  # names take room, too
    for texts in ticks:
        thin(texts)
    for axes in drawn[: len(panels)]:
        thin_ticks(axes.xaxis)
        thin_ticks(axes.yaxis)
    return picture


def _legend(learned: LearnedSpace, shown: int) -> str:
    total = sum(len(block.pairs(learned.space)) for block in learned.blocks)
    first = f"; the first {shown} of {total} pairs" if shown < total else ""
    return f"{LEGEND}\n{SHADOW}{first}" if shown else LEGEND


def _draw_row(axes: Axes, y: int, row: Row) -> list[Any]:
    """Draw a parameter's bar; the labels of its ticks, from left to right."""
    axes.barh(y, 1.0, height=0.5, color=FENCE)
    gap = 0.003 if len(row.kept) > 1 else 0.0  # between choices
    for start, stop in row.kept:
        axes.barh(y, stop - start - gap, left=start + gap / 2, height=0.5, color=RING, alpha=0.55)
    heights = y + _stacked(row.points)
    for chosen, color, mark in ((~row.outside, DOT, "o"), (row.outside, OUT, "x")):
        axes.scatter(row.points[chosen], heights[chosen], s=14, c=color, marker=mark, zorder=3)
    axes.text(1.03, y, row.says, va="center", fontsize=8)
    if row.scale.log:
        axes.text(1.03, y + 0.34, "log scale", va="top", fontsize=7, color=GRAY)
    places = [at for at, _ in row.scale.ticks]
    axes.vlines([*places], y + 0.25, y + 0.32, color=GRAY, lw=0.8)
    axes.vlines([*row.scale.minor], y + 0.25, y + 0.285, color=GRAY, lw=0.5)
    return [
        axes.text(at, y + 0.34, text, ha="center", va="top", fontsize=7, color=GRAY)
        for at, text in zip(places, tick_labels(row.scale))
    ]


def _stacked(points: FloatArray) -> FloatArray:
    """How far each point is moved from the middle of its bar, so that equal ones can be counted."""
    seen: Counter[float] = Counter()
    offsets = []
    for place in points.round(2).tolist():
        turn = seen[place] % STACK
        seen[place] += 1
        offsets.append(0.095 * ((turn + 1) // 2) * (-1) ** turn)
    return np.array(offsets)


def _frame_rows(axes: Axes, bars: list[Row]) -> None:
    axes.set_yticks(range(len(bars)), [label(row.name) for row in bars])
    axes.tick_params(axis="y", length=0)
    axes.set_xticks([])
    axes.set_xlim(0, 1.36)
    axes.set_ylim(max(len(bars), 1) - 0.3, -0.4)
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
        scale = scale_of(name, learned.space[name])
        axis.set_ticks([at for at, _ in scale.ticks], tick_labels(scale), fontsize=8)
        axis.set_ticks(list(scale.minor), minor=True)
        axis.label.set_fontsize(9)


def _name_axes(axes: Axes, learned: LearnedSpace, pair: Pair) -> None:
    box = axes.get_window_extent()
    for axis, name, length in zip(
        (axes.xaxis, axes.yaxis), pair.names, (box.width, box.height), strict=True
    ):
        log = getattr(learned.space[name], "log", False)
        name_axis(axis, name, "(log scale)" if log else "", 0.8 * length)  # it will shrink


def tick_labels(scale: Scale) -> list[str]:
    """The labels of a scale as matplotlib draws them: small and large powers of ten as powers."""
    texts = [text for _, text in scale.ticks]
    if scale.log:
        powers = {text: np.log10(float(text)) for text in texts if text != OFF}
        if all(p == round(p) for p in powers.values()) and max(map(abs, powers.values())) >= 3:
            raised = {text: f"10{str(round(p)).translate(RAISED)}" for text, p in powers.items()}
            return [raised.get(text, text) for text in texts]
    return apart(texts, LONGEST_CHOICE)
