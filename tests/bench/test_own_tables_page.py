"""The page of our own tables shows what its command prints, and its numbers are what they say."""

from __future__ import annotations

import re

import polars as pl
import pytest
from benchmarks.own_tables.collect import table
from benchmarks.own_tables.page import (
    PAGE,
    TABLES,
    defaults,
    judged,
    limits,
    numbers,
    overview,
    switches,
)
from benchmarks.own_tables.pieces import Folder, Piece, read_piece
from benchmarks.own_tables.restore import restore
from benchmarks.own_tables.spaces import PAPER
from polars.testing import assert_frame_equal

from ringfence.bench.suites.loading import SuiteSource, load_suite


def knn_like(losses, default, **more):
    origins = ["default"] + ["shared"] * len(losses)
    return pl.DataFrame(
        {"task": "a", "origin": origins, "error": [default, *losses], "status": "ok"} | more
    )


def test_regret_is_0_for_the_best_and_1_for_the_median():
    frame = judged(knn_like([0.1, 0.2, 0.3, 0.4, None], default=0.15))
    assert frame["regret"].to_list() == pytest.approx([1 / 3, 0, 2 / 3, 4 / 3, 2, None])
    assert judged(knn_like([0.1, 0.1], default=0.2))["regret"].null_count() == 3
    shown = defaults({"knn": frame})[0]
    assert shown["median regret"] == "0.33" and shown["tasks"] == "1"
    assert shown["random configurations that beat it"] == "20 %"  # one of five


def test_switches_count_the_best_of_each_task():
    losses = [0.1 + n / 1000 for n in range(40)]
    off = [1.0, *([0.0] * 2), *([0.5] * 30), *([0.0] * 8)]  # the best two, and eight bad ones
    frame = judged(knn_like(losses, default=0.1, l1_ratio=off))
    [shown] = switches({"elastic_net": frame})
    assert shown["of all"] == "25 %" and shown["of each task's best 5%"] == "100 %"


def test_timeouts_are_counted_by_the_number_of_trees():
    frame = pl.DataFrame({
        "num.trees": [1, 399, 400, 700, 1000, 2000],
        "status": ["ok", "ok", "timeout", "error", "ok", "timeout"],
    })  # fmt: skip
    [shown] = limits({"forest": frame})
    assert list(shown.values())[2:] == ["0 %", "50 %", "0 %", "100 %"]


def test_the_page_shows_what_the_command_prints():
    shown = re.search(r"<!-- numbers -->\n\n(.*)\n\n<!-- /numbers -->", PAGE.read_text(), re.DOTALL)
    assert shown and shown[1] == numbers()


def test_the_tables_are_small_and_say_how_they_were_made():
    files = sorted(TABLES.glob("*.parquet"))
    assert sum(path.stat().st_size for path in files) < 12e6
    for path in files:
        about = pl.read_parquet_metadata(path)
        assert {"licence", "seed", "most_rows", "folds"} <= set(about)
        assert path.stem == "tasks" or {"versions", "limit_seconds_a_fold"} <= set(about)


@pytest.mark.parametrize("learner", PAPER)
def test_the_suites_of_the_plan_load(learner):
    suite = load_suite(SuiteSource(f"{learner}_own", (str(TABLES),)))
    assert len(suite.tasks) == 30 and set(suite.meta_features()) >= set(suite.tasks)
    frame = pl.read_parquet(TABLES / f"{learner}.parquet")
    rows = overview({learner: judged(frame)})
    assert int(rows[0]["classification tasks"]) >= 40


def test_tables_become_pieces_and_the_same_tables_again(tmp_path):
    """So that a machine that has the repository alone goes on."""
    folder = Folder(tmp_path / "pieces")
    assert restore(TABLES, folder) >= 900
    assert restore(TABLES, folder) == 0  # what is there stays
    piece = read_piece(next(folder.path.glob("knn--*--00.json.gz")))
    assert [(row["origin"], row["number"]) for row in piece["rows"]] == Piece(
        "knn", piece["task"], True, 0
    ).planned()
    parts = [read_piece(path) for path in folder.path.glob("knn--*.json.gz")]
    assert_frame_equal(table("knn", parts), pl.read_parquet(TABLES / "knn.parquet"))
