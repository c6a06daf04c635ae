"""What staying inside an ellipsoid costs an Optuna sampler: a study of 1,000 trials, and its last
hundred, against the bare base sampler on the same objective."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator

import optuna
from optuna.samplers import BaseSampler, CmaEsSampler, NSGAIISampler, RandomSampler, TPESampler

import ringfence as rf
from benchmarks.timing import Row
from ringfence.adapters.optuna import sampler

TRIALS, LAST = 1000, 100
BASES: dict[str, Callable[[], BaseSampler]] = {
    "random": lambda: RandomSampler(seed=0),
    "TPE": lambda: TPESampler(seed=0),
    "CMA-ES": lambda: CmaEsSampler(seed=0),
    "NSGA-II": lambda: NSGAIISampler(seed=0),
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
    return rf.learn(rf.read_history(storage), shape="ellipsoid")


def cpu(chosen: BaseSampler) -> tuple[float, float]:
    """CPU seconds of the whole study, and of its last trials alone."""
    study = optuna.create_study(sampler=chosen)
    start = time.process_time()
    study.optimize(objective, n_trials=TRIALS - LAST)
    middle = time.process_time()
    study.optimize(objective, n_trials=LAST)
    return time.process_time() - start, time.process_time() - middle


def rows() -> Iterator[Row]:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    learned = learned_space()
    for name, base in BASES.items():
        whole, last = cpu(base())
        ours, ours_last = cpu(sampler(learned, base()))
        note = f"the last {LAST}: {ours_last / LAST * 1e3:.1f} ms a trial, bare "
        note += f"{last / LAST * 1e3:.1f} ms"
        yield Row(f"{name}, {TRIALS} trials inside an ellipsoid", ours, whole, note=note)


if __name__ == "__main__":
    for row in rows():
        sys.stdout.write(f"{row.what}: {row.ours:.2f} s, bare {row.other:.2f} s; {row.note}\n")
