"""Ax over a learned ellipsoid."""

import logging
import math

from ax.api.client import Client
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import ringfence as rf
from ringfence.adapters.ax import parameters

logging.disable(logging.INFO)
learned = rf.learn(rf.example_history(), shape="ellipsoid", outliers=0.1, refit=True)

images, digits = load_digits(n_class=8, return_X_y=True)
X, y = images[:240], digits[:240] % 3 == 0  # a new task: is the digit 0, 3 or 6?


def error(config):
    """Of a support vector machine on principal components, cross-validated."""
    config = dict(config)
    components = math.ceil(config.pop("components") * X.shape[1])
    model = make_pipeline(StandardScaler(), PCA(components), SVC(**config))
    return 1 - cross_val_score(model, X, y, cv=3).mean()


translated = parameters(learned)
client = Client(random_seed=0)
client.configure_experiment(parameters=translated.space)
client.configure_optimization(objective="-error")
for start in learned.starts(3):
    index = client.attach_trial(parameters=translated.encode(start))
    client.complete_trial(index, raw_data={"error": error(start)})
for _ in range(4):
    for index, values in client.get_next_trials(max_trials=1).items():
        client.complete_trial(index, raw_data={"error": error(translated.decode(values))})
values, metrics, _, _ = client.get_best_parameterization(use_model_predictions=False)
best = translated.decode(values)
print(f"error {error(best):.3f}, inside: {learned.contains(best)}")
