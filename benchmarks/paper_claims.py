"""The paper's claims as data: parts of a claim, and the statements that a part makes.

A method is named as in the plan; "Box GP @ 1a" is the method Box GP of figure 1a.
"""

from __future__ import annotations

import math
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

HERE = Path(__file__).parent
MARGIN = 0.05
"""Regret, 5 % of the way from the median configuration to the best: a smaller difference does not
matter. It was the width of "alike" on this page before equivalence was tested."""
VOLUME_MARGIN = math.log10(1.1)  # a tenth of the volume
Kind: TypeAlias = Literal["less", "not less", "alike"]
Pairs: TypeAlias = tuple[tuple[str, str], ...]


class Statement(msgspec.Struct, frozen=True):
    """A weighted sum of methods' measures, and what it is said to be."""

    text: str
    weights: Mapping[str, float]
    kind: Kind
    measure: Literal["early", "end", "log_volume"] = "early"
    margin: float = MARGIN
    """The smallest difference that matters; 0 if any does."""


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that is said of a figure, and what the results would have to show."""

    says: str = ""
    """What the paper says, in a sentence; empty if the question is ours."""
    asks: str = ""
    """What we ask beyond the paper."""
    better: Pairs = ()
    """The first of two is said to be better than the second."""
    no_better: Pairs = ()
    """The first is said not to be better."""
    alike: Pairs = ()
    """The two are said to perform alike."""
    no_better_at_end: Pairs = ()
    """The first is said not to have become better in the end."""
    slight: bool = False
    """Whether "better" is said to be slightly so: then any difference matters."""
    smaller: Pairs = ()
    """The space that the first searches is said to be smaller than the second's."""
    alike_gain: tuple[tuple[str, str, str, str], ...] = ()
    """The gain of the first over the second is said to be like the third's over the fourth."""
    smaller_gain: tuple[tuple[str, str, str, str], ...] = ()
    """The gain of the first over the second is said to be less than the third's over the fourth."""
    most_of_gain: tuple[tuple[str, str, str], ...] = ()
    """The first is said to have more than half of the second's gain over the third."""

    def statements(self) -> Iterator[Statement]:
        """What is to be tested."""
        least = 0.0 if self.slight else MARGIN
        for kind, words, pairs, margin in (
            ("less", "better than", self.better, least),
            ("not less", "no better than", self.no_better, MARGIN),
            ("alike", "like", self.alike, MARGIN),
        ):
            for one, other in pairs:
                text = f"{one} {words} {other}"
                yield Statement(text, {one: 1, other: -1}, kind, margin=margin)
        for one, other in self.no_better_at_end:
            text = f"{one} at the end no better than {other}"
            yield Statement(text, {one: 1, other: -1}, "not less", "end")
        for one, other in self.smaller:
            text = f"space of {one} smaller than {other}'s"
            yield Statement(text, {one: 1, other: -1}, "less", "log_volume", VOLUME_MARGIN)
        for kind, words, gains, margin in (
            ("less", "less over {} than", self.smaller_gain, 0.0),
            ("alike", "over {} as much as", self.alike_gain, MARGIN),
        ):
            for one, other, third, fourth in gains:
                text = f"{one} gains {words.format(other)} {third} over {fourth}"
                weights = _sum((other, 1), (one, -1), (third, 1), (fourth, -1))
                yield Statement(text, weights, kind, margin=margin)
        for one, whole, base in self.most_of_gain:
            text = f"{one} has most of the gain of {whole} over {base}"
            weights = _sum((one, 1), (whole, -0.5), (base, -0.5))
            yield Statement(text, weights, "less", margin=0.0)


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A figure, where it is run, and what is said of it."""

    figure: str
    plans: tuple[str, ...]
    part: tuple[Part, ...]
    raw: str = ""
    """The same figure in raw scale, if this one is in log scale."""
    pictures: tuple[str, ...] = ()
    """Figures of learned spaces that belong to it."""
    remark: str = ""
    """What we make of it; numbers in it are looked up (`paper_numbers`)."""

    @property
    def link(self) -> str:
        """A link to its section on the page."""
        return f"[{self.figure}](#figure-{self.figure.lower()})"


class Claims(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of claims.toml."""

    head: str
    claim: tuple[Claim, ...]
    tail: str = ""


def read_claims() -> Claims:
    """The claims in the order of the page."""
    return msgspec.convert(tomllib.loads((HERE / "claims.toml").read_text("utf-8")), Claims)


def place(term: str, figure: str) -> tuple[str, str]:
    """The figure and the method that a term names, `figure` unless it says another."""
    method, _, other = term.partition(" @ ")
    return other or figure, method


def _sum(*terms: tuple[str, float]) -> dict[str, float]:
    """Weights by term; one that cancels out is left out."""
    weights: defaultdict[str, float] = defaultdict(float)
    for name, weight in terms:
        weights[name] += weight
    return {name: weight for name, weight in weights.items() if weight}
