"""Numbers in the texts of the page: looked up in the results, so that they cannot be stale.

in the text                          becomes
{sgd: Box GP @ 50}                   mean regret of a method after so many trials
{sgd: Box GP - GP}                   mean difference over the first 50 trials
{sgd: Box GP - GP @ end}             mean difference after the last trial
{sgd: volume Box Random}             mean share of the space that was searched
{sgd: ran out Box Random}            cells that held fewer rows than trials: "3 of 300 cells"
{sgd: no row Box Random}             cells that held none
{sgd: behind Box GP}                 cells that end more than the margin behind the best loss known
{sgd/suite: …}, {sgd#1b: …}          on one suite (not for @ 50); of another figure than the claim's

Without results it becomes "(not run)"; a text none of whose numbers was run is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from benchmarks.paper_claims import MARGIN
from benchmarks.paper_verdicts import Results
from ringfence.bench.pairs import compare

LOOKUP = re.compile(r"\{([a-z-]+)(?:/(\w+))?(?:#([\w-]+))?: ([^{}]+)\}")
MISSING = "(not run)"


def filled(text: str, figure: str, plans: Sequence[Results]) -> str:
    """The text with its numbers."""
    by_name = {plan.name: plan for plan in plans}
    numbers: list[str] = []

    def number(match: re.Match[str]) -> str:
        plan, suite, other, expression = match.groups()
        run = by_name.get(plan)
        found = None if run is None else lookup(run, other or figure, suite, expression)
        numbers.append(found or MISSING)
        return numbers[-1]

    answer = LOOKUP.sub(number, text)
    return "" if numbers and set(numbers) == {MISSING} else answer


def lookup(plan: Results, figure: str, suite: str | None, expression: str) -> str | None:
    """One number; None if it was not run."""
    regrets = plan.regrets.filter(pl.col("figure") == figure)
    if suite is not None:
        regrets = regrets.filter(pl.col("suite") == suite)
    for word, column in (
        ("volume", "volume"),
        ("ran out", "exhausted"),
        ("no row", "searched"),
        ("behind", "end"),
    ):
        if expression.startswith(word + " "):
            return _counted(plan, regrets, figure, expression.removeprefix(word + " "), column)
    if match := re.fullmatch(r"(.+) - (.+?)( @ end)?", expression):
        pair = compare(regrets, match[1], match[2])
        return pair and f"{(pair.end if match[3] else pair.early).mean:+.3f}"
    match = re.fullmatch(r"(.+) @ (\d+)", expression)
    if match is None or suite is not None:
        raise ValueError(f"no number is called {expression!r}; see the top of paper_numbers.py")
    row = plan.points.filter(
        pl.col("figure") == figure,
        pl.col("metric") == "regret",
        pl.col("method") == match[1],
        pl.col("trial") == int(match[2]),
    )
    return None if row.is_empty() else f"{row['mean'][0]:.3f}"


def _counted(
    plan: Results, regrets: pl.DataFrame, figure: str, method: str, column: str
) -> str | None:
    cells = regrets.filter(pl.col("method") == method)
    if cells.is_empty():
        return None
    if column == "volume":
        return f"{100 * cells['volume'].mean():.2g} %"
    if column == "end":
        return f"{(cells['end'] > MARGIN).sum()} of {cells.height} cells"
    if column == "searched":
        return f"{cells.height - cells['searched'].sum()} of {cells.height} cells"
    first = plan.results.filter(pl.col("figure") == figure, pl.col("trial") == 1)
    held = first.join(cells, on=["suite", "task", "replication", "method"], how="semi")
    return f"{held['exhausted'].sum()} of {held.height} cells"
