"""Which cells of a full matrix `make test` runs: few, and still every pair of factors."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import product

import pytest
from _pytest.mark import ParameterSet

Cell = tuple[str, str, str]


def covering(methods: Iterable[str], kinds: Iterable[str], regions: Iterable[str]) -> list[Cell]:
    """Each method in each region once, the kinds dealt out in turn.

    Along every row and column of methods × regions the kinds go round, so if there are at least as
    many methods and regions as kinds, every kind also meets every method and every region.
    """
    kinds = list(kinds)
    return [
        (method, kinds[(i + j) % len(kinds)], region)
        for (i, method), (j, region) in product(enumerate(methods), enumerate(regions))
    ]


def matrix(
    methods: Iterable[str],
    kinds: Collection[str],
    regions: Collection[str],
    costly: Collection[str],
) -> list[ParameterSet]:
    """All cells; of the `costly` methods those that the covering leaves out are marked slow."""
    covered = {*covering(sorted(costly), kinds, regions)}
    return [
        pytest.param(*cell, marks=[pytest.mark.slow] * (cell[0] in costly and cell not in covered))
        for cell in product(methods, kinds, regions)
    ]
