"""The results page: every claim of the paper, our figure, our numbers, a verdict.

    python -m benchmarks.paper_page           write docs/results.md and its figures
    python -m benchmarks.paper_page --check   only say whether the page is what the results give
    python -m benchmarks.paper_page --data tables   with the pictures of spaces learned from tables

Claims are in claims.toml, results in results/, a Parquet file for each plan as `ringfence bench
table` writes it. A claim "A is better than B" holds if the 95 % interval of the paired difference
of their regrets, averaged over the first 50 trials, lies below zero (ringfence.bench.pairs).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from benchmarks.folding import folded
from benchmarks.paper_claims import (
    HERE,
    Claim,
    Claims,
    Judged,
    Results,
    judged,
    read_claims,
    read_plan_results,
    verdict_on,
)
from ringfence.bench.figures import curve_figure, file_name, write_picture
from ringfence.bench.pairs import Difference
from ringfence.bench.plan import read_plan
from ringfence.bench.region_figures import region_figure
from ringfence.bench.suites import SuiteSource, load_suite
from ringfence.bench.text import heading
from ringfence.errors import FileError

DOCS = HERE.parent / "docs"
PAGE = DOCS / "results.md"
PICTURES = DOCS / "pictures" / "results"
SHOWN = (5, 10, 25, 50, 200, 800)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, or compare it."""
    parser = argparse.ArgumentParser(description="Write docs/results.md from the results.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--data", type=Path, help="folder of tables, for pictures of their regions")
    options = parser.parse_args(arguments)
    claims = read_claims()
    plans = [read_plan_results(path) for path in sorted((HERE / "results").glob("*.parquet"))]
    text = page(claims, plans)
    if options.check:
        same = PAGE.exists() and PAGE.read_text("utf-8") == text
        print("the page is what the results give" if same else "the page differs: make results")
        return 0 if same else 1
    PAGE.write_text(text, "utf-8")
    for plan in plans:
        of_plan = [claim for claim in claims.claim if plan.name in claim.plans]
        draw(plan, {claim.figure for claim in of_plan})
        draw_regions(plan, {figure for claim in of_plan for figure in claim.pictures}, options.data)
    return 0


def page(claims: Claims, plans: Sequence[Results]) -> str:
    """The text of docs/results.md."""
    sections = [section(claim, plans) for claim in claims.claim]
    rows = [row for _, verdicts in sections for row in verdicts]
    overview = ["| figure | results | verdict |", "|---|---|---|", *rows]
    verdicts = folded(f"{len(rows)} verdicts", "\n".join(overview), is_open=True)
    parts = [claims.head.strip(), verdicts]
    parts += [text for text, _ in sections]
    return "\n\n".join([*parts, claims.tail.strip()]).rstrip() + "\n"


def section(claim: Claim, plans: Sequence[Results]) -> tuple[str, list[str]]:
    """One claim with all plans that show it, and its lines of the overview."""
    said = f"**The paper:** {claim.says}" if claim.says else f"**Beyond the paper:** {claim.asks}"
    parts = [f"## Figure {claim.figure}", said]
    rows = []
    by_name = {plan.name: plan for plan in plans}
    for plan in (by_name[name] for name in claim.plans if name in by_name):
        results = plan.results.filter(pl.col("figure") == claim.figure)
        if results.is_empty():
            continue
        pairs = list(judged(plan, claim))
        verdict = verdict_on(pairs)
        rows.append(
            f"| [{claim.figure}](#figure-{claim.figure.lower()}) | {plan.name} | {verdict} |"
        )
        _, data = heading(results).split("\n", 1)
        parts += [
            f"**{plan.name}**: {data}.",
            _image(plan, claim.figure),
            folded(
                f"The numbers of figure {claim.figure}, {plan.name}",
                methods_table(plan, claim.figure),
                pairs_table(pairs),
            ),
            *volumes(plan, claim),
            f"**Verdict: {verdict}.**",
        ]
        parts += [_image(plan, figure) for figure in claim.pictures]
    parts.append(claim.remark.strip() if rows else "Not run yet.")
    return "\n\n".join(filter(None, parts)), rows


def methods_table(plan: Results, figure: str) -> str:
    """Mean regret ± standard error after some trials, and the end relative to Random's."""
    points = plan.points.filter(pl.col("figure") == figure)
    last = int(points["trial"].max() or 0)
    trials = [trial for trial in SHOWN if trial <= last]
    head = [f"regret at {trial}" for trial in trials]
    head += [f"relative to Random at {last}", "cells", "ran out"]
    cells = plan.results.filter(pl.col("figure") == figure, pl.col("trial") == 1)
    lines = ["| method | " + " | ".join(head) + " |", "|---" * (len(head) + 1) + "|"]
    for (method,), curve in points.sort("order").group_by("method", maintain_order=True):
        regret = [_point(curve, "regret", trial) for trial in trials]
        count = curve.filter(pl.col("metric") == "regret")["n"][0]
        out = cells.filter(pl.col("method") == method)["exhausted"].sum()
        row = [str(method), *regret, _point(curve, "distance", last), str(count), str(out or "")]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


def pairs_table(pairs: Sequence[Judged]) -> str:
    """The differences of a claim's pairs; suites in columns of their own if there are several."""
    suites = list(dict.fromkeys(suite for judged_pair in pairs for suite in judged_pair.alone))
    columns = suites if len(suites) > 1 else []
    head = ["said to be", "first 50 trials", "at the end", "so?", *columns]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for judged_pair in pairs:
        pair, alone = judged_pair.pair, judged_pair.alone
        row = [
            f"{pair.one} {judged_pair.said} {pair.other}",
            _interval(pair.early),
            _interval(pair.end),
            judged_pair.answer,
            *(_interval(alone[s].early) if s in alone else "-" for s in columns),
        ]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


def volumes(plan: Results, claim: Claim) -> Iterator[str]:
    """How much smaller the spaces are that are said to be smaller."""
    regrets = plan.regrets.filter(pl.col("figure") == claim.figure)
    cell = ["suite", "task", "replication"]
    for one, other in claim.smaller:
        first, second = (regrets.filter(pl.col("method") == name) for name in (one, other))
        both = first.join(second, on=cell, suffix="_other")
        volume, other_volume = both["volume"].mean(), both["volume_other"].mean()
        share = (both["volume"] < both["volume_other"]).mean()
        yield (
            f"{one} searches {volume:.2g} of the volume, {other} {other_volume:.2g}; it is the "
            f"smaller space in {share:.0%} of {both.height} cells."
        )


def draw(plan: Results, figures: set[str]) -> None:
    """The curves of mean regret of each figure as a PNG file."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for (figure,), results in plan.results.group_by("figure", maintain_order=True):
        if figure in figures:
            points = plan.points.filter(pl.col("figure") == figure, pl.col("metric") == "regret")
            picture = curve_figure(points, "regret", heading(results))
            write_picture(picture, PICTURES / f"{stem(plan, str(figure))}.png", dpi=90)


def draw_regions(plan: Results, figures: set[str], data: Path | None) -> None:
    """The learned spaces themselves. Without its table a picture stays as it was."""
    folders = () if data is None else (str(data.resolve()),)
    for picture in read_plan(HERE.parent / "plans" / f"{plan.name}.toml").region:
        if picture.figure not in figures:
            continue
        path = PICTURES / f"{stem(plan, picture.figure)}.png"
        try:
            suite = load_suite(SuiteSource(picture.suite, folders))
        except FileError as error:
            print(f"{path.name} is not drawn again: {error}")
            continue
        write_picture(region_figure(picture, suite), path, dpi=90)


def stem(plan: Results, figure: str) -> str:
    """The name of a figure's file, without its ending."""
    return f"{plan.name}-{file_name(figure)}"


def _image(plan: Results, figure: str) -> str:
    picture = PICTURES.relative_to(DOCS) / f"{stem(plan, figure)}.png"
    return f"![Figure {figure}, {plan.name}]({picture.as_posix()})"


def _point(curve: pl.DataFrame, metric: str, trial: int) -> str:
    row = curve.filter(pl.col("metric") == metric, pl.col("trial") == trial)
    if row.is_empty():
        return "-"
    mean, error = row.select("mean", "error").row(0)
    return f"{mean:.3f}" if error is None else f"{mean:.3f} ± {error:.3f}"


def _interval(gap: Difference) -> str:
    return f"{gap.mean:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]"


if __name__ == "__main__":
    sys.exit(main())
