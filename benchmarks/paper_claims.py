"""The paper's claims, and whether the results bear them out, for `paper_page`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import polars as pl

from ringfence.bench.metrics import curves
from ringfence.bench.pairs import MethodPair, compare, judged_regrets
from ringfence.bench.results import read_results

HERE = Path(__file__).parent
ALIKE = 0.05
"""Methods are alike if the interval of their difference stays within ± this."""


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the paper says about a figure, and what the results would have to show."""

    figure: str
    plans: tuple[str, ...]
    says: str = ""
    """In a sentence; empty if the experiment is ours."""
    asks: str = ""
    """What we ask beyond the paper."""
    better: tuple[tuple[str, str], ...] = ()
    """The first of two is said to be better than the second."""
    no_better: tuple[tuple[str, str], ...] = ()
    """The first is said not to be better."""
    alike: tuple[tuple[str, str], ...] = ()
    """The two are said to perform alike."""
    no_better_at_end: tuple[tuple[str, str], ...] = ()
    """The first is said not to have become better in the end."""
    smaller: tuple[tuple[str, str], ...] = ()
    """The space that the first searches is said to be smaller than the second's."""
    pictures: tuple[str, ...] = ()
    """Figures of learned spaces that belong to it."""
    remark: str = ""
    """What we make of it."""

    def expected(self) -> Iterator[tuple[str, str, str]]:
        """One method, how it is said to be, and the other."""
        for said, pairs in (
            ("better than", self.better),
            ("no better than", self.no_better),
            ("like", self.alike),
            ("at the end no better than", self.no_better_at_end),
        ):
            yield from ((one, said, other) for one, other in pairs)


class Claims(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of claims.toml."""

    head: str
    claim: tuple[Claim, ...]
    tail: str = ""


class Results(msgspec.Struct, frozen=True):
    """The results of one plan, prepared for the page."""

    name: str
    results: pl.DataFrame
    """The first trial of each cell and the figure's last, which is all that the page needs."""
    regrets: pl.DataFrame
    points: pl.DataFrame


class Judged(msgspec.Struct, frozen=True):
    """One pair of a claim."""

    said: str
    pair: MethodPair
    alone: dict[str, MethodPair]
    """The same on each suite."""

    @property
    def is_so(self) -> bool:
        """Whether the pair is as it is said to be."""
        if self.said.startswith("at the end"):
            return self.pair.end.answer != "better"
        early = self.pair.early
        if self.said == "like":
            return max(abs(early.low), abs(early.high)) <= ALIKE
        return (early.answer == "better") == (self.said == "better than")

    @property
    def answer(self) -> str:
        """In a word or three, for the table."""
        if self.is_so:
            return "yes"
        return self.pair.early.answer if self.said == "better than" else "no"


def read_claims() -> Claims:
    """The claims in the order of the page."""
    return msgspec.convert(tomllib.loads((HERE / "claims.toml").read_text("utf-8")), Claims)


def read_plan_results(path: Path) -> Results:
    """One plan's results, their regrets and curves."""
    results = read_results(path)
    regret = curves(results).filter(pl.col("metric").is_in(["regret", "distance"]))
    trial = pl.col("trial")
    ends = results.filter((trial == 1) | (trial == trial.max().over("figure")))
    return Results(path.stem, ends, judged_regrets(results), regret)


def judged(plan: Results, claim: Claim) -> Iterator[Judged]:
    """Each pair of the claim, over all tasks and for each suite alone."""
    regrets = plan.regrets.filter(pl.col("figure") == claim.figure)
    suites = regrets["suite"].unique().sort().to_list()
    for one, said, other in claim.expected():
        pair = compare(regrets, one, other)
        if pair is not None:
            by_suite = {
                suite: compare(regrets.filter(pl.col("suite") == suite), one, other)
                for suite in suites
            }
            yield Judged(said, pair, {s: pair for s, pair in by_suite.items() if pair is not None})


def verdict_on(pairs: Sequence[Judged]) -> str:
    """By how many of the pairs are as the claim says."""
    n_so = sum(pair.is_so for pair in pairs)
    if n_so == len(pairs):
        return "holds"
    return f"holds partly ({n_so} of {len(pairs)})" if n_so else "does not hold"
