"""BoTorch over a learned ellipsoid: one kernel, three numbers."""

import math

import polars as pl
import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import ringfence as rf
from ringfence.adapters import botorch

runs = rf.example_history().frame.filter(pl.col("kernel") == "rbf")
names = ["C", "gamma", "components"]  # one kernel, three numbers
history = rf.History.from_frame(runs, task="task", objective="error", parameters=names)
learned = rf.learn(history, shape="ellipsoid", outliers=0.1, refit=True)

images, digits = load_digits(n_class=8, return_X_y=True)
X, y = images[:240], digits[:240] % 3 == 0  # a new task: is the digit 0, 3 or 6?


def error(config):
    """Of a support vector machine on principal components, cross-validated."""
    config = dict(config)
    components = math.ceil(config.pop("components") * X.shape[1])
    model = make_pipeline(StandardScaler(), PCA(components), SVC(**config))
    return 1 - cross_val_score(model, X, y, cv=3).mean()


problem = botorch.problem(learned)
X_tried = problem.initial_points(6, seed=0)
gains = torch.tensor([[-error(problem.decode(x))] for x in X_tried], dtype=torch.float64)
for _ in range(4):
    model = SingleTaskGP(X_tried, gains)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    acquisition = LogExpectedImprovement(model, gains.max())
    x, _ = optimize_acqf(acquisition, q=1, num_restarts=2, raw_samples=16, **problem.arguments)
    gain = torch.tensor([[-error(problem.decode(x[0]))]], dtype=torch.float64)
    X_tried, gains = torch.cat([X_tried, x]), torch.cat([gains, gain])
best = problem.decode(X_tried[gains.argmax()])
print(f"error {-gains.max():.3f}, inside: {learned.contains(best)}")
