"""From pieces to tables: one Parquet file a learner, and one of the tasks.

A table is right at any number of pieces: it has what there is, in the order of tasks and lists.
Numbers have five significant digits, which is beyond what five folds can tell.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.own_tables.pieces import DONE, Folder, read_piece
from benchmarks.own_tables.spaces import space_of

MEASURES = ("error", "error_deviation", "log_loss", "auc", "rmse", "rmse_deviation", "mae",
            "fit_seconds", "predict_seconds")  # fmt: skip
ORIGINS = ("default", "shared", "own")
LICENCE = "Apache-2.0 (this table). The data sets are not part of it and keep their own licences."
DIGITS = 5


def collect(folder: Folder, data: Path, out: Path) -> None:
    """Writes all tables and says what is in them."""
    out.mkdir(parents=True, exist_ok=True)
    prepared = json.loads((data / "tasks.json").read_text(encoding="utf-8"))
    about = {k: prepared[k] for k in ("most_rows", "seed", "folds")} | {"licence": LICENCE}
    tasks = pl.DataFrame(prepared["tasks"], infer_schema_length=None)
    _write(tasks.with_columns(pl.col(pl.Float64).fill_nan(None)), out / "tasks.parquet", about)
    pieces: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for path in sorted(folder.path.glob(f"*{DONE}")):  # interrupted ones as well
        piece = read_piece(path)
        pieces[piece["learner"]].append(piece)
    for learner, parts in pieces.items():
        frame = table(learner, parts)
        more = {"learner": learner, "limit_seconds_a_fold": sorted({p["limit"] for p in parts})}
        versions = sorted({json.dumps(p["versions"], sort_keys=True) for p in parts})
        _write(frame, out / f"{learner}.parquet",
               about | more | {"versions": [json.loads(v) for v in versions]})  # fmt: skip
        print(summary(learner, frame))


def table(learner: str, pieces: list[dict[str, Any]]) -> pl.DataFrame:
    """The rows of a learner, a column for each parameter; null where a parameter is not active."""
    names: dict[str, None] = {}
    for classification in (True, False):
        names |= dict.fromkeys(space_of(learner, classification)["parameters"])
    rows = [
        {"task": piece["task"], "origin": row["origin"], "number": row["number"]}
        | {name: row["config"].get(name) for name in names}
        | {name: _rounded(row.get(name)) for name in MEASURES}
        | {name: row.get(name) for name in ("size", "status", "reason", "folds_done")}
        for piece in pieces
        for row in piece["rows"]
    ]
    frame = pl.DataFrame(rows, infer_schema_length=None).with_columns(
        pl.col(*MEASURES).cast(pl.Float32),
        pl.col("number", "folds_done").cast(pl.Int16),
        pl.col("size").cast(pl.Int64),
        pl.col("reason").cast(pl.String),
        pl.col("origin").cast(pl.Enum(ORIGINS)),
    )
    used = [m for m in MEASURES if frame[m].null_count() < frame.height or m in ("error", "auc")]
    kept = frame.drop([m for m in MEASURES if m not in used])
    return kept.sort("task", "origin", "number").with_columns(pl.col("origin").cast(pl.String))


def summary(learner: str, frame: pl.DataFrame) -> str:
    """One line: rows, tasks, statuses."""
    counts = frame["status"].value_counts(sort=True).rows()
    statuses = ", ".join(f"{n} {status}" for status, n in counts)
    tasks = frame.group_by("task").len()["len"]
    return (
        f"{learner}: {frame.height} rows, {tasks.len()} tasks with {tasks.min()} to {tasks.max()} "
        f"rows; {statuses}"
    )


def _write(frame: pl.DataFrame, path: Path, about: dict[str, Any]) -> None:
    texts = {key: value if isinstance(value, str) else json.dumps(value)
             for key, value in about.items()}  # fmt: skip
    hidden = path.with_name(f".{path.name}")
    frame.write_parquet(hidden, compression="zstd", compression_level=19, metadata=texts)
    hidden.replace(path)


def _rounded(value: float | None) -> float | None:
    if value is None or not np.isfinite(value):
        return None
    return float(f"{value:.{DIGITS}g}")
