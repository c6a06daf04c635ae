"""What models that transfer cost: GP warm start from all tasks cubic, ABLR linear (section 6.2)?

    OMP_NUM_THREADS=1 python -m benchmarks.model_cost     writes results/model_cost.csv

CPU seconds of one step of the fit (value and gradient of what is maximized) with the k best
evaluations of 29 tasks, ten parameters and four meta-features. ABLR is given the same rows.
"""

from __future__ import annotations

import math

import numpy as np

from benchmarks.cells import need_one_thread
from benchmarks.folding import folded
from benchmarks.kept import keep, kept, table
from benchmarks.timing import cpu_seconds
from ringfence.optimize.surrogates.ablr.network import NetworkShape
from ringfence.optimize.surrogates.ablr.objective import ABLROptions, objective_of
from ringfence.optimize.surrogates.ablr.task import task_data
from ringfence.optimize.surrogates.gp.hyperparameters import KernelColumns
from ringfence.optimize.surrogates.gp.posterior import log_posterior

TASKS, PARAMETERS, META = 29, 10, 4
BEST = (5, 10, 20, 40, 80)
COLUMNS = ("k", "evaluations", "GP, ms", "ABLR, ms")


def main() -> None:
    """Measure, print and keep."""
    need_one_thread()
    keep("model_cost", COLUMNS, [[k, k * TASKS, *(1e3 * s for s in steps(k))] for k in BEST])
    print(cost_text())


def steps(k: int) -> tuple[float, float]:
    """CPU seconds of one step of either model."""
    rng = np.random.default_rng(k)
    X = rng.random((TASKS, k, PARAMETERS))
    meta = np.broadcast_to(rng.random((TASKS, 1, META)), (TASKS, k, META))
    y = rng.standard_normal((TASKS, k))
    columns = KernelColumns.of(PARAMETERS + META)
    inputs, values = np.concatenate([X, meta], axis=2).reshape(TASKS * k, -1), y.ravel()
    of_gp = cpu_seconds(lambda: log_posterior(columns.prior[0], inputs, values, columns))
    shape = NetworkShape(PARAMETERS)
    anchor = shape.draw(np.random.default_rng(0))
    data = [task_data(t, X[t], y[t], compressed=True) for t in range(TASKS)]
    objective = objective_of(shape, anchor, X.reshape(TASKS * k, -1), data, ABLROptions())
    start = objective.z(anchor, np.tile(objective.prior.mean, (TASKS, 1)))
    return of_gp, cpu_seconds(lambda: objective(start))


def cost_text() -> str:
    """What the page says of it, from the file."""
    lines = kept("model_cost")
    less, most = lines[-2], lines[-1]

    def power(name: str) -> str:
        return f"{math.log2(float(most[name]) / float(less[name])):.1f}"

    text = (
        "**What the models cost.** Section 6.2 has the cost of GP warm start T=29 cubic in the "
        f"evaluations and that of ABLR linear. From {less['evaluations']} to {most['evaluations']} "
        f"evaluations a step of the GP's fit grows with their power {power('GP, ms')}, one of "
        f"ABLR's with {power('ABLR, ms')} (`python -m benchmarks.model_cost`)."
    )
    return "\n\n".join([text, folded("CPU time of a step", table(lines))])


if __name__ == "__main__":
    main()
