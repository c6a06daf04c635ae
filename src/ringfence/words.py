"""Values in words: a few digits, short lists, nothing that a terminal would obey."""

from __future__ import annotations

import difflib
import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

MOST_CHOICES = 12
"""So many choices or names fit two lines of a terminal; the rest is counted."""


def plain(text: str) -> str:
    """The text on one line, with nothing that a terminal would obey."""
    return text if text.isprintable() else "".join(map(_plain, text))


def shown(text: str) -> str:
    """The text with its lines and tabs, and with nothing else that a terminal would obey."""
    if text.isprintable():
        return text
    return "".join(c if c in "\n\t" else _plain(c) for c in text)


def _plain(letter: str) -> str:
    if letter.isprintable():
        return letter
    is_blank = unicodedata.category(letter) == "Zs"  # such as the one in 12 000
    return " " if is_blank else repr(letter)[1:-1]


def writable(text: str) -> str:
    """The text with what no file can hold spelled out: bytes of a file's name that are no text."""
    return text.encode("utf-8", "backslashreplace").decode()


def is_text(text: str) -> bool:
    """Whether a file can hold it: not with bytes of a command line or a name that are no text, and
    not with half a character."""
    return text == writable(text)


def value(item: object) -> str:
    """A value to four digits."""
    return f"{item:.4g}" if isinstance(item, float) else str(item)


def number(item: float) -> str:
    """A large number in words that fit a line."""
    return f"{item:,.0f}" if item < 1e6 else f"{item:.2g}"


def percent(share: float) -> str:
    """A share in per cent, with digits if they matter."""
    return f"{share:.0%}" if share >= 0.1 else f"{100 * share:.2g}%"


def estimate(share: float, error: float) -> str:
    """A share in per cent that is known to a standard error: with it, unless three of them change
    no digit that is shown."""
    if percent(max(share - 3 * error, 0.0)) == percent(share + 3 * error):
        return percent(share)
    return f"≈{percent(share)} ± {percent(error)}" if error < math.inf else f"≈{percent(share)}"


def counted(count: int, noun: str) -> str:
    """So many of something: 1 task, 2,000 tasks."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def some(names: Sequence[str], most: int = MOST_CHOICES) -> str:
    """The names in a line, long ones shortened, the rest counted."""
    shown = ", ".join(
        shortened(plain(name), 60) if name.strip() else "(blank)" for name in names[:most]
    )
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def choices(items: Iterable[object], joint: str = ", ", most: int = MOST_CHOICES) -> str:
    """Choices in a line; of a long list the first few, and how many more there are."""
    items = list(items)
    shown = joint.join(value(item) for item in items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most} more"


def shortened(text: str, most: int) -> str:
    """The text with its middle left out if it is longer than `most`."""
    if len(text) <= most:
        return text
    head = (most - 1) * 2 // 3  # what tells names apart is more often at the beginning
    return f"{text[:head]}…{text[len(text) - (most - 1 - head) :]}"


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """A question that suggests the known name nearest to a misspelled one; "" if none is near."""
    nearest = difflib.get_close_matches(str(name), list(known), 1)
    return f"did you mean {nearest[0]!r}?" if nearest else ""


def brief(item: object, most: int = 240) -> str:
    """What `repr` says of a value; of a long one the beginning, and how much more there is."""
    try:
        text = repr(item)
    except ValueError:  # an integer of thousands of digits, which Python does not write out
        return "a number of more than 4,300 digits"
    if len(text) <= most:
        return text
    if isinstance(item, Mapping):
        entries, ends = [f"{key!r}: {brief(part, most)}" for key, part in item.items()], "{}"
    elif isinstance(item, (tuple, list)):
        entries, ends = (
            [brief(part, most) for part in item],
            "()" if isinstance(item, tuple) else "[]",
        )
    else:
        return shortened(text, most)
    shown = 0
    while shown < len(entries) and sum(map(len, entries[: shown + 1])) < most:
        shown += 1
    rest = f"… {len(entries) - shown} more"
    return f"{ends[0]}{', '.join([*entries[:shown], rest])}{ends[1]}"


class Brief:
    """A record whose `repr` is short, however much it holds."""

    __slots__ = ()

    def __repr__(self) -> str:
        names = getattr(self, "__struct_fields__", ())
        fields = (f"{name}={brief(getattr(self, name))}" for name in names)
        return f"{type(self).__name__}({', '.join(fields)})"


SIZES = (("days", 86_400.0), ("hours", 3_600.0), ("minutes", 60.0), ("seconds", 1.0))
"""Units of time and their seconds, from the largest."""
FEWEST = 1.5  # of a unit; below, the next smaller one is used


def cost_text(cost: float, unit: str) -> str:
    """A cost in words: "41 minutes" if the unit is seconds, else the number and the unit."""
    if unit != "seconds":
        return f"{_digits(cost)} {shown(unit)}"
    name, size = next(((n, s) for n, s in SIZES if cost >= FEWEST * s), SIZES[-1])
    return f"{_digits(cost / size)} {name}"


def _digits(number: float) -> str:
    """Two digits, or all before the point if these are few."""
    return f"{number:,.0f}" if 10 <= number < 1e9 else f"{number:.2g}"
