"""Domain: the set in which an optimizer searches, whatever its shape."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ringfence.arrays import FloatArray, IntArray
from ringfence.errors import ExhaustedError, SettingError
from ringfence.learned.blocks import Block
from ringfence.learned.full import full_space
from ringfence.learned.settings import Unit
from ringfence.learned.space import LearnedSpace
from ringfence.optimize.domain.candidate_list import CandidateList
from ringfence.optimize.domain.layout import Layout
from ringfence.space import Categorical, Config, Space
from ringfence.space.inference import Inferred

MOST_LISTED = 20_000
"""Spaces with at most this many configurations are listed one by one."""
BATCHES = 40  # of draws that were all tried before; then the space counts as exhausted
BATCH_SIZE = 64


@dataclass(frozen=True, eq=False)
class Domain:
    """A learned space, or the configurations of a list that lie inside it."""

    layout: Layout
    pool: FloatArray | None
    """Every configuration as rows, (m, names), if they are few or were given; else None."""
    given: Mapping[bytes, Config] | None = None
    """The candidates as they were given, by their keys."""

    @property
    def learned(self) -> LearnedSpace:
        """The learned space."""
        return self.layout.learned

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """`n` independent uniform rows; of a list, drawn with replacement."""
        if self.pool is not None:
            return self.pool[rng.integers(len(self.pool), size=n)]
        return self.layout.without_inactive(self._draw_all(n, rng))

    def completed(self, rows: FloatArray, rng: np.random.Generator) -> FloatArray:
        """`rows` with a uniform draw from the region for every value that is missing and that no
        condition switches off."""
        filled = np.where(np.isnan(rows), self._draw_all(len(rows), rng), rows)
        return self.layout.snap(filled)

    def _draw_all(self, n: int, rng: np.random.Generator) -> FloatArray:
        """`n` uniform rows of the region with a value of every parameter, active or not."""
        rows = np.empty((n, len(self.layout.names)))
        for name in self.learned.choices:
            rows[:, self.layout.position(name)] = rng.choice(self.positions(name), size=n)
        for block in self.learned.blocks:
            columns = [self.layout.position(name) for name in block.names]
            rows[:, columns] = self.learned.draw(block, n, rng).points
        return rows

    def untried(self, tried: Set[bytes]) -> FloatArray:
        """The rows of the pool that were not tried; ExhaustedError if none remains."""
        assert self.pool is not None
        return self.pool[self.untried_places(tried)]

    def untried_places(self, tried: Set[bytes]) -> IntArray:
        """Where in the pool these rows are."""
        assert self.pool is not None
        places = np.flatnonzero([key not in tried for key in self._pool_keys])
        if not len(places):
            raise ExhaustedError(f"all {len(self.pool)} configurations of the space were tried")
        return places

    @cached_property
    def _pool_keys(self) -> list[bytes]:
        assert self.pool is not None
        return self.layout.keys(self.pool)

    def fresh(self, tried: Set[bytes], rng: np.random.Generator) -> FloatArray:
        """One uniform row that was not tried, shape (1, names)."""
        if self.pool is not None:
            rows = self.untried(tried)
            return rows[[rng.integers(len(rows))]]
        for batch in range(BATCHES):
            rows = self.draw(1 if batch == 0 else BATCH_SIZE, rng)
            for i, key in enumerate(self.layout.keys(rows)):
                if key not in tried:
                    return rows[[i]]
        raise ExhaustedError(
            f"the space is exhausted: {BATCH_SIZE * BATCHES} draws were all tried before"
        )

    def config(self, row: FloatArray) -> Config:
        """The configuration of one row; a candidate as it was given."""
        rows = np.atleast_2d(row)
        if self.given is not None:
            candidate = self.given.get(self.layout.keys(rows)[0])
            if candidate is None:
                raise SettingError(
                    "the search is restricted to candidates, and this row is none of them: propose "
                    "one of domain.untried(log.tried)"
                )
            return dict(candidate)
        return self.layout.decode(rows)[0]

    def starts(self, n: int, by: Unit = "trials") -> tuple[Config, ...]:
        """The first `n` starting points of the learned space; with candidates, the nearest to each
        of them, none twice. By cost, if it has such."""
        by_cost = by == "cost" and self.learned.portfolio_by_cost
        configs = self.learned.starts(n, "cost" if by_cost else "trials")
        if self.given is None or self.pool is None:
            return tuple(configs)
        features = self.layout.features
        rows, candidates = self.pool, []
        for target in features(self.layout.encode(configs))[: len(rows)]:
            gaps = features(rows) - target
            nearest = int(np.argmin(np.einsum("ij,ij->i", gaps, gaps)))
            candidates.append(self.config(rows[nearest]))
            rows = np.delete(rows, nearest, axis=0)
        return tuple(candidates)

    def positions(self, name: str) -> FloatArray:
        """The positions of the kept choices of `name` among all its choices."""
        return _positions(self.layout, name)


def domain_of(
    where: LearnedSpace | Space, candidates: Iterable[Mapping[str, Any]] | None = None
) -> Domain:
    """The domain of a learned or plain space, or of the `candidates` inside it."""
    if isinstance(where, Space):
        where = full_space(where)
    if not isinstance(where, LearnedSpace):
        raise SettingError(
            f"an optimizer searches a LearnedSpace or a Space, not {type(where).__name__}"
            + "; pass its .space" * isinstance(where, Inferred)
        )
    layout = Layout(where)
    if candidates is not None:
        return _domain_of_list(layout, CandidateList.of(layout.space, candidates))
    return Domain(layout, _all_rows(layout))


def _domain_of_list(layout: Layout, candidates: CandidateList) -> Domain:
    """The candidates inside the learned space, each once."""
    inside = np.flatnonzero(layout.inside(candidates.rows)).tolist()
    if not len(inside):
        raise SettingError(f"none of the {len(candidates)} candidates lies in the learned space")
    rows = candidates.rows[inside]
    given: dict[bytes, Config] = {}
    for number, key in zip(inside, layout.keys(rows)):
        given.setdefault(key, candidates.configs[number])
    return Domain(layout, each_once(layout, rows), given)


def _all_rows(layout: Layout) -> FloatArray | None:
    """Every configuration as a row; None if there are more than MOST_LISTED."""
    options: dict[str, FloatArray] = {}
    learned = layout.learned
    for name in learned.choices:
        options[name] = _positions(layout, name)
    for block in learned.blocks:
        for j, name in enumerate(block.names):
            values = _values(block, j)
            if values is None:
                return None
            options[name] = values
    if np.prod([float(len(options[name])) for name in layout.names]) > MOST_LISTED:
        return None
    rows = np.array(list(itertools.product(*(options[name] for name in layout.names))))
    rows = layout.without_inactive(rows)
    return each_once(layout, rows[layout.inside(rows)])


def _positions(layout: Layout, name: str) -> FloatArray:
    parameter = layout.space[name]
    assert isinstance(parameter, Categorical)
    return np.array([parameter.index(choice) for choice in layout.learned.choices[name]], float)


def _values(block: Block, j: int) -> FloatArray | None:
    """The coordinates that parameter `j` of a block can take; None if there are too many."""
    lower, upper = (float(bound[j]) for bound in block.region.bounds)
    axis = block.encoding.axes[j]
    if not axis.has_cells and block.region.is_box and upper == lower:
        return np.array([lower])
    values = axis.listed(lower, upper, MOST_LISTED)
    return None if values is None else axis.encode(values)


def each_once(layout: Layout, rows: FloatArray) -> FloatArray:
    """The rows without repetitions, in their order."""
    first = {key: i for i, key in reversed(list(enumerate(layout.keys(rows))))}
    return rows[sorted(first.values())]
