"""SVG by hand: elements whose texts are escaped, a place to draw in, and texts that fit it.

Colors are classes of the style sheet, so that charts follow the light and the dark theme, print,
and need no script.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ringfence.rendering.markup import Html, escape, visible
from ringfence.words import shortened

SIZE = 12  # pixels, of the letters
LINE = 15  # pixels, from line to line
LARGEST = 1.3  # times the size in pixels that a picture may be shown
GAP = 6  # pixels between two labels, so that they are read as two
# Widths of letters in parts of SIZE, as wide as any of the usual fonts has them.
NARROW, USUAL, CAPITAL, WIDE = 0.42, 0.65, 0.8, 1.05
NARROW_LETTERS, WIDE_LETTERS = frozenset("iljtfrI.,:;'|!()[]/ "), frozenset("mwMW@%…—")


def element(tag: str, *inside: str, **attributes: object) -> Html:
    """An element. Its contents are escaped unless they are Html; `class_` is the class, and other
    underscores are dashes."""
    words = [tag]
    for key, given in attributes.items():
        text = f"{given:.1f}" if isinstance(given, float) else str(given)
        words.append(f'{key.rstrip("_").replace("_", "-")}="{escape(text)}"')
    return Html(f"<{' '.join(words)}>{''.join(map(escape, inside))}</{tag}>")


def label(text: str, most: int = 60) -> str:
    """A name on one line, shortened in the middle, with nothing that a browser would obey."""
    return visible(shortened(" ".join(text.split("\n")), most)) if text.strip() else "(blank)"


def width_of(text: str) -> float:
    """About how many pixels wide a text is, rather too many than too few."""
    return SIZE * sum(map(_width, text))


def _width(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF" or letter in WIDE_LETTERS:
        return WIDE
    if letter in NARROW_LETTERS:
        return NARROW
    return CAPITAL if letter.isupper() else USUAL


def fitted(text: str, room: float) -> str:
    """The label of a text, shortened so that it fits into `room` pixels."""
    shown = label(text)
    most = len(shown)
    while most > 2 and width_of(shown) > room:
        most -= 1
        shown = label(text, most)
    return shown


@dataclass(frozen=True)
class Tick:
    """A label on an axis."""

    at: float
    """Pixels."""
    text: str


def spread(ticks: Sequence[Tick], sizes: Sequence[float]) -> list[Tick]:
    """Every tick, or every second, third, … so that no label of these sizes touches the next."""
    for step in range(1, len(ticks) + 1):
        kept = sorted(zip(ticks[::step], sizes[::step]), key=lambda pair: pair[0].at)
        if all(
            after.at - before.at >= (one + other) / 2 + GAP
            for (before, one), (after, other) in pairwise(kept)
        ):
            break
    return [tick for tick, _ in kept] if ticks else []


@dataclass(frozen=True)
class Plot:
    """A rectangle to draw in, with room for labels around it; all in pixels."""

    width: int
    height: int
    left: float
    right: float = 14.0
    top: float = 26.0
    bottom: float = 44.0

    def x(self, share: float) -> float:
        """The place of a share of the width."""
        return self.left + share * (self.width - self.left - self.right)

    def y(self, share: float) -> float:
        """The place of a share of the height, which grows upwards."""
        return self.height - self.bottom - share * (self.height - self.top - self.bottom)

    def at(self, across: float, upwards: float) -> tuple[float, float]:
        """The place of a point of the unit square."""
        return self.x(across), self.y(upwards)

    def drawn(self, *inside: str, says: str) -> Html:
        """The picture, as wide as its place, but no larger than its letters can bear."""
        return element(
            "svg", *inside, viewBox=f"0 0 {self.width} {self.height}", role="img", aria_label=says,
            style=f"max-width:{LARGEST * self.width:.0f}px", class_="chart",
        )  # fmt: skip

    def inner(self, *inside: str) -> Html:
        """What is cut off where it leaves the rectangle; in pixels of the whole."""
        x, y = self.left, self.top
        width, height = self.x(1) - x, self.y(0) - y
        return element(
            "svg", *inside, x=x, y=y, width=width, height=height,
            viewBox=f"{x:.1f} {y:.1f} {width:.1f} {height:.1f}",
        )  # fmt: skip

    def axes(self, x_ticks: Iterable[Tick], y_ticks: Iterable[Tick], x: str, y: str) -> Html:
        """The frame, lines at the ticks, their labels, and the titles: that of the vertical axis
        stands above it, where there is room for long names."""
        left, right, top, bottom = self.left, self.x(1), self.top, self.y(0)
        parts: list[Html] = []
        for tick in x_ticks:
            half = width_of(tick.text) / 2
            at = min(max(tick.at, half), self.width - half)
            parts += [
                element("path", d=f"M{tick.at:.1f} {top:.1f}V{bottom + 4:.1f}", class_="grid"),
                element("text", tick.text, x=at, y=bottom + 18, class_="tick x"),
            ]
        for tick in y_ticks:
            parts += [
                element("path", d=f"M{left - 4:.1f} {tick.at:.1f}H{right:.1f}", class_="grid"),
                element("text", tick.text, x=left - 7, y=tick.at + 4, class_="tick y"),
            ]
        frame = f"M{left:.1f} {top:.1f}H{right:.1f}V{bottom:.1f}H{left:.1f}Z"
        room = self.width - 4 - width_of("→ ")
        return Html(
            "".join(
                [
                    *parts,
                    element("path", d=frame, class_="frame"),
                    element("text", f"{fitted(x, room)} →", x=right, y=self.height - 8.0,
                            class_="title end"),
                    element("text", f"↑ {fitted(y, room)}", x=2, y=14, class_="title"),
                ]
            )
        )  # fmt: skip


def line(points: Iterable[tuple[float, float]], *, closed: bool = False) -> str:
    """The path through points, for an attribute `d`."""
    places = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f"M{places}{'Z' * closed}"


def mark(kind: str, x: float, y: float, number: int | None = None) -> Html:
    """A sign of the page's own set; with a number it has the label of that number."""
    numbered = {} if number is None else {"data_spot": number}
    return element("use", href=f"#{kind}", x=x, y=y, class_=kind, **numbered)
