"""Hyperopt's TPE over a learned ellipsoid."""

import math

import numpy as np
from hyperopt import fmin, space_eval, tpe
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import ringfence as rf
from ringfence.adapters.hyperopt import search_space

learned = rf.learn(rf.example_history(), shape="ellipsoid", outliers=0.1, refit=True)

images, digits = load_digits(n_class=8, return_X_y=True)
X, y = images[:240], digits[:240] % 3 == 0  # a new task: is the digit 0, 3 or 6?


def error(config):
    """Of a support vector machine on principal components, cross-validated."""
    config = dict(config)
    components = math.ceil(config.pop("components") * X.shape[1])
    model = make_pipeline(StandardScaler(), PCA(components), SVC(**config))
    return 1 - cross_val_score(model, X, y, cv=3).mean()


translated = search_space(learned)
found = fmin(
    lambda values: error(translated.decode(values)),
    translated.space,
    algo=tpe.suggest,
    max_evals=25,
    rstate=np.random.default_rng(0),
    show_progressbar=False,
)
best = translated.decode(space_eval(translated.space, found))
print(f"error {error(best):.3f}, inside: {learned.contains(best)}")
