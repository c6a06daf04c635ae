"""Tables of one learner that were recorded with different parameters, joined to one history.

family          its tables, and what differs
xgboost         xgboost_rbv2_surrogate (10 parameters), xgboost_memento_openml (8),
                xgboost_libsvm10 (8 others), hub_xgboost_tabr (one row a task; eta is called
                learning_rate there)
kernel          the spaces a, b and c of kernel_convolution_gpus: other ranges, and a flag of b
mlp             hub_mlp_tabr and hub_mlp_tabm, one row a task: renamed, and other ranges

Each target's space is that of its own table. `own` is the history of that table, `joint` that of
all tables of the family; data sets that are the target's under another name are left out. With one
row a task there is no regret: there `at5` is the distance of the target's best from the nearest of
five starting points, the root mean square of the coordinates' differences.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

import ringfence as rf
from benchmarks.mismatch_cases import METHODS, Target, cell, models_of, tells
from benchmarks.tables import TABLES, read_table
from ringfence.history import RowChoice, considered_rows, usable_rows
from ringfence.learned.full import full_space
from ringfence.optimize.domain.domain import domain_of
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.transfer.incumbent_cover import covering_incumbents
from ringfence.optimize.transfer.source_models import SourceModel
from ringfence.optimize.transfer.sources import Source, tasks_of

ROWS, TARGETS, MOST = 256, 4, 12  # of a source; of a draw; sources of a table
PUBLISHED = 30  # sources of a table with one row a task
SCORE = "score"
XGBOOST = ("libsvm10", "memento_openml", "rbv2_surrogate")
SAME = {
    "spambase": "44", "australian": "40981", "german.numer": "31", "madelon": "1485",
    "a6a": "1590", "heart": "53", "skin_nonskin": "1502",
}  # fmt: skip
"""Data sets of LIBSVM by their numbers on OpenML."""
COPIES = ({"RTX_2080_Ti", "RTX_Titan"}, {"RTX_3060_laptop", "RTX_3090"})
ALIASES = {
    "house": "house_16H", "houses": "house_16H", "diamond": "diamonds", "covtype": "covertype",
    "black-friday": "black_friday", "higgs-small": "Higgs", "wine_quality": "wine",
}  # fmt: skip


class Family:
    """The joined history in the space of one of its tables."""

    def __init__(self, own: str, space: rf.Space, parts: dict[str, rf.History]) -> None:
        self.own, self.layout = own, Layout(full_space(space))
        history = rf.History.concat(list(parts.values()))
        self.frame = usable_rows(history, space).frame
        self.tasks = {task.name: task for task in tasks_of(self.frame, self.layout)}
        self._sources: dict[int, dict[str, Source]] = {}

    def sources(self, draw: int) -> dict[str, Source]:
        """Every task with the rows of one draw."""
        if draw not in self._sources:
            rows = considered_rows(self.frame, RowChoice(n_evaluations=ROWS, seed=draw))
            self._sources = {draw: {s.name: s for s in tasks_of(rows, self.layout)}}
        return self._sources[draw]

    def of(self, part: str) -> list[str]:
        """The tasks of one table."""
        return [name for name in self.tasks if name.split("/")[0] == part]

    @property
    def parts(self) -> list[str]:
        return list(dict.fromkeys(name.split("/")[0] for name in self.tasks))


def joined_cells(
    family: Family, draw: int, same: Callable[[str, str], bool]
) -> list[dict[str, object]]:
    """One draw of a family: own and joint history for each target."""
    rng = np.random.default_rng([draw, *family.own.encode()])
    usable = [name for name in family.of(family.own) if tells(family.tasks[name])]
    targets = [usable[i] for i in rng.permutation(len(usable))[:TARGETS]]
    by_name, cells = family.sources(draw), []
    known: dict[tuple[str, bytes], SourceModel | None] = {}
    chosen = {
        part: rng.permutation(family.of(part)).tolist()[: MOST + TARGETS] for part in family.parts
    }
    for name in targets:
        target = Target.of(family.tasks[name], family.layout, draw)
        some = {
            part: [s for s in tasks if s != name and not same(s, name)][
                : PUBLISHED if part == "tabr" else MOST
            ]
            for part, tasks in chosen.items()
        }
        histories = {
            "own": some[family.own],
            "joint": [s for tasks in some.values() for s in tasks],
        }
        for history, tasks in histories.items():
            sources = [by_name[task] for task in tasks]
            models = models_of(sources, family.layout, known)
            for method in METHODS:
                curve = target.curve(method, sources, models)
                cells.append(cell(target, history, method, curve))
    return cells


def named(frame: pl.DataFrame, part: str, score: pl.Expr, names: list[str]) -> rf.History:
    """A table with its tasks named PART/TASK, higher scores better."""
    task = pl.format("{}/{}", pl.lit(part), pl.col("task").cast(pl.String)).alias("task")
    table = frame.select(task, score.alias(SCORE), *names)
    return rf.History.from_frame(
        table, task="task", objective=SCORE, direction="maximize", parameters=names
    )


@cache
def xgboost_family(data: Path, own: str) -> Family:
    parts = {}
    for part in XGBOOST:
        name = f"xgboost_{part}"
        table, frame = TABLES[name], pl.read_parquet(data / f"{name}.parquet")
        sign = 1.0 if table.direction == "maximize" else -1.0
        if part == "rbv2_surrogate" and own != part:  # else what is empty for gblinear is a gap
            frame = frame.filter(pl.col("booster") == "gbtree")
        score = sign * pl.col(table.objective)
        parts[part] = named(frame, part, score, list(table.parameters))
    tabr = pl.read_parquet(data / "hub_xgboost_tabr.parquet")
    names = ["colsample_bytree", "gamma", "lambda", "learning_rate", "max_depth",
             "min_child_weight", "subsample"]  # fmt: skip
    published = named(tabr, "tabr", pl.col("val_score"), names)
    parts["tabr"] = published.rename({"learning_rate": "eta"})
    space = rf.infer_space(read_table(data, f"xgboost_{own}")).space
    return Family(own, space, parts)


def xgboost(own: str) -> Callable[[Path, int], list[dict[str, object]]]:
    def same(one: str, other: str) -> bool:
        first, second = (SAME.get(name := task.split("/")[1], name) for task in (one, other))
        return first == second

    return lambda data, draw: joined_cells(xgboost_family(data, own), draw, same)


@cache
def kernel_family(data: Path, own: str) -> Family:
    frame = pl.read_parquet(data / "kernel_convolution_gpus.parquet").filter(status="ok")
    names = ["block_size_x", "block_size_y", "tile_size_x", "tile_size_y", "read_only",
             "use_padding", "use_shmem"]  # fmt: skip
    parts, spaces = {}, {}
    for part in "abc":
        rows = frame.filter(space=part)
        tuned = [name for name in names if rows[name].count()]
        parts[part] = named(rows, part, -pl.col("time_ms"), tuned)
        ends = {name: (int(rows[name].min()), int(rows[name].max())) for name in tuned}
        spaces[part] = rf.Space(
            {name: rf.Int(*ends[name], log=name.startswith("block")) for name in tuned}
        )
    return Family(own, spaces[own], parts)


def kernel(own: str) -> Callable[[Path, int], list[dict[str, object]]]:
    def same(one: str, other: str) -> bool:
        return any({one.split("/")[1], other.split("/")[1]} <= pair for pair in COPIES)

    return lambda data, draw: joined_cells(kernel_family(data, own), draw, same)


MLP = {
    "tabr": rf.Space({"n_blocks": rf.Int(1, 6), "d_layer": rf.Int(64, 1024),
                      "dropout": rf.Float(0, 0.5), "lr": rf.Float(1e-5, 1e-3, log=True),
                      "weight_decay": rf.Float(0, 1e-4)}),
    "tabm": rf.Space({"n_blocks": rf.Int(1, 6), "d_layer": rf.Int(64, 1024),
                      "dropout": rf.Float(0, 0.5), "lr": rf.Float(3e-5, 1e-3, log=True),
                      "weight_decay": rf.Float(0, 0.1)}),
}  # fmt: skip


def mlp(own: str, blocks: int = 16) -> Callable[[Path, int], list[dict[str, object]]]:
    """The data sets are dealt out to `blocks` draws, so that no two draws share one."""

    def cells(data: Path, draw: int) -> list[dict[str, object]]:
        family, datasets = mlp_family(data, own)
        everything = sorted({datasets[name] for name in family.of(own)})
        order = np.random.default_rng(0).permutation(len(everything))
        domain, lines = domain_of(family.layout.learned), []
        for dataset in (everything[i] for i in order[draw % blocks :: blocks]):
            left = [s for name, s in family.tasks.items() if datasets[name] != dataset]
            bests = [family.tasks[n].rows for n in family.of(own) if datasets[n] == dataset]
            at = family.layout.features(np.concatenate(bests))
            rng = np.random.default_rng([draw, *dataset.encode()])
            uniform = [_distances(at, family.layout.features(domain.draw(10, rng)))
                       for _ in range(64)]  # fmt: skip
            random = np.mean(uniform, axis=0)
            own_tasks = [s for s in left if s.name.startswith(own)]
            for history, sources in (("own", own_tasks), ("joint", left)):
                rows = covering_incumbents(sources, domain, 10, seed=0)
                found = _distances(at, family.layout.features(rows))
                numbers = dict(zip(("at5", "at10", "random5", "random10"), [*found, *random]))
                rounded = {key: round(float(x), 6) for key, x in numbers.items()}
                lines.append({"target": dataset, "history": history, "method": "starts", **rounded})
        return lines

    return cells


@cache
def mlp_family(data: Path, own: str) -> tuple[Family, dict[str, str]]:
    """The plain networks of both projects, and the data set of each task."""
    parts, datasets = {}, {}
    for part in ("tabr", "tabm"):
        frame = pl.read_parquet(data / f"hub_mlp_{part}.parquet").filter(variant="plain")
        width = "d_layer" if part == "tabr" else "d_block"
        names = ["n_blocks", width, "dropout", "lr", "weight_decay"]
        history = named(frame, part, pl.col("val_score"), names)
        parts[part] = history if part == "tabr" else history.rename({"d_block": "d_layer"})
        for task, dataset in frame.select("task", "dataset").iter_rows():
            datasets[f"{part}/{task}"] = ALIASES.get(dataset, dataset)
    return Family(own, MLP[own], parts), datasets


def _distances(at: np.ndarray, rows: np.ndarray) -> list[float]:
    """From the nearest of the first 5 and 10 rows, the mean over `at`."""
    gaps = np.sqrt(((at[:, None] - rows) ** 2).mean(axis=2))
    return [float(gaps[:, :k].min(axis=1).mean()) for k in (5, 10)]


FAMILIES: dict[str, Callable[[Path, int], list[dict[str, object]]]] = {
    **{f"xgboost-{own}": xgboost(own) for own in XGBOOST},
    **{f"kernel-{own}": kernel(own) for own in "abc"},
    **{f"mlp-{own}": mlp(own) for own in ("tabr", "tabm")},
}


def family_cells(data: Path, name: str, draw: int) -> list[dict[str, object]]:
    """One draw of a family."""
    return FAMILIES[name](data, draw)
