"""ABLR: a network that all tasks share, with a Bayesian linear regression for each on top."""

from statistics import mean

import ringfence as rf
from recorded import best, candidates, earlier, error

learned = rf.learn(earlier, shape="box", outliers=0.1)

for name, options in {"random": {}, "ablr": {"history": earlier}}.items():
    found = [
        rf.minimize(
            error, learned, name, n_trials=8, seed=seed, candidates=candidates, **options
        ).value
        for seed in range(2)
    ]
    print(f"{name:<17} {mean(found):.4f} after 8 trials, mean of 2 seeds")
print(f"{'best':<17} {best:.4f} of all recorded runs")
