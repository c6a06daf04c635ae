"""SMAC3 over a learned ellipsoid."""

import math

from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from smac import HyperparameterOptimizationFacade, Scenario

import ringfence as rf
from ringfence.adapters import smac

learned = rf.learn(rf.example_history(), shape="ellipsoid", outliers=0.1, refit=True)

images, digits = load_digits(n_class=8, return_X_y=True)
X, y = images[:240], digits[:240] % 3 == 0  # a new task: is the digit 0, 3 or 6?


def error(config):
    """Of a support vector machine on principal components, cross-validated."""
    config = dict(config)
    components = math.ceil(config.pop("components") * X.shape[1])
    model = make_pipeline(StandardScaler(), PCA(components), SVC(**config))
    return 1 - cross_val_score(model, X, y, cv=3).mean()


target = smac.target(learned, error, seed=0)
scenario = Scenario(target.space, n_trials=15, seed=0, deterministic=True, output_directory=".smac")
design = HyperparameterOptimizationFacade.get_initial_design(
    scenario, n_configs=5, additional_configs=target.starts(3)
)
facade = HyperparameterOptimizationFacade(
    scenario, target, initial_design=design, overwrite=True, logging_level=30
)
best = target.decode(facade.optimize())
print(f"error {error(best):.3f}, inside: {learned.contains(best)}")
