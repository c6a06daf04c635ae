"""Ax over a learned ellipsoid."""

import logging
import math

from ax.api.client import Client

import ringfence as rf
from ringfence.adapters.ax import parameters

logging.disable(logging.INFO)
learned = rf.learn(rf.example_history(), shape="ellipsoid", outliers=0.1, refit=True)


def error(config):
    """In the place of training a support vector machine."""
    return abs(math.log10(config["C"]) - 1) + (config["components"] - 0.7) ** 2


translated = parameters(learned)
client = Client(random_seed=0)
client.configure_experiment(parameters=translated.space)
client.configure_optimization(objective="-error")
for _ in range(4):
    for index, values in client.get_next_trials(max_trials=1).items():
        config = translated.decode(values)
        client.complete_trial(index, raw_data={"error": error(config)})
        print(config)
        assert learned.contains(config)
