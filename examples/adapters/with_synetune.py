"""Syne Tune: its kernel density searcher over a learned ellipsoid."""

import math

from syne_tune.optimizer.schedulers.ask_tell_scheduler import AskTellScheduler
from syne_tune.optimizer.schedulers.single_objective_scheduler import SingleObjectiveScheduler

import ringfence as rf
from ringfence.adapters import synetune

learned = rf.learn(rf.example_history(), shape="ellipsoid", outliers=0.1, refit=True)


def error(config):
    """In the place of training a support vector machine."""
    return abs(math.log10(config["C"]) - 1) + (config["components"] - 0.7) ** 2


searcher = synetune.searcher(learned, base="kde", seed=0)
scheduler = SingleObjectiveScheduler(searcher.config_space, metric="error", searcher=searcher)
asked = AskTellScheduler(scheduler)
found = []
for _ in range(20):
    trial = asked.ask()
    found.append((error(trial.config), trial.config))
    asked.tell(trial, {"error": found[-1][0]})
    assert learned.contains(trial.config)
print(min(found, key=lambda one: one[0]))
