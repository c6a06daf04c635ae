"""Optuna over a learned ellipsoid, and its study as the history of the next one."""

import math

import optuna
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import ringfence as rf
from ringfence.adapters.optuna import enqueue, sampler

optuna.logging.set_verbosity(optuna.logging.ERROR)
learned = rf.learn(rf.example_history(), shape="ellipsoid", outliers=0.1, refit=True)

images, digits = load_digits(n_class=8, return_X_y=True)
X, y = images[:240], digits[:240] % 3 == 0  # a new task: is the digit 0, 3 or 6?


def error(config):
    """Of a support vector machine on principal components, cross-validated."""
    config = dict(config)
    components = math.ceil(config.pop("components") * X.shape[1])
    model = make_pipeline(StandardScaler(), PCA(components), SVC(**config))
    return 1 - cross_val_score(model, X, y, cv=3).mean()


def objective(trial):
    """The ranges are as wide as ever; the sampler stays inside the learned space."""
    config = {"kernel": trial.suggest_categorical("kernel", ["poly", "rbf", "sigmoid"])}
    config["C"] = trial.suggest_float("C", 1e-4, 1e5, log=True)
    config["gamma"] = trial.suggest_float("gamma", 1e-6, 1e3, log=True)
    config["components"] = trial.suggest_float("components", 0.0, 1.0)
    if config["kernel"] == "poly":
        config["degree"] = trial.suggest_int("degree", 1, 9)
    if config["kernel"] != "rbf":
        config["coef0"] = trial.suggest_float("coef0", 0.0, 1.0)
    return error(config)


study = optuna.create_study(sampler=sampler(learned, optuna.samplers.TPESampler(), seed=0))
enqueue(study, learned.starts(3))  # what to try first
study.optimize(objective, n_trials=30)
print(f"error {study.best_value:.3f} after {len(study.trials)} trials")
