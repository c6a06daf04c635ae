"""What staying inside an ellipsoid costs an Optuna sampler, and whether that grows with the study.

    python -m benchmarks.optuna_sampler

Studies of 1,000 trials on one objective, inside and bare: CPU milliseconds for each of the trials
101 to 200 and for each of the last hundred, with trials in memory and in a SQLite file.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

import optuna
from optuna.samplers import BaseSampler, CmaEsSampler, RandomSampler, TPESampler

import ringfence as rf
from ringfence.adapters.optuna import sampler

TRIALS, WINDOW = 1000, 100
BASES: dict[str, Callable[[], BaseSampler]] = {
    "Random": lambda: RandomSampler(seed=0),
    "TPE": lambda: TPESampler(seed=0),
    "CMA-ES": lambda: CmaEsSampler(seed=0),
}


def objective(trial: optuna.Trial) -> float:
    """Eight parameters, the sum of squares of six of them."""
    total = sum(trial.suggest_float(f"x{i}", -5.0, 5.0) ** 2 for i in range(6))
    return total + trial.suggest_int("n", 1, 50) / 50 + trial.suggest_float("r", 1e-4, 1, log=True)


def learned_space() -> rf.LearnedSpace:
    """An ellipsoid around the best of twenty random studies."""
    storage = optuna.storages.InMemoryStorage()
    for seed in range(20):
        past = optuna.create_study(
            storage=storage, study_name=f"task {seed}", sampler=RandomSampler(seed=seed)
        )
        past.optimize(objective, n_trials=60)
    return rf.learn(rf.read_history(storage), shape="ellipsoid", starts=0)


def cpu(base: BaseSampler, storage: str | None) -> tuple[float, float]:
    """CPU milliseconds for a trial, early in the study and at its end."""
    study = optuna.create_study(sampler=base, storage=storage)
    study.optimize(objective, n_trials=WINDOW)
    early = _window(study)
    study.optimize(objective, n_trials=TRIALS - 3 * WINDOW)
    return early, _window(study)


def _window(study: optuna.Study) -> float:
    start = time.process_time()
    study.optimize(objective, n_trials=WINDOW)
    return (time.process_time() - start) / WINDOW * 1e3


def lines() -> Iterator[str]:
    learned = learned_space()
    yield "| base | trials in | bare, 101-200 | inside | bare, 901-1000 | inside | added |"
    yield "|---|---|---|---|---|---|---|"
    for name, base in BASES.items():
        for kind in ("memory", "SQLite"):
            with tempfile.TemporaryDirectory() as folder:
                storage = f"sqlite:///{folder}/study.db" if kind == "SQLite" else None
                bare, bare_late = cpu(base(), storage)
                ours, ours_late = cpu(sampler(learned, base()), storage)
            added = f"{ours - bare:.1f}, then {ours_late - bare_late:.1f} ms"
            times = f"{bare:.1f} ms | {ours:.1f} ms | {bare_late:.1f} ms | {ours_late:.1f} ms"
            yield f"| {name} | {kind} | {times} | {added} |"


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sys.stdout.write(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    for line in lines():
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
