"""20 trials of LearnedSearchCV against 60 at random: the measure, the data, and the page."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("pandas")

from benchmarks import learned_search as bench
from benchmarks.cells import append_line, cells_file, read_lines

import ringfence as rf

CELL = {"data": "a", "learner": "svm", "median": 0.5, "random": 0.7}


@pytest.mark.parametrize(
    "ours, gap",
    [(0.7, 0.0), (0.6, 0.5), (0.5, 1.0), (0.1, 1.0), (0.9, -0.5)],
)
def test_one_is_as_far_behind_as_the_median(ours, gap):
    assert bench.behind({**CELL, "ours": ours}) == pytest.approx(gap)


def test_where_nothing_matters_one_row_decides_nothing():
    flat = {**CELL, "random": 0.503, "ours": 0.5}
    assert bench.behind(flat) == pytest.approx(0.3)
    assert bench.behind({**flat, "ours": 0.503}) == 0.0


def test_learners_of_one_data_set_count_as_one():
    cells = [{**CELL, "data": name, "ours": ours} for name in "abc" for ours in (0.7, 0.6)]
    gap = bench.summary(cells)
    assert gap.n_tasks == 3 and gap.mean == pytest.approx(0.25)
    assert gap.high - gap.low < 1e-6  # all data sets agree


def test_the_data_are_not_those_of_the_hub():
    histories = [
        rf.hub()[name].history(kind)
        for name in bench.LEARNERS
        for kind in (
            "classification",
            *([] if name in bench.CLASSIFICATION_ONLY else ["regression"]),
        )
    ]
    known = {task.casefold() for history in histories for task in history.tasks}
    assert not known & {data.name for data in bench.DATA}
    with pytest.raises(SystemExit, match="among the hub's data"):
        bench._new(bench.Data("boston", "ISLP", "data/Boston.csv", "medv", False))


def test_both_searches_of_a_pair(monkeypatch):
    X = np.random.default_rng(0).normal(size=(280, 3))
    y = (X[:, 0] > 0).astype(int)
    monkeypatch.setattr(bench.Data, "parts", lambda data: [X[:200], X[200:], y[:200], y[200:]])
    monkeypatch.setattr(bench, "OURS", 3)
    monkeypatch.setattr(bench, "RANDOM", 5)
    cell = bench.run(bench.DATA[0], "knn")
    assert cell["median"] <= cell["random"] <= 1 and cell["ours"] > 0.5
    assert cell["beside_ms"] > 0 and cell["failed"] == 0

    def never(*_):
        raise AssertionError("random search is run again")

    monkeypatch.setattr(bench, "at_random", never)  # what it found is known
    again = bench.run(bench.DATA[0], "knn", old=cell | {"ours": 0.0, "ours_test": 0.0})
    assert again | {"beside_ms": 0} == cell | {"beside_ms": 0}


def test_lines_are_made_anew_where_they_are(monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "RESULTS", tmp_path)
    monkeypatch.setattr(bench, "run", lambda data, learner, seed, old: old | {"ours": 0.65})
    lines = [
        {**CELL, "data": "fair", "learner": name, "seed": 3, "ours": 0.6} for name in ("svm", "knn")
    ]
    for line in lines:
        append_line(cells_file(tmp_path), line)
    assert bench.main(["--anew", "--learners", "knn", "mlp", "--data", "fair"]) == 0
    assert read_lines(cells_file(tmp_path)) == [lines[0], lines[1] | {"ours": 0.65}]


def test_the_page_is_what_the_results_give():
    cells = read_lines(cells_file(bench.RESULTS))
    assert {cell["data"] for cell in cells} <= {data.name for data in bench.DATA}
    assert len({(cell["data"], cell["learner"], cell["seed"]) for cell in cells}) == len(cells)
    assert bench.write(check=True) == 0, "python -m benchmarks.learned_search --write"
