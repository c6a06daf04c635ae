"""What a column is, by its name and values: what was measured is no parameter, and of several
metrics the objective is the one on held-out data, or it is asked."""

import numpy as np
import polars as pl
import pytest

import ringfence as rf

N = 60
TASKS = [task for task in "abcdef" for _ in range(10)]


def table(*measured, **columns):
    """Runs of six tasks with two parameters, `measured` numbers and other columns."""
    rng = np.random.default_rng(0)
    base = {"lr": 10 ** rng.uniform(-4, -1, N), "depth": rng.integers(2, 9, N)}
    tasks = {} if "dataset" in columns else {"dataset": TASKS}
    numbers = {name: rng.uniform(0.5, 0.99, N) for name in measured}
    return pl.DataFrame({**tasks, **base, **numbers, **columns}, strict=False)


MEASURED = """
accuracy precision recall mcc kappa mape aic bic spearman pearson ppl bleu rouge1 mlogloss merror
regret bpb grad_norm eval_samples_per_second train_steps_per_second tokens_per_second total_flos
best_ntree_limit tp fp tn fn ci_low ci_high stderr std support fps n_iter_ best_iter
training_iteration timesteps_total episode_len_mean best_so_far incumbent perplexity
split0_test_score split1_train_score hit@10 cost
"""


@pytest.mark.parametrize("name", MEASURED.split())
def test_what_was_measured_is_no_parameter(name):
    history = rf.History.from_frame(table("f1", name), objective="f1")
    assert history.roles.parameters == ("lr", "depth")
    assert any(
        f"not taken as parameters: {name} (results); to take one of them, name all" in note
        for note in history.notes
    )


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("precision", [16, 32]),
        ("precision", [16.0, 32.0]),
        ("cost", [0.1, 1.0, 10.0]),
        ("perplexity", [5, 30, 50]),
        ("nms_iou", None),
        ("reward_discount", None),
        ("decay_time", None),
        ("max_grad_norm", None),
        ("init_std", None),
        ("n_iter", None),
        ("target_kl", None),
    ],
)
def test_what_is_called_nearly_so_may_be_tuned(name, values):
    columns = [name] if values is None else []
    chosen = {} if values is None else {name: np.resize(values, N)}
    history = rf.History.from_frame(table("f1", *columns, **chosen), objective="f1")
    assert history.roles.parameters == ("lr", "depth", name)


@pytest.mark.parametrize(
    ("names", "objective"),
    [
        ("val_auc", "val_auc"),
        ("val_f1", "val_f1"),
        ("eval_accuracy", "eval_accuracy"),
        ("loss accuracy val_loss", "val_loss"),
        ("error val_error", "val_error"),
        ("train_loss test_loss", "test_loss"),
        ("loss test_accuracy val_accuracy", "val_accuracy"),
        ("loss valAcc", "valAcc"),
        ("accuracy latency_ms fps", "accuracy"),
        ("split0_test_score split1_test_score mean_test_score rank_test_score", "mean_test_score"),
        ("episode_reward_mean episode_len_mean", "episode_reward_mean"),
    ],
)
def test_the_objective_is_the_only_metric_on_held_out_data(names, objective):
    history = rf.History.from_frame(table(*names.split()))
    assert history.roles.objective == objective
    rivals = [name for name in ("loss", "accuracy", "test_accuracy") if name in names.split()]
    (note,) = [note for note in history.notes if "as the objective" in note]
    assert all(rival in note for rival in rivals)


@pytest.mark.parametrize(
    ("names", "candidates"),
    [
        ("loss accuracy val_loss val_accuracy", "val_loss, val_accuracy"),
        ("loss auc", "loss, auc"),
        ("value accuracy", "value, accuracy"),
    ],
)
def test_several_metrics_that_could_be_the_objective_are_named(names, candidates):
    message = f"which column is the objective\\? candidates: {candidates}; name it with objective="
    with pytest.raises(rf.HistoryError, match=message):
        rf.History.from_frame(table(*names.split()))


def test_the_frame_of_a_scikit_learn_search_is_understood():
    shown = table(
        "mean_fit_time", "split0_test_score", "mean_test_score", "std_test_score", "odd",
        param_max_depth=np.resize([1, 2, 3], N), param_loss=np.resize(["log", "hinge"], N),
        params=["{'max_depth': 1}"] * N, rank_test_score=range(N),
    )  # fmt: skip
    history = rf.History.from_frame(shown.drop("lr", "depth"))
    assert history.goal == "maximize 'mean_test_score' (guessed from its name)"
    assert history.roles.parameters == ("param_max_depth", "param_loss")
    notes = "\n".join(history.notes)
    assert "the parameters are the columns called param_…, and keep these names" in notes
    assert "odd, params (not called param_…)" in notes


def test_the_frame_of_an_optuna_study_is_understood():
    shown = table(
        "value", "params_x", "user_attrs_accuracy", "params_count", number=range(N),
        params_k=np.resize(["a", "b"], N), state=np.resize(["COMPLETE", "PRUNED", "FAIL"], N),
    )  # fmt: skip
    history = rf.History.from_frame(shown.drop("lr", "depth"), direction="minimize")
    assert history.roles.parameters == ("params_x", "params_k")
    notes = "\n".join(history.notes)
    assert "user_attrs_accuracy, number (labels); params_count (results)" in notes
    assert "runs whose 'state' says FAIL, PRUNED do not count" in notes


KINDS = ["clf"] * 30 + ["reg"] * 30


@pytest.mark.parametrize(
    "other",
    [
        {"task": ["classification"] * N},
        {"task_id": range(N)},
        {"experiment": [f"e{i}" for i in range(N)]},
        {"dataset_id": [ord(task) for task in TASKS]},
    ],
)
def test_the_task_groups_the_runs_and_no_other_of_its_names_is_a_parameter(other):
    history = rf.History.from_frame(table("val_loss", **other))
    assert history.roles.task == "dataset" and history.roles.parameters == ("lr", "depth")
    assert any(f"{next(iter(other))} (called like a task)" in note for note in history.notes)


@pytest.mark.parametrize(
    ("name", "names"), [("task", "task, dataset"), ("study", "dataset, study")]
)
def test_two_tasks_that_group_the_runs_differently_are_named(name, names):
    shown = table("val_loss", **{name: KINDS})
    with pytest.raises(rf.HistoryError, match=f"which column is the task\\? candidates: {names}"):
        rf.History.from_frame(shown)
    for said in ({"task": "dataset"}, {"ignore": [name]}):
        assert len(rf.History.from_frame(shown, **said).tasks) == 6


@pytest.mark.parametrize(
    ("words", "used"),
    [
        (["TERMINATED", "ERROR"], 30),
        (["passed", "killed", "oom"], 20),
        (["ended", "stopped"], 30),
        ([True, False], 30),
    ],
)
def test_a_status_tells_which_runs_count(words, used):
    history = rf.History.from_frame(table("val_loss", status=np.resize(words, N)))
    assert (history.roles.status, history.roles.parameters) == ("status", ("lr", "depth"))
    assert rf.learn(history, starts=0).provenance.rows_used == used
    assert any("runs whose 'status' says" in note for note in history.notes)


@pytest.mark.parametrize("words", [["CA", "NY"], ["converged", "failed"]])
def test_a_status_that_is_not_understood_is_asked_about(words):
    shown = table("val_loss", state=np.resize(words, N))
    message = f"'state' is called like the status of runs, but holds '{words[0]}', '{words[1]}'"
    with pytest.raises(rf.HistoryError, match=message):
        rf.History.from_frame(shown)
    for said in ({"ignore": ["state"]}, {"parameters": ["lr", "depth"]}):
        assert rf.History.from_frame(shown, **said).roles.status is None
    tuned = rf.History.from_frame(shown, parameters=["lr", "state"])
    assert tuned.roles.parameters == ("lr", "state")


def test_a_status_in_numbers_is_no_parameter():
    history = rf.History.from_frame(table("val_loss", status=np.resize([0, 1], N)))
    assert history.roles.parameters == ("lr", "depth")


@pytest.mark.parametrize("named", [{}, {"task": "run", "objective": "value"}])
def test_a_table_with_a_row_for_each_value_is_not_learned_from(named):
    wide = table("val_loss", run=[f"r{i}" for i in range(N)])
    tall = wide.cast(pl.String).unpivot(index="run", variable_name="key", value_name="value")
    with pytest.raises(rf.HistoryError, match=r"long=\('run', 'key', 'value'\)"):
        rf.read_history(tall, **named, direction="minimize")
    with pytest.raises(rf.HistoryError, match="'long' is an option of ibis"):
        rf.read_history(tall, long=("run", "key", "value"))


def test_a_parameter_may_be_called_key_and_an_objective_value():
    history = rf.read_history(
        table("value", key=["a", "b"] * 30), objective="value", direction="minimize"
    )
    assert set(history.roles.parameters) == {"lr", "depth", "key"}
