"""SMAC3 over a learned ellipsoid."""

import math

from smac import HyperparameterOptimizationFacade, Scenario

import ringfence as rf
from ringfence.adapters import smac

learned = rf.learn(rf.example_history(), shape="ellipsoid", outliers=0.1, refit=True)


def error(config):
    """In the place of training a support vector machine."""
    return abs(math.log10(config["C"]) - 1) + (config["components"] - 0.7) ** 2


target = smac.target(learned, error, seed=0)
scenario = Scenario(target.space, n_trials=12, seed=0, deterministic=True, output_directory=".smac")
facade = HyperparameterOptimizationFacade(scenario, target, overwrite=True, logging_level=30)
best = target.decode(facade.optimize())
print(f"{error(best):.3f} with {best}")
assert learned.contains(best)
