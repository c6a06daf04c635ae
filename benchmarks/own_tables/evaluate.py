"""One configuration on one task: five folds, as one row."""

from __future__ import annotations

import pickle
import time
import warnings
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.own_tables.encoding import Fold
from benchmarks.own_tables.learners import LEARNERS, mtry
from benchmarks.own_tables.scoring import NotFiniteError, regression_scores, scores_of
from benchmarks.own_tables.spaces import Config

Row = dict[str, Any]
LONGEST_REASON = 120


def evaluate(
    learner: str, config: Config, folds: Sequence[Fold], beat: Callable[[], None] = lambda: None
) -> Row:
    """Means over the folds; `beat` is called after each of them. What goes wrong is a result."""
    found, seconds = [], np.zeros(2)
    row: Row = {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            for fold in folds:
                scores, spent, model = _on_fold(learner, config, fold)
                found.append(scores)
                seconds += spent
                beat()
            row = _row(found, seconds) | {"status": "ok", "size": len(pickle.dumps(model))}
        except NotFiniteError as error:
            row = _failed("not finite", str(error), len(found))
        except MemoryError:
            row = _failed("memory", "", len(found))
        except Exception as error:  # whatever the library raises is the row's reason
            row = _failed("error", f"{type(error).__name__}: {error}", len(found))
    return row


def timed_out(limit: float, folds_done: int) -> Row:
    """The row of a configuration whose fold took longer than the limit."""
    return _failed("timeout", f"a fold took longer than {limit:g} s", folds_done)


def recorded(learner: str, config: Config, folds: Sequence[Fold]) -> Config:
    """The configuration as the table has it."""
    shown = {k: v for k, v in config.items() if k not in ("max_features", "solver")}
    if learner == "hist_gradient_boosting":
        shown["max_features"] = config["max_features"]
    if learner == "forest" and "max_features" not in config:
        shown["mtry"] = mtry(config, folds[0].task)
    return shown


def _on_fold(learner: str, config: Config, fold: Fold) -> tuple[dict[str, float], Any, Any]:
    about, task = LEARNERS[learner], fold.task
    train, test = about.sees(fold, config)
    target, wanted = fold.targets
    name = repr(sorted(config.items())) + task.name
    model = about.build(config, task, (zlib.crc32(name.encode()) + fold.number) % 2**31)
    began = time.process_time()
    model.fit(train, target)
    fitted = time.process_time()
    if not task.classes:
        scores = regression_scores(wanted, np.asarray(model.predict(test), float))
    elif about.probabilities:
        chances = model.predict_proba(test)
        scores = scores_of(wanted, chances.argmax(1), chances, probabilities=True)
    else:
        values = model.decision_function(test)
        if values.ndim == 1:
            values = np.column_stack([-values, values])
        scores = scores_of(wanted, model.predict(test), values, probabilities=False)
    return scores, (fitted - began, time.process_time() - fitted), model


def _row(found: Sequence[dict[str, float]], seconds: Any) -> Row:
    """Means of the folds, and the deviation of the measure that is minimized."""
    row: Row = {name: float(np.mean([f[name] for f in found])) for name in found[0]}
    loss = "error" if "error" in row else "rmse"
    row[f"{loss}_deviation"] = float(np.std([f[loss] for f in found], ddof=1))
    return row | {"fit_seconds": seconds[0], "predict_seconds": seconds[1]}


def _failed(status: str, reason: str, folds_done: int) -> Row:
    text = " ".join(reason.split())[:LONGEST_REASON]
    return {"status": status, "reason": text, "folds_done": folds_done}
