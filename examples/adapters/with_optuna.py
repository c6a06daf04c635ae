"""Optuna over a learned ellipsoid, and its study as the history of the next one."""

import math

import optuna

import ringfence as rf
from ringfence.adapters.optuna import enqueue, sampler

optuna.logging.set_verbosity(optuna.logging.ERROR)
learned = rf.learn(rf.example_history(), shape="ellipsoid", outliers=0.1, refit=True)


def objective(trial):
    """In the place of training a support vector machine; the ranges are as wide as ever."""
    kernel = trial.suggest_categorical("kernel", ["poly", "rbf", "sigmoid"])
    C = trial.suggest_float("C", 1e-4, 1e5, log=True)
    gamma = trial.suggest_float("gamma", 1e-6, 1e3, log=True)
    components = trial.suggest_float("components", 0.0, 1.0)
    degree = trial.suggest_int("degree", 1, 9) if kernel == "poly" else 1
    coef0 = trial.suggest_float("coef0", 0.0, 1.0) if kernel != "rbf" else 0.0
    return abs(math.log10(C * gamma)) + (components - 0.7) ** 2 + 0.1 * degree + coef0


study = optuna.create_study(sampler=sampler(learned, optuna.samplers.TPESampler()))
enqueue(study, learned.sample(3, seed=0))
study.optimize(objective, n_trials=30)
print(f"{study.best_value:.3f} with {study.best_params}")

# One trial in ten is the guard's and searches the original space; guard=None would keep all inside.
inside = [trial for trial in study.trials if "ringfence:guard" not in trial.system_attrs]
print(f"{len(study.trials) - len(inside)} of {len(study.trials)} trials were the guard's")
assert all(learned.contains(trial.params) for trial in inside)

print(rf.read_history(study))
