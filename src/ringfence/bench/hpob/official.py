"""The official protocol as a plan, and its outcome as a table.

Five given configurations, then 100 trials among the recorded rows of a test task, for each of five
seeds. What is learned is learned from n_t random rows of each training task of the search space.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from ringfence.bench.hpob.published import PUBLISHED, SPACES, TASKS, label
from ringfence.bench.hpob.scores import CHECKPOINTS, scores
from ringfence.bench.hpob.tables import SEEDS, OfficialSuite
from ringfence.bench.methods import method
from ringfence.bench.plan import Experiment, Plan
from ringfence.rendering.layout import Part, Table

OURS = ("Random", "GP", "Box Random", "Box GP", "Ellipsoid GP", "Transfer", "Starts GP")
FIGURE = "HPO-B"
METHOD = 20  # columns that the name of a method keeps in a narrow table


def official_plan(
    suites: Sequence[OfficialSuite],
    folder: Path,
    *,
    methods: Sequence[str] = OURS,
    trials: int = CHECKPOINTS[-1],
    seeds: int = len(SEEDS),
    n_evaluations: int = 256,
) -> Plan:
    """All test tasks and seeds of the suites in `folder`, for each method; SettingError if there is
    no such method."""
    for name in methods:
        method(name)
    experiment = Experiment(
        figure=FIGURE,
        title="HPO-B in its official protocol",
        suites=tuple(str(folder.resolve() / suite.description) for suite in suites),
        methods=tuple(methods),
        replications=seeds,
        trials=trials,
        n_evaluations=n_evaluations,
    )
    return Plan("hpob-official", (experiment,), data=(str(folder.resolve()),))


def checkpoints_of(curves: pl.DataFrame) -> list[int]:
    """HPO-B's, as far as the curves reach; their end if they reach none."""
    end = int(curves["trial"].to_numpy().max())
    return [trial for trial in CHECKPOINTS if trial <= end] or [end]


def table_parts(curves: pl.DataFrame) -> list[Part]:
    """Regret ± standard error and rank of each method, and what it is over. The published means
    stand below if the curves are of all tasks and no published curves are among them."""
    trials = checkpoints_of(curves)
    measured = scores(curves, trials)
    rows = [["", *(f"regret@{t}" for t in trials), *(f"rank@{t}" for t in trials)]]
    for (name,), of_method in measured.group_by("method", maintain_order=True):
        values = {row["trial"]: row for row in of_method.iter_rows(named=True)}
        regrets = [_pair(values[t]["regret"], values[t]["error"]) for t in trials]
        ranks = ["-" if values[t]["rank"] is None else f"{values[t]['rank']:.2f}" for t in trials]
        rows.append([str(name), *regrets, *ranks])
    n_tasks = curves.select(pl.struct("space", "task").n_unique()).item()
    n_spaces, n_seeds = curves["space"].n_unique(), curves["replication"].n_unique()
    if (n_tasks, n_spaces) == (TASKS, SPACES) and label("FSBO") not in set(curves["method"]):
        for name, means in PUBLISHED.items():
            regrets = [_pair(*means[t]) if t in means else "-" for t in trials]
            rows.append([label(name), *regrets, *("-" for _ in trials)])
    return [
        f"HPO-B, official protocol: {_counted(n_tasks, 'test task')} of "
        f"{_counted(n_spaces, 'search space')}, {_counted(n_seeds, 'seed')}, trials counted after "
        "the given configurations",
        Table(rows, floors={0: METHOD}, right=range(1, 2 * len(trials) + 1)),
    ]


def ran_out(results: pl.DataFrame) -> list[str]:
    """Which methods had fewer rows to try than trials, in how many cells; their curves then stay
    as they are to the end."""
    cells = results.filter(pl.col("trial") == 1)
    counts = cells.group_by("method", maintain_order=True).agg(
        pl.col("exhausted").sum(), n=pl.len()
    )
    return [
        f"{name} ran out of rows inside its space in {n_out} of {n} cells"
        for name, n_out, n in counts.iter_rows()
        if n_out
    ]


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" + "s" * (count != 1)


def _pair(mean: float, error: float | None) -> str:
    return f"{mean:.3f}" if error is None else f"{mean:.3f} ± {error:.3f}"
