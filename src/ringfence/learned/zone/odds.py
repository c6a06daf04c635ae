"""Odds: how likely a run fails at a configuration, as a learned space keeps it.

    log odds of failure = m + e + constant + Σ slope Π (feature - 1/2),   e ~ N(0, deviation²)

A feature is a parameter's unit coordinate (1/2 if it has none), or √½ for a choice that is taken
and 0 for one that is not (optimize/domain/layout.py).
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec

from ringfence.space import Categorical, Constant, Space
from ringfence.words import Brief

MOST = 1e9
"""Of a number: a slope over the least deviation of a column (optimize/risk/basis.py) is smaller."""
Bounded: TypeAlias = Annotated[float, msgspec.Meta(ge=-MOST, le=MOST)]


class Feature(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A parameter, or one of its choices."""

    name: str
    choice: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """The position of the choice among all of a categorical parameter without an order."""


class Term(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A feature, its square, or a product of two."""

    of: Annotated[tuple[Feature, ...], msgspec.Meta(min_length=1, max_length=2)]
    slope: Bounded


class Odds(Brief, msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The log odds of failure over earlier tasks."""

    mean: Bounded
    deviation: Annotated[float, msgspec.Meta(ge=1e-4, le=1e3)]
    """That of a fit is from 0.0001 to 5."""
    constant: Bounded
    terms: Annotated[tuple[Term, ...], msgspec.Meta(min_length=1)]
    evidence: Annotated[float, msgspec.Meta(ge=0)]
    """Log likelihood of tasks left out that the configuration explains beyond their rates."""


def odds_fault(odds: Odds, space: Space) -> str:
    """What of the odds does not fit the space; empty if all does."""
    for feature in (feature for term in odds.terms for feature in term.of):
        if feature.name not in space or isinstance(space[feature.name], Constant):
            return f"the odds name {feature.name!r}, which is no parameter that varies"
        parameter = space[feature.name]
        choices = isinstance(parameter, Categorical) and not parameter.ordered
        count = len(parameter.choices) if isinstance(parameter, Categorical) else 0
        if choices != (feature.choice is not None) or (feature.choice or 0) >= max(count, 1):
            return f"the odds name a choice that {feature.name!r} does not have"
    pairs = {(frozenset(term.of), len(term.of)) for term in odds.terms}
    return "the odds have a term twice" if len(pairs) < len(odds.terms) else ""
