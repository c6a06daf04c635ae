"""A scrambled Sobol sequence over a learned ellipsoid: random search that leaves no gaps."""

from statistics import mean

import ringfence as rf
from recorded import best, candidates, earlier, error

learned = rf.learn(earlier, shape="ellipsoid", outliers=0.1)
for name in ("random", "sobol"):
    found = [
        rf.minimize(error, learned, name, n_trials=8, seed=seed, candidates=candidates).value
        for seed in range(20)
    ]
    print(f"{name:<11} {mean(found):.4f} after 8 trials, mean of 20 seeds")
print(f"{'best':<11} {best:.4f} of all recorded runs")
