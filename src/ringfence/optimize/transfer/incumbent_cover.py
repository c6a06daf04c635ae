"""Starting points of histories that hold one row a task, such as published best configurations.

Nothing tells good from bad there, so no task has a model. What covers the tasks is then a matter of
distance: each point is the best row of some task, and the first is nearest to those of all tasks on
the mean, each further one lowers the mean distance to the nearest so far the most (cover.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.learned.full import full_space
from ringfence.optimize.domain.domain import Domain, each_once
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.search.maximize import admissible
from ringfence.optimize.transfer.cover import greedy_cover
from ringfence.optimize.transfer.sources import Source


def covering_incumbents(sources: Sequence[Source], domain: Domain, n: int, seed: int) -> FloatArray:
    """At most `n` best rows of the tasks that lie in the domain, in the order in which to try them.
    Only those that are known whole, unless no task knows every parameter."""
    whole = [task for task in sources if not task.unknown]
    offered = [task.completed(domain, seed).best(1)[0] for task in whole or sources]
    rows = each_once(domain.layout, admissible(domain, np.concatenate(offered), set()))
    if not len(rows):
        return rows
    distances = _distances(sources, rows, Layout(full_space(domain.layout.space)))
    order, _ = greedy_cover(distances / (distances.max() or 1.0), n)
    return rows[order]


def _distances(sources: Sequence[Source], rows: FloatArray, full: Layout) -> FloatArray:
    """Of the best row of each task from each of `rows`, (T, m): the root of the mean square over
    the features that the task knows."""
    X = full.features(np.concatenate([task.best(1)[0] for task in sources]))
    known = ~np.array([full.columns_of(task.unknown) for task in sources])
    squares = (X[:, None] - full.features(rows)) ** 2
    mean = np.einsum("tmd,td->tm", squares, known / known.sum(axis=1, keepdims=True))
    return np.asarray(np.sqrt(mean))
