"""From tables back to pieces, so that a machine that has the repository alone goes on.

Numbers come back with the digits that a table keeps. A block of which every configuration is in the
table is a finished piece, one of which some are an interrupted one.
"""

from __future__ import annotations

import json
import platform
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.own_tables.collect import MEASURES
from benchmarks.own_tables.learners import LEARNERS
from benchmarks.own_tables.pieces import BLOCKS, Folder, Piece
from benchmarks.own_tables.spaces import space_of

KEPT = (*MEASURES, "size", "status", "reason", "folds_done")


def restore(tables: Path, folder: Folder) -> int:
    """Writes the pieces that are not in the folder; how many these are."""
    kinds = dict(pl.read_parquet(tables / "tasks.parquet")["task", "kind"].rows())
    written = 0
    for learner in LEARNERS:
        path = tables / f"{learner}.parquet"
        if path.exists():
            written += _restore(learner, path, kinds, folder)
    return written


def _restore(learner: str, path: Path, kinds: dict[str, str], folder: Folder) -> int:
    about = pl.read_parquet_metadata(path)
    more = {
        "versions": json.loads(about["versions"])[-1],
        "machine": platform.machine(),
        "limit": json.loads(about["limit_seconds_a_fold"])[-1],
        "spent": 0.0,
    }
    written = 0
    for (task,), rows in pl.read_parquet(path).group_by("task", maintain_order=True):
        known = {(row["origin"], row["number"]): row for row in rows.to_dicts()}
        classification = kinds[str(task)] == "classification"
        for block in range(BLOCKS):
            piece = Piece(learner, str(task), classification, block)
            planned = piece.planned()
            done = [known[each] for each in planned if each in known]
            if not done or folder.has(piece) or folder.read(piece)["rows"]:
                continue
            content = {"learner": learner, "task": piece.task, "block": block} | more
            content["rows"] = [_row(row, learner, classification) for row in done]
            folder.write(piece, content, complete=len(done) == len(planned))
            written += 1
    return written


def _row(row: dict[str, Any], learner: str, classification: bool) -> dict[str, Any]:
    """A row of a table as one of a piece: a parameter that is not active is not there."""
    names = space_of(learner, classification)["parameters"]
    config = {name: row[name] for name in names if row.get(name) is not None}
    kept = {name: row[name] for name in KEPT if row.get(name) is not None}
    return {"origin": row["origin"], "number": row["number"], "config": config} | kept
