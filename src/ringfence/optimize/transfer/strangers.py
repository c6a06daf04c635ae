"""Tasks of another space: they are asked for advice unless the tasks at home do better without it.

A task is *at home* if it tuned what is tuned now, no more and no less, over most of every range. A
*stranger* tuned a parameter that is gone; strangers that lack the same parameters are a group. A
task that only lacks some, had them fixed or had narrower ranges is neither: it is kept and not
asked, since what it says of the others is of the same function.

Each task at home is left out in turn, and its model says what the starting points of the others are
worth to it, with and without a group. The group whose leaving helps most leaves, as long as one
helps by HELPS standard errors over the tasks; all groups together may leave as well. Nobody leaves
if fewer than FEWEST tasks are at home. How the rule was chosen, and what it is worth:
docs/mismatch.md.

symbol   meaning                                                     shape
F        predicted regret of every task at the candidates            (T, m)
costs    mean regret of a task at home over the first TRIALS         (tasks asked,)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.history.lots import by_lot
from ringfence.optimize.domain.domain import Domain
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.transfer.candidates import Candidates
from ringfence.optimize.transfer.cover import greedy_cover
from ringfence.optimize.transfer.source_models import SourceModels
from ringfence.optimize.transfer.sources import Source
from ringfence.space import Categorical
from ringfence.words import counted, some

MOST_OF_RANGE = 0.8  # of 32 random rows (ENOUGH_ROWS) 0.7 % cover less of a range
FEWEST = 2  # tasks at home: of one there is nobody left to ask
HELPS = 0.5  # standard errors; of 0 to 2 the best on the development draws
TRIALS = 10  # starting points that are judged
MOST_ASKED, MOST_CANDIDATES = 24, 1000  # for the time it takes
MOST_GROUPS = 6  # the largest; the rest are one


def without_strangers(
    models: SourceModels, sources: Sequence[Source], domain: Domain, seed: int
) -> SourceModels:
    """The models without those of strangers that do more harm than good."""
    by_name = {source.name: source for source in sources}
    tasks = [by_name[model.name] for model in models.tasks]
    home = [i for i, task in enumerate(tasks) if is_at_home(task, domain.layout)]
    groups = _groups(tasks)
    if len(home) < FEWEST or not groups:
        return models
    rows = _thinned(Candidates(domain, models, sources, seed).rows, MOST_CANDIDATES, seed)
    left = _left_out(models, models.predict(rows), home, groups, seed)
    return replace(models, tasks=tuple(m for i, m in enumerate(models.tasks) if i not in left))


def strangers_note(models: SourceModels, kept: SourceModels) -> list[str]:
    """What was left out, in words."""
    names = {model.name for model in kept.tasks}
    gone = [model.name for model in models.tasks if model.name not in names]
    if not gone:
        return []
    return [
        f"{counted(len(gone), 'task')} of another space {'are' if len(gone) > 1 else 'is'} left "
        f"out of the starting points ({some(gone, 3)}): tasks of this one, left out in turn, did "
        f"better without {'them' if len(gone) > 1 else 'it'}"
    ]


def is_at_home(task: Source, layout: Layout) -> bool:
    """Whether a task tuned what is tuned now, over most of every range."""
    if task.unknown or task.extra is not None:
        return False
    for j, (name, axis) in enumerate(zip(layout.names, layout.axes)):
        tried = task.rows[~np.isnan(task.rows[:, j]), j]
        if axis is None or not len(tried):
            continue
        parameter = layout.space[name]
        ends = (
            [0.0, len(parameter.choices) - 1.0]
            if isinstance(parameter, Categorical)
            else [float(parameter.low), float(parameter.high)]  # type: ignore[union-attr]
        )
        if np.ptp(tried) < MOST_OF_RANGE * np.ptp(axis.encode(np.array(ends))):
            return False
    return True


def _groups(tasks: Sequence[Source]) -> list[list[int]]:
    """The strangers by what they lack."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for i, task in enumerate(tasks):
        if task.extra is not None:
            groups.setdefault(task.unknown, []).append(i)
    by_size = sorted(groups.values(), key=len, reverse=True)
    rest = [i for group in by_size[MOST_GROUPS:] for i in group]
    return [*by_size[:MOST_GROUPS], *([rest] if rest else [])]


def _left_out(
    models: SourceModels, F: FloatArray, home: Sequence[int], groups: Sequence[list[int]], seed: int
) -> set[int]:
    """The tasks that the tasks at home do better without."""
    w, order = models.weights, by_lot([models.tasks[i].name for i in home], str(seed))
    asked = sorted(home[number] for number in order[:MOST_ASKED])
    left: list[list[int]] = []
    costs = _costs(F, asked, left, w)
    while True:
        here = [group for group in groups if group not in left]
        ways = [[*left, group] for group in here] + ([list(groups)] if len(here) > 1 else [])
        helpful = []
        for way in ways:
            less = _costs(F, asked, way, w)
            if _is_clear(gain := costs - less):
                helpful.append((float(gain.mean()), way, less))
        if not helpful:
            return {i for group in left for i in group}
        _, left, costs = max(helpful, key=lambda one: one[0])


def _costs(
    F: FloatArray, asked: Sequence[int], left: Sequence[list[int]], weights: FloatArray
) -> FloatArray:
    """What the starting points of the others, less those that left, cost each task asked."""
    gone = {i for group in left for i in group}
    costs = []
    for task in asked:
        others = [i for i in range(len(F)) if i != task and i not in gone]
        order, _ = greedy_cover(F[others], TRIALS, counts=weights[others])
        costs.append(np.minimum.accumulate(F[task, order]).mean())
    return np.array(costs)


def _is_clear(gain: FloatArray) -> bool:
    """Whether the mean gain over the tasks is beyond chance and rounding."""
    error = float(gain.std(ddof=1)) / np.sqrt(len(gain))
    return bool(gain.mean() > max(HELPS * error, 1e-9))


def _thinned(rows: FloatArray, most: int, seed: int) -> FloatArray:
    if len(rows) <= most:
        return rows
    chosen = np.random.default_rng([seed, most]).choice(len(rows), most, replace=False)
    return rows[np.sort(chosen)]
