"""Hyperband: successive halving, from many short trainings or from few long ones in turn."""

from statistics import mean

import ringfence as rf
from recorded import EPOCHS, candidates, earlier, epochs_of, train

learned = rf.learn(earlier, shape="box", outliers=0.1)


def compare(seed):
    """Lowest error here, that of random search with as many epochs in full trainings, epochs."""
    found = rf.minimize(
        train, learned, "hyperband", 69, seed=seed, candidates=candidates, max_budget=EPOCHS
    )
    spent = epochs_of(found.trials)
    trainings = int(spent // EPOCHS)
    drawn = rf.minimize(train, learned, "random", trainings, seed=seed, candidates=candidates)
    return found.value, drawn.value, spent


halved, drawn, spent = (mean(column) for column in zip(*map(compare, range(10))))
print(f"{'random':<18} {drawn:.4f} after {spent:.0f} epochs, mean of 10 seeds")
print(f"{'hyperband':<18} {halved:.4f}")
