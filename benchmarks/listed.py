"""`gp` over a list of candidates, once its hyperparameters stay: a row more, or all from scratch.

python -m benchmarks.listed
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from benchmarks.cells import need_one_thread
from benchmarks.timing import Row
from ringfence.optimize.surrogates.gp.hyperparameters import Hyperparameters, KernelColumns
from ringfence.optimize.surrogates.gp.listed import ListedGP
from ringfence.optimize.surrogates.gp.prediction import condition
from ringfence.optimize.surrogates.standardize import standardize

CANDIDATES, DIM = 1_000, 6
AFTER = (300, 500, 800)
"""Evaluations: hyperparameters begin to stay at 256, and the paper's long runs have 800 trials."""
REPEATS = 5


def rows() -> list[Row]:
    """What the moments of all candidates cost after one result more, for `make bench`."""
    rng = np.random.default_rng(0)
    candidates = rng.random((CANDIDATES, DIM))
    theta = Hyperparameters((0.5,) * DIM, 1e-3).theta
    columns = KernelColumns.of(DIM, None, None)
    found = []
    for n in AFTER:
        X, y = rng.random((n + REPEATS, DIM)), rng.standard_normal(n + REPEATS)
        grown = ListedGP(theta, columns, X[:n], candidates)

        def more(k: int, X=X, y=y, grown=grown) -> None:  # type: ignore[no-untyped-def]
            grown.add(X[k])
            grown.moments(standardize(y[: k + 1]))

        def scratch(k: int, X=X, y=y) -> None:  # type: ignore[no-untyped-def]
            values = standardize(y[: k + 1])
            condition(theta, X[: k + 1], values, columns).predict(candidates)

        what = f"{CANDIDATES:,} candidates after {n} evaluations: a row more, against from scratch"
        found.append(Row(what, _median(more, n), _median(scratch, n), "≥ 5×", ""))
    return found


def _median(call: Callable[[int], None], first: int) -> float:
    spent = []
    for k in range(first, first + REPEATS):
        start = time.process_time()
        call(k)
        spent.append(time.process_time() - start)
    return float(np.median(spent))


def main() -> None:
    need_one_thread()
    for row in rows():
        print(f"{row.what}: {row.ours * 1e3:.1f} ms, {row.other * 1e3:.1f} ms")  # type: ignore[operator]


if __name__ == "__main__":
    main()
