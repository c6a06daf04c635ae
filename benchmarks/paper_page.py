"""The results page: every claim of the paper, our figure, our numbers, a verdict.

    python -m benchmarks.paper_page           write docs/results.md and its figures anew
    python -m benchmarks.paper_page --check   only say whether the page is what the results give

Claims are in claims.toml, results in results/, one Parquet file a plan as `ringfence bench table`
writes it. A claim "A is better than B" holds where the 95 % interval of the paired difference of
their regrets, averaged over the first 50 trials, lies below zero (ringfence.bench.pairs).
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import polars as pl

from ringfence.bench.figures import curve_figure, file_name, write_picture
from ringfence.bench.metrics import curves
from ringfence.bench.pairs import Difference, Pair, compare, judged_regrets
from ringfence.bench.results import read_results
from ringfence.bench.text import heading

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
PAGE = DOCS / "results.md"
PICTURES = DOCS / "pictures" / "results"
SHOWN = (5, 10, 25, 50, 200, 800)
ALIKE = 0.05
"""Methods whose difference surely stays below are alike."""


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the paper says of a figure, and what would have to be seen."""

    figure: str
    plans: tuple[str, ...]
    says: str = ""
    """In a sentence; empty where the experiment is ours."""
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


class Plan(msgspec.Struct, frozen=True):
    """The results of one plan, made ready."""

    name: str
    results: pl.DataFrame
    regrets: pl.DataFrame
    points: pl.DataFrame


class Judged(msgspec.Struct, frozen=True):
    """One pair of a claim."""

    said: str
    pair: Pair
    alone: dict[str, Pair]
    """The same on each suite."""

    @property
    def is_so(self) -> bool:
        """Whether the pair is as it is said to be."""
        if self.said.startswith("at the end"):
            return self.pair.end.answer != "better"
        seen = self.pair.early
        if self.said == "like":
            return max(abs(seen.low), abs(seen.high)) <= ALIKE
        return (seen.answer == "better") == (self.said == "better than")

    @property
    def answer(self) -> str:
        """In a word or three, for the table."""
        if self.is_so:
            return "yes"
        return self.pair.early.answer if self.said == "better than" else "no"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, or compare it."""
    parser = argparse.ArgumentParser(description="Write docs/results.md from the results.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check = parser.parse_args(arguments).check
    claims = msgspec.convert(tomllib.loads((HERE / "claims.toml").read_text("utf-8")), Claims)
    plans = [read(path) for path in sorted((HERE / "results").glob("*.parquet"))]
    text = page(claims, plans)
    if check:
        same = PAGE.exists() and PAGE.read_text("utf-8") == text
        print("the page is what the results give" if same else "the page differs: make results")
        return 0 if same else 1
    PAGE.write_text(text, "utf-8")
    for plan in plans:
        draw(plan, {c.figure for c in claims.claim if plan.name in c.plans})
    return 0


def read(path: Path) -> Plan:
    """One plan's results, their regrets and curves."""
    results = read_results(path)
    regret = curves(results).filter(pl.col("metric").is_in(["regret", "distance"]))
    return Plan(path.stem, results, judged_regrets(results), regret)


def page(claims: Claims, plans: Sequence[Plan]) -> str:
    """The text of docs/results.md."""
    sections = [section(claim, plans) for claim in claims.claim]
    rows = [row for _, verdicts in sections for row in verdicts]
    overview = ["| figure | results | verdict |", "|---|---|---|", *rows]
    parts = [claims.head.strip(), "\n".join(overview)]
    parts += [text for text, _ in sections]
    return "\n\n".join([*parts, claims.tail.strip()]).rstrip() + "\n"


def section(claim: Claim, plans: Sequence[Plan]) -> tuple[str, list[str]]:
    """One claim with all plans that show it, and its lines of the overview."""
    said = f"**The paper:** {claim.says}" if claim.says else f"**Beyond the paper:** {claim.asks}"
    parts = [f"## Figure {claim.figure}", said]
    rows = []
    for plan in plans:
        own = plan.results.filter(pl.col("figure") == claim.figure)
        if plan.name not in claim.plans or own.is_empty():
            continue
        pairs = list(judged(plan, claim))
        verdict = verdict_on(pairs)
        rows.append(
            f"| [{claim.figure}](#figure-{claim.figure.lower()}) | {plan.name} | {verdict} |"
        )
        _, rests_on = heading(own).split("\n", 1)
        picture = PICTURES.relative_to(DOCS) / f"{stem(plan, claim.figure)}.png"
        parts += [
            f"**{plan.name}**: {rests_on}.",
            f"![Figure {claim.figure}, {plan.name}]({picture.as_posix()})",
            methods_table(plan, claim.figure),
            pairs_table(pairs),
            f"**Verdict: {verdict}.**",
        ]
    parts.append(claim.remark.strip() if rows else "Not run yet.")
    return "\n\n".join(filter(None, parts)), rows


def judged(plan: Plan, claim: Claim) -> Iterator[Judged]:
    """Each pair of the claim, over all tasks and for each suite alone."""
    regrets = plan.regrets.filter(pl.col("figure") == claim.figure)
    suites = regrets["suite"].unique().sort().to_list()
    for one, said, other in claim.expected():
        pair = compare(regrets, one, other)
        if pair is not None:
            alone = {s: compare(regrets.filter(pl.col("suite") == s), one, other) for s in suites}
            yield Judged(said, pair, {s: found for s, found in alone.items() if found is not None})


def verdict_on(pairs: Sequence[Judged]) -> str:
    """By how many of the pairs are as the claim says."""
    so = sum(found.is_so for found in pairs)
    if so == len(pairs):
        return "holds"
    return f"holds partly ({so} of {len(pairs)})" if so else "does not hold"


def methods_table(plan: Plan, figure: str) -> str:
    """Mean regret ± standard error after some trials, and the end relative to Random's."""
    points = plan.points.filter(pl.col("figure") == figure)
    last = int(points["trial"].max() or 0)
    trials = [trial for trial in SHOWN if trial <= last]
    head = [f"regret at {trial}" for trial in trials]
    head += [f"relative to Random at {last}", "cells", "ran out"]
    of_figure = plan.results.filter(pl.col("figure") == figure, pl.col("trial") == 1)
    lines = ["| method | " + " | ".join(head) + " |", "|---" * (len(head) + 1) + "|"]
    for (method,), own in points.sort("order").group_by("method", maintain_order=True):
        regret = [_point(own, "regret", trial) for trial in trials]
        cells = own.filter(pl.col("metric") == "regret")["n"][0]
        out = of_figure.filter(pl.col("method") == method)["exhausted"].sum()
        row = [str(method), *regret, _point(own, "distance", last), str(cells), str(out or "")]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


def pairs_table(pairs: Sequence[Judged]) -> str:
    """The differences of a claim's pairs; suites in columns of their own where there are some."""
    suites = list(dict.fromkeys(suite for found in pairs for suite in found.alone))
    columns = suites if len(suites) > 1 else []
    head = ["said to be", "first 50 trials", "at the end", "so?", *columns]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for found in pairs:
        pair, alone = found.pair, found.alone
        row = [
            f"{pair.one} {found.said} {pair.other}",
            _interval(pair.early),
            _interval(pair.end),
            found.answer,
            *(_interval(alone[s].early) if s in alone else "-" for s in columns),
        ]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


def draw(plan: Plan, figures: set[str]) -> None:
    """The curves of mean regret of each figure as a PNG file."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for (figure,), own in plan.results.group_by("figure", maintain_order=True):
        if figure in figures:
            points = plan.points.filter(pl.col("figure") == figure, pl.col("metric") == "regret")
            drawn = curve_figure(points, "regret", heading(own))
            write_picture(drawn, PICTURES / f"{stem(plan, str(figure))}.png", dpi=90)


def stem(plan: Plan, figure: str) -> str:
    """The name of a figure's file, without its ending."""
    return f"{plan.name}-{file_name(figure)}"


def _point(own: pl.DataFrame, metric: str, trial: int) -> str:
    row = own.filter(pl.col("metric") == metric, pl.col("trial") == trial)
    if row.is_empty():
        return "-"
    mean, error = row.select("mean", "error").row(0)
    return f"{mean:.3f}" if error is None else f"{mean:.3f} ± {error:.3f}"


def _interval(found: Difference) -> str:
    return f"{found.mean:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"


if __name__ == "__main__":
    sys.exit(main())
