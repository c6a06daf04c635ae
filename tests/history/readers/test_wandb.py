"""The CSV that Weights & Biases exports, in its documented columns (making one needs a login)."""

from __future__ import annotations

import polars as pl
import pytest

import ringfence as rf
from readers.formats import (
    MISMATCHED,
    OUTCOMES,
    PARAMETERS,
    assert_mismatched,
    assert_outcomes,
    assert_same_learned,
    in_memory,
    made_history,
    outcome_config,
)

FACTS = {"Name": "run", "Notes": "-", "User": "me", "Runtime": 12, "Created": "2026-01-01"}


def export(path, prefix="", metric=""):
    """The made history as the runs table of a project whose configuration names the data set."""
    frame = made_history()
    state = pl.col("status").replace({"failed": "crashed"}).alias("State")
    columns = [pl.lit(value).alias(name) for name, value in FACTS.items()]
    names = [pl.col(name).alias(f"{prefix}{name}") for name in PARAMETERS]
    task = pl.col("task").alias(f"{prefix}dataset")
    loss = pl.col("loss").alias(f"{metric}val_loss")
    step = pl.lit(7).alias("_step")
    frame.select(*columns, state, task, *names, loss, step).write_csv(path)
    return in_memory(frame)


@pytest.mark.parametrize(("prefix", "metric"), [("", ""), ("config.", "summary.")])
def test_an_export_teaches_what_its_table_teaches(tmp_path, prefix, metric):
    memory = export(tmp_path / "wandb.csv", prefix, metric)
    history = rf.read_history(tmp_path / "wandb.csv", format="wandb", objective="val_loss")
    assert history.roles.parameters == tuple(PARAMETERS)
    assert history.roles.task == "dataset"
    assert_same_learned(memory, history)
    (dropped,) = rf.learn(history).provenance.dropped
    assert dropped.rows == 4 and "State = crashed" in dropped.example


def test_mismatched_sweeps_count_with_what_they_have(tmp_path):
    rows = [
        {"Name": "r", "State": "finished", "Created": f"2026-01-0{day}T10:00:00Z", "Sweep": task}
        | {f"config.{name}": value for name, value in config.items()}
        | {"summary.val_loss": loss}
        for day, (task, trials) in enumerate(MISMATCHED.items(), 1)
        for config, loss in trials
    ]
    pl.DataFrame(rows, infer_schema_length=None).write_csv(tmp_path / "wandb.csv")
    history = rf.read_history(tmp_path / "wandb.csv", format="wandb", objective="val_loss")
    assert_mismatched(history)


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_mismatched_tables_count_with_what_they_have(tmp_path, ending):
    """A file for each task, with the columns that it has."""
    for day, (task, trials) in enumerate(MISMATCHED.items(), 1):
        rows = [{"task": task, "date": f"2026-01-0{day}", **c, "loss": x} for c, x in trials]
        table = pl.DataFrame(rows, infer_schema_length=None)
        write = {
            "csv": table.write_csv,
            "parquet": table.write_parquet,
            "jsonl": table.write_ndjson,
        }
        write[ending](tmp_path / f"{task}.{ending}")
    together = rf.read_history(str(tmp_path / f"*.{ending}"), task="task", objective="loss")
    assert_mismatched(together)
    paths = [tmp_path / f"{task}.{ending}" for task in MISMATCHED]
    assert_mismatched(rf.read_history(paths, task="task", objective="loss"))


def csv(path, text):
    path.write_text(text)
    return path


def test_a_sweep_is_a_task_where_nothing_else_is(tmp_path):
    path = csv(tmp_path / "r.csv", "Name,State,Sweep,lr,loss\na,finished,s1,1,5\nb,finished,s2,2,6")
    history = rf.read_history(path, format="wandb", objective="loss")
    assert history.tasks == ("s1", "s2") and history.roles.parameters == ("lr",)


def test_runs_that_all_crashed_leave_nothing_to_learn_from(tmp_path):
    path = csv(tmp_path / "r.csv", "Name,State,task,lr,loss\na,crashed,t,1,5\nb,killed,t,2,6\n")
    with pytest.raises(rf.HistoryError, match="no run of the history finished"):
        rf.learn(rf.read_history(path, format="wandb", objective="loss"))


def test_several_exports_are_read_as_one(tmp_path):
    for name in ("a", "b"):
        csv(tmp_path / f"{name}.csv", f"Name,State,Project,lr,loss\nx,finished,{name},1,5\n")
    history = rf.read_history(str(tmp_path / "*.csv"), format="wandb", objective="loss")
    assert history.tasks == ("a", "b")


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("lr,loss\n1,2\n", {}, "no columns Name and State; export the runs table"),
        ("Name,State,lr,loss\na,finished,1,2\n", {"objective": "loss"}, "which column is the task"),
        ("Name,State,task,lr,loss\na,finished,t,1,2\n", {}, "name one with objective=…"),
        (
            "Name,State,config.lr,summary.lr\na,finished,1,2\n",
            {},
            "'lr' is both a parameter and a metric",
        ),
    ],
)
def test_bad_exports_are_one_clear_error(tmp_path, text, options, message):
    path = csv(tmp_path / "r.csv", text)
    with pytest.raises(rf.HistoryError, match=message):
        rf.read_history(path, format="wandb", **options)


def test_metrics_of_an_unmarked_export_are_not_parameters(tmp_path):
    header = "Name,State,Sweep,Runtime,lr,model,val_loss,train_loss,accuracy,f1,epoch,num_params"
    rows = [f"r{i},finished,s{i % 2},9,0.{i}1,m{i % 2},{i},1,0.5,0.{i},{i},99" for i in range(6)]
    path = csv(tmp_path / "r.csv", "\n".join([header, *rows]))
    history = rf.read_history(path, format="wandb", objective="val_loss")
    assert history.roles.parameters == ("lr", "model")
    assert "took Sweep as the task" in history.notes
    (note,) = [note for note in history.notes if note.startswith("not taken as parameters")]
    assert "train_loss, accuracy, f1, epoch, num_params (results)" in note and "State" not in note


@pytest.mark.parametrize("runtime", ["Runtime", "summary._runtime", "text"])
def test_durations_and_failures(tmp_path, runtime):
    states = {"ok": "finished", "killed": "killed", "pruned": "running", "crash": "crashed"}
    rows = []
    for depth, (loss, fate, seconds) in OUTCOMES.items():
        time = {"text": {"Runtime": f"{seconds // 60:.0f}m {seconds % 60:.0f}s"}}
        rows.append(
            {"Name": f"r{depth}", "State": states.get(fate, "failed"), "Sweep": "t"}
            | {f"config.{name}": value for name, value in outcome_config(depth).items()}
            | {"summary.val_loss": loss, **time.get(runtime, {runtime: seconds})}
        )
    pl.DataFrame(rows, infer_schema_length=None).write_csv(tmp_path / "wandb.csv")
    history = rf.read_history(tmp_path / "wandb.csv", format="wandb", objective="val_loss")
    assert_outcomes(history, {3: None, 4: None, 5: "crash"})
