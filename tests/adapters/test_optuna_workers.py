"""Processes on one study in PostgreSQL, one of them killed: nothing lost, nothing outside."""

from __future__ import annotations

import subprocess
import sys
import time

import optuna
import pytest
import sqlalchemy as sa
from optuna.trial import TrialState

import ringfence as rf
from problems import region

optuna.logging.set_verbosity(optuna.logging.ERROR)

KILLED = 3
PATIENCE = 600  # seconds, for a busy machine
WORK = """
import sys
import optuna
import ringfence as rf
from ringfence.adapters.optuna import sampler

url, learned, random, worker, trials = sys.argv[1:]
optuna.logging.set_verbosity(optuna.logging.ERROR)
base = optuna.samplers.TPESampler(n_startup_trials=int(random))
study = optuna.load_study(
    storage=url, study_name="shared", sampler=sampler(rf.load(learned), base, seed=0, guard=0)
)

def objective(trial):
    kernel = trial.suggest_categorical("kernel", ["linear", "poly", "rbf"])
    value = trial.suggest_float("C", 1e-3, 1e3, log=True) + trial.suggest_float("shrink", 0, 1)
    if kernel != "linear":
        value += trial.suggest_float("gamma", 1e-4, 10.0, log=True)
    if kernel == "poly":
        value += trial.suggest_int("degree", 2, 6)
    trial.set_user_attr("worker", int(worker))
    return value

study.optimize(objective, n_trials=int(trials))
"""


@pytest.fixture
def learned():
    return region("conditional", "ellipsoid")


@pytest.mark.parametrize("n_workers, n", [(4, 25), pytest.param(8, 100, marks=pytest.mark.slow)])
def test_many_workers_one_killed(n_workers, n, postgres, learned, tmp_path):
    """All but one do n trials each, that one would never end. The last n trials of the others have
    a model behind them."""
    learned.save(tmp_path / "learned.json")
    study = optuna.create_study(storage=postgres, study_name="shared")
    random = str((n_workers - 2) * n)
    arguments = [sys.executable, "-c", WORK, postgres, tmp_path / "learned.json", random]
    shares = [10_000 if i == KILLED else n for i in range(n_workers)]
    workers = [subprocess.Popen([*arguments, str(i), str(m)]) for i, m in enumerate(shares)]
    try:
        deadline = time.monotonic() + PATIENCE
        while finished(postgres, KILLED) < n // 5 and time.monotonic() < deadline:
            time.sleep(0.02)
        workers[KILLED].kill()
        codes = [worker.wait(timeout=PATIENCE) for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    assert [code for i, code in enumerate(codes) if i != KILLED] == [0] * (n_workers - 1)
    assert codes[KILLED] != 0
    trials = study.get_trials(deepcopy=False)
    assert sorted(trial.number for trial in trials) == list(range(len(trials)))
    done = [trial for trial in trials if trial.state == TrialState.COMPLETE]
    counts = [sum(t.user_attrs["worker"] == i for t in done) for i in range(n_workers)]
    assert [count for i, count in enumerate(counts) if i != KILLED] == [n] * (n_workers - 1)
    assert counts[KILLED] > 0
    assert len(trials) - len(done) <= 1  # the one that the killed worker had begun
    assert all(learned.contains(trial.params) for trial in done)
    assert len({tuple(sorted(t.params.items(), key=str)) for t in done}) == len(done)
    history = rf.read_history(postgres)
    assert (history.frame["state"] == "complete").sum() == len(done)


def finished(url: str, worker: int) -> int:
    """How many trials a worker has finished, or is about to."""
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    query = "SELECT count(*) FROM trial_user_attributes WHERE key = 'worker' AND value_json = :own"
    with engine.connect() as connection:
        count = connection.execute(sa.text(query), {"own": str(worker)}).scalar()
    engine.dispose()
    return int(count)
