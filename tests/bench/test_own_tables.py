"""Tables of our own: what is drawn, what learners see, what scores mean, who does which piece."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from benchmarks.own_tables import bundle
from benchmarks.own_tables.collect import table
from benchmarks.own_tables.datasets import sources
from benchmarks.own_tables.encoding import Fold
from benchmarks.own_tables.evaluate import evaluate
from benchmarks.own_tables.learners import LEARNERS, mtry
from benchmarks.own_tables.meta import meta_features
from benchmarks.own_tables.pieces import STALE, Folder, all_pieces
from benchmarks.own_tables.prepare import FOLDS, Task, folds, load, save
from benchmarks.own_tables.scoring import NotFiniteError, auc, regression_scores, scores_of
from benchmarks.own_tables.spaces import PAPER, own_config, shared_config, space_of
from sklearn.metrics import log_loss, roc_auc_score

from ringfence.bench.suites.description import read_description
from ringfence.bench.suites.loading import DESCRIPTIONS

N = 200
LISTED = [{"task": "pima", "kind": "classification"}, {"task": "Wage", "kind": "regression"}]


@pytest.fixture(scope="module")
def task():
    """Three classes, two numbers and a category of four levels that says a part of the class."""
    rng = np.random.default_rng(0)
    target = rng.permutation(np.arange(N) % 3)
    levels = np.where(rng.random(N) < 0.5, np.array([3, 0, 2])[target], 1).astype(np.float32)
    numbers = rng.normal(size=(N, 2)).astype(np.float32)
    numbers[0, 0], levels[1] = np.nan, np.nan
    features = np.column_stack([numbers, levels])
    kinds = np.array([False, False, True])
    return Task("made-up", features, kinds, target, folds(target, 3, rng), 3)


def test_there_are_96_data_sets_with_names_of_their_own():
    known = [source for source in sources() if source.package != "sklearn"]
    assert len({source.name for source in sources()}) == len(list(sources())) == len(known) + 5
    assert len(known) == 95  # and scikit-learn's diabetes
    assert sum(source.classification for source in known) == 63
    assert [s.name for s in known if s.data == "abalone"] == ["abalone9-18", "abalone"]
    for one, other in (("australian", "crx"), ("Hdma", "loanapp")):
        assert len({s.data for s in known if s.name in (one, other)}) == 1


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("classification", [True, False])
def test_draws_lie_in_the_declared_space(learner, classification):
    space = space_of(learner, classification)
    drawn = [shared_config(learner, classification, n) for n in range(N)]
    for name, what in space["parameters"].items():
        values = [config[name] for config in drawn if name in config]
        if what["type"] == "categorical":
            assert set(values) == set(what["choices"])
            continue
        inside = [v for v in values if v != what.get("off")]
        assert what["low"] <= min(inside) and max(inside) <= what["high"]
        if "off" in what:  # exactly off; 200 draws leave 30 … 72 with probability 0.9996
            assert 30 <= len(values) - len(inside) <= 72
        if what.get("log"):  # half of the values below the geometric middle
            middle = (what["low"] * what["high"]) ** 0.5
            assert 0.3 < np.mean(np.array(inside) < middle) < 0.7
    for condition in space.get("conditions", ()):
        for config in drawn:
            active = config[condition["parent"]] in condition["values"]
            assert (condition["child"] in config) == active


def test_lists_are_seeded_shared_by_all_tasks_or_of_one():
    assert shared_config("knn", True, 3) == shared_config("knn", True, 3)
    assert own_config("mlp", True, "pima", 3) == own_config("mlp", True, "pima", 3)
    others = [own_config("mlp", True, "wine", 3), shared_config("mlp", True, 3)]
    assert own_config("mlp", True, "pima", 3) not in others
    assert shared_config("mlp", True, 4) not in others


@pytest.mark.parametrize("learner", PAPER)
def test_a_suite_has_the_papers_space_and_tasks_that_there_are(learner):
    what, space = read_description(DESCRIPTIONS / f"{learner}_own.toml")
    assert space == read_description(DESCRIPTIONS / f"{PAPER[learner]}.toml")[1]
    known = {source.name for source in sources() if source.classification}
    assert len(set(what.tasks)) == 30 and set(what.tasks) <= known


def test_folds_are_of_equal_size_and_shares(task):
    counts = np.array([np.bincount(task.target[task.fold == k]) for k in range(FOLDS)])
    assert np.ptp(counts, axis=0).max() <= 1 and np.ptp(counts.sum(1)) <= 1


def test_what_a_learner_sees_is_learned_from_the_training_rows_alone(task):
    fold = Fold(task, 2)
    train, test = fold.scaled
    assert np.allclose(train.mean(0), 0) and np.allclose(train.std(0), 1)
    assert train.shape[1] == test.shape[1] == 2 + 4  # an indicator for each level
    changed = task.features.copy()
    changed[fold.held] = 0
    again = Fold(replace(task, features=changed), 2)
    assert np.array_equal(again.scaled[0], train)
    assert np.array_equal(again.ordered_codes[0], fold.ordered_codes[0], equal_nan=True)


def test_levels_are_ordered_by_the_response():
    target = np.repeat([0.0, 3.0, 1.0, 2.0], 10)  # the mean of levels 0, 1, 2, 3
    features = np.repeat(np.arange(4.0), 10).astype(np.float32)[:, None]
    fold = np.arange(40) % FOLDS
    made = Task("levels", features, np.array([True]), target, fold, 0)
    train, test = Fold(made, 0).ordered_codes
    order = dict(zip(Fold(made, 0).codes[0][:, 0], train[:, 0], strict=True))
    ranks = [order[level] for level in range(4)]
    assert ranks in ([0, 3, 1, 2], [3, 0, 2, 1])  # a principal axis has no sign
    assert [order[v] for v in Fold(made, 0).codes[1][:, 0]] == test[:, 0].tolist()


def test_scores_are_those_of_scikit_learn():
    rng = np.random.default_rng(1)
    target, chances = rng.integers(3, size=N), rng.dirichlet(np.ones(3), size=N).round(2) + 1e-3
    chances /= chances.sum(1, keepdims=True)
    found = scores_of(target, chances.argmax(1), chances, probabilities=True)
    assert found["auc"] == pytest.approx(roc_auc_score(target, chances, multi_class="ovr"))
    assert found["log_loss"] == pytest.approx(log_loss(target, chances))
    assert found["error"] == np.mean(chances.argmax(1) != target)
    assert auc(np.array([0, 1, 1]), np.array([[1, 0], [0, 1], [0, 1]])) == 1.0
    assert regression_scores(np.array([0.0, 0]), np.array([3.0, 4])) == {
        "rmse": pytest.approx(12.5**0.5), "mae": 3.5}  # fmt: skip
    for wrong in (np.nan, 1e300):
        with pytest.raises(NotFiniteError):
            regression_scores(np.zeros(2), np.array([0.0, wrong]))


def test_mtry_is_a_share_of_the_features(task):
    assert [mtry({"mtry": m}, task) for m in (1, 12, 13, 24, 25, 36)] == [1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_runs_its_default_and_a_draw(learner, task):
    pytest.importorskip(learner if learner in ("xgboost", "lightgbm") else "sklearn")
    about = LEARNERS[learner]
    numbers = replace(task, target=task.features[:, 1].astype(float), classes=0)
    for made in (task, numbers) if about.regression else (task,):
        some = [Fold(made, k) for k in range(FOLDS)]
        draws = (shared_config(learner, bool(made.classes), n) for n in range(40))
        cheap = next(c for c in draws if c.get("num.trees", 0) < 30 and c.get("nrounds", 0) < 30
                     and c.get("max_iter", 0) < 30)  # fmt: skip
        for config in (about.default(made), cheap):
            row = evaluate(learner, config, some[:2])
            assert row["status"] == "ok", row
            again = evaluate(learner, config, some[:2])
            assert {k: v for k, v in row.items() if "seconds" not in k} == {
                k: v for k, v in again.items() if "seconds" not in k
            }
            if made is task and config == about.default(made):
                assert row["error"] < 0.6  # chance is 0.67


def test_what_a_learner_raises_is_a_row(task):
    row = evaluate("knn", {"n_neighbors": 5, "weights": "no", "metric": "cosine"}, [Fold(task, 0)])
    assert row["status"] == "error" and "weights" in row["reason"] and row["folds_done"] == 0


def test_first_blocks_come_first_and_then_the_cheap_ones():
    pieces = all_pieces(LISTED, ["svm", "knn", "mlp"], blocks=8)
    assert len(pieces) == len({p.name for p in pieces}) == 8 * (3 + 2)
    assert [p.block for p in pieces[:5]] == [0] * 5  # SVM has no regression
    assert {(p.learner, p.block) for p in pieces[5:10]} == {("svm", 1), ("knn", 1), ("knn", 2)}
    assert {(p.learner, p.block) for p in pieces[10:12]} == {("mlp", 1)}
    assert pieces == all_pieces(LISTED, ["svm", "knn", "mlp"], blocks=8)
    planned = [key for p in pieces if (p.learner, p.task) == ("mlp", "pima") for key in p.planned()]
    wanted = (
        [("default", 0)] + [("shared", n) for n in range(256)] + [("own", n) for n in range(64)]
    )
    assert sorted(planned) == sorted(wanted)


def test_one_of_many_gets_a_claim_and_a_stale_one_is_taken_once(tmp_path):
    folder, piece = Folder(tmp_path), all_pieces(LISTED, ["knn"])[0]

    def winners():
        won, barrier = [], threading.Barrier(8)

        def attempt():
            barrier.wait()
            won.append(folder.claim(piece))

        threads = [threading.Thread(target=attempt) for _ in range(8)]
        for step in (threading.Thread.start, threading.Thread.join):
            for thread in threads:
                step(thread)
        return sum(won)

    assert winners() == 1 and winners() == 0
    for age in range(1, 21):
        old = time.time() - STALE - age
        os.utime(folder.claims / piece.name, (old, old))
        assert winners() == 1
    os.utime(folder.claims / piece.name, (old, old))
    folder.renew(piece)
    assert not folder.claim(piece)
    folder.release(piece)
    assert folder.claim(piece)


def test_pieces_travel_in_a_tar_and_the_list_of_what_is_known(tmp_path):
    one, other, third = (Folder(tmp_path / name) for name in "abc")
    whole, part, *_ = all_pieces(LISTED, ["knn"])
    one.write(whole, {"rows": [1]}, complete=True)
    one.write(part, {"rows": [2]}, complete=False)
    assert bundle.pack(one, tmp_path / "x.tar") == bundle.unpack(tmp_path / "x.tar", other) == 2
    assert other.finished() == {whole.name} and other.read(part) == {"rows": [2]}
    bundle.write_earlier(other, tmp_path / "earlier")
    assert bundle.take_earlier(tmp_path / "earlier", third) == {whole.name}
    assert third.read(part) == {"rows": [2]} and not third.finished()
    third.write(part, {"rows": [2, 3]}, complete=True)
    bundle.pack(third, tmp_path / "y.tar")
    bundle.unpack(tmp_path / "y.tar", other)
    assert other.finished() == {whole.name, part.name} and other.read(part) == {"rows": []}
    (tmp_path / "b" / "odd.txt").write_text("no piece")
    assert bundle.pack(other, tmp_path / "z.tar", frozenset({f"{whole.name}.json.gz"})) == 1


def test_a_prepared_task_comes_back(tmp_path, task):
    save(task, tmp_path)
    again = load(tmp_path, task.name)
    assert again.classes == 3
    for name in ("features", "categorical", "target", "fold"):
        assert np.array_equal(getattr(again, name), getattr(task, name), equal_nan=name[:2] == "fe")


def test_meta_features_are_what_they_say(task):
    found = meta_features(task)
    assert found["n_rows"] == N and found["n_features"] == 3 and found["n_classes"] == 3
    assert found["class_entropy"] == pytest.approx(1, abs=1e-3)
    assert found["share_missing"] == pytest.approx(2 / (3 * N))
    assert found["landmark_tree"] < 2 / 3 and np.isnan(found["target_skewness"])
    numbers = meta_features(replace(task, target=np.linspace(-1, 1, N) * 3**0.5, classes=0))
    assert numbers["target_kurtosis"] == pytest.approx(-1.2, abs=0.05)  # of a uniform one
    assert numbers["target_skewness"] == pytest.approx(0, abs=1e-9)
    assert len(found) == len(numbers) >= 4 + 12


def test_a_table_has_a_column_for_each_parameter_and_nulls_where_it_is_not_active():
    bent = {"kernel": "polynomial", "cost": 2.0, "degree": 3}
    plain = {"kernel": "radial", "cost": 1.0, "gamma": 0.1}
    rows = [
        {"origin": "own", "number": 0, "config": bent,
         "status": "timeout", "reason": "slow", "folds_done": 1},
        {"origin": "default", "number": 0, "config": plain,
         "status": "ok", "error": 0.123456789, "auc": 0.9, "error_deviation": 0.01,
         "fit_seconds": 1.0, "predict_seconds": 0.1, "size": 7},
    ]  # fmt: skip
    frame = table("svm", [{"task": "pima", "rows": rows}])
    assert frame["origin"].to_list() == ["default", "own"]
    assert frame["gamma"].to_list() == [0.1, None] and frame["degree"].to_list() == [None, 3]
    assert frame["error"].to_list() == [pytest.approx(0.12346), None]
    assert "log_loss" not in frame.columns and "rmse" not in frame.columns
    assert frame.schema["error"] == pl.Float32
