"""Tables of our own, run as a command: two learners on scikit-learn's data, and learners that
crash, raise or never end. Processes are forked there, and not from the tests' own process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from benchmarks.own_tables.command import main
from benchmarks.own_tables.pieces import Folder, Piece, read_piece

pytest.importorskip("pandas")
pytest.importorskip("sklearn")
ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "make_tables.py"
ODD = """
import os, sys, time
import numpy as np
from benchmarks.own_tables import command, evaluate, learners, pieces

class Odd:
    def __init__(self, number): self.number = number
    def fit(self, features, target):
        n = self.number
        if n == 1: raise ValueError("not  like\\nthis")
        if n == 2: os._exit(3)
        while n == 3: pass
    def predict(self, features):
        return np.full(len(features), np.nan if self.number == 4 else 0.0)

learners.LEARNERS["odd"] = learners.Learner(
    lambda config, task, seed: Odd(config["number"]), lambda task: {"number": 0})
pieces.Piece.planned = lambda self: [("default", 0)] + [("own", n) for n in range(1, 6)]
pieces.Piece.config = lambda self, origin, number: {"number": number}
command.main(sys.argv[1:])
"""


def make(*arguments):
    main([str(part) for part in arguments])


def forked(*arguments, code=None):
    start = [str(SCRIPT)] if code is None else ["-c", code]
    done = subprocess.run(
        [sys.executable, *start, *map(str, arguments)],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}", "OMP_NUM_THREADS": "1", "PATH": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Prepared data, and all first blocks of two learners on two tasks."""
    home = tmp_path_factory.mktemp("tables")
    make("prepare", "--data", home / "data", "--tasks", "sklearn-wine", "diabetes", "--rows", 160)
    run(home, "pieces", "knn", "elastic_net")
    return home


def run(home, pieces, *learners, **more):
    options = [part for name, value in more.items() for part in (f"--{name}", value)]
    return forked("run", "--data", home / "data", "--pieces", home / pieces, "--blocks", 1,
                "--jobs", 2, "--learners", *learners, *options)  # fmt: skip


def rows_of(home, pieces, learner, task):
    content = read_piece(home / pieces / f"{learner}--{task}--00.json.gz")
    return [{k: v for k, v in row.items() if "seconds" not in k} for row in content["rows"]]


def test_all_pieces_are_there_and_every_configuration_ended_well(made):
    names = {f"{x}--{t}--00" for x in ("knn", "elastic_net") for t in ("sklearn-wine", "diabetes")}
    folder = Folder(made / "pieces")
    assert folder.finished() == names and not list(folder.claims.iterdir())
    for learner, task in (name.split("--")[:2] for name in names):
        rows = rows_of(made, "pieces", learner, task)
        assert len(rows) == 41 and {row["status"] for row in rows} == {"ok"}
        assert [rows[k]["origin"] for k in (0, 1, 33)] == ["default", "shared", "own"]


def test_interrupted_pieces_go_on_and_all_made_again_are_the_same(made):
    first = read_piece(made / "pieces" / "knn--diabetes--00.json.gz")
    folder, piece = Folder(made / "again"), Piece("knn", "diabetes", False, 0)
    part = first | {"rows": first["rows"][:17], "spent": 1000.0}
    part["rows"][0] = part["rows"][0] | {"size": -1}  # known by this to be kept
    folder.write(piece, part, complete=False)
    said = run(made, "again", "knn", bundle=made / "again.tar")
    assert "2 of 2 pieces" in said and "nothing" not in said
    kept, wanted = (rows_of(made, p, "knn", "diabetes") for p in ("again", "pieces"))
    assert kept[0].pop("size") == -1 and wanted[0].pop("size") > 0
    assert kept == wanted and len(kept) == 41
    assert rows_of(made, "again", "knn", "sklearn-wine") == rows_of(
        made, "pieces", "knn", "sklearn-wine"
    )
    assert read_piece(made / "again" / "knn--diabetes--00.json.gz")["spent"] > 1000
    make("unbundle", "--pieces", made / "other", made / "again.tar")
    assert Folder(made / "other").finished() == Folder(made / "again").finished()


def test_time_that_is_over_leaves_whole_files_and_no_claims(made):
    run(made, "short", "elastic_net", minutes=0.0)
    folder = Folder(made / "short")
    assert not folder.finished() and not list(folder.claims.iterdir())
    make("earlier", "--pieces", made / "pieces", made / "earlier")
    assert "0 missing" in run(made, "short", "elastic_net", earlier=made / "earlier")


def test_whatever_a_learner_does_is_a_row_and_the_next_one_is_tried(made):
    forked("run", "--data", made / "data", "--pieces", made / "odd", "--learners", "odd",
           "--blocks", 1, "--limit", 0.3, "--tasks", "diabetes", code=ODD)  # fmt: skip
    rows = rows_of(made, "odd", "odd", "diabetes")
    assert [row["status"] for row in rows] == [
        "ok", "error", "crash", "timeout", "not finite", "ok"]  # fmt: skip
    assert rows[1]["reason"] == "ValueError: not like this"
    assert rows[3]["reason"] == "a fold took longer than 0.3 s" and rows[3]["folds_done"] == 0
    assert rows[0]["rmse"] == pytest.approx(1, abs=0.05)  # of targets scaled to deviation 1


def test_collected_tables_say_how_they_were_made(made):
    make("collect", "--data", made / "data", "--pieces", made / "pieces", "--out", made / "out")
    assert {p.name for p in (made / "out").iterdir()} == {
        "knn.parquet", "elastic_net.parquet", "tasks.parquet"}  # fmt: skip
    about = pl.read_parquet_metadata(made / "out" / "knn.parquet")
    assert about["most_rows"] == "160" and "scikit-learn" in about["versions"]
    assert "Apache-2.0" in about["licence"]
    frame = pl.read_parquet(made / "out" / "elastic_net.parquet")
    assert frame.height == 82 and frame["task"].n_unique() == 2
    of_kind = frame.group_by("task").agg(pl.col("error", "rmse", "C", "alpha").count()).sort("task")
    assert of_kind.rows() == [("diabetes", 0, 41, 0, 41), ("sklearn-wine", 41, 0, 41, 0)]
