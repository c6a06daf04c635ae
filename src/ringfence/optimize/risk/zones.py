"""The no-go zone of earlier tasks: found, held against tasks left out, and put in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations

import msgspec
import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.learned.full import full_space
from ringfence.learned.zone.rule import Zone, combined
from ringfence.optimize.domain.domain import domain_of
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.risk.runs import Runs
from ringfence.optimize.risk.zone_search import MOST_SHARE, Found, Marked, allowed, holds, search
from ringfence.space import Categorical, Choice, Float, Int, Parameter
from ringfence.space.parameters import extremes

DRAWS = 2000  # uniform ones, which tell a share of the space with a standard error of 1 %
MORE_DRAWS = 20_000  # for the share of the zone that was found: 0.3 %
SIZES = (2, 3, 4)  # numbers in a product: more, and nobody reads it
MOST_RULES = 120  # twice as many with those below: a search takes a tenth of a second
STEPS = 16  # from the zone of a choice of runs to none, until all runs keep the conditions
TOP = 0.05  # share of each task's best runs that no zone holds, at least one


class ZoneFinder:
    """Rules over the parameters of a layout, for rows of it."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        numeric = [
            name
            for name, axis in zip(layout.names, layout.axes)
            if axis is not None and isinstance(layout.space[name], (Int, Float))
        ]
        positive = [name for name in numeric if _low(layout.space[name]) > 0.0]
        products = [names for size in SIZES for names in combinations(positive, size)]
        what: list[tuple[tuple[str, ...], bool]] = [((name,), False) for name in numeric]
        what += [(names, False) for names in products[: MOST_RULES // 2]]
        what += [(pair, True) for pair in combinations(positive, 2)]
        what = what[:MOST_RULES]
        self.rules = [(names, ratio, below) for names, ratio in what for below in (False, True)]
        self.choices = [
            (name, choice)
            for name, axis in zip(layout.names, layout.axes)
            if axis is None
            for choice in _choices(layout.space[name])
        ]

    def scores(self, rows: FloatArray) -> tuple[FloatArray, BoolArray]:
        """S and M at rows of the layout."""
        columns = self.layout.columns(rows)
        S = np.empty((len(self.rules), len(rows)))
        for k in range(len(self.rules)):
            S[k] = self._scores_of(k, columns)
        M = [np.ones(len(rows), dtype=bool)]
        M += [self._have(choice, columns) for choice in self.choices]
        return S, np.array(M)

    def _scores_of(self, k: int, columns: Mapping[str, FloatArray]) -> FloatArray:
        """The scores of rule k: its product or ratio, or minus that if the zone lies below."""
        names, ratio, below = self.rules[k]
        values = combined([columns[name] for name in names], ratio=ratio)
        return -values if below else values

    def _have(self, choice: tuple[str, Choice], columns: Mapping[str, FloatArray]) -> BoolArray:
        """Which rows have a choice of a category."""
        name, value = choice
        return np.asarray(columns[name] == _choices(self.layout.space[name]).index(value))

    def marked(self, runs: Runs, barred: BoolArray, seed: int = 0) -> Marked:
        """Everything that a search needs; the features of the runs are rows of the layout."""
        domain = domain_of(full_space(self.layout.space))
        draws = domain.draw(DRAWS, np.random.default_rng(seed))
        S, M = self.scores(runs.X)
        words = np.array([len(names) - 1 for names, _, _ in self.rules])
        return Marked(S, M, words, runs.y, runs.weight, runs.task, barred, *self.scores(draws))

    def zone(self, found: Found, runs: Marked) -> Zone | None:
        """The rule in words, its threshold with three digits, without counts; None if it cannot be
        made so small that it holds at most MOST_SHARE of the space."""
        names, ratio, below = self.rules[found.score]
        scores, limit = self._of_space(found)
        if np.isinf(limit):
            return None
        lowest = max(found.threshold, limit)
        threshold = _short(lowest, float(scores.max() - scores.min()))
        return Zone(
            names,
            -threshold if below else threshold,
            failed=1,
            runs=1,
            tasks=1,
            share=float((scores >= threshold).sum() / MORE_DRAWS),
            below=below,
            ratio=ratio,
            only=dict([self.choices[found.choice - 1]]) if found.choice else {},
            cut=runs.mostly_fail(found, below=limit),
        )

    def _of_space(self, found: Found) -> tuple[FloatArray, float]:
        """The scores of a rule at those of MORE_DRAWS that it concerns and knows, and the lowest
        threshold at which it holds at most MOST_SHARE of all."""
        columns = self.layout.columns(self._draws)
        scores = self._scores_of(found.score, columns)
        if found.choice:
            scores = scores[self._have(self.choices[found.choice - 1], columns)]
        scores = np.sort(scores[~np.isnan(scores)])[::-1]
        most = int(MOST_SHARE * MORE_DRAWS)
        above = scores[:most]
        if most < len(scores):
            above = above[above > scores[most]]
        return scores, float(above[-1]) if len(above) else np.inf

    @cached_property
    def _draws(self) -> FloatArray:
        """Many uniform rows of the space."""
        domain = domain_of(full_space(self.layout.space))
        return domain.draw(MORE_DRAWS, np.random.default_rng(1))


def find_zone(
    layout: Layout,
    passed: Sequence[FloatArray],
    failed: Sequence[FloatArray],
    values: Sequence[FloatArray],
    names: Sequence[str] | None = None,
) -> Zone | None:
    """The zone of tasks with these rows, of which those that passed have values (lower is better);
    None if no rule holds in tasks left out."""
    finder = ZoneFinder(layout)
    best = [_best(each) for each in values]
    # The mark of a best run travels with its row through the choice of runs.
    marked = [np.column_stack([rows, is_best]) for rows, is_best in zip(passed, best)]
    others = [np.column_stack([rows, np.zeros(len(rows))]) for rows in failed]
    chosen = Runs.of(marked, others, names)
    runs = finder.marked(replace(chosen, X=chosen.X[:, :-1]), chosen.X[:, -1] > 0)
    found = search(runs)
    if found is None or not holds(runs):
        return None
    for smaller in _smaller(found, runs):
        zone = finder.zone(smaller, runs)
        kept = zone and _counted(zone, layout, passed, failed, values)
        if kept is not None:
            return kept
    return None


def _smaller(found: Found, runs: Marked) -> list[Found]:
    """The rule, and the same with ever fewer of its runs."""
    scores = np.sort(runs.S[found.score][found.inside(runs.S, runs.M)])
    thresholds = scores[np.arange(STEPS) * len(scores) // STEPS]
    return [replace(found, threshold=float(at)) for at in np.unique(thresholds)]


def _counted(
    zone: Zone,
    layout: Layout,
    passed: Sequence[FloatArray],
    failed: Sequence[FloatArray],
    values: Sequence[FloatArray],
) -> Zone | None:
    """The zone with the counts of all runs, not of the choice that was searched; None if they break
    a condition that the choice keeps."""
    counts = []
    for good, bad, best in zip(passed, failed, map(_best, values)):
        inside = zone.inside(layout.space, layout.columns(good))
        in_zone = zone.inside(layout.space, layout.columns(bad)).sum()
        counts.append((inside.sum() + in_zone, in_zone, inside @ best))
    every, bad_runs, barred = np.array(counts, float).T
    if not allowed(every[None], bad_runs[None], barred.sum(keepdims=True))[0]:
        return None
    n_failed, n_runs = int(bad_runs.sum()), int(every.sum())
    return msgspec.structs.replace(zone, failed=n_failed, runs=n_runs, tasks=int((every > 0).sum()))


def _best(values: FloatArray) -> FloatArray:
    """1 for the best TOP of a task's values, at least one of them; else 0."""
    count = max(1, int(TOP * len(values)))
    marks = np.zeros(len(values))
    marks[np.argsort(values, kind="stable")[:count]] = 1.0
    return marks


def _low(parameter: Parameter) -> float:
    return float(extremes(parameter)[0]) if isinstance(parameter, (Int, Float)) else 0.0


def _choices(parameter: Parameter) -> tuple[Choice, ...]:
    return tuple(parameter.choices) if isinstance(parameter, Categorical) else ()


def _short(threshold: float, span: float) -> float:
    """The number with three digits that makes the zone of scores above it smaller, if at all; with
    three digits of the span of the scores, if that is narrow."""
    sizes = [size for size in (abs(threshold), span) if size > 0.0]
    if threshold == 0.0:
        return 0.0
    unit = 10.0 ** (np.floor(np.log10(min(sizes))) - 2)
    return float(f"{np.ceil(threshold / unit - 1e-9) * unit:.12g}")
