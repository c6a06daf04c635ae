"""Syne Tune: its kernel density searcher over a learned ellipsoid."""

import math

from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from syne_tune.optimizer.schedulers.ask_tell_scheduler import AskTellScheduler
from syne_tune.optimizer.schedulers.single_objective_scheduler import SingleObjectiveScheduler

import ringfence as rf
from ringfence.adapters import synetune

learned = rf.learn(rf.example_history(), shape="ellipsoid", outliers=0.1, refit=True)

images, digits = load_digits(n_class=8, return_X_y=True)
X, y = images[:240], digits[:240] % 3 == 0  # a new task: is the digit 0, 3 or 6?


def error(config):
    """Of a support vector machine on principal components, cross-validated."""
    config = dict(config)
    components = math.ceil(config.pop("components") * X.shape[1])
    model = make_pipeline(StandardScaler(), PCA(components), SVC(**config))
    return 1 - cross_val_score(model, X, y, cv=3).mean()


searcher = synetune.searcher(learned, base="kde", seed=0)
scheduler = SingleObjectiveScheduler(searcher.config_space, metric="error", searcher=searcher)
asked = AskTellScheduler(scheduler)
found = []
for _ in range(20):
    trial = asked.ask()
    found.append((error(trial.config), trial.config))
    asked.tell(trial, {"error": found[-1][0]})
value, best = min(found, key=lambda one: one[0])
print(f"error {value:.3f}, inside: {learned.contains(best)}")
