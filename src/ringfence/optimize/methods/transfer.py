"""Transfer: what covers the earlier tasks first, then a process with those tasks as its prior.

Every earlier task has a model of its regret (source_models.py). While little is known of the new
task, the configuration is tried that adds most to the cover of the tasks (cover.py), each weighted
by how well it agrees with the results so far. As results come in, expected improvement under a
Gaussian process with the tasks' mean and covariance (surrogates/source_prior.py) takes over. A task
unlike all earlier ones could get stuck there: after some trials without improvement every second
one is a plain process's. With few rows a task every second of the first trials is one of a Sobol
design, as among the starting points.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.errors import SettingError
from ringfence.optimize.log import TrialLog
from ringfence.optimize.method import Proposal, Setup
from ringfence.optimize.methods.gp import Method as GPMethod
from ringfence.optimize.search.acquisition import log_expected_improvement
from ringfence.optimize.surrogates.gp.fit import Hyperparameters
from ringfence.optimize.surrogates.source_prior import Prior, SourcePosterior, condition_on
from ringfence.optimize.transfer.candidates import Candidates
from ringfence.optimize.transfer.cover import agreement_weights, gain, promise
from ringfence.optimize.transfer.source_models import SourceModels, fit_source_models

FIRST = 4  # results up to which the process has no say
PATIENCE = 10  # trials without improvement before a plain process is heard


@dataclass(frozen=True, eq=False)
class TrialEvidence:
    """What is known after some trials."""

    tried: FloatArray
    """What the models say of the trials, (T, n)."""
    w: FloatArray
    """The weight of each earlier task, (T,)."""
    share: float
    """The say of the process."""
    posterior: SourcePosterior | None

    def scores(self, F: FloatArray, prior: Prior) -> FloatArray:
        """How promising candidates are, (m,), whose regrets on the earlier tasks are F (T, m)."""
        if self.posterior is None:
            return promise(F, self.tried, self.w)
        moments = self.posterior.predict(prior)
        improvement = np.exp(log_expected_improvement(*moments, self.posterior.best)[0])
        return (1.0 - self.share) * gain(F, self.tried, self.w) + self.share * improvement


class Method(GPMethod):
    """Needs a history; where no task of it tells anything, it is plain `gp`."""

    def __init__(self, setup: Setup, options: Any) -> None:
        super().__init__(setup, options)
        if setup.sources is None:
            raise SettingError("'transfer' needs a history of earlier tasks: pass history=")
        self.sources = setup.sources.tasks

    @cached_property
    def models(self) -> SourceModels:
        """The models of the earlier tasks; their hyperparameters are kept in the memory."""
        known = msgspec.convert(self.memory.get("sources", {}), dict[str, Hyperparameters])
        models = fit_source_models(self.sources, self.domain.layout, known)
        found = {task.name: task.hyperparameters for task in models.tasks}
        self.memory["sources"] = msgspec.to_builtins(found)
        return models

    @cached_property
    def candidates(self) -> Candidates:
        """Where to look, and what the models say there."""
        return Candidates(self.domain, self.models, self.sources, self.setup.seed)

    def propose(self, log: TrialLog, rng: np.random.Generator) -> Proposal:
        """The candidate with the best blend of cover and expected improvement."""
        if not self.models.tasks or self.is_stalled(log):
            return super().propose(log, rng)
        known = np.isfinite(log.values)
        if self.models.are_thin and len(log) % 2 == 1 and known.sum() < FIRST:
            return Proposal(self.domain.config(self.design.next(log.tried, rng)))
        best = np.flatnonzero(known)[np.argsort(log.values[known], kind="stable")]
        near = self.candidates.near(log.tried, log.rows[best], rng)
        left = self.candidates.untried(log.tried)
        if not left.any() and not len(near):
            near = self.domain.fresh(log.tried, rng)
        evidence = self.evidence(log, known)
        scores = np.where(left, evidence.scores(self.candidates.F, self.fixed_prior), -np.inf)
        if len(near):
            F = self.models.predict(near)
            scores = np.append(scores, evidence.scores(F, self.prior(F, near)))
        rows = np.concatenate([self.candidates.rows, near])
        return Proposal(self.domain.config(rows[[np.argmax(scores)]]))

    def evidence(self, log: TrialLog, known: BoolArray) -> TrialEvidence:
        """What the trials so far say of the earlier tasks and of the new one."""
        tried = self.candidates.seen(log.rows)
        share = self.process_share(int(known.sum()))
        return TrialEvidence(
            tried,
            self.weights(tried[:, known], log.values[known]),
            share,
            self.posterior(log, tried, known) if share > 0.0 else None,
        )

    def weights(self, tried: FloatArray, y: FloatArray) -> FloatArray:
        """The weight of each earlier task."""
        return agreement_weights(tried, y)

    def posterior(self, log: TrialLog, tried: FloatArray, known: BoolArray) -> SourcePosterior:
        """The process given the trials so far, running ones at what it expects of them."""
        units = np.array([task.log_unit for task in self.models.tasks])
        at = self.prior(tried[:, known], log.rows[known])
        found = condition_on(at, log.values[known], units)
        if known.all():
            return found
        return found.with_pending(self.prior(tried[:, ~known], log.rows[~known]))

    def prior(self, F: FloatArray, rows: FloatArray) -> Prior:
        """What the earlier tasks say of rows where they expect the regrets F; the new task's own
        part has the geometric means of their length scales."""
        return Prior.of(F, self.models.full.features(rows) / self.length_scales)

    @cached_property
    def fixed_prior(self) -> Prior:
        """What they say of the fixed candidates."""
        return self.prior(self.candidates.F, self.candidates.rows)

    @cached_property
    def length_scales(self) -> FloatArray:
        """One for each feature."""
        logs = [np.log(task.inverse) for task in self.models.tasks]
        return np.asarray(np.exp(-np.mean(logs, axis=0)))

    def process_share(self, n: int) -> float:
        """The say of the process after n results, from 0 to 1. That of the cover falls like 1/n²:
        its gain does not shrink as expected improvement does, and would have the last word."""
        return 1.0 - (FIRST / n) ** 2 if n > FIRST else 0.0

    def is_stalled(self, log: TrialLog) -> bool:
        """Whether nothing has improved for so long that a plain process has this trial."""
        best = log.best
        waited = 0 if best is None else len(log) - 1 - best.number
        return waited >= PATIENCE and waited % 2 == 0
