"""Values, words and names that have broken programs before."""

from __future__ import annotations

import random
from typing import Any

TOKEN = "t0kEn5ecret"
"""Planted where a password or a token may stand; it must come out nowhere."""

NUMBERS: tuple[Any, ...] = (
    0, -0.0, 1, -1, 2, 0.5, 1e-320, 5e-324, 1e308, -1e308, 1.7976931348623157e308, 1e-9,
    float("nan"), float("inf"), float("-inf"), 2**31, -(2**31), 2**53 + 1, 2**63 - 1, 2**63, 2**64,
    -(2**63) - 1, 10**30, 10**310, -(10**310), 0.1 + 0.2, 1.0000000000000002, 99999,
)  # fmt: skip
MANY_DIGITS = "9" * 5000  # more than Python turns into an integer
WORDS: tuple[str, ...] = (
    "", " ", "nan", "NaN", "inf", "-inf", "null", "None", "true", "1e999", "1,5", "1.234,5",
    "50%", "0x10", "1_000", "१२", "½", "=1+1", "@SUM(A1)", "-1+cmd", "task", "status",
    "objective", "parameters", "conditions", "type", "float", "int", "categorical", "LEARNED",
    "LOSS", "$x^{$", "$\\frac{1}{$", "{{7*7}}", "{% for %}", "<script>", "</script>", "&amp;",
    "%s%n", "{0}", "a/b", "../up", "..", ".", "con", "*", "[a]", "~", "-", "--", "-h", "\\", "'",
    "^x$", "^.*$",
    '"', "`", "#", "!!python", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x9b31m", "\r", "\n",
    "\t", "a\nb", "\u2028", "\x7f", "\u202eabc", "\u200b", "\ufeff", "\x00", "a\x00b", "\ud800",
    "é", "e\u0301", "İ", "ß", "🦊", "𝔘", "a" * 300, "x" * 5000, "ab" * 40000, "2026-01-01",
    "2026-13-99", "12:60", "1e5", "00012", "1.", "minimize", "maximize", "random", "gp", "box",
    "ellipsoid", "FINISHED", "COMPLETE", "full", "a;=1+1", "b\t@SUM(A1)", "c|-2+3", ";;+1+1",
)  # fmt: skip
NESTED = (50, 400, 3000, 20000)
"""Depths: within reason, near Python's limit, beyond it, and beyond the stack of C programs."""


def value(rng: random.Random) -> Any:
    """A value for a leaf of JSON or a cell of a database."""
    kind = rng.randrange(8)
    if kind < 3:
        return rng.choice(NUMBERS)
    if kind < 6:
        return rng.choice(WORDS)
    if kind == 6:
        return rng.choice((None, True, False, [], {}, [None], [[]], {"": None}, [1, "a"]))
    return rng.choice(({"a": {"b": 1}}, [1.5] * 40, list(range(300)), {"type": "float"}))


def cell(rng: random.Random) -> Any:
    """A value that a cell of a database can hold."""
    chosen = value(rng)
    if isinstance(chosen, int) and not -(2**63) <= chosen < 2**63:
        return str(chosen)
    if isinstance(chosen, (list, dict)):
        return b"\xff\x00blob" if not chosen else "{" * 2000
    return chosen.encode("utf-8", "replace").decode() if isinstance(chosen, str) else chosen


def word(rng: random.Random) -> str:
    """A word for a text file or a command line."""
    if rng.random() < 0.3:
        return repr(rng.choice(NUMBERS))
    return rng.choice(WORDS)
