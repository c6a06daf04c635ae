"""Makes src/ringfence/data/examples: past runs as tuning tools store them, for `ringfence example`.

    python scripts/make_examples.py [NAME ...]

The runs are rows of the embedded history (scripts/make_svm_history.py), so the errors are real;
each tool is told the configurations and writes them down in its own way. Weights & Biases needs a
login and HPO-B is a published file, so these two are written here, in the documented layout. What
names the machine is replaced, and pickles are left out. It takes two minutes, most of them Ray's.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import shutil
import sqlite3
import sys
import tarfile
import tempfile
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

import ringfence as rf

TARGET = Path(__file__).parents[1] / "src" / "ringfence" / "data" / "examples"
TASKS = 8
RUNS = 16
"""Of each task: enough to learn from and small enough to ship."""
FAILED = 5
"""The run of each task that is stored as failed, as in every real history."""
HISTORY = rf.example_history()
SPACE = HISTORY.space


def tasks() -> dict[str, list[tuple[dict[str, Any], float]]]:
    """The runs of each task: configuration, error. Tasks and runs are spread over the history."""
    chosen = HISTORY.tasks[:: len(HISTORY.tasks) // TASKS][:TASKS]
    found = {}
    for number, name in enumerate(chosen):
        frame = HISTORY.only([name]).frame.drop("task", "fit_seconds").slice(number * RUNS, RUNS)
        rows = frame.rows(named=True)
        found[name] = [
            ({k: v for k, v in row.items() if v is not None and k != "error"}, row["error"])
            for row in rows
        ]
    return found


def csv(folder: Path) -> None:
    """A spreadsheet's table."""
    rows = [
        {
            "dataset": task,
            **{name: config.get(name) for name in SPACE},
            "error": error if number != FAILED else None,
            "status": "finished" if number != FAILED else "failed",
        }
        for task, runs in tasks().items()
        for number, (config, error) in enumerate(runs)
    ]
    pl.DataFrame(rows, infer_schema_length=None).write_csv(folder / "runs.csv")


def optuna(folder: Path) -> None:
    """Studies in a SQLite file, one a task, by `study.optimize`."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    storage = f"sqlite:///{folder / 'studies.db'}"
    for task, runs in tasks().items():
        study = optuna.create_study(storage=storage, study_name=f"svm-{task}")
        study.set_user_attr("dataset", task)
        for config, _ in runs:
            study.enqueue_trial(config)

        def objective(trial: Any, runs: Any = runs) -> float:
            config = {"kernel": trial.suggest_categorical("kernel", ["poly", "rbf", "sigmoid"])}
            config["C"] = trial.suggest_float("C", 1e-3, 1e3, log=True)
            config["gamma"] = trial.suggest_float("gamma", 1e-4, 10.0, log=True)
            config["components"] = trial.suggest_float("components", 0.1, 1.0)
            if config["kernel"] == "poly":
                config["degree"] = trial.suggest_int("degree", 2, 5)
            if config["kernel"] != "rbf":
                config["coef0"] = trial.suggest_float("coef0", 0.0, 1.0)
            if trial.number == FAILED:
                raise MemoryError
            return next(error for known, error in runs if known == config)

        study.optimize(objective, n_trials=len(runs), catch=MemoryError)


def mlflow(folder: Path) -> None:
    """A tracking database, one experiment a task."""
    from mlflow import MlflowClient
    from mlflow.entities import Metric, Param

    client = MlflowClient(tracking_uri=f"sqlite:///{folder / 'mlflow.db'}")
    for task, runs in tasks().items():
        experiment = client.create_experiment(task, artifact_location="mlflow-artifacts:/")
        for number, (config, error) in enumerate(runs):
            run = client.create_run(experiment).info.run_id
            failed = number == FAILED
            client.log_batch(
                run,
                metrics=[] if failed else [Metric("error", error, 1000, 0)],
                params=[Param(name, str(value)) for name, value in config.items()],
            )
            client.set_terminated(run, "FAILED" if failed else "FINISHED")
    with closing(sqlite3.connect(folder / "mlflow.db")) as connection:
        with connection:  # of the experiment Default, which names a folder of this machine
            connection.execute("UPDATE experiments SET artifact_location = 'mlflow-artifacts:/'")
        connection.execute("VACUUM")


def raytune(folder: Path) -> None:
    """One experiment a task, by `Tuner.fit`."""
    import ray
    from ray import tune
    from ray.tune.search import Searcher

    class Listed(Searcher):
        """Suggests what is listed."""

        def __init__(self, configs: list[dict[str, Any]]) -> None:
            super().__init__(metric="error", mode="min")
            self.configs = list(configs)

        def suggest(self, trial_id: str) -> dict[str, Any] | None:
            return self.configs.pop(0) if self.configs else None

        def on_trial_complete(self, *_: Any, **__: Any) -> None:
            pass

    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="error")
    for task, runs in tasks().items():

        def train(config: dict[str, Any], runs: Any = runs) -> None:
            (number,) = [i for i, (known, _) in enumerate(runs) if known == config]
            if number == FAILED:
                raise MemoryError
            for missing in (0.05, 0.0):  # an error that falls to the recorded one
                tune.report({"error": runs[number][1] + missing})

        tune.Tuner(
            train,
            tune_config=tune.TuneConfig(
                search_alg=Listed([config for config, _ in runs]),
                num_samples=len(runs),
                max_concurrent_trials=1,
                reuse_actors=True,
                trial_dirname_creator=lambda trial: f"train_{trial.trial_id}",
            ),
            run_config=tune.RunConfig(name=task, storage_path=str(folder), verbose=0),
        ).fit()
        for path in (folder / task).glob("experiment_state-*.json"):
            path.write_text(json.dumps(_without_pickles(json.loads(path.read_text()))))
    ray.shutdown()


def _without_pickles(state: dict[str, Any]) -> dict[str, Any]:
    """An experiment's state without what Ray pickles into it and its running statistics."""
    trials = []
    for described, running in state["trial_data"]:
        trial, seen = json.loads(described), json.loads(running)
        kept = {k: v for k, v in trial.items() if not isinstance(v, dict) or "_type" not in v}
        kept = {k: v for k, v in kept.items() if not k.endswith("placement_group_factory")}
        trials.append([json.dumps(kept), json.dumps({"start_time": seen["start_time"]})])
    return {"trial_data": trials, "stats": state["stats"]}


def smac(folder: Path) -> None:
    """One scenario a task, as SMAC saves it."""
    from ConfigSpace import Configuration
    from smac import Scenario
    from smac.runhistory.enumerations import StatusType
    from smac.runhistory.runhistory import RunHistory

    from ringfence.adapters.configspace import to_configspace

    space = to_configspace(SPACE, seed=0).space
    for task, runs in tasks().items():
        scenario = Scenario(space, name=task, output_directory=folder, n_trials=RUNS, seed=0)
        scenario.save()
        history = RunHistory()
        for number, (config, error) in enumerate(runs):
            failed = number == FAILED
            history.add(
                Configuration(space, values=config),
                cost=float("inf") if failed else error,
                status=StatusType.CRASHED if failed else StatusType.SUCCESS,
                seed=0,
            )
        history.save(scenario.output_directory / "runhistory.json")


def synetune(folder: Path) -> None:
    """One experiment a task, as Syne Tune's callback stores it; each parameter has a value."""
    from syne_tune.backend.trial_status import Trial
    from syne_tune.optimizer.baselines import RandomSearch
    from syne_tune.results_callback import StoreResultsCallback
    from syne_tune.util import dump_json_with_numpy

    from ringfence.adapters.synetune import config_space

    for task, runs in tasks().items():
        own = folder / f"svm-{task}"
        own.mkdir()
        callback = StoreResultsCallback()
        callback.csv_file = str(own / "results.csv.zip")
        callback.save_results_at_frequency = lambda: None
        for number, (config, error) in enumerate(runs):
            trial = Trial(number, {"degree": 2, "coef0": 0.0, **config}, datetime(2026, 1, 1))
            status = "Failed" if number == FAILED else "Completed"
            callback.on_trial_result(trial, status, {"error": error, "epoch": 1}, "CONTINUE")
        callback.store_results()
        scheduler = RandomSearch(
            config_space(rf.learn(HISTORY, shape="box", starts=0).space), metrics=["error"],
            do_minimize=True, random_seed=0,
        )  # fmt: skip
        dump_json_with_numpy({**scheduler.metadata(), "benchmark": task}, own / "metadata.json")


def wandb(folder: Path) -> None:
    """The CSV of *Export as CSV* of a project's runs table."""
    rows = [
        {
            "Name": f"{task}-{number}",
            "State": "finished" if number != FAILED else "crashed",
            "Notes": "-",
            "User": "me",
            "Tags": "",
            "Created": "2026-01-01T10:00:00.000Z",
            "Runtime": 12 + number,
            "Sweep": f"svm-{task}",
            **{f"config.{name}": config.get(name) for name in SPACE},
            "summary.val_error": error if number != FAILED else None,
            "summary.train_error": round(0.8 * error, 6) if number != FAILED else None,
        }
        for task, runs in tasks().items()
        for number, (config, error) in enumerate(runs)
    ]
    pl.DataFrame(rows, infer_schema_length=None).write_csv(folder / "wandb.csv")


def hpob(folder: Path) -> None:
    """Search space → data set → X, y: the runs with the kernel rbf, scaled to [0, 1]."""
    names = ["C", "gamma", "components"]
    encoding = rf.Space({name: SPACE.parameters[name] for name in names})
    content = {}
    for number, task in enumerate(HISTORY.tasks[:TASKS], 1):
        frame = HISTORY.only([task]).frame.filter(pl.col("kernel") == "rbf").head(RUNS)
        scaled = [
            [round(_unit(encoding.parameters[name], row[name]), 6) for name in names]
            for row in frame.rows(named=True)
        ]
        accuracy = [[round(1 - error, 6)] for error in frame["error"]]
        content[str(number)] = {"X": scaled, "y": accuracy}
    (folder / "meta-train.json").write_text(json.dumps({"svm": content}))
    described = {"search_spaces": {"svm": {"variables_order": names}}}
    (folder / "meta-dataset-descriptors.json").write_text(json.dumps(described))


def _unit(parameter: Any, value: float) -> float:
    from ringfence.space import axis_of

    return float(axis_of(parameter).encode(value))


MAKERS = (csv, optuna, mlflow, raytune, smac, synetune, wandb, hpob)
LEFT_OUT = ("*.pkl", "*tfevents*", ".validate_*", "progress.csv", "search*state*", "error.txt")
"""Of Ray: pickles, and what says again what other files say."""
MACHINE = {rb'"(hostname|node_ip)": "[^"]+"': rb'"\1": "localhost"', rb'"pid": \d+': b'"pid": 1'}
"""What names the machine, and what is shown instead."""


def packed(folder: Path, path: Path) -> None:
    """Pack a folder: sorted, without times and owners, so that equal files give equal bytes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for file in sorted(folder.rglob("*")):
            if file.is_dir() or any(file.match(pattern) for pattern in LEFT_OUT):
                continue
            content = file.read_bytes()
            for pattern, shown in MACHINE.items():
                content = re.sub(pattern, shown, content)
            entry = tarfile.TarInfo(file.relative_to(folder).as_posix())
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    path.write_bytes(gzip.compress(buffer.getvalue(), 9, mtime=0))


if __name__ == "__main__":
    os.environ["MLFLOW_ENABLE_ASYNC_LOGGING"] = "false"
    TARGET.mkdir(exist_ok=True)
    for maker in MAKERS:
        if sys.argv[1:] and maker.__name__ not in sys.argv[1:]:
            continue
        home = Path(tempfile.mkdtemp())
        maker(home)
        target = TARGET / f"{maker.__name__}.tar.gz"
        packed(home, target)
        shutil.rmtree(home)
        print(f"{target.name}: {target.stat().st_size:,} bytes")
