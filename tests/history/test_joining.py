"""Several sources as one history: names, directions, status, space."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import ringfence as rf

SPACE = rf.Space({"lr": rf.Float(1e-4, 1e-1, log=True), "kind": rf.Categorical(["a", "b"])})


def runs(task, objective, values, **columns):
    n = len(values)
    return pl.DataFrame(
        {"task": [task] * n, "lr": [10.0 ** -(i + 1) for i in range(n)], objective: values}
        | {name: [value] * n for name, value in columns.items()}
    )


def test_values_of_the_other_direction_are_turned_around():
    errors = rf.History.from_frame(runs("a", "error", [0.3, 0.1, 0.2]))
    scores = rf.History.from_frame(runs("b", "auc", [0.7, 0.8, 0.9]))
    joined = rf.History.concat([errors, scores])
    assert joined.goal == "minimize 'error' (guessed from its name)"
    assert joined.frame["error"].to_list() == [0.3, 0.1, 0.2, -0.7, -0.8, -0.9]
    assert any("to maximize 'auc'; its values are negated" in note for note in joined.notes)
    best = {task.name: task.incumbent["lr"] for task in rf.learn(joined, starts=0).tasks}
    assert best == {"a": 1e-2, "b": pytest.approx(1e-3)}
    assert rf.History.concat([scores, errors]).roles.direction == "maximize"


def test_a_task_is_not_judged_by_a_loss_here_and_a_score_there():
    errors = rf.History.from_frame(runs("a", "error", [0.3, 0.1]))
    scores = rf.History.from_frame(runs("a", "auc", [0.7, 0.8]))
    with pytest.raises(rf.HistoryError, match=r"task 'a' has runs to minimize 'error'.*compared"):
        rf.History.concat([errors, scores])


def test_a_task_is_not_judged_by_two_scores_of_different_scale():
    """Every best run would come from the one with the larger numbers."""
    shares = rf.History.from_frame(runs("a", "accuracy", [0.7, 0.8]))
    per_cents = rf.History.from_frame(runs("a", "auc", [50.0, 85.0]))
    with pytest.raises(rf.HistoryError, match=r"'accuracy'.*'auc'.*one objective"):
        rf.History.concat([shares, per_cents])
    elsewhere = rf.History.from_frame(runs("b", "auc", [50.0, 85.0]))
    assert rf.History.concat([shares, elsewhere]).tasks == ("a", "b")


def test_results_of_a_search_join_the_runs_of_their_task():
    space = rf.Space({"lr": rf.Float(1e-4, 1e-1, log=True)})
    found = rf.minimize(lambda config: config["lr"], space, "random", 3).history("a")
    errors = rf.History.from_frame(runs("a", "error", [0.3, 0.1]))
    assert len(rf.History.concat([errors, found])) == 5
    scores = rf.History.from_frame(runs("a", "auc", [0.3, 0.1]))
    with pytest.raises(rf.HistoryError, match="cannot be compared"):
        rf.History.concat([scores, found])


def test_runs_without_a_status_have_finished():
    old = rf.History.from_frame(runs("a", "error", [0.3, 0.1]))
    new = rf.History.from_frame(runs("b", "error", [0.3, 0.1], status="failed"), status="status")
    for joined, kept in (
        (rf.History.concat([old, new]), "a"),
        (rf.History.concat([new, old]), "a"),
    ):
        assert [task.name for task in rf.learn(joined, starts=0).tasks] == [kept]


def test_the_joined_space_holds_both():
    def carrying(task, low, high, choices):
        space = rf.Space({"lr": rf.Float(low, high, log=True), "kind": rf.Categorical(choices)})
        outcome = rf.minimize(lambda c: c["lr"], space, "random", 3)
        return outcome.history(task)

    joined = rf.History.concat(
        [carrying("a", 1e-4, 1e-2, ["a", "b"]), carrying("b", 1e-3, 1e-1, ["b", "c"])]
    )
    assert joined.space == rf.Space(
        {"lr": rf.Float(1e-4, 1e-1, log=True), "kind": rf.Categorical(["a", "b", "c"])}
    )


def test_several_sources_are_read_as_one(tmp_path):
    runs("a", "error", [0.3, 0.1]).write_csv(tmp_path / "a.csv")
    runs("b", "error", [0.3, 0.1]).write_parquet(tmp_path / "b.parquet")
    third = rf.History.from_frame(runs("c", "error", [0.3, 0.1]))
    sources = [tmp_path / "a.csv", str(tmp_path / "b.parquet"), runs("d", "error", [1.0]), third]
    history = rf.read_history(sources, task="task", objective="error")
    assert history.tasks == ("a", "b", "d", "c")
    assert history.where(3).startswith("row 1 of ") and "b.parquet" in history.where(3)
    records = [{"task": "e", "lr": 0.1, "error": 1.0}, {"task": "e", "lr": 0.2, "error": None}]
    assert rf.read_history(records).frame["error"].to_list() == [1.0, None]
    with pytest.raises(rf.HistoryError, match="the list of past runs is empty"):
        rf.read_history([])


def test_a_task_in_two_sources_is_said():
    one = rf.History.from_frame(
        pl.DataFrame({"task": ["adult", "adult", "wine"], "x": [0.1, 0.2, 0.3], "loss": [1, 2, 3]}),
        task="task",
        objective="loss",
    )
    other = one.only(["adult"])
    joined = rf.History.concat([one, other])
    assert any("adult is in several sources" in note for note in joined.notes)
    assert not any("several sources" in note for note in rf.History.concat([one]).notes)


def test_a_table_beside_a_storage_does_not_undo_what_the_storage_declares():
    declared = {
        "lr": rf.Float(1e-5, 1.0, log=True),
        "n": rf.Int(1, 64, log=True),
        "opt": rf.Categorical(["adam", "sgd", "lion"]),
        "beta": rf.Float(0.8, 1.0),
    }
    space = rf.Space(declared, [rf.Condition("beta", "opt", ["adam"])])
    rng = np.random.default_rng(0)
    runs = [
        {
            "lr": 10 ** rng.uniform(-2.2, -1.8),
            "n": int(rng.integers(3, 6)),
            "opt": "sgd",
            "beta": None,
            "loss": rng.random(),
        }
        for _ in range(30)
    ]
    frames = [pl.DataFrame(runs).with_columns(task=pl.lit(task)) for task in ("a", "b")]
    first, second = (rf.read_history(f, task="task", objective="loss") for f in frames)
    first = replace(first, space=space, task_spaces={"a": space})
    inferred = rf.infer_space(rf.History.concat([first, second]))
    assert inferred.space["lr"] == declared["lr"] and inferred.space["n"] == declared["n"]
    assert "1 task declares a space, which counts beside what was tried" in inferred.notes[-1]
    observed = rf.infer_space(second)
    assert observed.space["n"] == rf.Int(3, 5)


def test_which_of_several_sources_is_wrong_is_said(tmp_path):
    good = pl.DataFrame({"task": ["a", "b"], "x": [1.0, 2.0], "loss": [0.1, 0.2]})
    bad = tmp_path / "bad.csv"
    good.rename({"task": "who"}).write_csv(bad)
    with pytest.raises(rf.HistoryError, match=r"^.*bad\.csv: cannot tell which column is the task"):
        rf.read_history([good, bad])
    with pytest.raises(rf.HistoryError, match=r"^cannot tell which column is the task"):
        rf.read_history([bad])


def test_an_export_of_weights_and_biases_is_told_its_format():
    columns = {"Name": ["r"], "State": ["finished"], "Created": ["now"], "Runtime": [3]}
    runs = pl.DataFrame({**columns, "Sweep": ["s"], "lr": [0.1], "loss": [0.2]})
    with pytest.raises(rf.HistoryError, match="format='wandb'"):
        rf.History.from_frame(runs)
