"""The results page: every element of the paper, every claim, our figures, our numbers, verdicts.

    python -m benchmarks.paper_page           write docs/results.md and its figures
    python -m benchmarks.paper_page --check   only say whether the page is what the results give
    python -m benchmarks.paper_page --data tables   with the pictures of spaces learned from tables

Claims are in claims.toml, elements of the paper in elements.toml, results in results/, a Parquet
file for each plan as `ringfence bench table` writes it, and a CSV file for what is measured without
a plan: `fidelity`, `places`, `dimension`, `model_cost`. How a verdict is reached: `paper_verdicts`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from benchmarks.dimension import dimension_text
from benchmarks.fidelity import fidelity_text
from benchmarks.folding import folded
from benchmarks.model_cost import cost_text
from benchmarks.paper_claims import HERE, Claim, Claims, Part, read_claims
from benchmarks.paper_elements import Element, elements_table, read_elements, summary
from benchmarks.paper_numbers import filled
from benchmarks.paper_verdicts import (
    FEW,
    LEVEL,
    OUTCOMES,
    SHOWN,
    Judged,
    Measured,
    Results,
    correct,
    measure,
    read_plan_results,
    verdict_on,
    with_margin,
)
from benchmarks.places import places_text
from ringfence.bench.cell import PROTOCOL
from ringfence.bench.figures import curve_figure, file_name, write_picture
from ringfence.bench.metrics import curves
from ringfence.bench.plan import Plan, read_plan
from ringfence.bench.region_figures import region_figure
from ringfence.bench.results import read_results
from ringfence.bench.significance import Difference
from ringfence.bench.suites import SuiteSource, load_suite
from ringfence.bench.text import heading
from ringfence.errors import FileError

DOCS = HERE.parent / "docs"
PAGE = DOCS / "results.md"
PICTURES = DOCS / "pictures" / "results"
NOT_RUN = "not run"
WANTED = 10  # replications, as the paper has of every method


@dataclass(frozen=True)
class Verdicts:
    """The statements of one claim, by plan and part; None where the figure was not run."""

    claim: Claim
    by_plan: Mapping[str, tuple[tuple[Judged, ...], ...] | None]

    def on(self, plan: str, part: int) -> str:
        """The verdict on a part by the results of a plan."""
        judged = self.by_plan[plan]
        n_said = len(list(self.claim.part[part].statements()))
        return NOT_RUN if judged is None else verdict_on(judged[part], n_said)

    def on_the_paper(self) -> list[str]:
        """The verdicts on what the paper says, or on our questions if it says nothing."""
        said = [i for i, part in enumerate(self.claim.part) if part.says]
        parts = said or range(len(self.claim.part))
        return [self.on(plan, i) for plan in self.by_plan for i in parts]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, or compare it."""
    parser = argparse.ArgumentParser(description="Write docs/results.md from the results.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--data", type=Path, help="folder of tables, for pictures of their regions")
    options = parser.parse_args(arguments)
    claims = read_claims()
    results = [read_plan_results(path) for path in sorted((HERE / "results").glob("*.parquet"))]
    plans = read_plans()
    text = page(claims, read_elements(), results, plans)
    if options.check:
        same = PAGE.exists() and PAGE.read_text("utf-8") == text
        print("the page is what the results give" if same else "the page differs: make results")
        return 0 if same else 1
    PAGE.write_text(text, "utf-8")
    for plan in results:
        of_plan = [claim for claim in claims.claim if plan.name in claim.plans]
        draw(plan.name, {claim.figure for claim in of_plan})
        pictures = {figure for claim in of_plan for figure in claim.pictures}
        draw_regions(plan.name, plans[plan.name], pictures, options.data)
    return 0


def read_plans() -> dict[str, Plan]:
    """The plans by their names."""
    return {path.stem: read_plan(path) for path in sorted((HERE.parent / "plans").glob("*.toml"))}


def page(
    claims: Claims,
    elements: Sequence[Element],
    results: Sequence[Results],
    plans: Mapping[str, Plan],
) -> str:
    """The text of docs/results.md."""
    verdicts = judge(claims, results, plans)
    by_figure = {v.claim.figure: v.on_the_paper() for v in verdicts}
    parts = [
        claims.head.strip(),
        rules([judged for v in verdicts for judged in _statements(v)]),
        folded(summary(elements, by_figure), elements_table(elements, by_figure)),
        *overview(verdicts),
        replications_text(claims, results),
        fidelity_text(),
        places_text(),
        dimension_text(),
        cost_text(),
        *(section(v, results, plans) for v in verdicts),
        claims.tail.strip(),
    ]
    return "\n\n".join(filter(None, parts)).rstrip() + "\n"


def judge(claims: Claims, results: Sequence[Results], plans: Mapping[str, Plan]) -> list[Verdicts]:
    """Every statement of every claim on every plan that has its figure, corrected together."""
    by_name = {plan.name: plan for plan in results}
    measured: dict[tuple[str, str], list[list[Measured]] | None] = {}
    for claim in claims.claim:
        for name in claim.plans:
            if claim.figure not in {e.figure for e in plans[name].experiment}:
                continue
            run = by_name.get(name)
            is_there = run is not None and claim.figure in run.regrets["figure"]
            measured[claim.figure, name] = (
                [list(measure(run, claim.figure, part, claim.raw)) for part in claim.part]
                if run is not None and is_there
                else None
            )
    judged = iter(correct([m for parts in measured.values() for part in parts or () for m in part]))
    taken = {
        key: None if parts is None else tuple(tuple(next(judged) for _ in part) for part in parts)
        for key, parts in measured.items()
    }
    return [
        Verdicts(
            claim,
            {n: taken[claim.figure, n] for n in claim.plans if (claim.figure, n) in taken},
        )
        for claim in claims.claim
    ]


def rules(judged: Sequence[Judged]) -> str:
    """How the verdicts are reached, with the numbers of this page."""
    alone, strict = (
        sum(min(tests.values(), default=1.0) < LEVEL for tests in of_one)
        for of_one in ([j.p for j in judged], [j.holm for j in judged])
    )
    measured = [j.measured for j in judged]
    family = {m.identity: len(m.p_values) for m in measured}
    copies = sum(m.testable for m in measured) - sum(n > 0 for n in family.values())
    half, twice = (_outcomes(correct(with_margin(measured, factor))) for factor in (0.5, 2.0))
    return (
        f"This page makes {len(judged)} statements: {_outcomes(judged)}. The family has "
        f"{sum(family.values())} tests; {copies} statements that are exact copies of others count "
        f"once. Without a correction {alone} would be decided, after Holm's {strict}. With margins "
        f"half as wide it would be {half}; with margins twice as wide {twice}."
    )


def _outcomes(judged: Sequence[Judged]) -> str:
    counts = Counter(j.outcome for j in judged)
    return ", ".join(f"{counts[o]} {o}" for o in OUTCOMES if counts[o])


def overview(verdicts: Sequence[Verdicts]) -> Iterator[str]:
    """What the paper says with the verdict, then what we ask beyond it."""
    for title, is_asked in (("The paper's claims", False), ("Questions beyond the paper", True)):
        rows = [
            f"| {v.claim.link} | {part.says or part.asks} | {_by_plan(v, i)} |"
            for v in verdicts
            for i, part in enumerate(v.claim.part)
            if bool(part.asks) is is_asked
        ]
        table = "\n".join(["| figure | said | verdict |", "|---|---|---|", *rows])
        yield folded(f"{title}: {len(rows)}", table, is_open=not is_asked)


def replications_text(claims: Claims, results: Sequence[Results]) -> str:
    """How often the methods of each figure left out each task, a row for each figure and plan."""
    by_name = {plan.name: plan for plan in results}
    counted = [
        (f"| {claim.link} | {name} |", replications_of(by_name[name], claim.figure))
        for claim in claims.claim
        for name in claim.plans
        if name in by_name and claim.figure in by_name[name].regrets["figure"]
    ]
    rows = []
    for place, counts in counted:
        groups = counts.group_by("fewest", "most", "n_tasks", maintain_order=True).agg("method")
        ordered = groups.sort("most", "fewest", "n_tasks", descending=True).iter_rows()
        said = (
            f"{_fewest_to_most(fewest, most)} on {n} tasks: {', '.join(methods)}"
            for fewest, most, n, methods in ordered
        )
        rows.append(f"{place} {'; '.join(said)} |")
    fewest = [n for _, counts in counted for n in counts["fewest"].to_list()]
    summary = (
        f"Replications: of {len(fewest)} curves {sum(n >= WANTED for n in fewest)} have the "
        f"paper's {WANTED} on every task, {sum(n == 1 for n in fewest)} have one on some"
    )
    return folded(summary, "\n".join(["| figure | plan | replications |", "|---|---|---|", *rows]))


def replications_of(plan: Results, figure: str) -> pl.DataFrame:
    """method, n_tasks, fewest and most: how often each method of a figure left out a task."""
    rows = plan.results.filter(pl.col("figure") == figure, pl.col("trial") == 1)
    by_task = rows.group_by("order", "method", "suite", "task").len()
    n = pl.col("len")
    counts = by_task.group_by("order", "method").agg(n_tasks=pl.len(), fewest=n.min(), most=n.max())
    return counts.sort("order").drop("order")


def section(verdicts: Verdicts, results: Sequence[Results], plans: Mapping[str, Plan]) -> str:
    """One claim: its verdicts, then each plan that shows it."""
    claim = verdicts.claim
    parts = [f"## Figure {claim.figure}"]
    parts += [
        f"{_said(part)} **{_by_plan(verdicts, i) or NOT_RUN}.**"
        for i, part in enumerate(claim.part)
    ]
    parts.append(filled(claim.remark.strip(), claim.figure, results))
    by_name = {plan.name: plan for plan in results}
    for name, judged in verdicts.by_plan.items():
        if judged is None:
            continue
        plan = by_name[name]
        rows = plan.results.filter(pl.col("figure") == claim.figure)
        _, data = heading(rows).split("\n", 1)
        numbers = [methods_table(plan, claim.figure), pairs_table(judged)]
        drawn = {picture.figure for picture in plans[plan.name].region}
        parts += [
            f"**{plan.name}**: {data}{_protocol(rows)}.",
            _image(plan, claim.figure),
            folded(f"The numbers of figure {claim.figure}, {plan.name}", *numbers),
            *volumes(plan, claim),
            *(_image(plan, figure) for figure in claim.pictures if figure in drawn),
        ]
    return "\n\n".join(filter(None, parts))


def methods_table(plan: Results, figure: str) -> str:
    """Mean regret ± standard error after some trials, the end relative to Random's, the paper's
    measure, and what is missing."""
    points = plan.points.filter(pl.col("figure") == figure)
    last = int(points["trial"].max() or 0)
    trials = [trial for trial in SHOWN if trial <= last]
    head = [f"regret at {trial}" for trial in trials] + [f"relative to Random at {last}"]
    normalized = [trial for trial in (10, last) if trial <= last]
    head += [f"the paper's measure at {trial}" for trial in normalized]
    before = f"before protocol {PROTOCOL}"
    counts = ["replications", "cells", before, "ran out", "no row inside", "missing"]
    lines = ["| method | " + " | ".join(head + counts) + " |"]
    lines.append("|---" * (len(head + counts) + 1) + "|")
    cells = plan.results.filter(pl.col("figure") == figure, pl.col("trial") == 1)
    for (method,), curve in points.sort("order").group_by("method", maintain_order=True):
        own = cells.filter(pl.col("method") == method)
        row = [str(method), *(_point(curve, "regret", trial) for trial in trials)]
        row += [_point(curve, "distance", last)]
        row += [_point(curve, "normalized", trial) for trial in normalized]
        old = own.filter(pl.col("protocol") < PROTOCOL).height
        row += [_replications(own), str(own.height)]
        row += [str(n or "") for n in (old, *_short(own))]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


def _replications(cells: pl.DataFrame) -> str:
    """How often each task was left out: '10', or '1 to 5' if not all as often."""
    counts = cells.group_by("suite", "task").len()["len"].to_list()
    return _fewest_to_most(min(counts), max(counts))


def _fewest_to_most(fewest: int, most: int) -> str:
    return str(most) if fewest == most else f"{fewest} to {most}"


def _short(cells: pl.DataFrame) -> tuple[int, int, int]:
    """Cells whose space ran out, that held no row, and that have no result at all."""
    planned = cells.group_by("suite").agg(
        n=pl.col("task").n_unique() * pl.col("replication").n_unique()
    )
    missing = int(planned["n"].sum()) - cells.height
    return int(cells["exhausted"].sum()), int(cells["loss"].is_infinite().sum()), missing


def pairs_table(parts: Sequence[Sequence[Judged]]) -> str:
    """The statements of a claim; suites in columns of their own if there are several."""
    judged = [j for part in parts for j in part]
    if not judged:
        return ""
    suites = list(dict.fromkeys(suite for j in judged for suite in j.measured.alone))
    columns = suites if len(suites) > 1 else []
    some_empty = any(j.measured.searched is not None for j in judged)
    head = ["said", "verdict", "tasks", "first 50 trials", "at the end", "p", "BH", "Holm"]
    head += ["without cells that had no row"] * some_empty
    head += [f"the paper's measure ({FEW} tasks carry)", *columns]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for j in judged:
        m = j.measured
        is_volume = m.statement.measure == "log_volume"
        early = _factor(m.tested) if is_volume else _interval(m.early)
        row = [
            m.statement.text,
            ": ".join([j.outcome, *([", ".join(j.notes)] if j.notes else [])]),
            str(m.tested.n_tasks),
            early,
            "" if is_volume else _interval(m.end),
            *("-" if j.decisive is None else _p(v[j.decisive]) for v in (j.p, j.bh, j.holm)),
        ]
        if some_empty:
            row.append("" if m.searched is None or is_volume else _interval(m.searched))
        row.append("" if is_volume or m.paper is None else _paper(m))
        shown = _factor if is_volume else _interval
        row += [shown(m.alone[s]) if s in m.alone else "-" for s in columns]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


def volumes(plan: Results, claim: Claim) -> Iterator[str]:
    """How large the spaces are that are said to be smaller."""
    regrets = plan.regrets.filter(pl.col("figure") == claim.figure)
    for one, other in (pair for part in claim.part for pair in part.smaller):
        first, second = (regrets.filter(pl.col("method") == name) for name in (one, other))
        both = first.join(second, on=["suite", "task", "replication"], suffix="_other")
        if both.is_empty():
            continue
        volume, other_volume = both["volume"].mean(), both["volume_other"].mean()
        share = (both["volume"] < both["volume_other"]).mean()
        yield (
            f"{one} searches {volume:.2g} of the volume, {other} {other_volume:.2g}; it is the "
            f"smaller space in {share:.0%} of {both.height} cells."
        )


def draw(plan: str, figures: set[str]) -> None:
    """The curves of mean regret of each figure as a PNG file."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    whole = read_results(HERE / "results" / f"{plan}.parquet")
    regret = curves(whole).filter(pl.col("metric") == "regret")
    for (figure,), results in whole.group_by("figure", maintain_order=True):
        if figure in figures:
            points = regret.filter(pl.col("figure") == figure)
            picture = curve_figure(points, "regret", heading(results))
            write_picture(picture, PICTURES / f"{stem(plan, str(figure))}.png", dpi=90)


def draw_regions(name: str, plan: Plan, figures: set[str], data: Path | None) -> None:
    """The learned spaces themselves. Without its table a picture stays as it was."""
    folders = (*plan.data, *([] if data is None else [str(data.resolve())]))
    for picture in plan.region:
        if picture.figure not in figures:
            continue
        path = PICTURES / f"{stem(name, picture.figure)}.png"
        try:
            suite = load_suite(SuiteSource(picture.suite, folders))
        except FileError as error:
            print(f"{path.name} is not drawn again: {error}")
            continue
        write_picture(region_figure(picture, suite), path, dpi=90)


def stem(plan: str, figure: str) -> str:
    """The name of a figure's file, without its ending."""
    return f"{plan}-{file_name(figure)}"


def _statements(verdicts: Verdicts) -> Iterator[Judged]:
    for parts in verdicts.by_plan.values():
        yield from (judged for part in parts or () for judged in part)


def _said(part: Part) -> str:
    return f"*The paper:* {part.says}" if part.says else f"*Beyond the paper:* {part.asks}"


def _by_plan(verdicts: Verdicts, part: int) -> str:
    """The verdict, or the answer to a question; by plan if there are several."""
    words = {name: verdicts.on(name, part) for name in verdicts.by_plan}
    if verdicts.claim.part[part].asks:
        words = {n: w.replace("shown", "yes").replace("refuted", "no") for n, w in words.items()}
    if len(words) == 1:
        return next(iter(words.values()))
    return "; ".join(f"{name}: {word}" for name, word in words.items())


def _protocol(rows: pl.DataFrame) -> str:
    """Said of results that a run of today would not give to the last digit."""
    cells = rows.filter(pl.col("trial") == 1)
    old = cells.filter(pl.col("protocol") < PROTOCOL)
    if old.is_empty():
        return ""
    which = "run" if old.height == cells.height else f"{old.height} of {cells.height} cells run"
    return f"; {which} with protocol {old['protocol'].min()}, before the present one"


def _image(plan: Results, figure: str) -> str:
    picture = PICTURES.relative_to(DOCS) / f"{stem(plan.name, figure)}.png"
    return f"![Figure {figure}, {plan.name}]({picture.as_posix()})"


def _point(curve: pl.DataFrame, metric: str, trial: int) -> str:
    row = curve.filter(pl.col("metric") == metric, pl.col("trial") == trial)
    if row.is_empty():
        return "-"
    mean, error = row.select("mean", "error").row(0)
    return f"{mean:.3f}" if error is None else f"{mean:.3f} ± {error:.3f}"


def _interval(gap: Difference) -> str:
    return f"{gap.mean:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]"


def _factor(gap: Difference) -> str:
    """A difference of decimal logarithms as a factor."""
    mean, low, high = (10 ** min(x, 99.0) for x in (gap.mean, gap.low, gap.high))
    return f"×{mean:.2g} [{low:.2g}, {high:.2g}]"


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _paper(measured: Measured) -> str:
    assert measured.paper is not None
    few = f" ({measured.carried:.0%})" if measured.paper.n_tasks > FEW else ""
    gap = measured.paper
    return f"{gap.mean:+.3g} [{gap.low:+.3g}, {gap.high:+.3g}]{few}"


if __name__ == "__main__":
    sys.exit(main())
