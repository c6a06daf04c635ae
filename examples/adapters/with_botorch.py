"""BoTorch over a learned ellipsoid: one kernel, three numbers."""

import math

import polars as pl
import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood

import ringfence as rf
from ringfence.adapters import botorch

runs = rf.example_history().frame.filter(pl.col("kernel") == "rbf")
names = ["C", "gamma", "components"]
history = rf.History.from_frame(runs, task="task", objective="error", parameters=names)
learned = rf.learn(history, shape="ellipsoid", outliers=0.1, refit=True)


def gain(x):
    """In the place of training a support vector machine; BoTorch maximizes."""
    config = problem.decode(x)
    return torch.tensor([[-abs(math.log10(config["C"]) - 1)]], dtype=torch.float64)


problem = botorch.problem(learned)
X = problem.initial_points(6, seed=0)
Y = torch.cat([gain(x) for x in X])
for _ in range(2):
    model = SingleTaskGP(X, Y)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    acquisition = LogExpectedImprovement(model, Y.max())
    x, _ = optimize_acqf(acquisition, q=1, num_restarts=2, raw_samples=16, **problem.arguments)
    assert learned.contains(problem.decode(x[0]))
    X, Y = torch.cat([X, x]), torch.cat([Y, gain(x[0])])
print(problem.decode(X[Y.argmax()]))
