"""A Gaussian process over a learned box."""

from statistics import mean

import ringfence as rf
from recorded import best, candidates, earlier, error

learned = rf.learn(earlier, shape="box", outliers=0.1)
for name in ("random", "gp"):
    found = [
        rf.minimize(error, learned, name, n_trials=20, seed=seed, candidates=candidates).value
        for seed in range(5)
    ]
    print(f"{name:<11} {mean(found):.4f} after 20 trials, mean of 5 seeds")
print(f"{'best':<11} {best:.4f} of all recorded runs")
