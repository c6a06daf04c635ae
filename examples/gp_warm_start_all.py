"""A Gaussian process over all earlier tasks at once, told apart by facts about their data."""

from statistics import mean

import ringfence as rf
from recorded import NEW, best, candidates, earlier, error, meta_features

learned = rf.learn(earlier, shape="box", outliers=0.1)
transfer = {"history": earlier, "meta_features": meta_features, "target": meta_features[NEW]}
for name, options in {"random": {}, "gp-warm-start-all": transfer}.items():
    found = [
        rf.minimize(
            error, learned, name, n_trials=8, seed=seed, candidates=candidates, **options
        ).value
        for seed in range(2)
    ]
    print(f"{name:<17} {mean(found):.4f} after 8 trials, mean of 2 seeds")
print(f"{'best':<17} {best:.4f} of all recorded runs")
