"""What the paper's experiments read: plans, suites, stores, results, what was fetched."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path

from fuzz.case import Case
from fuzz.corpus.runs import delimited
from fuzz.corpus.tools import hpob
from fuzz.mutations.archives import zipped
from fuzz.mutations.tables import parquet

PLAN = b"""name = "tiny"
data = ["."]

[[experiment]]
figure = "1a"
title = "Tiny"
suites = ["tiny.toml"]
methods = ["Random", "Box Random"]
tasks = 2
replications = 1
trials = 2
n_evaluations = 3
evaluation = "neighbors"
fewer = {"Box Random" = {replications = 1, tasks = 1}}

[[region]]
figure = "2"
title = "Boxes"
suite = "tiny.toml"
regions = ["Box"]
parameters = ["C", "depth"]
"""
LIKE = b"""name = "other"
like = "plan"
suites = {"tiny.toml" = "tiny.toml"}
omit = {"tiny.toml" = ["2"]}
"""
SUITE = b"""file = "runs.csv"
origin = "made up"
objective = ["loss"]
direction = "minimize"
task = "task"
tasks = ["t0", "t1", "t2"]
least_rows = 2
most_tasks = 3

[meta_features]
values = {t0 = {rows = 3}, t1 = {rows = 4}, t2 = {rows = 5}}

[space.parameters]
C = {type = "float", low = 1e-3, high = 1e3, log = true}
depth = {type = "int", low = 1, high = 9}
kernel = {type = "categorical", choices = ["linear", "rbf"]}
"""
GIVEN = b"""task,replication,row
t0,0,1
t1,0,0
"""
SEARCHED = SUITE.replace(
    b"least_rows = 2",
    b'least_rows = 2\ntargets = ["t0", "t1"]\nstarts = "given.csv"\nscaled = true',
)
"""The same suite with tasks that are only learned from, and rows to begin with."""
FILES = {"plan.toml": PLAN, "tiny.toml": SUITE, "runs.csv": delimited()}


@cache
def finished() -> tuple[dict[str, bytes], bytes]:
    """The store after the plan was run, by path; and its results as a Parquet file."""
    from ringfence.bench.plan import read_plan
    from ringfence.bench.results import results
    from ringfence.bench.runner import finish, missing
    from ringfence.bench.store import Store

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        Case("plan", FILES).lay_out(folder)
        plan, store = read_plan(folder / "plan.toml"), Store(folder / "store")
        for source, cell in missing(plan, store):
            failure = finish(source, cell, store)
            assert failure is None, failure
        table = parquet(results(plan, store))
        paths = sorted((folder / "store").rglob("*.json"))
        cells = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    return cells, table


def _plans() -> list[Case]:
    return [
        Case("plan", FILES, "plan.toml"),
        Case("plan", {**FILES, "like.toml": LIKE}, "like.toml"),
        Case("plan", {**FILES, "tiny.toml": SEARCHED, "given.csv": GIVEN}, "plan.toml"),
    ]


def _stores() -> list[Case]:
    return [Case("store", {**FILES, **finished()[0]}, "plan.toml")]


def _results() -> list[Case]:
    return [Case("results", {"results.parquet": finished()[1]}, "results.parquet")]


def _zips() -> list[Case]:
    names = {"search_spaces": {"4796": {"variables_order": ["alpha", "beta"]}}}
    archive = zipped(
        [
            ("hpob/meta-train-dataset.json", json.dumps(hpob()).encode()),
            ("hpob/meta-dataset-descriptors.json", json.dumps(names).encode()),
            ("hpob/readme.txt", b"not needed"),
        ]
    )
    return [
        Case("hpob-zip", {"hpob.zip": archive}, "hpob.zip", {"space": "4796"}),
        Case("hpob-zip", {"hpob.zip": archive}, "hpob.zip", {"space": "5860"}),
    ]


def _official() -> list[Case]:
    seeds = [f"test{number}" for number in range(5)]
    test = {"4796": {"3": {"X": [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], "y": [[0.1], [0.5], [0.9]]}}}
    train = {"4796": {"7": {"X": [[0.2, 0.2], [0.4, 0.4]], "y": [[0.3], [0.6]]}}}
    starts = {"4796": {"3": {seed: [0, 2] for seed in seeds}}}
    contents = {"meta-test-dataset": test, "meta-train-dataset": train}
    contents["bo-initializations"] = starts
    archive = zipped([(f"hpob/{n}.json", json.dumps(c).encode()) for n, c in contents.items()])
    curves = {"4796": {"3": {seed: [0.5, 0.75, 1.0] for seed in seeds}}}
    files = {"hpob.zip": archive, "results/FSBO.json": json.dumps(curves).encode()}
    return [Case("hpob-official", files, "hpob.zip")]


def _answers() -> list[Case]:
    run = {"run": 1, "value": 0.5, "parameters": {"C": "1.0", "kernel": None}}
    files = {
        "3-area-9.json": json.dumps({"data": 3, "runs": [run]}).encode(),
        "data-3.json": json.dumps({"values": {"NumberOfInstances": 9.0, "x": None}}).encode(),
    }
    without = {"3-area-9.json": json.dumps({"data": None, "runs": []}).encode()}
    return [Case("openml", files, "."), Case("openml", without, ".")]


CORPORA = {
    "plan": _plans,
    "store": _stores,
    "results": _results,
    "hpob-zip": _zips,
    "hpob-official": _official,
    "openml": _answers,
}
