"""What the starting points of a task left out would have cost, and random search for the same.

A task's own runs say what any configuration costs on it (a regression of log costs), and what is
believed of the task says what it gives (belief/). Random search is simulated on random
configurations of the full space, in several orders: a trial counts once it has ended, and what is
cheap is tried as soon as what is dear. So the trials that it needs cost the mean trial each.
Spending is in units of the task's median random trial.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.checking.belief.regret_scale import RegretScale, regrets
from ringfence.checking.leave_one_out import LeaveOneOut
from ringfence.checking.left_out.speedup import SpeedUp
from ringfence.checking.result import Spending
from ringfence.history.outcomes.costs import cost_unit
from ringfence.learned.full import full_space
from ringfence.optimize.domain.domain import domain_of
from ringfence.optimize.transfer.sources import Source
from ringfence.optimize.weighing.cost import Costs
from ringfence.optimize.weighing.cost_model import task_model

SPENT = (0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0)
"""What is spent, in median trials."""
TYPICAL = 8192
"""Random configurations of the full space that tell a task's median and mean cost, with an error of
1 to 3 %; that of 768 is 6 to 10 %."""
DRAWS = 768  # of them that random search tries
ORDERS = 48  # in which it tries them: its regret has an error of 0.02; in six orders it is 0.04
SEED = 0
FARTHEST = 300.0
"""Log costs beyond that are those of no computer; products of their exponentials overflow."""


@dataclass(frozen=True, eq=False)
class Prices:
    """What configurations cost on one task."""

    unit: float
    """The cost of the median random configuration; the others are multiples of it."""
    random: FloatArray  # (TYPICAL,)
    chosen: FloatArray  # (m,)


def spending(
    left_out: LeaveOneOut, chosen: Mapping[str, FloatArray], ups: Sequence[SpeedUp], n: int
) -> Spending | None:
    """What the chosen starting points of each task would have cost; None if no task says."""
    beliefs, scale, roles = left_out.beliefs, left_out.scale, left_out.prepared.history.roles
    if beliefs is None or scale is None or roles.cost is None:
        return None
    domain = domain_of(full_space(left_out.space))
    costs = Costs(domain.layout)
    typical = domain.draw(TYPICAL, np.random.default_rng(SEED))
    draws, typical = typical[:DRAWS], costs.full.features(typical)
    units, means, totals, starts, random, without = [], [], [], [], [], []
    for name, rows in chosen.items():
        price = _prices(costs, left_out.recorded[name], typical, rows)
        if price is None:
            without.append(name)
            continue
        units.append(price.unit)
        means.append(float(price.random.mean()))
        totals.append(float(price.chosen.sum()))
        starts.append(_curve(beliefs.shares_at(name, rows), price.chosen, scale))
        rng = np.random.default_rng([SEED, *name.encode()])
        random.append(_random_search(beliefs.shares_at(name, draws), price.random, scale, rng))
    if not units:
        return None
    reached = _corrected(np.mean(starts, axis=0), left_out, chosen, ups)
    usual = np.mean(random, axis=0)
    return Spending(
        cost_unit(roles),
        median(units),
        SPENT,
        tuple(reached.tolist()),
        tuple(usual.tolist()),
        n,
        fmean(totals),
        ups[-1].value * ups[-1].draws * fmean(means),
        len(units),
        tuple(without),
    )


def _prices(costs: Costs, task: Source, typical: FloatArray, chosen: FloatArray) -> Prices | None:
    """What `typical` features and `chosen` rows cost on a task; None if too little is known."""
    X, seen = costs.seen(task)
    model = task_model(X, seen)
    if model is None:
        return None
    # Costs have long tails: their mean is above the exponential of the mean logarithm.
    tail = float(_exp(seen - model.expected(X)).mean())
    random = tail * _exp(model.expected(typical))
    unit = float(np.median(random))
    own = tail * _exp(model.expected(costs.full.features(chosen)))
    return Prices(unit, random / unit, own / unit)


def _exp(log_costs: FloatArray) -> FloatArray:
    return np.asarray(np.exp(np.clip(log_costs, -FARTHEST, FARTHEST)))


def _random_search(
    shares: FloatArray, price: FloatArray, scale: RegretScale, rng: np.random.Generator
) -> FloatArray:
    """The mean curve over several orders of trials with these shares (S, DRAWS)."""
    orders = [rng.permutation(DRAWS) for _ in range(ORDERS)]
    curves = [_curve(shares[:, order], price[order], scale) for order in orders]
    return np.asarray(np.mean(curves, axis=0))


def _curve(shares: FloatArray, price: FloatArray, scale: RegretScale) -> FloatArray:
    """Expected regret of what has ended when so much is spent, (SPENT,), of trials in order with
    these shares (S, m) and prices (m,)."""
    best = np.minimum.accumulate(shares, axis=1)
    counts = np.searchsorted(np.cumsum(price), np.array(SPENT), side="right")
    at_counts = np.where(counts > 0, best[:, np.maximum(counts - 1, 0)], 1.0)
    return np.asarray(scale.weights @ regrets(at_counts).mean(axis=1))


def _corrected(
    curve: FloatArray,
    left_out: LeaveOneOut,
    chosen: Mapping[str, FloatArray],
    ups: Sequence[SpeedUp],
) -> FloatArray:
    """The curve less the optimism that is taken off the speed-ups (starting_points.py): regrets are
    carried over as those after so many starting points are."""
    beliefs, scale = left_out.beliefs, left_out.scale
    assert beliefs is not None and scale is not None
    by_task = [
        scale.weights @ beliefs.regrets_in_order(name, rows).mean(axis=0)
        for name, rows in chosen.items()
    ]
    raw = [fmean(float(task[min(up.draws, len(task)) - 1]) for task in by_task) for up in ups]
    order = np.argsort(raw)
    told = np.array([0.0, *(ups[i].inside for i in order), 1.0])
    return np.interp(curve, [0.0, *(raw[i] for i in order), 1.0], np.maximum.accumulate(told))
