"""CMA-ES started with the center and the shape of a learned ellipsoid."""

import math

import cmaes
import polars as pl

import ringfence as rf
from ringfence.adapters.cmaes import start

runs = rf.example_history().frame.filter(pl.col("kernel") == "rbf")
names = ["C", "gamma", "components"]
history = rf.History.from_frame(runs, task="task", objective="error", parameters=names)
learned = rf.learn(history, shape="ellipsoid", outliers=0.1, refit=True)


def error(config):
    """In the place of training a support vector machine."""
    return abs(math.log10(config["C"]) - 1) + (config["components"] - 0.7) ** 2


begin = start(learned)
optimizer = cmaes.CMA(**begin.arguments, seed=0)
for _ in range(8):
    rows = [optimizer.ask() for _ in range(optimizer.population_size)]
    results = [(row, error(begin.decode(row))) for row in rows]
    optimizer.tell(results)
    row, value = min(results, key=lambda result: result[1])
    print(f"{value:.4f} with {begin.decode(row)}")
    assert all(learned.contains(begin.decode(row)) for row in rows)
