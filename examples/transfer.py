"""What to try first, and an optimizer that goes on from there with the runs of earlier tasks."""

from statistics import mean

import ringfence as rf
from recorded import best, candidates, earlier, error

learned = rf.learn(earlier, shape="full", starts=5)
for start in learned.portfolio[:2]:
    print(f"regret left {start.regret:.2f} on earlier tasks after {start.config}")

for label, name, options in [
    ("random", "random", {}),
    ("starts + random", "random", {"starts": 5}),
    ("starts + gp", "gp", {"starts": 5}),
    ("transfer", "transfer", {"history": earlier}),
]:
    found = [
        rf.minimize(
            error, learned, name, n_trials=8, seed=seed, candidates=candidates, **options
        ).value
        for seed in range(3)
    ]
    print(f"{label:<15} {mean(found):.4f} after 8 trials, mean of 3 seeds")
print(f"{'best':<15} {best:.4f} of all recorded runs")
