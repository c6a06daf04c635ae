"""One loop of Bayesian optimization per method, all from the same initial points.

A loop takes a function, the initial points (m, d), how many values it may see and a seed; it
returns the values in the order they were seen, and the CPU seconds of each suggestion. No method is
told that the functions are free of noise.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
from scipy.stats import qmc

from benchmarks.functions import Function
from ringfence.arrays import FloatArray
from ringfence.optimize.acquisition import (
    choose_starts,
    log_expected_improvement,
    maximize_acquisition,
)
from ringfence.optimize.surrogates.gp import Hyperparameters, fit_gp

Suggest: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]  # from points and values
Loop: TypeAlias = Callable[[Function, FloatArray, int, int], tuple[FloatArray, FloatArray]]

CANDIDATES, AROUND, STARTS = 512, 64, 4


def ringfence_suggest(dim: int, seed: int, *, warping: bool = False) -> Suggest:
    """Candidates from a Sobol design and around the best points; four of them are climbed from."""
    rng = np.random.default_rng(seed)
    lower, upper = np.zeros(dim), np.ones(dim)
    last: Hyperparameters | None = None

    def suggest(X: FloatArray, y: FloatArray) -> FloatArray:
        nonlocal last
        gp = fit_gp(X, y, warped=np.full(dim, warping), start=last, seed=seed)
        last = gp.hyperparameters
        found = candidates(X, y, rng)
        value = log_expected_improvement(*gp.predict(found), gp.best)[0]
        starts = choose_starts(value, STARTS, rng)
        starts[-1] = CANDIDATES + int(value[CANDIDATES:].argmax())
        ends, value = maximize_acquisition(gp, gp.best, found[starts], lower, upper)
        return ends[value.argmax()]

    return suggest


def candidates(X: FloatArray, y: FloatArray, rng: np.random.Generator) -> FloatArray:
    """A Sobol design, then steps from the three best points along some of the coordinates."""
    dim = X.shape[1]
    design = qmc.Sobol(dim, seed=int(rng.integers(2**31))).random(CANDIDATES)
    near = np.repeat(X[np.argsort(y, kind="stable")[:3]], AROUND, axis=0)
    moved = rng.random(near.shape) < max(0.3, 2.0 / dim)
    near = np.clip(near + 0.1 * moved * rng.standard_normal(near.shape), 0.0, 1.0)
    return np.vstack([design, near])


def botorch_suggest(dim: int, seed: int) -> Suggest:
    """SingleTaskGP and LogExpectedImprovement with the settings of BoTorch's own tutorials."""
    import torch
    from botorch.acquisition import LogExpectedImprovement
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.optim import optimize_acqf
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    cube = torch.stack([torch.zeros(dim), torch.ones(dim)]).double()

    def suggest(X: FloatArray, y: FloatArray) -> FloatArray:
        model = SingleTaskGP(torch.tensor(X), torch.tensor(y)[:, None])
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        value = LogExpectedImprovement(model, best_f=float(y.min()), maximize=False)
        best, _ = optimize_acqf(value, cube, q=1, num_restarts=10, raw_samples=512)
        return np.asarray(best.numpy()[0])

    return suggest


def loop_of(
    make: Callable[[int, int], Suggest], f: Function, X: FloatArray, n: int, seed: int
) -> tuple[FloatArray, FloatArray]:
    """Suggest and evaluate until n values are known."""
    y, cpu = f(X), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        suggest = make(f.dim, seed)
        while len(y) < n:
            start = time.process_time()
            x = suggest(X, y)
            cpu.append(time.process_time() - start)
            X = np.vstack([X, x])
            y = np.append(y, f(x[None]))
    return y, np.array(cpu)


def optuna_loop(f: Function, X: FloatArray, n: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Optuna's GPSampler as it comes."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    names = [f"x{j}" for j in range(f.dim)]
    values, cpu = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sampler = optuna.samplers.GPSampler(seed=seed, n_startup_trials=len(X))
        study = optuna.create_study(sampler=sampler)
        for x in X:
            study.enqueue_trial(dict(zip(names, x.tolist())))
        for _ in range(n):
            start = time.process_time()
            trial = study.ask()
            x = np.array([[trial.suggest_float(name, 0.0, 1.0) for name in names]])
            cpu.append(time.process_time() - start)
            values.append(float(f(x)[0]))
            study.tell(trial, values[-1])
    return np.array(values), np.array(cpu[len(X) :])


LOOPS: dict[str, Loop] = {
    "ringfence": partial(loop_of, ringfence_suggest),
    "ringfence-warping": partial(loop_of, partial(ringfence_suggest, warping=True)),
    "botorch": partial(loop_of, botorch_suggest),
    "optuna": optuna_loop,
}
