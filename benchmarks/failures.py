"""What a search gains by what failed, and how often it is wrong about it.

    python -m benchmarks.failures searches --data FOLDER   # failed trials and regrets, paired
    python -m benchmarks.failures injected --data FOLDER   # the same with random failures
    python -m benchmarks.failures alarms --data FOLDER     # random failures that are believed
    python -m benchmarks.failures models --data FOLDER     # predictions of tasks left out
    python -m benchmarks.failures zones --data FOLDER      # zones of tasks left out
    python -m benchmarks.failures page [--check]           # write docs/failures.md

Each part writes benchmarks/results/failures/PART.json, from which the page is made.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import ringfence as rf
from benchmarks import failures_page
from benchmarks.failure_cases import TABLES, WITHOUT, Case, FailureTable, injected, load
from benchmarks.failure_models import predictions
from benchmarks.memory_table import ranking
from ringfence.history import usable_rows
from ringfence.learned.full import full_space
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.log import TrialLog
from ringfence.optimize.risk.found import failing_tasks, zone_of
from ringfence.optimize.transfer.sources import Source
from ringfence.optimize.weighing.failure import chance_of
from ringfence.threads import one_thread

TRIALS = 20
AT = (5, 10, 20)
FIRST = 10  # draw of a measurement; what was chosen was chosen by draws 0 to 2
METHODS = ("random", "transfer ignore", "transfer keep", "transfer unseen", "gp ignore", "gp keep")
RATE = 0.1
RATES = (0.05, 0.1, 0.3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=[*PARTS, "page"])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if args.part == "page":
        raise SystemExit(failures_page.write(check=args.check))
    with one_thread:
        cells = list(PARTS[args.part](args.data, args.draws))
    failures_page.RESULTS.mkdir(parents=True, exist_ok=True)
    path = failures_page.RESULTS / f"{args.part}.json"
    path.write_text("[\n" + ",\n".join(json.dumps(cell) for cell in cells) + "\n]\n")
    print(failures_page.TABLES[args.part](cells))


def searches(folder: Path | None, draws: int) -> Iterator[dict[str, Any]]:
    """Each task left out: what fails of the first trials, and what is found."""
    for name in TABLES:
        table = load(name, folder)
        for target in table.tasks:
            for draw in range(FIRST, FIRST + draws):
                case = table.case(target, draw)
                for method in METHODS:
                    failed, regrets = search(case, case.others, method, draw)
                    yield cell(name, target, draw, method, failed, regrets)


def injected_searches(folder: Path | None, draws: int) -> Iterator[dict[str, Any]]:
    """The same on tables without failures, with and without random ones."""
    for name in WITHOUT:
        table = load(name, folder)
        for target in table.tasks:
            for draw in range(FIRST, FIRST + max(1, draws // 4)):
                case = table.case(target, draw)
                rng = np.random.default_rng([draw, len(target)])
                struck = injected(case.others, RATE, rng)
                strikes = rng.random(TRIALS) < RATE
                for method, runs, own in (
                    ("transfer clean", case.others, None),
                    ("transfer ignore", struck, strikes),
                    ("transfer keep", struck, strikes),
                ):
                    failed, regrets = search(case, runs, method, draw, own)
                    yield cell(name, target, draw, method, failed, regrets)


def search(
    case: Case, others: pl.DataFrame, method: str, seed: int, strikes: Any = None
) -> tuple[float, list[float]]:
    """The share of failed trials, and the regrets of the best so far at some of them; `strikes`
    says which trials fail whatever they are."""
    values = []
    if method == "random":
        order = np.random.default_rng(seed).permutation(len(case.configs))[:TRIALS]
        values = [case.values[case.key(case.configs[i])] for i in order]
    else:
        optimizer = optimizer_of(case, others, method, seed)
        for number in range(min(TRIALS, len(case.configs))):
            trial = optimizer.ask()
            value = case.values[case.key(trial.config)]
            value = np.nan if strikes is not None and strikes[number] else value
            values.append(value)
            optimizer.fail(trial) if np.isnan(value) else optimizer.tell(trial, value)
    seen = np.array(values)
    best = np.fmin.accumulate(np.where(np.isnan(seen), np.inf, seen))
    best = np.concatenate([best, np.full(TRIALS - len(best), best[-1])])
    regrets = [1.0 if np.isinf(best[n - 1]) else case.regret(best[n - 1]) for n in AT]
    return float(np.isnan(seen).mean()), regrets


def optimizer_of(case: Case, others: pl.DataFrame, method: str, seed: int) -> rf.Optimizer:
    name, way = method.split()
    table = case.table
    history = table.history(others, "ignore" if way == "ignore" else "keep")
    given: dict[str, Any] = {"seed": seed, "candidates": case.configs, "direction": "minimize"}
    if name == "transfer":
        optimizer = rf.optimizer(name, table.space, history=history, **given)
    else:
        learned = rf.learn(history, table.space, shape="full", starts=5)
        optimizer = rf.optimizer(name, learned, **given)
    if way == "unseen":
        optimizer.log.__class__ = UnseenFailures
    return optimizer


class UnseenFailures(TrialLog):
    """Failed trials have no value, not the worst one."""

    @property
    def values(self) -> Any:
        return np.array([np.nan if t.value is None else t.value for t in self.trials], float)

    @property
    def running(self) -> Any:
        return np.array([t.value is None for t in self.trials], dtype=bool)


def alarms(folder: Path | None, draws: int) -> Iterator[dict[str, Any]]:
    """Random failures: how often they count as evidence, and have a zone."""
    for name in (*WITHOUT, "transformer", "convnet"):
        table = load(name, folder)
        runs = table.runs.filter(status="ok")
        layout, tasks = sources(table, runs)
        for rate in RATES:
            for draw in range(5 * draws):
                rng = np.random.default_rng([draw, round(100 * rate)])
                struck = [strike(task, rate, rng) for task in tasks]
                chance = chance_of(layout, struck)
                zone = None if chance is None else zone_of(layout, struck)
                yield {
                    "table": name,
                    "rate": rate,
                    "draw": draw,
                    "evidence": chance is not None,
                    "zone": zone is not None,
                    "best_inside": 0 if zone is None else best_inside(layout, zone, tasks),
                    "tasks": len(tasks),
                }


def sources(table: FailureTable, runs: pl.DataFrame) -> tuple[Layout, tuple[Source, ...]]:
    """The tasks of some runs, in the full space."""
    layout = Layout(full_space(table.space))
    usable = usable_rows(table.history(runs), table.space)
    return layout, failing_tasks(usable.frame, usable.failed, layout)


def strike(task: Source, rate: float, rng: np.random.Generator) -> Source:
    """At most 256 runs of a task, of which some failed for no reason."""
    kept = rng.permutation(len(task.values))[:256]
    failed = rng.random(len(kept)) < rate
    good, bad = kept[~failed], kept[failed]
    reasons = ("",) * len(bad)
    return Source(
        task.name, task.rows[good], task.values[good], failed=task.rows[bad], reasons=reasons
    )


def best_inside(layout: Layout, zone: Any, tasks: tuple[Source, ...]) -> int:
    """How many tasks have their best run in a zone."""
    rows = np.array([task.rows[task.values.argmin()] for task in tasks if len(task.values)])
    return int(zone.inside(layout.space, layout.columns(rows)).sum())


def models(folder: Path | None, draws: int) -> Iterator[dict[str, Any]]:
    """How well the failures of a task left out are predicted: before its first run, and after 20
    of its own."""
    for name in TABLES:
        table = load(name, folder)
        for target in table.tasks:
            case = table.case(target, FIRST)
            layout, tasks = sources(table, case.others)
            _, (own, *_) = sources(table, case.own)
            X = layout.features(np.concatenate([own.rows, own.failed]))
            y = np.repeat([0.0, 1.0], [len(own.rows), len(own.failed)])
            for way, chances in predictions(layout, tasks, X, y).items():
                chances = np.clip(chances, 1e-6, 1 - 1e-6)
                loss = -np.log(np.where(y > 0, chances, 1 - chances)).mean()
                yield {
                    "table": name,
                    "target": target,
                    "way": way,
                    "log_loss": round(float(loss), 4),
                    "ranking": round(ranking(chances, y > 0), 4) if 0 < y.sum() < len(y) else None,
                    "predicted": binned(chances, chances),
                    "seen": binned(chances, y),
                }


EDGES = (0.0, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)


def binned(chances: np.ndarray, of: np.ndarray) -> list[tuple[float, float]]:
    """Number and sum of `of` for each range of chances."""
    place = np.clip(np.searchsorted(EDGES, chances, side="right") - 1, 0, len(EDGES) - 2)
    return [
        (float((place == k).sum()), round(float(of[place == k].sum()), 2))
        for k in range(len(EDGES) - 1)
    ]


def zones(folder: Path | None, draws: int) -> Iterator[dict[str, Any]]:
    """The zone of the other tasks, held against the one left out."""
    for name in TABLES:
        table = load(name, folder)
        for target in table.tasks:
            for draw in range(FIRST, FIRST + draws):
                case = table.case(target, draw)
                layout, tasks = sources(table, case.others)
                zone = zone_of(layout, tasks)
                found: dict[str, Any] = {"table": name, "target": target, "draw": draw}
                if zone is None:
                    yield found | {"zone": None, "failed": 0, "runs": 0, "best_inside": 0}
                    continue
                _, (own, *_) = sources(table, case.own)
                bad = int(zone.inside(layout.space, layout.columns(own.failed)).sum())
                good = int(zone.inside(layout.space, layout.columns(own.rows)).sum())
                inside = best_inside(layout, zone, (own,))
                yield found | {
                    "zone": zone.rule,
                    "share": round(zone.share, 4),
                    "failed": bad,
                    "runs": bad + good,
                    "best_inside": inside,
                }


def cell(
    table: str, target: str, draw: int, method: str, failed: float, regrets: list[float]
) -> dict[str, Any]:
    at = {f"regret_{n}": round(regret, 6) for n, regret in zip(AT, regrets)}
    return {"table": table, "target": target, "draw": draw, "method": method, "failed": failed} | at


PARTS = {
    "searches": searches,
    "injected": injected_searches,
    "alarms": alarms,
    "models": models,
    "zones": zones,
}

if __name__ == "__main__":
    main()
