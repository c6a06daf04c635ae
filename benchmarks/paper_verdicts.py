"""Whether the results bear the claims out: shown, refuted, small at most, undecided, not testable.

Of every statement two or three tests are made:

said              shown if we reject      refuted if we reject    small at most if we reject
better            difference ≥ 0          difference ≤ 0          difference ≤ -margin
slightly better   difference ≥ 0          difference ≤ 0
not better        difference ≤ -margin    difference ≥ 0
alike             |difference| ≥ margin   |difference| ≤ margin

"Small at most" says that a gain is surely below the margin and that it is not decided whether there
is any. "Not better" is that, too, if its interval without a correction is wholly below zero: a
correction only ever takes evidence away, and must not turn a gain into none.

The family is all tests of the page, exact copies of a statement once. A verdict needs a p-value
below 0.05 after Benjamini and Hochberg's correction: if the tests were independent, 5 % of the
verdicts would be expected to be wrong at most. Holm's, which bounds the chance of a single wrong
one however the tests depend on each other, stands beside it.

A search among recorded rows may not know the scale. A statement on a figure in log scale all of
whose methods did there what they did in raw scale is not testable, and no part of the family.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from msgspec import structs

from benchmarks.paper_claims import Part, Statement, place
from ringfence.arrays import FloatArray
from ringfence.bench.metrics import curves
from ringfence.bench.pairs import CELL, contrast, judged_regrets
from ringfence.bench.results import read_results
from ringfence.bench.significance import (
    ROUNDING,
    Difference,
    benjamini_hochberg,
    difference,
    holm,
)

LEVEL = 0.05
SHOWN = (5, 10, 25, 50, 200, 800)  # trials
FEW = 3  # tasks whose share of the paper's sum is shown
MOSTLY = 0.6
"""Share of a method's cells that are the same in log and raw scale: nothing is left to compare. A
box of recorded rows has 0.62 to 1 (the rest are SVM's merged candidates, docs/deviations.md, and
cells of two protocols), a method that knows the scale 0.56 at most."""
Outcome: TypeAlias = Literal["shown", "small at most", "refuted", "undecided", "not testable"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
Tests: TypeAlias = Mapping[Outcome, float]
"""P-values, by what the test would say."""
LEAST_VOLUME = 1e-12  # a flat region has none at all


@dataclass(frozen=True)
class Results:
    """The results of one plan, prepared for the page."""

    name: str
    results: pl.DataFrame
    """The first trial of each cell and the figure's last, which is all that the page needs."""
    regrets: pl.DataFrame
    points: pl.DataFrame
    """The curves at some trials."""


@dataclass(frozen=True)
class Measured:
    """One statement on the results of one plan, before the page as a whole is corrected."""

    statement: Statement
    tested: Difference
    """What the verdict rests on."""
    early: Difference
    end: Difference
    searched: Difference | None
    """The tested one over the cells that had something to try; None if all of them had."""
    paper: Difference | None
    """Over the first trials, in the paper's normalization; None if Random reached 0 everywhere."""
    carried: float
    """Share of the sum of the paper's differences, without signs, that a few tasks carry."""
    alone: dict[str, Difference]
    """The tested one on each suite."""
    testable: bool = True
    """Whether some method did anything in log scale that it did not do in raw scale."""

    @property
    def p_values(self) -> Tests:
        """Of each test; none if nothing can be tested."""
        if not self.testable:
            return {}
        tested, margin = self.tested, self.statement.margin
        if self.statement.kind == "alike":
            return {"shown": tested.p_within(margin), "refuted": tested.p_beyond(margin)}
        better = tested.p_below(0.0)
        if self.statement.kind == "not less":
            return {"shown": tested.p_above(-margin), "refuted": better}
        tests: dict[Outcome, float] = {"shown": better, "refuted": tested.p_above(0.0)}
        return {**tests, "small at most": tested.p_above(-margin)} if margin else tests

    @property
    def identity(self) -> tuple[object, ...]:
        """The same for exact copies of a statement, made in two figures."""
        s, tested = self.statement, self.tested
        numbers = (round(x, 12) for x in (tested.mean, tested.error))
        names = (self.testable, s.kind, s.measure, s.margin, *self.alone)
        return (*names, tested.n_tasks, *numbers)


@dataclass(frozen=True)
class Judged:
    """A statement with its verdict."""

    measured: Measured
    p: Tests
    holm: Tests
    bh: Tests

    @property
    def outcome(self) -> Outcome:
        """By the corrected p-values; a difference that is there outweighs that it is small."""
        if not self.measured.testable:
            return "not testable"
        sure = [outcome for outcome, p in self.bh.items() if p < LEVEL]
        if self.measured.statement.kind == "not less" and "shown" in sure:
            if "refuted" in sure:
                return "refuted"
            return "small at most" if self.p["refuted"] < LEVEL else "shown"
        return sure[0] if sure else "undecided"

    @property
    def decisive(self) -> Outcome | None:
        """The test that the verdict rests on; if undecided, the one that was nearest to one."""
        if not self.bh or self.outcome in self.bh:
            return self.outcome if self.bh else None
        return min(self.bh, key=lambda outcome: self.bh[outcome])

    @property
    def notes(self) -> list[str]:
        """What the outcome alone does not say."""
        m, outcome = self.measured, self.outcome
        kind, tested = m.statement.kind, m.tested
        notes = []
        if not m.testable:
            return []
        if tested.mean == tested.error == 0:
            notes.append("the same on every task")
        elif outcome == "small at most" and tested.high < 0:
            notes.append("a gain before the correction")
        elif kind == "alike" and outcome == "shown" and tested.answer != "no difference seen":
            notes.append("a difference, within the margin")
        elif kind != "alike" and _is_small(m, self.bh) and tested.high < 0:
            notes.append("by less than the margin")
        is_pair = len(m.statement.weights) == 2 and m.statement.measure == "early"
        if is_pair and kind == "less" and outcome == "shown" and m.end.low > 0:
            notes.append("the opposite at the end")
        return notes


def _is_small(measured: Measured, bh: Tests) -> bool:
    """Whether a gain is surely below the margin."""
    small: Outcome = "small at most" if measured.statement.kind == "less" else "shown"
    return bh.get(small, 1.0) < LEVEL


def read_plan_results(path: Path) -> Results:
    """One plan's results, their regrets and curves."""
    results = read_results(path)
    trial = pl.col("trial")
    is_last = trial == trial.max().over("figure")
    # Losses never rise, so that the last trials still know the best of each task.
    points = curves(results.filter(trial.is_in(SHOWN) | is_last))
    ends = results.filter((trial == 1) | is_last)
    volume = pl.max_horizontal("volume", pl.lit(LEAST_VOLUME)).log10()
    regrets = judged_regrets(results).with_columns(log_volume=volume)
    return Results(path.stem, ends, regrets, points)


def measure(plan: Results, figure: str, part: Part, raw: str = "") -> Iterator[Measured]:
    """Each statement of a part whose methods were run; `raw` is the figure in raw scale."""
    for statement in part.statements():
        parts = {term: _cells(plan.regrets, *place(term, figure)) for term in statement.weights}
        by_task = _by_task(parts, statement)
        if by_task.height < 2:  # one task says nothing of others
            continue
        searched = {term: cells.filter("searched") for term, cells in parts.items()}
        all_searched = all(cells["searched"].all() for cells in parts.values())
        paper = by_task["paper"].drop_nulls().to_numpy()
        yield Measured(
            statement,
            tested=difference(by_task[statement.measure].to_numpy()),
            early=difference(by_task["early"].to_numpy()),
            end=difference(by_task["end"].to_numpy()),
            searched=None if all_searched else _searched(searched, statement),
            paper=difference(paper) if len(paper) else None,
            carried=share_of_few(paper),
            alone={
                str(suite): difference(rows[statement.measure].to_numpy())
                for (suite,), rows in by_task.group_by("suite", maintain_order=True)
            },
            testable=not raw or not _same_as_raw(plan.regrets, figure, raw, statement),
        )


def _same_as_raw(regrets: pl.DataFrame, figure: str, raw: str, statement: Statement) -> bool:
    """Whether every method of this figure did in raw scale what it did in log scale; a statement
    on other figures alone is judged where they are."""
    places = (place(term, figure) for term in statement.weights)
    shares = [
        share_of_copies(*(_cells(regrets, name, method) for name in (figure, raw)))
        for at, method in places
        if at == figure
    ]
    return bool(shares) and min(shares) >= MOSTLY


def share_of_copies(one: pl.DataFrame, other: pl.DataFrame) -> float:
    """The share of the cells of both that have the same regrets in both; 0 if there are none."""
    both = one.join(other, on=CELL, suffix="_other")
    gaps = [(pl.col(m) - pl.col(f"{m}_other")).abs() <= ROUNDING for m in ("early", "end")]
    return float(both.select(pl.all_horizontal(gaps).mean()).item() or 0.0)


def share_of_few(by_task: FloatArray, few: int = FEW) -> float:
    """The share of the sum of |differences| that the largest of them carry."""
    sizes = np.sort(np.abs(by_task))[::-1]
    return float(sizes[:few].sum() / sizes.sum()) if sizes.any() else 0.0


def correct(measured: Sequence[Measured]) -> list[Judged]:
    """Every statement of the page with its p-values, corrected for all tests of all of them."""
    family = {m.identity: m.p_values for m in measured}
    by_holm, by_bh = (_corrected(family, f) for f in (holm, benjamini_hochberg))
    return [Judged(m, m.p_values, by_holm[m.identity], by_bh[m.identity]) for m in measured]


def _corrected(
    family: Mapping[tuple[object, ...], Tests], correction: Callable[[list[float]], FloatArray]
) -> dict[tuple[object, ...], Tests]:
    p = iter(correction([p for tests in family.values() for p in tests.values()]).tolist())
    return {key: {outcome: next(p) for outcome in tests} for key, tests in family.items()}


def with_margin(measured: Sequence[Measured], factor: float) -> list[Measured]:
    """The same statements with all margins multiplied."""
    return [
        replace(m, statement=structs.replace(m.statement, margin=factor * m.statement.margin))
        for m in measured
    ]


def verdict_on(judged: Sequence[Judged], n_said: int) -> str:
    """The outcome of a part that says so many things: that of its statements, or how many have
    which; what else is to know of them, in parentheses."""
    counts = Counter(j.outcome for j in judged)
    if not counts:
        return "not run"
    if len(counts) == 1:
        word = str(next(iter(counts)))
    else:
        word = "partly: " + ", ".join(f"{counts[o]} {o}" for o in OUTCOMES if counts[o])
    notes = Counter(note for j in judged for note in j.notes)
    n = len(judged)
    said = [note if k == n else f"{k} of {n} {note}" for note, k in notes.items()]
    if n < n_said:
        said.append(f"{n} of {n_said} pairs were run")
    return f"{word} ({'; '.join(said)})" if said else word


def _cells(regrets: pl.DataFrame, figure: str, method: str) -> pl.DataFrame:
    return regrets.filter(pl.col("figure") == figure, pl.col("method") == method)


def _by_task(parts: dict[str, pl.DataFrame], statement: Statement) -> pl.DataFrame:
    measures = ("early", "end", "log_volume", "paper")
    return contrast(parts, statement.weights, measures)


def _searched(parts: dict[str, pl.DataFrame], statement: Statement) -> Difference | None:
    by_task = _by_task(parts, statement)
    return None if by_task.is_empty() else difference(by_task[statement.measure].to_numpy())
