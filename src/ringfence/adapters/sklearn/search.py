"""LearnedSearchCV: a search with cross-validation that begins with what earlier tasks teach.

scikit-learn's own machinery does the work: `BaseSearchCV` splits, fits, scores, ranks and refits,
and asks `_run_search` alone what to try. Ours asks an optimizer, tells it the mean score, and asks
again.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from ringfence.adapters.sklearn.doubts import Data, Kind, deviation_of, doubts
from ringfence.adapters.sklearn.estimators import Naming, naming_of_hub, naming_of_own
from ringfence.adapters.sklearn.failures import EVERY_FOLD, reason_of, says_all_failed
from ringfence.adapters.view import as_learned
from ringfence.checks import integer
from ringfence.errors import ExhaustedError, MissingExtraError, SettingError
from ringfence.history import History, Runs
from ringfence.learned.file import load
from ringfence.learned.hub.asking import hub
from ringfence.learned.hub.entries import HubEntry, part_behind
from ringfence.learned.hub.entries import names as names_of_hub
from ringfence.learned.space import LearnedSpace
from ringfence.optimize import Optimizer, Trial
from ringfence.optimize import optimizer as make_optimizer
from ringfence.optimize.guard import GuardShare
from ringfence.space import Config, Space
from ringfence.words import counted

try:
    from joblib import effective_n_jobs
    from sklearn.base import is_classifier
    from sklearn.model_selection._search import BaseSearchCV
    from sklearn.utils import check_random_state
    from sklearn.utils.validation import _num_samples, check_is_fitted
except ModuleNotFoundError as error:
    raise MissingExtraError("scikit-learn", "sklearn") from error

Results = Mapping[str, Any]
Evaluate = Callable[[list[Config]], Results]
"""Fits and scores configurations; gives the results of all so far, the new ones last."""
NOT_FINITE = "One or more of the {} scores are non-finite"
"""scikit-learn's warning about all results so far, at each call; said once here, at the end."""
AUTO = "auto"
"""The hub's space for the estimator."""
CALLER = 6
"""Who called `fit`, seen from a warning before the search."""


class LearnedSearchCV(BaseSearchCV):  # type: ignore[misc]
    """A drop-in for `RandomizedSearchCV` that searches a learned space, starting points first, and
    learns from each result.

    Everything else is scikit-learn's: `fit`, `predict`, `best_params_`, `cv_results_`, `refit`,
    several scores at once, pipelines, groups, `n_jobs`.

    Args:
        estimator: what is tuned; a pipeline, too.
        n_iter: number of configurations to try.
        space: a LearnedSpace, the path of a saved one, or a plain Space. Its parameters are those
            of the estimator, or of the one step of it that has them all. 'auto' is the hub's space
            for the estimator's class (or for that of the one step that the hub knows), the kind of
            task and the number of rows; a space of the hub brings its history along.
        history: earlier tasks, as in `rf.optimizer`; the optimizer then begins with them.
        optimizer: its name, as in `rf.optimizer`; 'auto' is 'transfer' if there is a history, else
            'gp'.
        guard: the share of configurations from the full space, as in `rf.optimizer`.
        scoring: as in `RandomizedSearchCV`. Of several scores, the one that `refit` names is
            searched by.
        n_jobs: processes. Each configuration is fitted once for each fold; if there are more
            processes than folds, several configurations are tried at once.
        refit: as in `RandomizedSearchCV`.
        cv: as in `RandomizedSearchCV`.
        verbose: as in `RandomizedSearchCV`.
        pre_dispatch: as in `RandomizedSearchCV`.
        random_state: a seed, or a RandomState.
        error_score: the score of folds in which the fit fails, or 'raise'. Unless it is a number, a
            configuration with such a fold counts as failed.
        return_train_score: as in `RandomizedSearchCV`.

    Examples:
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.svm import SVC
        >>> import ringfence as rf
        >>> from ringfence.adapters.sklearn import LearnedSearchCV
        >>> space = rf.Space({"C": rf.Float(0.01, 100.0, log=True)})
        >>> search = LearnedSearchCV(SVC(), 8, space, random_state=0)
        >>> bool(search.fit(*load_iris(return_X_y=True)).best_score_ > 0.9)
        True
    """

    def __init__(
        self,
        estimator: Any,
        n_iter: int = 20,
        space: LearnedSpace | Space | str | PathLike[str] = AUTO,
        *,
        history: Runs | None = None,
        optimizer: str = "auto",
        guard: GuardShare = "auto",
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: int | str = "2*n_jobs",
        random_state: Any = None,
        error_score: float | str = np.nan,
        return_train_score: bool = False,
    ) -> None:
        super().__init__(
            estimator=estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.n_iter = n_iter
        self.space = space
        self.history = history
        self.optimizer = optimizer
        self.guard = guard
        self.random_state = random_state

    def trials(self, task: str = "this task") -> History:
        """What was tried, as a history of one task, for the next `rf.learn`.

        Args:
            task: its name.

        Raises:
            NotFittedError: before `fit`.

        Examples:
            >>> from sklearn.datasets import load_iris
            >>> from sklearn.svm import SVC
            >>> import ringfence as rf
            >>> from ringfence.adapters.sklearn import LearnedSearchCV
            >>> space = rf.Space({"C": rf.Float(0.01, 100.0, log=True)})
            >>> search = LearnedSearchCV(SVC(), 3, space, optimizer="random", random_state=0)
            >>> search.fit(*load_iris(return_X_y=True)).trials("iris").tasks
            ('iris',)
        """
        check_is_fitted(self, "optimizer_")
        history: History = self.optimizer_.history(task)
        return history

    def fit(self, X: Any, y: Any = None, **params: Any) -> LearnedSearchCV:
        """Search, and fit the best configuration to all of the data.

        Args:
            X: features.
            y: target.
            params: of the fits, the splitter and the scores, as in `RandomizedSearchCV`.

        Examples:
            >>> from sklearn.datasets import load_iris
            >>> from sklearn.svm import SVC
            >>> import ringfence as rf
            >>> from ringfence.adapters.sklearn import LearnedSearchCV
            >>> space = rf.Space({"C": rf.Float(0.01, 100.0, log=True)})
            >>> search = LearnedSearchCV(SVC(), 3, space, optimizer="random", random_state=0)
            >>> search.fit(*load_iris(return_X_y=True)).predict([[5.1, 3.5, 1.4, 0.2]])
            array([0])
        """
        self._n_rows, self._deviation = _num_samples(X), deviation_of(y)
        super().fit(X, y, **params)
        return self

    def _run_search(self, evaluate_candidates: Evaluate) -> None:
        learned, naming = self._space_and_naming()
        self._warn(learned, naming)
        self.space_ = learned
        n_iter = integer(self.n_iter, "n_iter", 1)
        assert n_iter is not None
        self.optimizer_ = make_optimizer(
            self.optimizer,
            learned,
            seed=int(check_random_state(self.random_state).randint(2**31 - 1)),
            direction="maximize",
            history=self.history,
            guard=self.guard,
            by="trials",  # their number is what the user gives
        )
        conversation = _Conversation(
            self.optimizer_, evaluate_candidates, naming, self._metric(), self.error_score
        )
        conversation.run(n_iter, effective_n_jobs(self.n_jobs))

    def _space_and_naming(self) -> tuple[LearnedSpace, Naming]:
        """The space to search, and how its parameters are called in the estimator."""
        if isinstance(self.space, str) and self.space == AUTO:
            naming = naming_of_hub(self.estimator)
            assert naming.known is not None
            rows = max(1, self._n_rows)  # scikit-learn says what is wrong with none
            return hub(naming.known.entry, task=self._kind, rows=rows), naming
        space = self.space
        name = space.name if isinstance(space, HubEntry) else space
        if isinstance(name, str) and name in names_of_hub():
            raise SettingError(f"for the hub's {name!r} pass space=rf.hub({name!r}, task=…)")
        if isinstance(space, int):  # in the order of RandomizedSearchCV
            raise SettingError(
                f"space must be a learned space or a Space, not {space}; the order is "
                "LearnedSearchCV(estimator, n_iter, space)"
            )
        learned = load(space) if isinstance(space, (str, PathLike)) else as_learned(space)
        if part_behind(learned) is not None:
            return learned, naming_of_hub(self.estimator, learned.hub)
        return learned, naming_of_own(self.estimator, list(learned.space.parameters))

    @property
    def _kind(self) -> Kind:
        return "classification" if is_classifier(self.estimator) else "regression"

    def _warn(self, learned: LearnedSpace, naming: Naming) -> None:
        """Say what a search of the hub's space does that the user may not expect."""
        data = Data(self._kind, self._n_rows, self._deviation)
        for doubt in doubts(self.estimator, naming, learned, data):
            warnings.warn(doubt, stacklevel=CALLER)

    def _metric(self) -> str | None:
        """The score to search by; None if it shows in the results alone."""
        if isinstance(self.refit, str):
            return self.refit
        if callable(self.refit) or not self.refit:
            return None
        return "score"


@dataclass
class _Conversation:
    """Between an optimizer, which says what to try, and scikit-learn, which says how good it is."""

    engine: Optimizer
    evaluate: Evaluate
    naming: Naming
    metric: str | None
    error_score: float | str

    def run(self, n_iter: int, n_workers: int) -> None:
        """Try so many configurations, as many at once as keep the workers busy."""
        at_once, problem = 1, None
        results: Results = {}
        while (left := n_iter - len(self.engine.trials)) > 0:
            trials = self._ask(min(at_once, left))
            if not trials:
                break
            try:
                results = self._results([self.naming.arguments(trial.config) for trial in trials])
            except ValueError as error:
                if self.error_score == "raise" or not says_all_failed(error):
                    raise
                problem, reason = error, reason_of(error, len(trials))
                for trial in trials:
                    self.engine.fail(trial, reason)
                continue
            self._tell(trials, results)
            at_once = max(1, math.ceil(n_workers / _folds(results)))
        self._report(problem)
        _warn_of_scores(results)

    def _results(self, configs: list[Config]) -> Results:
        """Those of all configurations so far."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", NOT_FINITE.format("(test|train)"), UserWarning)
            return self.evaluate(configs)

    def _ask(self, count: int) -> list[Trial]:
        """The next trials, or fewer if the space has no more configurations."""
        trials: list[Trial] = []
        try:
            while len(trials) < count:
                trials.append(self.engine.ask())
        except ExhaustedError:
            pass
        return trials

    def _tell(self, trials: list[Trial], results: Results) -> None:
        means = np.asarray(results[self._key(results)], float)[-len(trials) :]
        seconds = (_spent(results, "fit") + _spent(results, "score"))[-len(trials) :]
        for trial, mean, cost in zip(trials, means.tolist(), seconds.tolist()):
            if math.isfinite(mean):
                self.engine.tell(trial, mean, cost=cost)
            else:
                self.engine.fail(trial, "a fit failed, or its score is not finite", cost=cost)

    def _key(self, results: Results) -> str:
        """The results to search by, or SettingError if there are several scores."""
        if self.metric is not None and f"mean_test_{self.metric}" in results:
            return f"mean_test_{self.metric}"
        scores = [name for name in results if name.startswith("mean_test_")]
        if len(scores) == 1:
            return scores[0]
        names = ", ".join(repr(name.removeprefix("mean_test_")) for name in scores)
        raise SettingError(f"several scores: say by which to search, refit= one of {names}")

    def _report(self, problem: ValueError | None) -> None:
        """Say how many configurations have no row in the results; raise if none has one."""
        failed = sum((trial.reason or "").startswith(EVERY_FOLD) for trial in self.engine.trials)
        if not failed:
            return
        if failed == len(self.engine.trials) and problem is not None:
            raise problem
        warnings.warn(
            f"{failed} of {counted(len(self.engine.trials), 'configuration')} failed in every "
            "fold: not in cv_results_, but in optimizer_.trials",
            stacklevel=2,
        )


def _warn_of_scores(results: Results) -> None:
    """As scikit-learn does for each score, once for all configurations."""
    for name in results:
        which = name.removeprefix("mean_").partition("_")[0]
        if name.startswith(("mean_test_", "mean_train_")) and not np.isfinite(results[name]).all():
            warnings.warn(f"{NOT_FINITE.format(which)}: {results[name]}", stacklevel=2)


def _folds(results: Results) -> int:
    """How many there are: each score has a column for each, and one for its mean."""
    by_fold = [name for name in results if name.startswith("split") and "_test_" in name]
    scores = [name for name in results if name.startswith("mean_test_")]
    return len(by_fold) // max(1, len(scores))


def _spent(results: Results, what: str) -> Any:
    """Seconds of each configuration, all folds together."""
    return np.asarray(results[f"mean_{what}_time"], float) * _folds(results)
