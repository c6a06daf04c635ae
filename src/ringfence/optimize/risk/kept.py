"""A chance of failure as a learned space keeps it, and back."""

from __future__ import annotations

import numpy as np

from ringfence.learned.zone.odds import Feature, Odds, Term
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.risk.basis import Basis
from ringfence.optimize.risk.chance import Chance

LEAST = 1e-3  # slope of a scaled column, of the largest, that is worth keeping


def odds_of(chance: Chance, full: Layout) -> Odds:
    """The record of a chance over the features of a full space."""
    basis, features = chance.basis, _features(full)
    kept = np.abs(chance.b) >= LEAST * np.abs(chance.b).max(initial=0.0)
    slopes = chance.b / basis.scale
    terms = tuple(
        Term(tuple(features[c] for c in (i, j) if c >= 0), float(slope))
        for i, j, slope in zip(basis.first[kept], basis.second[kept], slopes[kept])
    )
    constant = chance.constant - float(basis.mean[kept] @ slopes[kept])
    return Odds(chance.mean, chance.deviation, constant, terms, chance.evidence)


def chance_from(odds: Odds, full: Layout) -> Chance:
    """The chance of a record, over the features of the full space."""
    column = {feature: number for number, feature in enumerate(_features(full))}
    pairs = [[column[feature] for feature in term.of] for term in odds.terms]
    first = np.array([pair[0] for pair in pairs], dtype=np.int64)
    second = np.array([pair[1] if len(pair) == 2 else -1 for pair in pairs], dtype=np.int64)
    basis = Basis(first, second, np.zeros(len(pairs)), np.ones(len(pairs)))
    b = np.array([term.slope for term in odds.terms])
    return Chance(basis, b, odds.mean, odds.deviation, odds.evidence, odds.constant)


def _features(full: Layout) -> list[Feature]:
    """What each column of the features stands for."""
    seen: dict[int, int] = {}
    features = []
    for group in full.groups.tolist():
        position = seen[group] = seen.get(group, -1) + 1
        unordered = full.axes[group] is None
        features.append(Feature(full.names[group], position if unordered else None))
    return features
