"""The rows of a table that a sampler would have recorded, one after the other.

A sampler proposes a configuration; the nearest row of the table that is still free is recorded in
its place, and its value goes back to the sampler.

symbol   meaning                                                                     shape
rows     unit coordinates, positions among choices, NaN if inactive                  (n, p)
values   lower is better                                                             (n,)
choices  the number of choices of each parameter, 0 if it is numeric or ordered      (p,)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import qmc

WAYS = ("random", "sobol", "tpe", "pruned tpe")
HAZE = 0.5  # error of the value that the pruner sees, in distances of the median from the best
MOST_TRIALS = 400  # complete and pruned ones together
OTHER_CHOICE = 4.0  # squared distance of two different choices: farther than any number


def recorded(
    way: str, rows: Any, values: Any, choices: Any, n: int, seed: int | list[int]
) -> np.ndarray:
    """The numbers of `n` rows in the order in which they were recorded; fewer if the table is
    shorter."""
    n = min(n, len(values))
    rng = np.random.default_rng(seed)
    if way == "random":
        return rng.permutation(len(values))[:n]
    free = _Free(rows, choices)
    if way == "sobol":
        points = qmc.Sobol(rows.shape[1], seed=rng).random_base2(int(n - 1).bit_length())[:n]
        return np.array([free.take(_unit_to_row(point, choices)) for point in points])
    return _tpe(free, values, choices, n, rng, pruned=way == "pruned tpe")


def _unit_to_row(point: np.ndarray, choices: np.ndarray) -> np.ndarray:
    return np.where(choices > 0, np.floor(point * np.maximum(choices, 1)), point)


class _Free:
    """The rows that no one has taken."""

    def __init__(self, rows: np.ndarray, choices: np.ndarray) -> None:
        self.rows, self.is_choice = rows, choices > 0
        self.is_free = np.ones(len(rows), dtype=bool)

    def take(self, row: np.ndarray) -> int:
        """The number of the nearest free row."""
        gaps = (self.rows - row) ** 2
        gaps[:, self.is_choice] = OTHER_CHOICE * (gaps[:, self.is_choice] > 0)
        distance = np.nanmean(gaps, axis=1)  # over the parameters that are active there
        nearest = int(np.where(self.is_free, distance, np.inf).argmin())
        self.is_free[nearest] = False
        return nearest


def _tpe(
    free: _Free,
    values: np.ndarray,
    choices: np.ndarray,
    n: int,
    rng: np.random.Generator,
    *,
    pruned: bool,
) -> np.ndarray:
    """Complete trials of Optuna's default sampler, with a median pruner or without one."""
    import optuna
    from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution
    from optuna.trial import TrialState, create_trial

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    space: dict[str, BaseDistribution] = {
        str(j): CategoricalDistribution(list(range(c))) if c else FloatDistribution(0.0, 1.0)
        for j, c in enumerate(choices.tolist())
    }
    study = optuna.create_study(
        sampler=optuna.samplers.TPESampler(seed=int(rng.integers(2**31))),
        pruner=optuna.pruners.MedianPruner(),
    )
    haze = HAZE * (np.median(values) - values.min())
    numbers: list[int] = []
    for _ in range(min(MOST_TRIALS, len(values))):
        if len(numbers) == n:
            break
        trial = study.ask(space)
        number = free.take(np.array([float(trial.params[name]) for name in space]))
        value = float(values[number])
        reported: dict[int, float] = {}
        stopped = False
        if pruned:
            reported[0] = value + haze * rng.standard_normal()
            trial.report(reported[0], 0)
            stopped = trial.should_prune()
        active = [name for name in space if not np.isnan(free.rows[number, int(name)])]
        study.tell(trial, state=TrialState.FAIL)  # what was recorded takes its place
        params = {
            name: int(x) if choices[int(name)] else float(np.clip(x, 0.0, 1.0))
            for name, x in ((name, free.rows[number, int(name)]) for name in active)
        }
        study.add_trial(
            create_trial(
                state=TrialState.PRUNED if stopped else TrialState.COMPLETE,
                value=None if stopped else value,
                params=params,
                distributions={name: space[name] for name in active},
                intermediate_values=reported,
            )
        )
        if not stopped:
            numbers.append(number)
    return np.array(numbers)
