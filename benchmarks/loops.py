"""One loop of Bayesian optimization per method, all from the same initial points.

A loop takes a function, the initial points (m, d), the number of values it may see and a seed; it
returns the values in the order of the evaluations, and the CPU seconds of each suggestion. No
method knows that the functions are free of noise.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

import ringfence as rf
from benchmarks.functions import Function
from ringfence.arrays import FloatArray
from ringfence.optimize.trial import Trial

Suggest: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]  # from points and values
Loop: TypeAlias = Callable[[Function, FloatArray, int, int], tuple[FloatArray, FloatArray]]


def ringfence_suggest(dim: int, seed: int, *, name: str = "gp") -> Suggest:
    """The optimizer of this name as users get it; it did not choose its initial points."""
    names = [f"x{j}" for j in range(dim)]
    engine = rf.optimizer(
        name, rf.Space(dict.fromkeys(names, rf.Float(0.0, 1.0))), seed=seed, n_initial=1
    )

    def suggest(X: FloatArray, y: FloatArray) -> FloatArray:
        log = engine.log
        for number in range(len(log), len(y)):
            log.add(Trial(number=number, config=dict(zip(names, X[number].tolist()))))
        for number, value in enumerate(y.tolist()):
            if log.trials[number].state == "running":
                log.settle(number, state="done", value=value)
        config = engine.ask().config
        return np.array([config[name] for name in names], dtype=float)

    return suggest


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
    """Optuna's GPSampler with its defaults."""
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
    "ringfence-warping": partial(loop_of, partial(ringfence_suggest, name="gp-warping")),
    "botorch": partial(loop_of, botorch_suggest),
    "optuna": optuna_loop,
}
