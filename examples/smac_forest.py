"""SMAC's random forest over a learned box."""

from statistics import mean

import ringfence as rf
from recorded import best, candidates, earlier, error

learned = rf.learn(earlier, shape="box", outliers=0.1)
settings = {"n_initial": 5}  # a quarter of the trials
for name, options in {"random": {}, "smac": settings}.items():
    found = [
        rf.minimize(
            error, learned, name, n_trials=20, seed=seed, candidates=candidates, **options
        ).value
        for seed in range(4)
    ]
    print(f"{name:<17} {mean(found):.4f} after 20 trials, mean of 4 seeds")
print(f"{'best':<17} {best:.4f} of all recorded runs")
