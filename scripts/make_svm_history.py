"""Make the tuning history that ships with ringfence: one learner, twenty small real tasks.

Every row of the table is a real evaluation: the cross-validated error of a support vector
classifier on principal components, and how long its fits took, for one random configuration on one
task. The tasks are cut from the data sets that scikit-learn carries, so nothing is downloaded.
Fewer features or added noise keep a task from being so easy that many configurations share the
lowest error.

    pip install ringfence scikit-learn
    python scripts/make_svm_history.py              # evaluate everything: minutes on one core
    python scripts/make_svm_history.py --check 40   # re-evaluate 40 random rows of the table
"""

import argparse
import json
import platform
import re
import sys
import time
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import ceil
from pathlib import Path

import numpy as np
import polars as pl
import sklearn
from sklearn import datasets
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

TABLE = Path(__file__).parents[1] / "src/ringfence/data/svm_history.parquet"
PROVENANCE = TABLE.with_suffix(".json")

SEED = 0
CONFIGURATIONS = 256  # per task
MAX_ROWS = 300  # per task
FOLDS, REPEATS = 5, 3
MAX_ITER = 20_000  # of the solver; see `evaluate`
TOLERANCE = 0.01  # another processor or scikit-learn may flip a prediction or two; see `check`

SPACE = {
    "kernel": {"type": "categorical", "choices": ["poly", "rbf", "sigmoid"]},
    "C": {"type": "float", "low": 1e-3, "high": 1e3, "log": True},
    "gamma": {"type": "float", "low": 1e-4, "high": 10.0, "log": True},
    "components": {"type": "float", "low": 0.1, "high": 1.0, "log": False},
    "degree": {"type": "int", "low": 2, "high": 5, "log": False},
    "coef0": {"type": "float", "low": 0.0, "high": 1.0, "log": False},
}
KERNELS = {"degree": ["poly"], "coef0": ["poly", "sigmoid"]}  # that use it; the others always are

SOURCES = {
    "digits": "load_digits, the 8x8 images averaged to 4x4 pixels",
    "breast_cancer": "load_breast_cancer",
    "wine": "load_wine",
    "iris": "load_iris",
    "diabetes": "load_diabetes, label 1 where the target is above its median, else 0",
}


@dataclass(frozen=True)
class Task:
    """How a task is cut from a data set."""

    source: str
    classes: list[list[int]]  # the original labels that make up each class
    features: str = ".*"  # a regular expression for the names of the features that are kept
    noise: float = 0.0  # Gaussian noise added to each feature, in its standard deviations


SHAPE = "mean (smoothness|compactness|symmetry|fractal dimension)"
TASKS = {
    "digits-3-vs-8": Task("digits", [[3], [8]], noise=1.0),
    "digits-4-vs-9": Task("digits", [[4], [9]], noise=1.0),
    "digits-1-vs-8": Task("digits", [[1], [8]], noise=1.0),
    "digits-2-vs-7": Task("digits", [[2], [7]], noise=1.0),
    "digits-5-vs-9": Task("digits", [[5], [9]], noise=1.0),
    "digits-even-vs-odd": Task("digits", [[0, 2, 4, 6, 8], [1, 3, 5, 7, 9]]),
    "digits-low-vs-high": Task("digits", [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]),
    "digits-loop-vs-none": Task("digits", [[0, 6, 8, 9], [1, 2, 3, 4, 5, 7]], noise=0.5),
    "digits-all-ten": Task("digits", [[digit] for digit in range(10)], noise=0.5),
    "cancer-mean": Task("breast_cancer", [[0], [1]], features="mean .*"),
    "cancer-error": Task("breast_cancer", [[0], [1]], features=".* error"),
    "cancer-worst": Task("breast_cancer", [[0], [1]], features="worst .*", noise=1.0),
    "cancer-shape": Task("breast_cancer", [[0], [1]], features=SHAPE),
    "wine-0-vs-1": Task("wine", [[0], [1]], features="malic_acid|ash|magnesium|hue"),
    "wine-1-vs-2": Task("wine", [[1], [2]], features="alcohol|malic_acid|.*ash|magnesium"),
    "wine-all-three": Task("wine", [[0], [1], [2]], features="malic_acid|.*ash|magnesium"),
    "iris-1-vs-2": Task("iris", [[1], [2]], noise=0.5),
    "iris-all-three": Task("iris", [[0], [1], [2]], noise=0.5),
    "diabetes-all": Task("diabetes", [[0], [1]]),
    "diabetes-serum": Task("diabetes", [[0], [1]], features="s[1-6]"),
}


def generator(name: str, purpose: str) -> np.random.Generator:
    """A random generator of its own for each task and purpose, the same on every machine."""
    return np.random.default_rng([SEED, zlib.crc32(f"{name}/{purpose}".encode())])


def load_source(source: str) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Features, integer labels and feature names of a whole data set."""
    data = getattr(datasets, f"load_{source}")()
    features, labels, names = data.data, data.target, list(data.feature_names)
    if source == "digits":
        features = data.images.reshape(-1, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(-1, 16)
        names = [f"pixel_{row}_{column}" for row in range(4) for column in range(4)]
    if source == "diabetes":
        labels = (labels > np.median(labels)).astype(int)
    return features, labels, names


@cache
def load_task(name: str) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Features, class indices and feature names of a task, at most `MAX_ROWS` random rows."""
    task, rng = TASKS[name], generator(name, "data")
    features, labels, names = load_source(task.source)
    kept = [column for column in names if re.fullmatch(task.features, column)]
    features = features[:, [names.index(column) for column in kept]]
    features = features + task.noise * features.std(axis=0) * rng.standard_normal(features.shape)
    class_of = {label: k for k, members in enumerate(task.classes) for label in members}
    rows = rng.permutation([i for i, label in enumerate(labels) if label in class_of])[:MAX_ROWS]
    return features[rows], np.array([class_of[labels[i]] for i in rows]), kept


def draw(rng: np.random.Generator, domain: dict) -> str | int | float:
    """A random value of one parameter; six digits, so that it prints in full."""
    if domain["type"] == "categorical":
        return str(rng.choice(domain["choices"]))
    if domain["type"] == "int":
        return int(rng.integers(domain["low"], domain["high"], endpoint=True))
    if domain["log"]:
        return float(f"{np.exp(rng.uniform(np.log(domain['low']), np.log(domain['high']))):.6g}")
    return float(f"{rng.uniform(domain['low'], domain['high']):.6g}")


def draw_configurations(name: str) -> Iterator[dict]:
    """Random configurations for a task; parameters that the kernel does not use are None."""
    rng = generator(name, "configurations")
    for _ in range(CONFIGURATIONS):
        values = {parameter: draw(rng, domain) for parameter, domain in SPACE.items()}
        unused = [key for key, kernels in KERNELS.items() if values["kernel"] not in kernels]
        yield values | dict.fromkeys(unused)


@cache
def load_folds(name: str) -> list[tuple[np.ndarray, ...]]:
    """Training and test features and classes of every fold: scaled and turned to the principal
    components of its training part, the largest first.

    Doing that once per fold is the pipeline StandardScaler + PCA + SVC without its overhead.
    """
    features, labels, _ = load_task(name)
    splits = RepeatedStratifiedKFold(
        n_splits=FOLDS, n_repeats=REPEATS, random_state=zlib.crc32(name.encode())
    )
    folds = []
    for train, test in splits.split(features, labels):
        turn = make_pipeline(StandardScaler(), PCA()).fit(features[train]).transform
        folds.append((turn(features[train]), labels[train], turn(features[test]), labels[test]))
    return folds


def evaluate(name: str, configuration: dict) -> tuple[float, float]:
    """Mean error over the test folds of repeated stratified cross-validation, and the seconds of
    one processor that the fits of all folds took, whatever else the machine did.

    A few configurations (a large C on overlapping classes) would keep the solver busy for very
    long. It stops after `MAX_ITER` iterations, the warning about it is silenced, and the error
    of the model it has reached counts, as it would in a tuning job with a time limit.
    """
    active = {key: value for key, value in configuration.items() if value is not None}
    share = active.pop("components")
    model, errors, seconds = SVC(**active, max_iter=MAX_ITER), [], 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for features, labels, test_features, test_labels in load_folds(name):
            kept = ceil(share * features.shape[1])
            start = time.process_time()
            model.fit(features[:, :kept], labels)
            seconds += time.process_time() - start
            predicted = model.predict(test_features[:, :kept])
            errors.append(np.mean(predicted != test_labels))
    return round(float(np.mean(errors)), 6), float(f"{seconds:.4g}")


def evaluate_all() -> Iterator[dict]:
    """Every row of the table, with a line of progress for each task."""
    for number, name in enumerate(TASKS, start=1):
        start, errors = time.perf_counter(), []
        for configuration in draw_configurations(name):
            error, seconds = evaluate(name, configuration)
            errors.append(error)
            yield {"task": name, **configuration, "error": error, "fit_seconds": seconds}
        print(
            f"{number:2d}/{len(TASKS)} {name:20s} best {min(errors):.4f} "
            f"median {np.median(errors):.4f}  {time.perf_counter() - start:5.1f} s",
            flush=True,
        )


def describe() -> dict:
    """Where the table comes from and what its columns mean."""
    tasks = {}
    for name, task in TASKS.items():
        features, labels, kept = load_task(name)
        tasks[name] = {
            "source": task.source,
            "classes": task.classes,
            "features": kept,
            "noise": task.noise,
            "n_rows": len(labels),
            "n_features": features.shape[1],
            "rows_per_class": np.bincount(labels).tolist(),
        }
    conditions = [
        {"child": key, "parent": "kernel", "values": kernels} for key, kernels in KERNELS.items()
    ]
    return {
        "about": "Real evaluations of one learner on small tasks; one row per configuration.",
        "learner": f"scikit-learn StandardScaler, PCA, SVC(..., max_iter={MAX_ITER})",
        "metric": f"error: misclassification rate, mean over {REPEATS} x {FOLDS} stratified "
        "cross-validation folds, six decimals; lower is better",
        "cost": "fit_seconds: seconds of one processor for the fits of all folds, four digits",
        "space": {"parameters": SPACE, "conditions": conditions},
        "components": "share of the principal components that are kept, rounded up",
        "inactive": "null",
        "configurations": f"{CONFIGURATIONS} per task, drawn at random and independently",
        "seed": SEED,
        "sources": SOURCES,
        "noise": "Gaussian, in standard deviations of each feature; drawn once per task",
        "tasks": tasks,
        "made_by": "python scripts/make_svm_history.py",
        "made_with": {
            "python": platform.python_version(),
            "scikit-learn": sklearn.__version__,
            "numpy": np.__version__,
            "polars": pl.__version__,
        },
        "license": "The table is Apache-2.0. The data sets it was computed from are carried by "
        "scikit-learn under their own terms; none of their rows are included.",
    }


def make() -> None:
    """Evaluate everything and write the table and its provenance."""
    types = {"categorical": pl.String, "float": pl.Float64, "int": pl.Int64}
    parameters = {parameter: types[domain["type"]] for parameter, domain in SPACE.items()}
    schema = {
        "task": pl.String,
        **parameters,
        "error": pl.Float64,
        "fit_seconds": pl.Float64,
    }
    table = pl.DataFrame(list(evaluate_all()), schema=schema)
    TABLE.parent.mkdir(exist_ok=True)
    unfinished = TABLE.with_suffix(".tmp")
    table.write_parquet(unfinished, compression="zstd")
    unfinished.replace(TABLE)
    unfinished.write_text(json.dumps(describe(), indent=2) + "\n", encoding="utf-8")
    unfinished.replace(PROVENANCE)
    print(f"{table.height} rows in {TABLE} ({TABLE.stat().st_size / 1024:.0f} KiB)")


def check(n_rows: int) -> bool:
    """Draw every configuration again, evaluate some of them, and compare with the table.

    With the versions in the provenance file the errors should agree to the last digit. The times
    of another machine are others, and are not compared.
    """
    table = pl.read_parquet(TABLE).drop("fit_seconds")
    drawn = [{"task": name, **row} for name in TASKS for row in draw_configurations(name)]
    if table.drop("error").to_dicts() != drawn:
        print("The configurations of the table are not the ones this script draws: make it again.")
        return False
    differences = []
    for index in np.random.default_rng().choice(table.height, size=n_rows, replace=False):
        row = table.row(int(index), named=True)
        name, shipped = row.pop("task"), row.pop("error")
        differences.append(abs(evaluate(name, row)[0] - shipped))
        if differences[-1] > 0:
            print(f"row {index} ({name}): the table says {shipped}, off by {differences[-1]:.6f}")
    equal = sum(difference == 0 for difference in differences)
    print(f"{equal} of {n_rows} rows agree to the last digit; largest gap {max(differences):.6f}")
    return max(differences) <= TOLERANCE


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Make or check the tuning history of ringfence.")
    parser.add_argument("--check", type=int, metavar="N", help="only re-evaluate N random rows")
    n_rows = parser.parse_args().check
    if n_rows is None:
        make()
    elif not check(max(n_rows, 1)):
        sys.exit(1)
