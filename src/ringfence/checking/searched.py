"""How much of the full space the runs searched.

A model answers for configurations that nobody tried, but not for a part of the space where nobody
tried anything: there the best of all tasks may lie. So a space that is declared much wider than
what was run is not judged.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from ringfence.history import TASK
from ringfence.space import Categorical, Encoding, Space, value_of
from ringfence.words import percent, some, value

LEAST_SEARCHED = 0.75
"""Share of the full space within the range of all runs: with less, no verdict. With the optima in
the part of one parameter that no run searched, 0 of 90 verdicts were false while at least this much
of it was searched, 3 of 18 at 70 % and 6 of 18 at 60 % (benchmarks/unsearched.py)."""
GAP = 0.05
"""Of a range: a smaller gap at its end does not count."""
CHANCE = 1e-4
"""A gap that random runs would leave with a higher probability does not count either."""


def unsearched(space: Space, rows: pl.DataFrame) -> str:
    """Why nothing can be said of the full space: which parts of it no run searched. Empty if the
    runs searched most of it."""
    share, gaps = 1.0, []
    for name in space:
        searched, words = _searched(space, name, rows)
        share *= searched
        gaps += [words] if words else []
    if share >= LEAST_SEARCHED:
        return ""
    return (
        f"the runs search {percent(share)} of the full space: none has {some(gaps, 3)}; declare "
        "the space that was searched, let it be inferred, or run random configurations there"
    )


def scarcity(space: Space, rows: pl.DataFrame) -> float:
    """How much of the space few tasks know: the mean, over the parameters, of one over the number
    of tasks that know it, where others do not; 0 if no task does, since then no region is drawn
    along it."""
    shares = [0.0]
    for name in [name for name in space if name in rows.columns]:
        unknown = pl.col(name).is_nan().fill_null(value=False)
        by_task = rows.group_by(TASK).agg(unknown.any())[name]
        knowers = len(by_task) - int(by_task.sum())
        shares.append(1.0 / knowers if 0 < knowers < len(by_task) else 0.0)
    return float(np.sum(shares)) / max(len(shares) - 1, 1)


def _searched(space: Space, name: str, rows: pl.DataFrame) -> tuple[float, str]:
    """The share of a parameter that runs have tried, and what they have not in words."""
    parameter = space[name]
    tried = (
        rows[name].fill_nan(None).drop_nulls().to_numpy() if name in rows.columns else np.empty(0)
    )
    if not len(tried):
        return 1.0, ""
    if isinstance(parameter, Categorical) and not parameter.ordered:
        n = len(parameter.choices)
        missing = [c for i, c in enumerate(parameter.choices) if i not in tried]
        if not missing or (1 - 1 / n) ** len(tried) > CHANCE:
            return 1.0, ""
        return 1 - len(missing) / n, f"{name} {some([value(c) for c in missing], 3)}"
    encoding = Encoding.of(space, [name])
    if not encoding.axes:
        return 1.0, ""
    axis = encoding.axes[0]
    ends = np.array([tried.min(), tried.max()])
    low, high = axis.cell(ends)[0][0], axis.cell(ends)[1][1]
    below, above = (_counted(gap, len(tried)) for gap in (float(low), 1.0 - float(high)))
    least, most = (value(value_of(parameter, end)) for end in ends)
    words = [f"below {least}"] * bool(below) + [f"above {most}"] * bool(above)
    return 1.0 - below - above, f"{name} {' or '.join(words)}" if words else ""


def _counted(gap: float, n_runs: int) -> float:
    """The gap, or 0 if it is small or may be chance."""
    return gap if gap > GAP and (1.0 - gap) ** n_runs < CHANCE else 0.0
