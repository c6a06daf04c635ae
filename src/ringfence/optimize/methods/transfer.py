"""Transfer: what covers the earlier tasks first, then a process with those tasks as its prior.

Every earlier task has a model of its regret (transfer/source_models.py). While little is known of
the new task, the configuration is tried that adds most to the cover of the tasks
(transfer/cover.py), each weighted by how well it agrees with the results so far. As results come
in, expected improvement under a Gaussian process with the tasks' mean and covariance
(surrogates/source_prior.py) takes over. A task unlike all earlier ones could get stuck there: after
some trials without improvement a plain process chooses every second one. If the tasks have few
rows, every second of the first trials comes from a Sobol design, as among the starting points.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import msgspec
import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.errors import SettingError
from ringfence.learned.full import full_space
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.log import TrialLog
from ringfence.optimize.method import Proposal, Setup
from ringfence.optimize.methods.gp import GPMemory
from ringfence.optimize.methods.gp import Method as GPMethod
from ringfence.optimize.search.acquisition import log_expected_improvement
from ringfence.optimize.surrogates.gp.hyperparameters import Hyperparameters, KernelColumns
from ringfence.optimize.surrogates.source_prior import Prior, SourcePosterior, condition_on
from ringfence.optimize.transfer.candidates import Candidates
from ringfence.optimize.transfer.cover import agreement_weights, gain, lowest, promise
from ringfence.optimize.transfer.source_models import (
    SourceModels,
    fit_source_models,
    kernel_columns,
)
from ringfence.optimize.transfer.strangers import without_strangers

FIRST = 2  # results up to which the process has no weight
HEDGED = 4  # results up to which thin tasks are not trusted alone
PATIENCE = 10  # trials without improvement after which a plain process has every second one


class TransferMemory(GPMemory, frozen=True, forbid_unknown_fields=True):
    """What is kept between proposals: of the plain process, and of the earlier tasks by name."""

    sources: dict[str, Hyperparameters] = msgspec.field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class TrialEvidence:
    """What is known after some trials."""

    tried: FloatArray
    """The regrets that the models predict at the trials, (T, n)."""
    w: FloatArray
    """The weight of each earlier task, (T,)."""
    share: float
    """The weight of the process against the cover, from 0 to 1."""
    posterior: SourcePosterior | None

    @property
    def floor(self) -> float:
        """The least score that there can be."""
        return lowest(self.tried) if self.posterior is None else 0.0

    def scores(self, F: FloatArray, prior: Prior) -> FloatArray:
        """Scores (m,) of candidates with the regrets F (T, m) on the earlier tasks."""
        if self.posterior is None:
            return promise(F, self.tried, self.w)
        moments = self.posterior.predict(prior)
        improvement = np.exp(log_expected_improvement(*moments, self.posterior.best)[0])
        return (1.0 - self.share) * gain(F, self.tried, self.w) + self.share * improvement


class Method(GPMethod):
    """Needs a history; plain `gp` if no task of it tells good configurations from bad ones."""

    Memory: ClassVar[type[GPMemory]] = TransferMemory

    def __init__(self, setup: Setup, options: Any) -> None:
        super().__init__(setup, options)
        if setup.sources is None:
            raise SettingError("'transfer' needs a history of earlier tasks: pass history=")
        self.sources = setup.sources.tasks

    def recall(self, memory: dict[str, Any]) -> None:
        """Take the memory back if it is of these tasks."""
        full = Layout(full_space(self.domain.layout.space))
        by_name = {task.name: task for task in self.sources}
        for name, kept in msgspec.convert(memory, TransferMemory).sources.items():
            if name not in by_name:
                raise SettingError(f"the memory is of a task {name!r}, which is not among these")
            kernel_columns(by_name[name], full)[1].check(kept)
        super().recall(memory)

    @cached_property
    def models(self) -> SourceModels:
        """The models of the earlier tasks, without strangers that do harm (transfer/strangers.py);
        the hyperparameters of all are kept in the memory."""
        sources = self.setup.sources
        before = {} if sources is None else sources.known
        kept = {**before, **self.memory.get("sources", {})}
        known = msgspec.convert(kept, dict[str, Hyperparameters])
        models = fit_source_models(self.sources, self.domain.layout, known)
        by_name = {task.name: task.hyperparameters for task in models.tasks}
        self.memory["sources"] = msgspec.to_builtins(by_name)
        return without_strangers(models, self.sources, self.domain, self.setup.seed)

    @cached_property
    def candidates(self) -> Candidates:
        """The configurations to choose from, and what the models predict for them."""
        return Candidates(self.domain, self.models, self.sources, self.setup.seed)

    def propose(self, log: TrialLog, rng: np.random.Generator) -> Proposal:
        """The candidate with the best blend of cover and expected improvement."""
        if not self.models.tasks or self.is_stalled(log):
            return super().propose(log, rng)
        known = np.isfinite(log.values)
        if self.models.are_thin and len(log) % 2 == 1 and known.sum() < HEDGED:
            return Proposal(self.domain.config(self.design.next(log.tried, rng)))
        best = np.flatnonzero(known)[np.argsort(log.values[known], kind="stable")]
        neighbors = self.candidates.neighbors(log.tried, log.rows[best], rng)
        untried = self.candidates.untried(log.tried)
        if not untried.any() and not len(neighbors):
            neighbors = self.domain.fresh(log.tried, rng)
        evidence = self.evidence(log, known)
        scores = evidence.scores(self.candidates.F, self.fixed_prior)
        if len(neighbors):
            F = self.models.predict(neighbors)
            scores = np.append(scores, evidence.scores(F, self.prior(F, neighbors)))
        rows = np.concatenate([self.candidates.rows, neighbors])
        scores = self.weighing.apply(scores, rows, log, evidence.floor)
        scores[: len(untried)][~untried] = -np.inf
        return Proposal(self.domain.config(rows[[np.argmax(scores)]]))

    @property
    def n_unweighed(self) -> int:
        """None: the cover weighs the first trial already."""
        return 0

    def evidence(self, log: TrialLog, known: BoolArray) -> TrialEvidence:
        """What follows from the trials so far for the earlier tasks and for the new one."""
        tried = self.candidates.predict_each(log.rows)
        share = self.process_share(int(known.sum()))
        return TrialEvidence(
            tried,
            self.weights(tried[:, known], log.values[known]),
            share,
            self.posterior(log, tried, known) if share > 0.0 else None,
        )

    def weights(self, tried: FloatArray, y: FloatArray) -> FloatArray:
        """The weight of each earlier task."""
        return agreement_weights(tried, y, self.models.weights)

    def posterior(self, log: TrialLog, tried: FloatArray, known: BoolArray) -> SourcePosterior:
        """The process given the trials so far, with running ones at the values that it expects."""
        units = np.array([task.log_unit for task in self.models.tasks])
        points = self.prior(tried[:, known], log.rows[known])
        posterior = condition_on(points, log.values[known], units)
        if known.all():
            return posterior
        return posterior.with_pending(self.prior(tried[:, ~known], log.rows[~known]))

    def prior(self, F: FloatArray, rows: FloatArray) -> Prior:
        """The prior at rows for which the earlier tasks predict the regrets F; the kernel of the
        new task's own part has the geometric means of their length scales, each over the tasks that
        know the parameter."""
        Z = self.models.full.features(rows) / self.length_scales
        return Prior.of(F, Z, self.models.weights)

    @cached_property
    def fixed_prior(self) -> Prior:
        """The prior at the fixed candidates."""
        return self.prior(self.candidates.F, self.candidates.rows)

    @cached_property
    def length_scales(self) -> FloatArray:
        """One for each feature; the usual one if no task knows the parameter."""
        inverse = np.array([task.inverse for task in self.models.tasks])
        knows = inverse > 0.0
        logs = np.log(np.where(knows, inverse, 1.0)).sum(axis=0)
        usual = KernelColumns.of(len(self.models.full.names)).prior[0][0]
        means = np.where(knows.any(axis=0), -logs / np.maximum(knows.sum(axis=0), 1), usual)
        return np.asarray(np.exp(means))

    def process_share(self, n: int) -> float:
        """The weight of the process after n results, from 0 to 1. That of the cover falls like
        1/n²: its gain does not shrink as expected improvement does, and would win in the end."""
        return 1.0 - (FIRST / n) ** 2 if n > FIRST else 0.0

    def is_stalled(self, log: TrialLog) -> bool:
        """Whether nothing has improved for PATIENCE trials and it is a plain process's turn."""
        best = log.best
        waited = 0 if best is None else len(log) - 1 - best.number
        return waited >= PATIENCE and waited % 2 == 0
