"""The tables of docs/hub.md: from the entries as they ship, and from the committed studies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from scipy.stats import t as student

import ringfence as rf
from benchmarks.transfer_curves import interval, markdown
from benchmarks.transfer_page import filled
from ringfence.bench.pairs import Difference
from ringfence.learned.hub.records import EntryRecord, PartRecord

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "hub.md"
STUDIES = ROOT / "benchmarks" / "results" / "hub" / "studies.parquet"
RULE = "10 / (10 + n) of the hub"
OF_DEFAULT, OF_RANDOM = 0.5, 0.6
"""What five starting points may leave of the default's regret, and of random search's."""


def write(*, check: bool) -> int:
    """Write the page, or say whether it is what entries and studies give."""
    text = PAGE.read_text("utf-8")
    new = filled(text, tables())
    if check:
        print("the page is what the results give" if new == text else "it differs: write it again")
        return 0 if new == text else 1
    PAGE.write_text(new, "utf-8")
    return 0


def tables() -> dict[str, str]:
    """By name."""
    records = [entry.record for entry in rf.hub()]
    studies = pl.read_parquet(STUDIES)
    return {
        "entries": entry_table(records),
        "dense": dense_table(records),
        "goals": goals(records),
        "bests": best_table(records),
        "own": own_table(studies),
        "rule": rule_table(studies),
        "similar": similar_table(studies),
    }


def entry_table(records: Sequence[EntryRecord]) -> str:
    """All entries."""
    rows = []
    for record in records:
        kinds = dict.fromkeys(part.task for part in record.parts if part.task != "any")
        split = sorted({part.sizes for part in record.parts} - {"any size"})
        rows.append(
            [
                f"`{record.name}`",
                ", ".join(kinds),
                f"{record.data_sets}",
                f"{record.rows[0]:,} to {record.rows[1]:,}",
                "; ".join(split) or "one",
                "many" if record.dense else "the best",
                record.licence.split(" (")[0],
            ]
        )
    head = ["name", "tasks", "data sets", "training rows", "size classes", "rows a task", "licence"]
    return markdown(head, rows)


def dense_table(records: Sequence[EntryRecord]) -> str:
    """What five starting points leave on data sets that were left out."""
    rows = []
    for record in records:
        for part in record.parts if record.dense else ():
            found = part.evidence
            assert found.starts is not None and found.random is not None
            ratios = ["–" if not other else f"{found.starts / other:.2f}"
                      for other in (found.default, found.random)]  # fmt: skip
            default = "–" if found.default is None else f"{found.default:.3f}"
            rows.append([f"`{record.name}`", _part(part), f"{part.data_sets}",
                         f"{found.starts:.3f}", default, f"{found.random:.3f}",
                         *ratios])  # fmt: skip
    head = ["entry", "tasks", "data sets", "5 starts", "default", "5 at random", "of the default's",
            "of random's"]  # fmt: skip
    return markdown(head, rows)


def goals(records: Sequence[EntryRecord]) -> str:
    """On how many dense entries what is asked is so; one without a space for all tasks counts by
    its kinds together."""
    ratios: dict[str, tuple[float, float]] = {}
    for record in records:
        if not record.dense:
            continue
        found = [part.evidence for part in record.wholes]
        starts, default, random = (
            sum(x for x in column if x is not None)
            for column in zip(*((e.starts, e.default, e.random) for e in found))
        )
        ratios[record.name] = (starts / default, starts / random)
    lines = []
    for place, (what, most) in enumerate((("default", OF_DEFAULT), ("random", OF_RANDOM))):
        missed = [f"`{n}` ({r[place]:.2f})" for n, r in ratios.items() if r[place] > most]
        lines.append(
            f"at most {most:g} of {what}'s: {len(ratios) - len(missed)} of {len(ratios)} entries"
            + (f"; not {', '.join(missed)}" if missed else "")
        )
    return "\n".join(f"- {line}" for line in lines)


def best_table(records: Sequence[EntryRecord]) -> str:
    """What the spaces of published bests hold of data sets that were left out."""
    rows = []
    for record in records:
        for part in () if record.dense else record.parts:
            found, clips = part.evidence, [f"`{e.parameter}` {e.end}" for e in part.edges]
            holds = (
                ["the declared space", ""]
                if found.volume == 1.0
                else [f"{found.covered:.0%}", f"{found.volume:.0%}"]
            )
            rows.append([f"`{record.name}`", _part(part), f"{part.data_sets}", *holds,
                         ", ".join(clips) or "nowhere"])  # fmt: skip
    head = ["entry", "tasks", "data sets", "left-out optima inside", "of the space", "clipped at"]
    return markdown(head, rows)


def own_table(studies: pl.DataFrame) -> str:
    """Regret after five starting points, by how much of the hub is left beside own tasks."""
    some = studies.filter(pl.col("study").str.starts_with("own"))
    ways = some["way"].unique().to_list()
    first = ["own alone", "hub alone", "all of both"]
    order = [*first, *sorted((w for w in ways if w not in first), key=lambda w: int(w.split()[0]))]
    rows = []
    for way in order:
        cells = [
            f"{_mean(some.filter(way=way, study=study, n=n)):.3f}"
            for study in ("own, alike", "own, any")
            for n in sorted(some["n"].unique())
        ]
        rows.append([way, *cells])
    head = ["", *(f"{n} {which}" for which in ("alike", "any") for n in sorted(some["n"].unique()))]
    return markdown(head, rows)


def similar_table(studies: pl.DataFrame) -> str:
    """The nearest tasks against all, and against as many at random; the intervals are over data
    sets, since one is a target of several entries."""
    some = studies.filter(study="similar")
    key = ["entry", "kind", "target"]
    everyone = some.filter(way="all").select(*key, other="all")
    rows = []
    for n in sorted(some.filter(way="nearest")["n"].unique()):
        nearest = some.filter(way="nearest", n=n).join(everyone, on=key)
        at_random = some.filter(way="random", n=n)
        gap = over_data_sets(nearest, pl.col("all") - pl.col("other"))
        more = nearest.join(at_random.select(*key, drawn="all"), on=key)
        less = over_data_sets(more, pl.col("all") - pl.col("drawn"))
        rows.append([f"{n}", f"{_mean(nearest):.3f}", f"{_mean(at_random):.3f}",
                     f"{float(everyone['other'].mean()):.3f}", interval(gap),
                     interval(less)])  # fmt: skip
    head = ["tasks", "the nearest", "at random", "all", "nearest less all",
            "nearest less at random"]  # fmt: skip
    return markdown(head, rows)


def rule_table(studies: pl.DataFrame) -> str:
    """The rule less all of both, over data sets."""
    key = ["entry", "kind", "target", "study", "n"]
    rule, everything = (
        studies.filter(way=way).select(*key, pl.col("all").alias(name))
        for way, name in ((RULE, "rule"), ("all of both", "both"))
    )
    both, cells = rule.join(everything, on=key), []
    for study in ("own, alike", "own, any"):
        for n in sorted(both["n"].unique()):
            one = both.filter(study=study, n=n)
            cells.append(interval(over_data_sets(one, pl.col("rule") - pl.col("both"))))
    head = [f"{n} {which}" for which in ("alike", "any") for n in sorted(both["n"].unique())]
    return markdown(head, [cells])


def over_data_sets(frame: pl.DataFrame, what: pl.Expr) -> Difference:
    """The mean over all rows, with a 95 % interval over their targets: one data set is the target
    of several entries, and its rows are no independent ones."""
    gaps = frame.select("target", gap=what)
    mean = float(gaps["gap"].mean())  # type: ignore[arg-type]
    sums = gaps.group_by("target").agg((pl.col("gap") - mean).sum())["gap"].to_numpy()
    n = len(sums)
    half = student.ppf(0.975, n - 1) * np.sqrt((sums**2).sum() * n / (n - 1)) / gaps.height
    return Difference(mean, mean - half, mean + half, n)


def _mean(frame: pl.DataFrame) -> float:
    return float(frame["all"].mean())  # type: ignore[arg-type]


def _part(part: PartRecord) -> str:
    words = {"any": "all"}.get(part.task, part.task)
    return words if part.sizes == "any size" else f"{words}, {part.sizes}"
