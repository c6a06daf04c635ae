"""Labels of a figure that do not run into each other.

What is measured here must have its place: `figure.draw_without_rendering()` comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from ringfence.words import plain, shortened, shown

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.text import Text

GAP = 4.0  # pixels of a hundred to the inch between two labels
LENGTHS = (32, 28, 24, 20, 16, 12, 8)  # characters that a name may keep, from long to short


def label(name: str, most: int = 32) -> str:
    """A name from the data on one line."""
    return words(shortened(plain(name), most))


def words(text: str) -> str:
    """Text with names in it as it is; matplotlib would read dollar signs as mathematics."""
    return shown(text).replace("$", r"\$")


def apart(texts: Sequence[str], most: int) -> list[str]:
    """The texts with their middle left out if they are longer than `most`; if they were then the
    same, what they have in common is left out instead."""
    short = [label(text, most) for text in texts]
    if len(set(short)) == len(set(texts)):
        return short
    start = _common(texts)
    stop = _common([text[start:][::-1] for text in texts])
    cores = [text[start : len(text) - stop] for text in texts]
    head, tail = "…" if start else "", "…" if stop else ""
    return [label(f"{head}{core}{tail}", most) for core in cores]


def _common(texts: Sequence[str]) -> int:
    """With how many equal characters the texts begin."""
    differ = (n for n, letters in enumerate(zip(*texts)) if len(set(letters)) > 1)
    return next(differ, min(map(len, texts)))


def thin(texts: Sequence[Text]) -> None:
    """Hide all but every second, third, … of the texts, which stand in a row or in a column, until
    none touches the next."""
    boxes = [text.get_window_extent().padded(GAP / 2) for text in texts]
    for step in range(1, len(texts) + 1):
        if not any(one.overlaps(other) for one, other in pairwise(boxes[::step])):
            break
    for number, text in enumerate(texts):
        text.set_visible(number % step == 0)


def shorten_ticks(axis: Axis, length: float) -> None:
    """Leave out the middle of tick labels until none is longer than `length` pixels."""
    names = [text.get_text().replace(r"\$", "$") for text in axis.get_ticklabels()]
    for most in LENGTHS:
        axis.set_ticklabels([label(name, most) for name in names])
        widths = [text.get_window_extent().width for text in axis.get_ticklabels()]
        if max(widths, default=0.0) <= length:
            return


def thin_ticks(axis: Axis) -> None:
    """Leave out labels of fixed ticks that would touch; their ticks stay."""
    texts = axis.get_ticklabels()
    thin(texts)
    axis.set_ticklabels([text.get_text() if text.get_visible() else "" for text in texts])
    for text in texts:
        text.set_visible(True)


def name_axis(axis: Axis, name: str, note: str, length: float) -> None:
    """Write the name of an axis, its middle left out if it is longer than `length` pixels; `note`
    stands behind it, or below if there is no room."""
    for most in LENGTHS:
        for joint in (" ", "\n") if note else ("",):
            axis.set_label_text(f"{label(name, most)}{joint}{note}")
            box = axis.label.get_window_extent()
            if max(box.width, box.height) <= length:
                return
