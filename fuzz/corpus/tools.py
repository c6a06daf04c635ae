"""What other tools leave behind: databases, journals and folders."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Any

from fuzz.case import Case
from fuzz.corpus.runs import PARAMETERS, config, rows
from fuzz.mutations.archives import zipped

ATTRIBUTES = {
    "C": ("Float", {"low": 1e-3, "high": 1e3, "log": True, "step": None}),
    "kernel": ("Categorical", {"choices": ["linear", "rbf"]}),
    "gamma": ("Float", {"low": 0.0, "high": 1.0, "log": False, "step": None}),
    "depth": ("Int", {"low": 1, "high": 9, "log": False, "step": 1}),
}
DISTRIBUTIONS = {
    name: {"name": f"{kind}Distribution", "attributes": attributes}
    for name, (kind, attributes) in ATTRIBUTES.items()
}
"""As Optuna writes them."""
OPTUNA_TIMES = ("2026-01-01 10:00:00.000000", "2026-01-01 10:05:00.000000")
"""When a trial began and ended."""
OPTUNA = """
CREATE TABLE alembic_version (version_num VARCHAR(32));
CREATE TABLE studies (study_id INTEGER PRIMARY KEY, study_name VARCHAR(512));
CREATE TABLE study_directions (study_direction_id INTEGER PRIMARY KEY, direction VARCHAR(8),
  study_id INTEGER, objective INTEGER);
CREATE TABLE study_user_attributes (a INTEGER PRIMARY KEY, study_id INTEGER, key VARCHAR(512),
  value_json TEXT);
CREATE TABLE study_system_attributes (a INTEGER PRIMARY KEY, study_id INTEGER, key VARCHAR(512),
  value_json TEXT);
CREATE TABLE trials (trial_id INTEGER PRIMARY KEY, number INTEGER, study_id INTEGER,
  state VARCHAR(8), datetime_start DATETIME, datetime_complete DATETIME);
CREATE TABLE trial_values (v INTEGER PRIMARY KEY, trial_id INTEGER, objective INTEGER, value FLOAT,
  value_type VARCHAR(7));
CREATE TABLE trial_params (param_id INTEGER PRIMARY KEY, trial_id INTEGER, param_name VARCHAR(512),
  param_value FLOAT, distribution_json TEXT);
CREATE TABLE trial_user_attributes (a INTEGER PRIMARY KEY, trial_id INTEGER, key VARCHAR(512),
  value_json TEXT);
CREATE TABLE trial_system_attributes (a INTEGER PRIMARY KEY, trial_id INTEGER, key VARCHAR(512),
  value_json TEXT);
INSERT INTO alembic_version VALUES ('v3.2.0.a');
"""
MLFLOW = """
CREATE TABLE experiments (experiment_id INTEGER PRIMARY KEY, name VARCHAR(256),
  lifecycle_stage VARCHAR(32));
CREATE TABLE runs (run_uuid VARCHAR(32) PRIMARY KEY, experiment_id INTEGER, status VARCHAR(9),
  start_time BIGINT, end_time BIGINT, lifecycle_stage VARCHAR(20));
CREATE TABLE params (key VARCHAR(250), value VARCHAR(8000), run_uuid VARCHAR(32));
CREATE TABLE latest_metrics (key VARCHAR(250), value FLOAT, timestamp BIGINT, step BIGINT,
  is_nan BOOLEAN, run_uuid VARCHAR(32));
CREATE TABLE tags (key VARCHAR(250), value VARCHAR(5000), run_uuid VARCHAR(32));
"""


def _database(schema: str, tables: dict[str, list[tuple[Any, ...]]]) -> bytes:
    """A small SQLite file."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("PRAGMA page_size = 512")
        connection.executescript(schema)
        for table, lines in tables.items():
            marks = ", ".join("?" * len(lines[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", lines)
        connection.commit()
        return connection.serialize()


def _internal(name: str, value: Any) -> float:
    """A value as Optuna keeps it: a choice by its place."""
    return float(["linear", "rbf"].index(value)) if name == "kernel" else float(value)


def optuna_database() -> bytes:
    """A study for each task."""
    table = rows()
    params, keys = [], []
    for number, row in enumerate(table):
        keys.append((number + 1, number % 3, int(row["task"][1:]) + 1))
        for name, value in config(row).items():
            text = json.dumps(DISTRIBUTIONS[name])
            params.append((None, number + 1, name, _internal(name, value), text))
    names = json.dumps(["loss"])
    return _database(
        OPTUNA,
        {
            "studies": [(k, f"study{k}") for k in range(1, 5)],
            "study_directions": [(None, "MINIMIZE", k, 0) for k in range(1, 5)],
            "study_user_attributes": [(None, k, "dataset", f'"d{k}"') for k in range(1, 5)],
            "study_system_attributes": [(None, 1, "study:metric_names", names)],
            "trials": [
                (*key, "COMPLETE" if row["status"] == "finished" else "FAIL", *OPTUNA_TIMES)
                for key, row in zip(keys, table)
            ],
            "trial_values": [(None, i, 0, r["loss"], "FINITE") for i, r in enumerate(table, 1)],
            "trial_params": params,
            "trial_user_attributes": [(None, i, "team", '"red"') for i in range(1, len(table) + 1)],
            "trial_system_attributes": [(None, 5, "fail_reason", '"out of memory"')],
        },
    )


def _optuna() -> list[Case]:
    content = {"study.db": optuna_database()}
    return [
        Case("optuna", content, "study.db"),
        Case("optuna", content, "study.db", {"task": "dataset"}),
        Case("optuna", content, "study.db", {"cost": "team", "failures": "ignore"}),
        Case("optuna", content, "study.db", {"task": "team", "objective": 0}),
        Case("optuna", content, "study.db", {"studies": ["study1", "study[23]"]}),
        Case(
            "optuna", content, "sqlite:///study.db", {"objective": "loss", "direction": "maximize"}
        ),
    ]


def journal() -> bytes:
    """The same as a journal."""
    lines: list[dict[str, Any]] = []
    for key in range(4):
        lines.append({"op_code": 0, "worker_id": "w", "study_name": f"s{key}", "directions": [1]})
        attribute = {"dataset": f"d{key}"}
        lines.append({"op_code": 2, "worker_id": "w", "study_id": key, "user_attr": attribute})
    for number, row in enumerate(rows()):
        start = "2026-01-01T00:00:00.000000"
        study = int(row["task"][1:])
        lines.append({"op_code": 4, "worker_id": "w", "study_id": study, "datetime_start": start})
        for name, value in config(row).items():
            lines.append(
                {
                    "op_code": 5,
                    "worker_id": "w",
                    "trial_id": number,
                    "param_name": name,
                    "param_value_internal": _internal(name, value),
                    "distribution": json.dumps(DISTRIBUTIONS[name]),
                }
            )
        end = "2026-01-01T00:05:00.000000"
        state = {"state": 1, "values": [row["loss"]], "datetime_complete": end}
        if row["status"] != "finished":
            told = {"trial_id": number, "system_attr": {"fail_reason": "out of memory"}}
            lines.append({"op_code": 9, "worker_id": "w", **told})
            state = {"state": 3, "values": None, "datetime_complete": end}
        lines.append({"op_code": 6, "worker_id": "w", "trial_id": number, **state})
    compact = (json.dumps(line, separators=(",", ":")) for line in lines)
    return ("\n".join(compact) + "\n").encode()


def _journal() -> list[Case]:
    content = {"journal.log": journal()}
    return [
        Case("journal", content, "journal.log"),
        Case("journal", content, "journal.log", {"task": "dataset", "format": "optuna"}),
    ]


def mlflow_database() -> bytes:
    """An experiment for each task."""
    table = rows()
    keys = [f"{number:032x}" for number in range(len(table))]
    return _database(
        MLFLOW,
        {
            "experiments": [(k, f"e{k}", "active") for k in range(4)],
            "runs": [
                (key, int(row["task"][1:]), _mlflow_status(row), 1000 + i, 3000 + i, "active")
                for i, (key, row) in enumerate(zip(keys, table))
            ],
            "params": [
                (name, str(v), key) for key, r in zip(keys, table) for name, v in config(r).items()
            ],
            "latest_metrics": [("loss", r["loss"], 1, 1, 0, key) for key, r in zip(keys, table)],
            "tags": [("team", "red", key) for key in keys]
            + [("mlflow.parentRunId", keys[0], keys[1])],
        },
    )


def _mlflow_status(row: dict[str, Any]) -> str:
    return {"failed": "FAILED", "oom": "KILLED"}.get(row["status"], "FINISHED")


def _mlflow() -> list[Case]:
    content = {"mlflow.db": mlflow_database()}
    return [
        Case("mlflow", content, "mlflow.db", {"format": "mlflow"}),
        Case("mlflow", content, "mlflow.db", {"task": "tags.team"}),
        Case(
            "mlflow", content, "mlflow.db", {"experiments": ["e1", "e2"], "task": "params.kernel"}
        ),
    ]


def _mlruns() -> list[Case]:
    files: dict[str, bytes] = {}
    for number, row in enumerate(rows()[:4]):
        home = f"mlruns/{row['task'][1:]}"
        files[f"{home}/meta.yaml"] = (
            f"artifact_location: mlruns\nexperiment_id: '{row['task'][1:]}'\n"
            f"lifecycle_stage: active\nname: {row['task']}\n"
        ).encode()
        run = f"{home}/r{number}"
        files[f"{run}/meta.yaml"] = (
            f"end_time: 2\nlifecycle_stage: active\nrun_id: r{number}\nstart_time: {number}\n"
            "status: 3\ntags: []\nuser_id: me\n"
        ).encode()
        for name, value in config(row).items():
            files[f"{run}/params/{name}"] = str(value).encode()
        files[f"{run}/metrics/loss"] = f"1 9.0 0\n2 {row['loss']} 1\n".encode()
        files[f"{run}/tags/team"] = b"red"
    return [
        Case("mlruns", files, "mlruns"),
        Case("mlruns", files, "mlruns", {"task": "tags.team", "format": "mlflow"}),
    ]


def _raytune() -> list[Case]:
    files: dict[str, bytes] = {}
    entries = []
    for number, row in enumerate(rows()[:5]):
        name = f"trial_{number}"
        reports = [
            {
                "loss": row["loss"] + 1 - epoch,
                "training_iteration": epoch + 1,
                "time_total_s": 2.5 * (epoch + 1),
                "config": config(row),
            }
            for epoch in range(2)
        ]
        files[f"exp/{name}/params.json"] = json.dumps(config(row)).encode()
        lines = "".join(json.dumps(report) + "\n" for report in reports)
        files[f"exp/{name}/result.json"] = lines.encode()
        trial = {"relative_logdir": name, "trial_id": f"{number:05}", "status": "TERMINATED"}
        entries.append([json.dumps(trial), "{}"])
    files["exp/trial_4/error.txt"] = b"Traceback\nMemoryError: no memory left\n"
    files["exp/experiment_state-1.json"] = json.dumps({"trial_data": entries}).encode()
    return [
        Case("raytune", files, "exp", {"objective": "loss"}),
        Case("raytune", files, "exp", {"objective": "loss", "at": "best", "task": "kernel"}),
        Case("raytune", files, "exp", {"objective": "loss", "budget": "training_iteration"}),
        Case("raytune", files, "e*", {"format": "raytune"}),
    ]


def _smac() -> list[Case]:
    trials = [
        {"config_id": i + 1, "instance": None, "seed": 0, "budget": 0.0, "cost": row["loss"],
         "time": 0.1, "status": {3: 2, 4: 4}.get(i, 1),
         "additional_info": {"traceback": "ValueError: no"} if i == 3 else {}}
        for i, row in enumerate(rows()[:6])
    ]  # fmt: skip
    history = {"data": trials, "configs": {str(i + 1): config(r) for i, r in enumerate(rows()[:6])}}
    space = {
        "name": None,
        "hyperparameters": [
            {"type": "uniform_float", "name": "C", "lower": 1e-3, "upper": 1e3, "log": True},
            {"type": "categorical", "name": "kernel", "choices": ["linear", "rbf"]},
            {"type": "uniform_float", "name": "gamma", "lower": 0.0, "upper": 1.0, "log": False},
            {"type": "uniform_int", "name": "depth", "lower": 1, "upper": 9, "log": False},
        ],
        "conditions": [{"type": "EQ", "child": "gamma", "parent": "kernel", "value": "rbf"}],
        "forbiddens": [],
    }  # fmt: skip
    scenario = {"objectives": "cost", "seed": 3, "n_trials": 9}
    files = {
        "smac/a/3/runhistory.json": json.dumps(history).encode(),
        "smac/a/3/configspace.json": json.dumps(space).encode(),
        "smac/a/3/scenario.json": json.dumps(scenario).encode(),
    }
    several = {**scenario, "objectives": ["cost", "time"]}
    pairs = [{**trial, "cost": [trial["cost"], 1.0], "budget": 3.0} for trial in trials]
    others = {
        **files,
        "smac/a/3/scenario.json": json.dumps(several).encode(),
        "smac/a/3/runhistory.json": json.dumps({**history, "data": pairs}).encode(),
    }
    return [
        Case("smac", files, "smac"),
        Case("smac", files, "smac", {"task": "kernel"}),
        Case("smac", others, "smac", {"objective": "time"}),
    ]


def _synetune() -> list[Case]:
    names = ",".join(f"config_{name}" for name in PARAMETERS)
    head = f"trial_id,epoch,loss,st_status,elapsed_time,{names}"
    lines = [head]
    for number, row in enumerate(rows()[:6]):
        row = {**row, "gamma": row["gamma"] or 0.5}  # Syne Tune knows no conditions
        values = [str(row[name]) for name in ("C", "kernel", "gamma", "depth")]
        for epoch in (1, 2):
            lines.append(
                f"{number},{epoch},{row['loss'] + 2 - epoch},Completed,1.5,{','.join(values)}"
            )
    space = {
        "C": {"domain_cls": "Float", "domain_kwargs": {"lower": 1e-3, "upper": 1e3},
              "sampler_cls": "LogUniform"},
        "kernel": {"domain_cls": "Categorical", "domain_kwargs": {"categories": ["linear", "rbf"]}},
        "gamma": {"domain_cls": "Float", "domain_kwargs": {"lower": 0.0, "upper": 1.0}},
        "depth": {"domain_cls": "Integer", "domain_kwargs": {"lower": 1, "upper": 9}},
    }  # fmt: skip
    facts = {
        "metric_names": ["loss"],
        "metric_mode": "min",
        "benchmark": "svm",
        "config_space": space,
    }
    inner = {**facts, "config_space": json.dumps(space)}
    files = {
        "syne/results.csv.zip": zipped([("results.csv", "\n".join(lines).encode())]),
        "syne/metadata.json": json.dumps(facts).encode(),
    }
    others = {**files, "syne/metadata.json": json.dumps(inner).encode()}
    return [
        Case("synetune", files, "syne"),
        Case("synetune", files, "syne", {"task": "benchmark", "budget": "epoch"}),
        Case("synetune", others, "syne", {"at": "best"}),
    ]


def hpob() -> dict[str, Any]:
    """Two search spaces of HPO-B, two data sets each."""
    sets = {
        f"d{d}": {
            "X": [[i / 5, (i * d) % 5 / 5] for i in range(5)],
            "y": [[i / 7] for i in range(5)],
        }
        for d in (1, 2)
    }
    return {"5860": sets, "4796": sets}


def _hpob() -> list[Case]:
    names = {"search_spaces": {"5860": {"variables_order": ["alpha", "lambda"]}}}
    files = {
        "data.json": json.dumps(hpob()).encode(),
        "names.json": json.dumps(names).encode(),
    }
    options = {"format": "hpob", "search_space": "5860"}
    return [
        Case("hpob", files, "data.json", options),
        Case("hpob", files, "data.json", {**options, "descriptors": "names.json"}),
    ]


CORPORA = {
    "optuna": _optuna,
    "journal": _journal,
    "mlflow": _mlflow,
    "mlruns": _mlruns,
    "raytune": _raytune,
    "smac": _smac,
    "synetune": _synetune,
    "hpob": _hpob,
}
