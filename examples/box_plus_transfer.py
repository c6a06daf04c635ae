"""A box learned from 64 runs of each earlier task; the other runs are for the warm start."""

from statistics import mean

import polars as pl

import ringfence as rf
from recorded import NEW, best, candidates, earlier, error, history, meta_features

learned = rf.learn(earlier, shape="box", outliers=0.1, n_evaluations=64)
others = earlier.frame.filter(pl.int_range(pl.len()).over("task") >= 64)
transfer = {
    "history": rf.History.from_frame(others, task="task", objective="error"),
    "meta_features": meta_features,
    "target": meta_features[NEW],
}
for name, space, options in [
    ("random", history.space, {}),
    ("random", learned, {}),
    ("gp-warm-start", history.space, transfer),
    ("gp-warm-start", learned, transfer),
]:
    found = [
        rf.minimize(
            error, space, name, n_trials=8, seed=seed, candidates=candidates, **options
        ).value
        for seed in range(5)
    ]
    where = "box" if space is learned else "full space"
    print(f"{name:<13} {where:<11} {mean(found):.4f} after 8 trials, mean of 5 seeds")
print(f"{'best':<25} {best:.4f} of all recorded runs")
