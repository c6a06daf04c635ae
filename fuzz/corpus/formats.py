"""The package's own files: learned spaces, spaces, states of optimizers, entries of the hub."""

from __future__ import annotations

import io
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

import msgspec
import polars as pl

import ringfence as rf
from fuzz.case import Case
from fuzz.corpus.runs import rows
from ringfence.learned.file_format import encode
from ringfence.learned.hub.records import (
    Edge,
    EntryRecord,
    Evidence,
    ModelRecord,
    PartRecord,
    TaskKind,
)
from ringfence.optimize.state import encode_state
from ringfence.refreshing.log import (
    Drift,
    Entry,
    Log,
    Seen,
    SpeedUpThen,
    Watch,
    folder_of,
    write_log,
)
from ringfence.refreshing.versions import digest_of
from ringfence.space.files import write_space

SPACE = rf.Space(
    {
        "C": rf.Float(1e-3, 1e3, log=True),
        "kernel": rf.Categorical(["linear", "rbf"]),
        "gamma": rf.Float(0.0, 1.0),
        "depth": rf.Int(1, 9),
        "batch": rf.Categorical([8, 16, 32], ordered=True),
        "seed": rf.Constant(7),
    },
    [rf.Condition("gamma", "kernel", ["rbf"])],
)
OFF_SPACE = rf.Space(
    {
        "C": rf.Float(1e-3, 1e3, log=True, off=0.0),
        "kernel": rf.Categorical(["linear", "rbf"]),
        "gamma": rf.Float(0.0, 1.0, off=1.0),
        "depth": rf.Int(1, 9, off=-1),
        "batch": rf.Categorical([8, 16, 32], ordered=True),
        "seed": rf.Int(0, 9, off=0),
    },
    [rf.Condition("gamma", "kernel", ["rbf"]), rf.Condition("seed", "depth", [-1])],
)
"""With values that switch a parameter off: below the range, above, at an end; one decides."""


@cache
def history() -> rf.History:
    """The runs with more tasks, so that every shape is more than a point."""
    table = pl.DataFrame(rows()).with_columns(batch=pl.lit(16), seed=pl.lit(7))
    again = table.with_columns(
        pl.col("task") + "b", (pl.col("C") / 3).clip(1e-3), (pl.col("depth") % 9) + 1
    )
    frame = pl.concat([table, again])
    return rf.History.from_frame(
        frame, task="task", objective="loss", status="status", parameters=list(SPACE)
    )


@cache
def off_history() -> rf.History:
    """The runs with costs, some parameters off, and a seed where the depth is."""
    frame = (
        history()
        .frame.with_row_index("i")
        .with_columns(
            C=pl.when(pl.col("i") % 5 == 0).then(0.0).otherwise("C"),
            gamma=pl.when(pl.col("i") % 4 == 1).then(pl.col("gamma") * 0 + 1).otherwise("gamma"),
            depth=pl.when(pl.col("i") % 3 == 0).then(-1).otherwise("depth"),
            seed=pl.when(pl.col("i") % 3 == 0).then(pl.col("i") % 9),
        )
    )
    return rf.History.from_frame(
        frame.drop("i"),
        task="task", objective="loss", status="status", cost="duration",
        parameters=list(OFF_SPACE),
    )  # fmt: skip


@cache
def learned_files() -> tuple[bytes, ...]:
    """A learned space of each shape."""
    shapes = [("box", 0.0), ("ellipsoid", 0.2), ("boxes", 0.0), ("full", 0.0), ("ellipsoids", 0.0)]
    usual = [
        rf.learn(history(), SPACE, shape=shape, outliers=share, starts=2) for shape, share in shapes
    ]
    off = [
        rf.learn(off_history(), OFF_SPACE, shape=shape, starts=starts)
        for shape, starts in (("box", 2), ("ellipsoid", 1), ("boxes", 1))
    ]
    of_hub = replace(off[0], hub="elastic_net/classification")
    for_two = [
        msgspec.structs.replace(task, stands_for=2 * (number % 2))
        for number, task in enumerate(off[0].tasks)
    ]
    return tuple(map(encode, [*usual, *off, of_hub, replace(off[0], tasks=tuple(for_two))]))


def _hub_entry() -> list[Case]:
    """An entry of the hub: its record, and the rows that it keeps."""
    made = []
    for dense, runs, space in ((True, off_history(), OFF_SPACE), (False, history(), SPACE)):
        learned = replace(rf.learn(runs, space, starts=2), hub="tiny/any")
        evidence = Evidence(covered=0.9, volume=0.4, starts=0.2 if dense else None)
        names = list(space)
        edge = Edge("C", "high", 1e3, 0.3)
        kinds: tuple[TaskKind, ...] = ("any", "regression")
        parts = tuple(
            PartRecord(
                kind, 4, 8, (10, 2000), evidence, msgspec.Raw(encode(learned)), above=above,
                edges=(edge,),
            )
            for kind in kinds for above in (None, 100)
        )  # fmt: skip
        record = EntryRecord(
            format="ringfence.hub-entry", version=1, name="tiny", learner="svm", about="Tuned.",
            source="nowhere", licence="Apache-2.0 (all of it)", dense=dense,
            parameters=tuple(names), parts=parts,
            models={"t0": ModelRecord((0.3,) * 7, 0.01)} if dense else {},
        )  # fmt: skip
        rows = runs.frame.filter(pl.col("status") == "finished").select(
            pl.col("task").alias(":task"), pl.col("task").alias(":data_set"),
            pl.lit("regression").alias(":kind"), pl.lit(500).alias(":rows"),
            pl.col("loss").alias(":loss"), *names,
        )  # fmt: skip
        table = io.BytesIO()
        rows.write_parquet(table)
        files = {"tiny.json": msgspec.json.encode(record), "tiny.parquet": table.getvalue()}
        made.append(Case("hub-entry", files, "tiny.json"))
    return made


def _refreshed() -> list[Case]:
    """A learned space with two versions and the log that names them."""
    made = []
    for first, second in (learned_files()[:2], learned_files()[-2:]):
        contents = {1: first, 2: second}
        entries = tuple(
            Entry(
                number, "2026-01-31T23:59:59Z", digest_of(content), 8, 20, 0.4,
                changes=("a new task",), matters=("it is outside",) * (number == 2),
                speed_up=SpeedUpThen("faster", 20, 2.0, 1.1, 3.0),
                drift=Drift(("t0",), 0.03, 0.05, ("outside",), True),
            )
            for number, content in contents.items()
        )  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "svm.json"
            folder_of(path).mkdir()
            watch = Watch(("t0", "t1"), ("t2",), 0.01)
            write_log(path, Log(entries=entries, watch=watch, seen=Seen("a", "b")))
            log = (folder_of(path) / "log.json").read_bytes()
        files = {"svm.json": second, "svm.history/log.json": log}
        files |= {f"svm.history/{n:04}.json": content for n, content in contents.items()}
        made.append(Case("refreshed", files, "svm.json"))
    return made


def _learned() -> list[Case]:
    return [Case("learned", {"learned.json": c}, "learned.json") for c in learned_files()]


def _space() -> list[Case]:
    files = [
        (f"space{ending}", write_space(SPACE, ending)) for ending in (".json", ".yaml", ".toml")
    ]
    by_hand = (
        "parameters:\n  lr: {type: float, low: 1e-5, high: 1, log: true}\n  n: {type: int, low: 1, "
        "high: 64}\n  opt:\n    type: categorical\n    choices: [adam, sgd, 3, 1.5, null, true]\n"
        "  beta: {type: float, low: 0, high: 1}\nconditions:\n  - {child: beta, parent: opt, "
        "values: [adam]}\n"
    )
    files.append(("space.yaml", by_hand))
    files += [
        (f"off{ending}", write_space(OFF_SPACE, ending)) for ending in (".json", ".yaml", ".toml")
    ]
    return [Case("space", {name: text.encode()}, name) for name, text in files]


def _states() -> list[Case]:
    made = []
    settings = [
        ("random", {}),
        ("sobol", {}),
        ("successive-halving", {"max_budget": 27.0, "eta": 3.0}),
        ("hyperband", {"max_budget": 9.0}),
        ("gp", {"n_initial": 2}),
        ("gp-warm-start", {"k": 2, "history": history(), "meta_features": None}),
        ("transfer", {"history": history()}),
    ]
    for name, options in settings:
        options = {key: value for key, value in options.items() if value is not None}
        if name == "gp-warm-start":
            features = {task: {"rows": 3.0} for task in history().tasks}
            options |= {"meta_features": features, "target": {"rows": 4.0}}
        optimizer = rf.optimizer(name, rf.learn(history(), SPACE, starts=0), seed=1, **options)
        trials = [optimizer.ask() for _ in range(3)]
        optimizer.tell(trials[0], 0.5)
        optimizer.fail(trials[1], "out of memory")
        made.append(Case("state", {"run.json": encode_state(optimizer)}, "run.json"))
    for name in ("random", "gp"):
        optimizer = rf.optimizer(name, rf.learn(off_history(), OFF_SPACE, starts=0), seed=1)
        optimizer.tell(optimizer.ask(), 0.5)
        made.append(Case("state", {"run.json": encode_state(optimizer)}, "run.json"))
    candidates = [{"x": 0.1}, {"x": 0.2}, {"x": 0.3}]
    space = rf.Space({"x": rf.Float(0.0, 1.0)})
    listed = rf.optimizer("random", space, candidates=candidates, seed=0, direction="maximize")
    listed.tell(listed.ask(), 1.0)
    return [*made, Case("state", {"run.json": encode_state(listed)}, "run.json")]


CORPORA = {
    "learned": _learned,
    "space": _space,
    "state": _states,
    "hub-entry": _hub_entry,
    "refreshed": _refreshed,
}
