"""Where the best configurations lie: remarks of the paper, measured on every table of the plans.

    python -m benchmarks.places FOLDER     from the tables in FOLDER; writes results/places.csv

column            meaning
at an end         share of the coordinates of the tasks' best rows that lie in the outer tenth of
                  their range, 5 % at either end (section 6.3: "good solutions are typically found
                  in the interior of the search space")
rows at an end    the same of all recorded rows
more              the first less the second, mean over tasks with its 95 % interval
in the box        tasks whose best row lies in the box that is learned from the other tasks
in the ellipsoid  share of those that lie in the ellipsoid of the other tasks as well
by volume         share of the box, by its volume, that lies in that ellipsoid (section 4.3: "do not
                  cluster in the corners of the box")
denser            the former less the latter, mean over these tasks with its 95 % interval
eta > 0.3         tasks whose best learning rate of XGBoost is above 0.3 (section 6.2)

Parameters that are active only sometimes are fitted in one cloud with the others.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

import ringfence as rf
from benchmarks.folding import folded
from benchmarks.kept import keep, kept, table
from ringfence.bench.cell import Scale
from ringfence.bench.plan import read_plan
from ringfence.bench.significance import Difference, difference
from ringfence.bench.suites import Suite, SuiteSource, load_suite
from ringfence.bench.suites.suite import on_scale
from ringfence.learned.full import full_space
from ringfence.optimize.domain.layout import Layout
from ringfence.space import Config

PLANS = Path(__file__).parent.parent / "plans"
TABLES = ("tables-surrogate", "tables-real", "tables-more", "networks")
HALF = "xgboost_memento_meta"  # of the tasks of xgboost_memento_openml
SCALES: tuple[Scale, ...] = ("raw", "log")
END = 0.05  # of the range, at either end: a tenth in all
DRAWS = 400  # from a box: an error of its share of at most 0.025
HIGH_ETA = 0.3
ENDS = ("at an end", "rows at an end", "more", "more, low", "more, high")
CORNERS = ("in the box", "in the ellipsoid", "by volume", "denser", "denser, low", "denser, high")
COLUMNS = ("suite", "scale", "tasks", *ENDS, *CORNERS, "eta > 0.3")


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description="Where the best configurations lie.")
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder.resolve()
    keep("places", COLUMNS, rows(folder))
    print(places_text())


def rows(folder: Path) -> Iterator[list[object]]:
    """A line for each suite and scale."""
    folders: dict[str, tuple[str, ...]] = {}
    for name in TABLES:
        plan = read_plan(PLANS / f"{name}.toml", [folder])
        folders |= {suite: plan.data for e in plan.experiment for suite in e.suites}
    for name in sorted(set(folders) - {HALF}):
        suite = load_suite(SuiteSource(name, folders[name]))
        for scale in SCALES:
            best = best_rows(suite)
            line = [*at_ends(suite, scale), *in_corners(suite, best, scale)]
            etas = [config["eta"] for config in best.values() if "eta" in config]
            high = f"{sum(eta > HIGH_ETA for eta in etas)} of {len(etas)}" if etas else ""
            yield [name, scale, len(suite.tasks), *line, high]


def best_rows(suite: Suite) -> dict[str, Config]:
    """The best recorded configuration of every task."""
    found = {}
    for task in suite.tasks:
        recorded = suite.recorded(task)
        found[task] = recorded.configs[int(np.argmin(recorded.losses[:, -1]))]
    return found


def at_ends(suite: Suite, scale: Scale) -> list[float]:
    """How many coordinates of best rows and of all rows are near an end of what was recorded."""
    units = {task: _units(suite, task, scale) for task in suite.tasks}
    every = np.concatenate(list(units.values()))
    low, high = np.nanmin(every, axis=0), np.nanmax(every, axis=0)
    of_best, of_rows = [], []
    for task, unit in units.items():
        place = (unit - low) / np.where(high > low, high - low, np.nan)
        near = np.where(np.isnan(place), np.nan, (place < END) | (place > 1 - END))
        of_best.append(np.nanmean(near[np.argmin(suite.recorded(task).losses[:, -1])]))
        of_rows.append(np.nanmean(near))
    more = difference(np.subtract(of_best, of_rows))
    return [float(np.mean(of_best)), float(np.mean(of_rows)), more.mean, more.low, more.high]


def _units(suite: Suite, task: str, scale: Scale) -> np.ndarray:
    """Unit coordinates of every recorded row of a task, without unordered choices."""
    layout = Layout(full_space(on_scale(suite.space, scale)))
    ordered = [axis is not None for axis in layout.axes]
    return layout.encode(suite.recorded(task).configs)[:, ordered]


def in_corners(suite: Suite, best: dict[str, Config], scale: Scale) -> list[object]:
    """Each task left out: its best row, if the box has it, and the box itself, in the ellipsoid."""
    space = on_scale(suite.space, scale)
    one_cloud = bool(space.conditions)
    inside, shares = [], []
    for seed, (task, config) in enumerate(best.items()):
        others = pl.DataFrame(
            [
                {"its task": name, "its loss": 0.0, **row}
                for name, row in best.items()
                if name != task
            ],
            infer_schema_length=None,
        )
        box, ball = (
            rf.learn(
                others,
                space,
                shape=shape,
                one_cloud=one_cloud,
                starts=0,
                task="its task",
                objective="its loss",
                direction="minimize",
            )
            for shape in ("box", "ellipsoid")
        )
        if box.contains(config):
            draws = box.sample(DRAWS, seed=seed)
            inside.append(float(ball.contains(config)))
            shares.append(float(np.mean([ball.contains(draw) for draw in draws])))
    if len(inside) < 2:
        return [len(inside), *[""] * (len(CORNERS) - 1)]
    gap = difference(np.subtract(inside, shares))
    means = float(np.mean(inside)), float(np.mean(shares))
    return [len(inside), *means, gap.mean, gap.low, gap.high]


def places_text() -> str:
    """What the page says of it, from the file."""
    lines = kept("places")

    def sides(name: str, scale: Scale) -> tuple[int, int, int]:
        """Suites on which a difference is surely below zero, surely above, and all."""
        gaps = [_gap(line, name) for line in lines if line["scale"] == scale and line[name]]
        return sum(g.high < 0 for g in gaps), sum(g.low > 0 for g in gaps), len(gaps)

    def said(name: str, below: str, above: str) -> str:
        parts = []
        for scale in SCALES:
            low, high, n = sides(name, scale)
            parts.append(f"{below} on {low} of {n} tables and {above} on {high} in {scale} scale")
        return ", ".join(parts)

    etas = [line for line in lines if line["eta > 0.3"] and line["scale"] == "raw"]
    high = ", ".join(f"{line['eta > 0.3']} on `{line['suite']}`" for line in etas)
    text = (
        "**Where the best configurations lie.** *Interior* (section 6.3): the best row of a task "
        "has fewer coordinates in the outer tenth of their ranges than its rows have on average, "
        "or more: surely "
        + said("more", "fewer", "more")
        + ". *Corners* (section 4.3): of a box around the other tasks, the part inside their "
        "ellipsoid holds the left-out task's best row more often than its volume says, or less "
        "often: surely "
        + said("denser", "less often", "more often")
        + f". *Learning rates of XGBoost above {HIGH_ETA}* (section 6.2), tasks by their best row: "
        + high
        + ". Intervals are over tasks, 95 % each (`python -m benchmarks.places FOLDER`)."
    )
    return "\n\n".join([text, folded("The numbers by table", table(lines))])


def _gap(line: dict[str, str], name: str) -> Difference:
    mean, low, high = (float(line[key]) for key in (name, f"{name}, low", f"{name}, high"))
    return Difference(mean, low, high, int(line["tasks"]))


if __name__ == "__main__":
    main()
