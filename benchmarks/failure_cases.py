"""Tables of runs of which some failed, one task left out at a time.

A case is a target and a draw: 256 random runs of each other task, failed ones among them, and all
runs of the target (at most 2,000) as candidates. GPUs that are near-copies of each other are left
out together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

import ringfence as rf
from benchmarks.memory_table import once, read
from benchmarks.tables import TABLES as CLEAN
from ringfence.history.outcomes.failures import Failures
from ringfence.space import Config

ROWS, CANDIDATES = 256, 2000
COPIES = {"RTX_Titan": "RTX_2080_Ti", "RTX_3060_laptop": "RTX_3090"}
KERNEL = ["block_size_x", "block_size_y", "tile_size_x", "tile_size_y"]
MEMORY = ["batch", "width", "depth", "precision", "checkpointing", "optimizer", "learning_rate"]
TABLES = ("transformer", "convnet", "kernel")
WITHOUT = (
    "mlp_hpobench",
    "rf_sklearn_openml100",
    "xgboost_libsvm10",
    "ranger_rbv2_surrogate",
    "fcnet_tabular",
)
"""Tables without failures, into which some are injected."""


@dataclass(frozen=True, eq=False)
class FailureTable:
    """Runs with the columns task, status ('ok' or not) and value (lower is better)."""

    name: str
    runs: pl.DataFrame
    parameters: list[str]

    @cached_property
    def tasks(self) -> list[str]:
        return self.runs["task"].unique(maintain_order=True).to_list()

    @cached_property
    def space(self) -> rf.Space:
        """That of all runs, failed or not, so that every case searches the same."""
        finished = self.runs.with_columns(pl.lit("ok").alias("status"), pl.lit(0.0).alias("value"))
        return rf.infer_space(self.history(finished)).space

    def history(self, runs: pl.DataFrame, failures: Failures = "keep") -> rf.History:
        return rf.read_history(
            runs.select("task", "status", "value", *self.parameters),
            task="task",
            objective="value",
            status="status",
            direction="minimize",
            parameters=self.parameters,
            failures=failures,
        )

    def case(self, target: str, draw: int, rows: int = ROWS) -> Case:
        rng = np.random.default_rng([draw, self.tasks.index(target)])
        own = {target, *(t for t in self.tasks if _group(t) == _group(target))}
        others = []
        for task in self.tasks:
            if task not in own:
                found = self.runs.filter(task=task)
                kept = rng.permutation(found.height)[:rows]
                others.append(found[np.sort(kept).tolist()])
        runs = self.runs.filter(task=target)
        kept = np.sort(rng.permutation(runs.height)[:CANDIDATES]).tolist()
        return Case(self, target, pl.concat(others), runs[kept])


@dataclass(frozen=True, eq=False)
class Case:
    """One target: runs of the other tasks, and the target's own runs."""

    table: FailureTable
    target: str
    others: pl.DataFrame
    own: pl.DataFrame

    @cached_property
    def configs(self) -> list[Config]:
        rows = self.own.select(self.table.parameters).to_dicts()
        return [{k: v for k, v in row.items() if v is not None} for row in rows]

    @cached_property
    def values(self) -> dict[tuple[object, ...], float]:
        """By configuration; NaN if it failed. Of runs of the same one, the first."""
        ok = (self.own["status"] == "ok").to_numpy()
        values = np.where(ok, self.own["value"].cast(float).fill_null(np.nan).to_numpy(), np.nan)
        found: dict[tuple[object, ...], float] = {}
        for config, value in zip(self.configs, values.tolist()):
            found.setdefault(self.key(config), value)
        return found

    def key(self, config: Config) -> tuple[object, ...]:
        return tuple(config.get(name) for name in self.table.parameters)

    def regret(self, value: float) -> float:
        """0 at the best candidate, 1 at the median of those that did not fail and above."""
        known = np.array([v for v in self.values.values() if np.isfinite(v)])
        best, median = known.min(), np.median(known)
        return float(np.clip((value - best) / (median - best), 0.0, 1.0))


def _group(task: str) -> str:
    return COPIES.get(task, task)


def load(name: str, folder: Path | None) -> FailureTable:
    """A table by its name; those that are not of memory lie in a folder."""
    if name in ("transformer", "convnet"):
        extra = {"transformer": "heads", "convnet": "kernel"}[name]
        runs = once(read()).filter(family=name).with_columns(pl.col("loss").alias("value"))
        return FailureTable(name, runs, [*MEMORY[:3], extra, *MEMORY[3:]])
    if folder is None:
        raise SystemExit(f"{name} is not part of the repository: --data FOLDER")
    if name != "kernel":
        return _without_failures(folder, name)
    runs = pl.read_parquet(folder / "kernel_convolution_gpus.parquet")
    shared = pl.col("use_shmem").fill_null(1)  # the versions without the switch always use it
    runs = runs.with_columns(pl.col("time_ms").alias("value"), shared)
    return FailureTable(name, runs, [*KERNEL, "read_only", "use_padding", "use_shmem"])


def _without_failures(folder: Path, name: str) -> FailureTable:
    """At most 12 tasks of a table that records no failures."""
    table = CLEAN[name]
    runs = pl.read_parquet(folder / f"{name}.parquet")
    tasks = runs["task"].unique(maintain_order=True)[:12]
    sign = -1.0 if table.direction == "maximize" else 1.0
    runs = runs.filter(pl.col("task").is_in(tasks.implode())).with_columns(
        (sign * pl.col(table.objective)).alias("value"),
        pl.col("task").cast(str),
        pl.lit("ok").alias("status"),
    )
    return FailureTable(name, runs, list(table.parameters))


def injected(runs: pl.DataFrame, rate: float, rng: np.random.Generator) -> pl.DataFrame:
    """The runs with failures at random."""
    struck = pl.Series(rng.random(runs.height) < rate)
    return runs.with_columns(
        pl.when(struck).then(pl.lit("failed")).otherwise("status").alias("status")
    )
