"""HPO-B in its official protocol, on a made-up HPO-B of the same form."""

from __future__ import annotations

import json
import zipfile

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from processes import ringfence
from ringfence.bench.cell import Cell
from ringfence.bench.hpob.official import OURS, official_plan, table_parts
from ringfence.bench.hpob.published import PUBLISHED, label, published_curves
from ringfence.bench.hpob.scores import SCHEMA, curves_of, scores
from ringfence.bench.hpob.tables import SEEDS, official_suites
from ringfence.bench.methods import method
from ringfence.bench.plan import planned
from ringfence.bench.protocol import run_cell, source_tasks
from ringfence.bench.results import results
from ringfence.bench.runner import run
from ringfence.bench.store import Store
from ringfence.bench.suites import SuiteSource, load_suite
from ringfence.errors import FileError, HistoryError, SettingError
from ringfence.rendering.layout import lay_out


def made_up(rng, n, width):
    """Rows in the unit cube with an optimum that differs a little by data set."""
    X = rng.uniform(size=(n, width))
    y = 0.9 - ((X - rng.uniform(0.1, 0.9, size=width)) ** 2).sum(axis=1)
    return {"X": X.tolist(), "y": y[:, None].tolist()}


def write(home, test, train, starts):
    home.mkdir(parents=True)
    (home / "meta-test-dataset.json").write_text(json.dumps(test))
    (home / "meta-train-dataset.json").write_text(json.dumps(train))
    (home / "bo-initializations.json").write_text(json.dumps(starts))
    (home / "meta-validation-dataset.json").write_text("not read")
    (home / "meta-train-dataset-augmented.json").write_text("not read")


@pytest.fixture(scope="module")
def hpob(tmp_path_factory):
    """Two search spaces with two and one test tasks, 30 rows each; starts by seed."""
    home = tmp_path_factory.mktemp("download") / "hpob-data"
    rng = np.random.default_rng(0)
    tasks = {"4796": (2, ["3", "31"]), "5860": (3, ["37"])}
    test = {s: {t: made_up(rng, 30, w) for t in names} for s, (w, names) in tasks.items()}
    train = {s: {t: made_up(rng, 40, w) for t in "456789"} for s, (w, _) in tasks.items()}
    train["9999"] = {"1": made_up(rng, 5, 2)}  # a search space without test tasks
    starts = {
        s: {t: {seed: rng.permutation(30)[:5].tolist() for seed in SEEDS} for t in test[s]}
        for s in test
    }
    write(home, test, train, starts)
    return home, test, starts


def suite_of(folder, made):
    return load_suite(SuiteSource(str(folder / made.description), (str(folder),)))


def cell_of(suite, name, task, replication=0, trials=3, known=40):
    return Cell(
        suite=suite.name,
        data=suite.digest,
        task=task,
        method=name,
        replication=replication,
        trials=trials,
        n_evaluations=known,
    )


def test_test_tasks_are_left_out_and_training_tasks_are_learned_from(hpob, tmp_path):
    home, _, _ = hpob
    first, second = official_suites(home, tmp_path)
    assert (first.space, first.tasks, first.sources, first.rows) == ("4796", 2, 6, 60)
    assert (second.space, second.tasks, second.repeated) == ("5860", 1, 0)
    suite = suite_of(tmp_path, first)
    assert suite.targets == ("3", "31") and set(suite.tasks) == {"3", "31", *"456789"}
    for name in ("Box GP", "Transfer (T=2)"):
        found = source_tasks(cell_of(suite, name, "31"), suite, method(name))
        assert set(found) <= {*"456789"} and len(found) == (6 if name == "Box GP" else 2)
    plan = official_plan([first, second], tmp_path)
    cells = [item.cell for item in planned(plan)]
    assert len(cells) == 3 * 5 * len(OURS)
    assert {(c.trials, c.n_evaluations) for c in cells} == {(100, 256)}
    assert {(c.suite, c.task) for c in cells} == {
        ("hpob_official_4796", "3"),
        ("hpob_official_4796", "31"),
        ("hpob_official_5860", "37"),
    }


def test_losses_are_regrets_between_the_worst_and_the_best_row(hpob, tmp_path):
    home, test, starts = hpob
    suite = suite_of(tmp_path, official_suites(home, tmp_path, ["4796"])[0])
    for task, entry in test["4796"].items():
        X, y = np.array(entry["X"]), np.array(entry["y"])[:, 0]
        regrets = 1 - (y - y.min()) / (y.max() - y.min())
        candidates = suite.candidates(task, "raw")
        losses = {
            tuple(config.values()): suite.evaluate(task, config) for config in candidates.configs
        }
        assert {tuple(np.round(key, 9)) for key in losses} == {tuple(np.round(x, 9)) for x in X}
        for key, loss in losses.items():
            row = np.abs(X - key).sum(axis=1).argmin()
            assert loss == pytest.approx(regrets[row], abs=1e-12)
        for replication, seed in enumerate(SEEDS):
            given = suite.starts(task, replication)
            rows = starts["4796"][task][seed]
            assert [loss for _, loss in given] == pytest.approx(regrets[rows], abs=1e-12)
            np.testing.assert_allclose([[*c.values()] for c, _ in given], X[rows], atol=1e-12)


@pytest.mark.parametrize("name", OURS)
def test_every_method_follows_the_protocol(hpob, tmp_path, monkeypatch, name):
    """The curve is that of the official evaluation, replayed on what the method asked for."""
    home, test, starts = hpob
    suite = suite_of(tmp_path, official_suites(home, tmp_path, ["4796"])[0])
    asked = []
    evaluate = suite.evaluate
    monkeypatch.setattr(
        suite, "evaluate", lambda t, c, budget=None: asked.append(c) or evaluate(t, c, budget)
    )
    result = run_cell(cell_of(suite, name, "31", replication=2, trials=7), suite)
    X, y = (np.array(test["4796"]["31"][k]) for k in "Xy")
    y = (y[:, 0] - y.min()) / (y.max() - y.min())
    current = list(starts["4796"]["31"]["test2"])
    curve = []
    for config in asked:
        row = int(np.abs(X - [*config.values()]).sum(axis=1).argmin())
        assert row not in current  # neither a given row nor one tried before
        current.append(row)
        curve.append(1 - max(y[current]))
    assert len(asked) == 7 or result.exhausted
    curve += [curve[-1]] * (7 - len(curve))
    assert result.curve == pytest.approx(curve, abs=1e-12)


@pytest.mark.parametrize("name", ["GP", "Box GP", "Starts GP"])
def test_a_model_is_used_from_the_first_trial_on(hpob, tmp_path, monkeypatch, name):
    """The given rows are the design, and no other is drawn."""
    home, _, _ = hpob
    suite = suite_of(tmp_path, official_suites(home, tmp_path, ["5860"])[0])

    def never(*_):
        raise AssertionError("a point of a design was asked for")

    monkeypatch.setattr("ringfence.optimize.domain.design.Design.next", never)
    assert len(run_cell(cell_of(suite, name, "37", trials=7), suite).curve) == 7


def test_a_region_without_rows_is_charged_what_was_given(tmp_path):
    home = exact(tmp_path / "hpob-data")
    suite = suite_of(tmp_path, official_suites(home, tmp_path)[0])
    result = run_cell(cell_of(suite, "Box Random", "1", trials=2), suite)
    assert result.exhausted and result.curve == (0.5, 0.5)


def test_a_repeated_configuration_is_seen_once_and_a_given_row_keeps_its_own_loss(tmp_path):
    home = exact(tmp_path / "hpob-data", repeat=True)
    made = official_suites(home, tmp_path)[0]
    assert made.repeated == 2  # one of each test task
    suite = suite_of(tmp_path, made)
    assert [loss for _, loss in suite.starts("1", 0)] == pytest.approx([1, 0.9, 0.8, 0.7, 0.5])
    candidates = suite.candidates("1", "raw")
    assert len(candidates) == 6
    config = suite.starts("1", 0)[0][0]
    assert suite.evaluate("1", config) == pytest.approx((1 + 0.9) / 2)


def exact(home, repeat=False):
    """One search space. Of the two test tasks, the rows that are not given are the best ones, and
    the others' optima lie elsewhere: after one trial Random has a regret of 0, and a box nothing
    to try, so that it stays at 0.5 and 0.25."""
    X = [[0.5 + 0.05 * i] for i in range(7)]
    if repeat:
        X[1] = X[0]
    y = {"1": [0.0, 0.1, 0.2, 0.3, 0.5, 1.0, 1.0], "2": [2.0, 2.1, 2.2, 2.3, 2.75, 3.0, 3.0]}
    test = {"77": {t: {"X": X, "y": [[v] for v in y[t]]} for t in y}}
    good = {"X": [[0.0], [0.1], [0.9]], "y": [[0.9], [0.8], [0.1]]}
    train = {"77": {"3": good, "4": {"X": [[0.05], [0.95]], "y": [[0.7], [0.2]]}}}
    given = {t: {seed: [0, 1, 2, 3, 4] for seed in SEEDS} for t in y}
    write(home, test, train, {"77": given})
    return home


def test_the_command_prints_the_table_that_a_hand_computes(tmp_path):
    """Random: 0 and 0. Box Random: 0.5 and 0.25, so 0.375 ± 0.125. FSBO: 0.1 and 0.2."""
    home = exact(tmp_path / "hpob-data")
    folder = tmp_path / "results"
    folder.mkdir()
    curves = {"1": [0.5, 0.9], "2": [0.7, 0.8]}
    content = {"77": {t: dict.fromkeys(SEEDS, c) for t, c in curves.items()}}
    (folder / "FSBO.json").write_text(json.dumps(content))
    (folder / "GP-C.json").write_text("not read")
    words = ("bench", "hpob", home, "--trials", "1", "-o", "out", "--published", folder)
    words += ("--method", "Random", "--method", "Box Random")
    made = ringfence(*words, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert made.stdout.splitlines()[1:] == [
        "                       regret@1  rank@1",
        "Random            0.000 ± 0.000    1.00",
        "Box Random        0.375 ± 0.125    3.00",
        "FSBO (published)  0.150 ± 0.050    2.00",
        "Box Random ran out of rows inside its space in 10 of 10 cells",
    ]
    assert made.stdout.startswith(
        "HPO-B, official protocol: 2 test tasks of 1 search space, 5 seeds, trials counted after"
    )
    assert_frame_equal(
        pl.read_csv(tmp_path / "out" / "table.csv"),
        pl.DataFrame(
            {
                "method": ["Random", "Box Random", "FSBO (published)"],
                "trial": [1, 1, 1],
                "regret": [0.0, 0.375, 0.15],
                "error": [0.0, 0.125, 0.05],
                "rank": [1.0, 3.0, 2.0],
                "tasks": [2, 2, 2],
            }
        ),
    )
    before = (tmp_path / "out" / "tables" / "hpob_official_77.parquet").stat().st_mtime_ns
    again = ringfence(*words, cwd=tmp_path)
    assert again.stdout == made.stdout
    after = (tmp_path / "out" / "tables" / "hpob_official_77.parquet").stat().st_mtime_ns
    assert before == after  # nothing is made or run twice


def test_a_zip_gives_what_its_folder_gives(tmp_path):
    home = exact(tmp_path / "hpob-data")
    with zipfile.ZipFile(tmp_path / "hpob-data.zip", "w") as archive:
        for path in home.iterdir():
            archive.write(path, f"hpob-data/{path.name}")
    suites = [
        official_suites(tmp_path / name, tmp_path / f"of-{name}")
        for name in ("hpob-data", "hpob-data.zip")
    ]
    assert suites[0] == suites[1]
    for name in ("hpob_official_77.toml", "hpob_official_77.parquet"):
        both = [(tmp_path / f"of-{s}" / name).read_bytes() for s in ("hpob-data", "hpob-data.zip")]
        assert both[0] == both[1]


def test_the_pieces_give_the_same_table(hpob, tmp_path):
    home, _, _ = hpob
    suites = official_suites(home, tmp_path)
    plan = official_plan(suites, tmp_path, methods=("Random", "Box Random"), trials=4, seeds=2)
    assert not run(plan, Store(tmp_path / "cells")).failures
    names = {f"hpob_official_{suite.space}": suite.space for suite in suites}
    curves = curves_of(results(plan, Store(tmp_path / "cells")), names)
    assert curves.schema == pl.Schema(SCHEMA) and curves.height == 2 * 3 * 2 * 4
    means = scores(curves, [4])
    by_hand = [
        curves.filter(pl.col("trial") == 4, pl.col("method") == name)["regret"].mean()
        for name in ("Random", "Box Random")
    ]
    assert means["regret"].to_list() == pytest.approx(by_hand)


def curves(values):
    """values: method → (task, replication) → regret after 25 trials."""
    rows = [
        (name, order, "1", task, replication, 25, regret)
        for order, (name, of_method) in enumerate(values.items())
        for (task, replication), regret in of_method.items()
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def test_ranks_share_ties_to_eight_digits_and_need_every_method():
    a = {("x", 0): 0.1, ("x", 1): 0.3, ("y", 0): 0.5, ("y", 1): 0.0}
    b = {("x", 0): 0.1 + 1e-10, ("x", 1): 0.2, ("y", 0): 0.6, ("y", 1): 0.7}
    c = {("x", 0): 0.2, ("x", 1): 0.1, ("y", 0): 0.4}
    out = scores(curves({"a": a, "b": b, "c": c}))
    # x0: 1.5, 1.5, 3; x1: 3, 2, 1; y0: 2, 3, 1; y1: without c, does not count
    assert out["rank"].to_list() == pytest.approx([6.5 / 3, 6.5 / 3, 5 / 3])
    assert out["regret"].to_list() == pytest.approx([0.225, 0.4 + 2.5e-11, 0.7 / 3])
    # tasks' means: a .2 and .25; standard error .05 / √2 / √2
    assert out["error"][0] == pytest.approx(0.025) and out["tasks"].to_list() == [2, 2, 2]


def test_published_means_stand_beside_a_run_on_all_tasks_alone():
    def table(n_tasks):
        rows = [
            ("Random", 0, str(i % 16), str(i), 0, trial, 0.5)
            for i in range(n_tasks)
            for trial in (25, 50, 100)
        ]
        return "\n".join(lay_out(table_parts(pl.DataFrame(rows, schema=SCHEMA, orient="row"))))

    assert "published" not in table(85)
    assert "FSBO (published)" in table(86) and "0.036 ± 0.006" in table(86)
    assert list(PUBLISHED) == [
        "Random",
        "GP",
        "DGP",
        "DNGO",
        "BOHAMIANN",
        "RGPE",
        "TST",
        "TAF",
        "FSBO",
    ]


def test_published_curves_are_counted_after_the_given_configurations(tmp_path):
    ours = curves({"Random": {("x", 0): 0.5, ("y", 4): 0.5}})
    content = {"1": {"x": {"test0": [0.0, *(k / 25 for k in range(1, 26)), 7.0]}}}
    (tmp_path / "TAF.json").write_text(json.dumps(content))
    found = published_curves(tmp_path, ours)
    assert found["method"].unique().to_list() == [label("TAF")]
    assert found["regret"].to_list() == pytest.approx([1 - k / 25 for k in range(1, 26)])
    content["1"]["x"]["test0"] = [0.5] * 25
    (tmp_path / "TAF.json").write_text(json.dumps(content))
    with pytest.raises(
        FileError, match=r"TAF\.json: test0 of data set x .* has 25 values, not one"
    ):
        published_curves(tmp_path, ours)
    with pytest.raises(FileError, match=r"holds no results of HPO-B, such as FSBO\.json"):
        published_curves(tmp_path / "nowhere", ours)


def test_starts_and_targets_that_cannot_be_are_one_clear_error(tmp_path):
    made = official_suites(exact(tmp_path / "hpob-data"), tmp_path)[0]
    file, path = tmp_path / "hpob_official_77_starts.parquet", tmp_path / made.description
    given = pl.read_parquet(file)
    given.filter(pl.col("replication") > 0).write_parquet(file)
    with pytest.raises(SettingError, match="no usable starts of '1', replication 0"):
        suite_of(tmp_path, made).starts("1", 0)
    load_suite.cache_clear()
    given.with_columns(row=pl.lit(None, pl.Float64)).write_parquet(file)
    with pytest.raises(FileError, match="a replication or row is not a whole number from 0 on"):
        suite_of(tmp_path, made)
    given.write_parquet(file)
    path.write_text(path.read_text().replace("targets = [", 'targets = ["5", '))
    with pytest.raises(SettingError, match="has no task '5' to leave out"):
        suite_of(tmp_path, made)


def test_what_cannot_be_is_one_clear_error(hpob, tmp_path):
    home, test, starts = hpob
    with pytest.raises(
        HistoryError, match=r"no test tasks of search space '9999'; it has 4796, 58"
    ):
        official_suites(home, tmp_path, ["9999"])
    with pytest.raises(SettingError, match="no method is called 'Guess'"):
        official_plan([], tmp_path, methods=["Guess"])
    train = json.loads((home / "meta-train-dataset.json").read_text())
    wrong = json.loads(json.dumps(starts))
    wrong["4796"]["31"]["test3"][1] = 30
    write(tmp_path / "rows", test, train, wrong)
    with pytest.raises(HistoryError, match=r"test3 of data set 31 .* not among its 30"):
        official_suites(tmp_path / "rows", tmp_path)
    del wrong["5860"]
    write(tmp_path / "none", test, train, wrong)
    with pytest.raises((HistoryError, FileError), match=r"bo-initializations\.json"):
        official_suites(tmp_path / "none", tmp_path, ["5860"])
    write(tmp_path / "both", test, {**train, "4796": test["4796"]}, starts)
    with pytest.raises(HistoryError, match="search space 4796: test and training data share data"):
        official_suites(tmp_path / "both", tmp_path)
    outside = {"../out": test["4796"]}
    write(tmp_path / "names", outside, {"../out": train["4796"]}, {"../out": starts["4796"]})
    with pytest.raises(HistoryError, match=r"'\.\./out' cannot be a search space"):
        official_suites(tmp_path / "names", tmp_path / "inside")
    (tmp_path / "rows" / "bo-initializations.json").unlink()
    with pytest.raises(FileError, match=r"has no bo-initializations\.json, which the official"):
        official_suites(tmp_path / "rows", tmp_path)
