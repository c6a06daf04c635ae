"""Twelve ordinary Optuna studies, the true worth of what ringfence learns from them, and its check.

The studies are what a user has: one learner, gradient boosting, tuned on twelve small real tasks by
Optuna's own sampler, trials that look poor after some folds pruned. The truth is what a user cannot
have: for each task the space is learned from the other eleven, and random configurations from
inside it and from the full space are trained. The answer holds `rf.check`, which sees the studies
alone, against the truth. The tasks are cut from the data sets that scikit-learn carries, so nothing
is downloaded.

    pip install 'ringfence[optuna]' scikit-learn joblib
    python scripts/make_twelve_studies.py studies FOLDER  # studies.db: a minute on two cores
    python scripts/make_twelve_studies.py truth FOLDER    # truth.csv: eight minutes on two cores
    python scripts/make_twelve_studies.py answer FOLDER   # prints both sides: seconds
"""

import argparse
import os
import re
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # of the learner; the tasks run side by side instead

import numpy as np
import optuna
import polars as pl
from joblib import Parallel, delayed
from sklearn import datasets
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

import ringfence as rf

SEED = 0
MAX_ROWS = 400  # per task, so that a trial takes less than a second
FOLDS = 5
BATCH = 10  # configurations that are trained by one job
JUDGED_AT = 10  # draws, as in `rf.check`
DRAWS = {"full": 160, "box": 40, "ellipsoid": 40}  # trained per task; with fewer from the full
# space it would not be known what several times `JUDGED_AT` draws from it reach
COUNTS = np.geomspace(1, DRAWS["full"], 400)  # of draws from the full space; no more are known
RESAMPLES, LEVEL = 2000, 0.9  # of the interval

SPACE = rf.Space(
    {
        "learning_rate": rf.Float(1e-3, 1.0, log=True),
        "max_iter": rf.Int(10, 300, log=True),
        "max_leaf_nodes": rf.Int(2, 64, log=True),
        "min_samples_leaf": rf.Int(1, 100, log=True),
        "l2_regularization": rf.Float(1e-4, 100.0, log=True),
    }
)
ARMS = {
    "full": {"shape": "full"},
    "box": {"shape": "box"},
    "ellipsoid": {"shape": "ellipsoid", "outliers": 0.1, "refit": True},
}


@dataclass(frozen=True)
class Task:
    """How a task is cut from a data set, and how long it was tuned."""

    source: str
    trials: int  # complete and pruned ones; users differ in their patience
    classes: tuple[str, ...]  # the digits of the original labels that make up each class
    features: str = ".*"  # a regular expression for the names of the features that are kept


TASKS = {
    "iris": Task("iris", 30, ("0", "1", "2")),
    "wine": Task("wine", 50, ("0", "1", "2")),
    "cancer": Task("breast_cancer", 30, ("0", "1")),
    "cancer-mean": Task("breast_cancer", 40, ("0", "1"), "mean .*"),
    "cancer-error": Task("breast_cancer", 40, ("0", "1"), ".* error"),
    "cancer-worst": Task("breast_cancer", 30, ("0", "1"), "worst .*"),
    "digits-odd-or-even": Task("digits", 40, ("13579", "02468")),
    "digits-low-or-high": Task("digits", 60, ("01234", "56789")),
    "digits-3-or-8": Task("digits", 30, ("3", "8")),
    "digits-4-or-9": Task("digits", 40, ("4", "9")),
    "diabetes": Task("diabetes", 80, ("0", "1")),
    "diabetes-serum": Task("diabetes", 50, ("0", "1"), "s[1-6]"),
}


def seed_of(*names: str) -> int:
    """A seed of its own for each task and purpose, the same on every machine."""
    return zlib.crc32("/".join([str(SEED), *names]).encode())


def load_source(source: str) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Features, integer labels and feature names of a whole data set."""
    data = getattr(datasets, f"load_{source}")()
    labels = data.target
    if source == "diabetes":  # a regression: is the target above its median?
        labels = (labels > np.median(labels)).astype(int)
    return data.data, labels, list(data.feature_names)


def load_task(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Features and class indices of a task, at most `MAX_ROWS` random rows."""
    task = TASKS[name]
    features, labels, names = load_source(task.source)
    kept = [i for i, column in enumerate(names) if re.fullmatch(task.features, column)]
    class_of = {int(label): k for k, members in enumerate(task.classes) for label in members}
    rows = [i for i, label in enumerate(labels) if label in class_of]
    rows = np.random.default_rng(seed_of(name, "rows")).permutation(rows)[:MAX_ROWS]
    return features[rows][:, kept], np.array([class_of[labels[i]] for i in rows])


def fold_losses(name: str, data: tuple[np.ndarray, np.ndarray], config: dict) -> Iterator[float]:
    """Log loss on each fold of stratified cross-validation, one after the other."""
    features, labels = data
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=seed_of(name, "folds") % 2**31)
    for train, test in splits.split(features, labels):
        model = HistGradientBoostingClassifier(**config, early_stopping=False, random_state=0)
        model.fit(features[train], labels[train])
        yield log_loss(labels[test], model.predict_proba(features[test]), labels=model.classes_)


# ------------------------------------------------------------------------------------- the studies


def tune(name: str) -> tuple[str, list[optuna.trial.FrozenTrial], float]:
    """The trials of one study, and the seconds that they took."""
    began, data = time.perf_counter(), load_task(name)

    def objective(trial: optuna.Trial) -> float:
        config = {}
        for parameter, domain in SPACE.parameters.items():
            suggest = trial.suggest_int if isinstance(domain, rf.Int) else trial.suggest_float
            config[parameter] = suggest(parameter, domain.low, domain.high, log=domain.log)
        losses = []
        for fold, loss in enumerate(fold_losses(name, data, config)):
            losses.append(loss)
            trial.report(float(np.mean(losses)), fold)
            if trial.should_prune():
                raise optuna.TrialPruned
        return float(np.mean(losses))

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        sampler=optuna.samplers.TPESampler(seed=seed_of(name, "sampler") % 2**31),
        pruner=optuna.pruners.MedianPruner(),
    )
    study.optimize(objective, n_trials=TASKS[name].trials)
    return name, study.trials, time.perf_counter() - began


def make_studies(folder: Path) -> None:
    """Tune every task and store the studies, one after the other, in one SQLite file."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    path, unfinished = folder / "studies.db", folder / "studies.tmp"
    unfinished.unlink(missing_ok=True)
    tuned = Parallel(n_jobs=-1, return_as="generator")(delayed(tune)(name) for name in TASKS)
    for name, trials, seconds in tuned:
        study = optuna.create_study(storage=f"sqlite:///{unfinished}", study_name=name)
        study.add_trials(trials)
        complete = [t.value for t in trials if t.state == optuna.trial.TrialState.COMPLETE]
        print(
            f"{name:20s} {len(complete)} complete, {len(trials) - len(complete)} pruned, "
            f"best {min(complete):.4f}, median {np.median(complete):.4f}  {seconds:5.1f} s",
            flush=True,
        )
    unfinished.replace(path)


# --------------------------------------------------------------------------------------- the truth


def read_studies(folder: Path) -> rf.History:
    """The studies, as ringfence reads them."""
    return rf.read_history(f"sqlite:///{folder / 'studies.db'}")


def draw(history: rf.History, name: str, arm: str) -> list[dict]:
    """Random configurations of the space that the other tasks teach."""
    others = [task for task in TASKS if task != name]
    learned = rf.learn(history.only(others), SPACE, starts=0, **ARMS[arm])
    return learned.sample(DRAWS[arm], seed=seed_of(name, arm))


def train(name: str, arm: str, configs: list[dict]) -> list[dict]:
    """A row of the truth for each configuration."""
    data = load_task(name)
    return [
        {"task": name, "arm": arm, **c, "log_loss": float(np.mean([*fold_losses(name, data, c)]))}
        for c in configs
    ]


def make_truth(folder: Path) -> None:
    """Train the configurations of every arm on every task; no pruning."""
    history = read_studies(folder)
    jobs = []
    for name in TASKS:
        for arm in ARMS:
            configs = draw(history, name, arm)
            batches = (configs[i : i + BATCH] for i in range(0, len(configs), BATCH))
            jobs += [delayed(train)(name, arm, batch) for batch in batches]
    rows: list[dict] = []
    for number, trained in enumerate(Parallel(n_jobs=-1, return_as="generator")(jobs), start=1):
        rows += trained
        if number % 12 == 0 or number == len(jobs):
            print(f"{number} of {len(jobs)} batches", flush=True)
    pl.DataFrame(rows).write_csv(folder / "truth.csv")


# -------------------------------------------------------------------------------------- the answer


def best_of(regrets: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Expected least regret of `counts` draws with replacement from the last axis of `regrets`.

    Exact: the least of k out of n sorted values is the i-th, from 0, or a later one with
    probability ((n - i) / n) ** k.
    """
    n = regrets.shape[-1]
    no_better = ((n - np.arange(n + 1)) / n)[:, None] ** counts
    return np.sort(regrets, axis=-1) @ (no_better[:-1] - no_better[1:])


def speed_up(inside: np.ndarray, full: np.ndarray) -> float:
    """How many draws from the full space `JUDGED_AT` draws inside are worth, per draw.

    `inside` and `full` are regrets, a row for each task. The answer lies between the ends of
    `COUNTS`.
    """
    reached = best_of(inside, np.array([JUDGED_AT])).mean()
    falling = best_of(full, COUNTS).mean(axis=0)
    return float(np.exp(np.interp(-reached, -falling, np.log(COUNTS)))) / JUDGED_AT


def interval(inside: np.ndarray, full: np.ndarray) -> tuple[float, float]:
    """90 % interval of the speed-up: tasks are resampled, and the draws of each of them."""
    rng = np.random.default_rng(SEED)
    n_tasks, found = len(inside), []
    for _ in range(RESAMPLES):
        tasks = rng.integers(n_tasks, size=(n_tasks, 1))
        drawn = [a[tasks, rng.integers(a.shape[1], size=a.shape)] for a in (inside, full)]
        found.append(speed_up(*drawn))
    low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def regrets_of(truth: pl.DataFrame, history: rf.History) -> dict[str, np.ndarray]:
    """By arm, the regrets of its draws, a row for each task.

    0 is the best value seen for the task, in the studies or here; 1 is the median of the full
    space, and worse values count as 1.
    """
    regrets: dict[str, list[np.ndarray]] = {arm: [] for arm in ARMS}
    for name in TASKS:
        rows = truth.filter(pl.col("task") == name)
        recorded = history.only([name]).frame[history.roles.objective]
        best = min(rows["log_loss"].min(), recorded.min())
        median = rows.filter(pl.col("arm") == "full")["log_loss"].median()
        for arm, by_task in regrets.items():
            values = rows.filter(pl.col("arm") == arm)["log_loss"].to_numpy()
            by_task.append(np.minimum((values - best) / (median - best), 1.0))
    return {arm: np.array(by_task) for arm, by_task in regrets.items()}


def answer(folder: Path) -> None:
    """Print the truth, and what the check says of the studies alone."""
    history = read_studies(folder)
    regrets = regrets_of(pl.read_csv(folder / "truth.csv"), history)
    after = {arm: best_of(rows, np.array([JUDGED_AT]))[:, 0] for arm, rows in regrets.items()}
    print(f"expected regret of the best of {JUDGED_AT} draws, trained")
    print(f"{'':20s}" + "".join(f"{arm:>11s}" for arm in ARMS))
    for row, name in enumerate(TASKS):
        print(f"{name:20s}" + "".join(f"{after[arm][row]:11.3f}" for arm in ARMS))
    print(f"{'mean':20s}" + "".join(f"{after[arm].mean():11.3f}" for arm in ARMS))
    for arm, settings in ARMS.items():
        if arm == "full":
            continue
        low, high = interval(regrets[arm], regrets["full"])
        no_worse = int((after[arm] <= after["full"]).sum())
        print(f"\n{arm}")
        print(
            f"  truth: speed-up {speed_up(regrets[arm], regrets['full']):.2f} "
            f"({low:.2f} to {high:.2f}), no worse on {no_worse} of {len(TASKS)} tasks"
        )
        check = rf.check(history, SPACE, starts=0, **settings)
        print(f"  check: {str(check).splitlines()[0]}")
        for up in check.speed_ups:
            if up.draws == JUDGED_AT:
                print(f"  check: speed-up {up.value:.2f} ({up.low:.2f} to {up.high:.2f})")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Twelve studies, and whether rf.check is right.")
    parser.add_argument("step", choices=["studies", "truth", "answer"])
    parser.add_argument("folder", type=Path, help="where studies.db and truth.csv are kept")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    {"studies": make_studies, "truth": make_truth, "answer": answer}[arguments.step](
        arguments.folder
    )
