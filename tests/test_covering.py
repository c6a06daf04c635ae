"""What is left to `make test-all` costs no pair of factors."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from covering import covering, matrix
from problems import REGIONS
from ringfence.optimize.registry import names


@pytest.mark.parametrize("sizes", [(4, 4, 4), (5, 3, 4), (7, 4, 7), (9, 2, 3)])
def test_every_pair_of_factors_occurs(sizes):
    factors = [[f"{letter}{i}" for i in range(n)] for letter, n in zip("mkr", sizes)]
    cells = covering(*factors)
    assert len(cells) == sizes[0] * sizes[2]
    for i, j in combinations(range(3), 2):
        assert {(cell[i], cell[j]) for cell in cells} == {*product(factors[i], factors[j])}


def test_the_matrix_is_whole_and_cheap_methods_are_never_slow():
    costly, kinds = {"gp", "smac", "ablr"}, ["a", "b"]
    cells = matrix(names(), kinds, REGIONS, costly)
    assert {cell.values for cell in cells} == {*product(names(), kinds, REGIONS)}
    slow = [cell.values for cell in cells if cell.marks]
    assert len(slow) == 3 * len(REGIONS) and {name for name, _, _ in slow} == costly
