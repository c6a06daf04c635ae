"""The methods that benchmarks.transfer compares: how each is set up for a case and a seed.

The paper's regions are searched without a guard, as in the paper; "guarded" ones are what a user
gets who learns a box and changes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.transfer_cases import Case
from ringfence import Optimizer
from ringfence.arrays import FloatArray
from ringfence.errors import ExhaustedError
from ringfence.optimize.guard import USUAL, guard_of
from ringfence.optimize.log import TrialLog
from ringfence.optimize.method import Setup
from ringfence.optimize.methods.transfer import FIRST
from ringfence.optimize.methods.transfer import Method as Transfer
from ringfence.optimize.surrogates.source_prior import Prior
from ringfence.optimize.transfer.starting_points import starting_points


class Uniform(Transfer):
    """Without weights that follow agreement."""

    def weights(self, tried: FloatArray, y: FloatArray) -> FloatArray:
        return np.full(len(tried), 1.0 / len(tried))


class Unstalled(Transfer):
    """Without a plain process after a stall."""

    def is_stalled(self, log: TrialLog) -> bool:
        return False


class MeanOnly(Transfer):
    """With the sources' mean, not their covariance."""

    def prior(self, F: FloatArray, rows: FloatArray) -> Prior:
        prior = super().prior(F, rows)
        return replace(prior, spread=np.zeros((len(rows), 1)))


class Uninformed(Transfer):
    """With neither: the process knows nothing of the sources, the cover still does."""

    def prior(self, F: FloatArray, rows: FloatArray) -> Prior:
        prior = super().prior(F, rows)
        return replace(prior, mean=np.zeros(len(rows)), spread=np.zeros((len(rows), 1)))


class CoverOnly(Unstalled):
    """The weighted cover to the end."""

    def process_share(self, n: int) -> float:
        return 0.0


class ProcessOnly(Transfer):
    """No cover once the process is used."""

    def process_share(self, n: int) -> float:
        return float(n > FIRST)


@dataclass(frozen=True)
class Way:
    """How a method is set up."""

    make: Callable[[Case, int], Optimizer]
    sources: bool = True
    """Whether the draw of sources matters."""
    seeds: bool = True
    """Whether the seed matters."""


def plain(name: str) -> Way:
    return Way(lambda case, seed: Optimizer(name, Setup(case.domain, seed), {}), sources=False)


def region(name: str, **settings: object) -> Way:
    return Way(lambda case, seed: Optimizer(name, Setup(case.inside(**settings), seed), {}))


def starts(name: str, n: int, *, seeds: bool) -> Way:
    def make(case: Case, seed: int) -> Optimizer:
        first = tuple(start.config for start in starting_points(case.scored, n))
        return Optimizer(name, Setup(case.domain, seed, None, first), {})

    return Way(make, seeds=seeds)


def warm_start(case: Case, seed: int) -> Optimizer:
    return Optimizer("gp-warm-start", Setup(case.domain, seed, case.sources), {})


def transfer(kind: type[Transfer] = Transfer) -> Way:
    def make(case: Case, seed: int) -> Optimizer:
        engine = Optimizer("transfer", Setup(case.domain, seed, case.sources), {})
        engine.method = kind(engine.setup, engine.method.options)
        engine.method.models, engine.method.candidates = case.models, case.scored
        return engine

    return Way(make, seeds=False)


def guarded(name: str, n_starts: int) -> Way:
    """A box with starting points inside it, searched with the usual guard."""

    def make(case: Case, seed: int) -> Optimizer:
        guard = guard_of(case.learned(shape="box"), case.candidates, USUAL)
        first = tuple(start.config for start in starting_points(case.scored_in_box, n_starts))
        setup = Setup(case.scored_in_box.domain, seed, case.sources, first, guard)
        engine = Optimizer(name, setup, {})
        if name == "transfer":
            engine.method.models, engine.method.candidates = case.models, case.scored_in_box
            engine.guard_method.models, engine.guard_method.candidates = case.models, case.scored
        return engine

    return Way(make, seeds=False)


WAYS = {
    "random": plain("random"),
    "gp": plain("gp"),
    "box": region("random", shape="box"),
    "slack box": region("random", shape="box", outliers="paper"),
    "ellipsoid": region("random", shape="ellipsoid"),
    "box + gp": region("gp", shape="box"),
    "gp-warm-start": Way(warm_start, seeds=False),
    "starts + random": starts("random", 10, seeds=True),
    "starts + gp": starts("gp", 5, seeds=False),
    "transfer": transfer(),
    "box + starts + gp, guarded": guarded("gp", 5),
    "box + transfer, guarded": guarded("transfer", 0),
    "transfer, equal weights": transfer(Uniform),
    "transfer, no stall rule": transfer(Unstalled),
    "transfer, mean only": transfer(MeanOnly),
    "transfer, no prior": transfer(Uninformed),
    "transfer, cover only": transfer(CoverOnly),
    "transfer, process only": transfer(ProcessOnly),
}


def run(case: Case, method: str, seed: int, trials: int) -> tuple[list[float], float]:
    """The best regret after each trial, and the CPU seconds of a suggestion from the tenth on."""
    engine = WAYS[method].make(case, seed)
    keys, layout = case.table.layout.keys, case.table.layout
    best, spent, curve = 1.0, [], []
    for _ in range(trials):
        start = time.process_time()
        try:
            trial = engine.ask()
        except ExhaustedError:
            break
        spent.append(time.process_time() - start)
        key = keys(layout.encode([trial.config]))[0]
        engine.tell(trial, case.values[key])
        best = min(best, case.regrets[key])
        curve.append(best)
        if best == 0.0:  # the best of all: nothing more can change
            break
    curve += [best] * (trials - len(curve))
    return curve, float(np.median(spent[10:] or spent))
