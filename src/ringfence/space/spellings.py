"""Choices that differ in case and blanks only: one choice, in the most frequent spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

LEADING_ZERO = r"^[+-]?0\d"
"""007 is a name, not a number: 7 would be another."""
PAIRS = (
    ("true", "false"), ("wahr", "falsch"), ("1", "0"), ("1.0", "0.0"), ("yes", "no"), ("on", "off"),
    ("ja", "nein"),
)  # fmt: skip
"""How booleans are written; the first two pairs are what programs and spreadsheets write."""
FLAGS = {**{yes: True for yes, _ in PAIRS}, **{no: False for _, no in PAIRS}}
MOST = 5
"""So many pairs of spellings are shown in a note."""


def spelling_key(text: str) -> str:
    """What two spellings of one choice have in common."""
    return text.strip().casefold()


def spellings(column: pl.Series) -> dict[str, str]:
    """The frequent spelling of each text that is a rarer spelling of the same choice."""
    counts = column.drop_nulls().value_counts(name=":count").rows()
    groups: dict[str, list[tuple[int, str]]] = {}
    for text, count in counts:
        groups.setdefault(spelling_key(text), []).append((-count, text))
    usual: dict[str, str] = {}
    for group in groups.values():
        if len(group) > 1 or group[0][1] != group[0][1].strip():
            frequent = min(group)[1].strip()
            usual |= {text: frequent for _, text in sorted(group) if text != frequent}
    return usual


def in_words(name: str, usual: dict[str, str]) -> str:
    """The note on what was read as what."""
    pairs = [f"{text!r} as {frequent!r}" for text, frequent in sorted(usual.items())]
    more = f" and {len(pairs) - MOST} more" if len(pairs) > MOST else ""
    return f"{name}: read {', '.join(pairs[:MOST])}{more}"
