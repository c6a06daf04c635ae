"""Hyperopt's TPE over a learned ellipsoid."""

import math

import numpy as np
from hyperopt import fmin, space_eval, tpe

import ringfence as rf
from ringfence.adapters.hyperopt import search_space

learned = rf.learn(rf.example_history(), shape="ellipsoid", outliers=0.1, refit=True)


def error(config):
    """In the place of training a support vector machine."""
    return abs(math.log10(config["C"]) - 1) + (config["components"] - 0.7) ** 2


translated = search_space(learned)
best = fmin(
    lambda values: error(translated.decode(values)),
    translated.space,
    algo=tpe.suggest,
    max_evals=25,
    rstate=np.random.default_rng(0),
    show_progressbar=False,
)
config = translated.decode(space_eval(translated.space, best))
print(f"{error(config):.3f} with {config}")
assert learned.contains(config)
