"""Random search over the full space, a learned box and a learned ellipsoid."""

from statistics import mean

import ringfence as rf
from recorded import best, candidates, earlier, error, history

spaces = {
    "full space": history.space,
    "box": rf.learn(earlier, shape="box", outliers=0.1),
    "ellipsoid": rf.learn(earlier, shape="ellipsoid", outliers=0.1),
}
for name, space in spaces.items():
    found = [
        rf.minimize(error, space, "random", n_trials=10, seed=seed, candidates=candidates).value
        for seed in range(10)
    ]
    print(f"{name:<11} {mean(found):.4f} after 10 trials, mean of 10 seeds")
print(f"{'best':<11} {best:.4f} of all recorded runs")
