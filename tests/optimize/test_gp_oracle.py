"""The Gaussian process against GPyTorch and BoTorch at the same hyperparameters."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from ringfence.optimize.search.acquisition import log_expected_improvement
from ringfence.optimize.surrogates.gp.hyperparameters import KernelColumns
from ringfence.optimize.surrogates.gp.prediction import condition
from ringfence.optimize.surrogates.gp.warping import MARGIN
from ringfence.optimize.surrogates.standardize import standardize

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    torch = pytest.importorskip("torch")
    pytest.importorskip("botorch")
    from botorch.acquisition import LogExpectedImprovement
    from botorch.models import SingleTaskGP
    from botorch.models.transforms.input import Warp
    from gpytorch.kernels import MaternKernel
    from gpytorch.likelihoods import GaussianLikelihood
    from gpytorch.means import ConstantMean

torch.set_num_threads(1)
pytestmark = pytest.mark.filterwarnings("ignore")

CASES = {
    "one column": (1, None, None),
    "plain": (4, None, None),
    "categories": (7, [0, 1, 1, 1, 2, 2, 3], None),
    "warped": (3, None, [True, False, True]),
    "all at once": (6, [0, 1, 1, 1, 2, 3], [True, False, False, False, True, True]),
    "many columns": (40, None, None),
}


def problem(name, n=25, seed=3):
    """Features, values, columns and hyperparameters away from their prior's mode."""
    dim, groups, warped = CASES[name]
    rng = np.random.default_rng(seed)
    X = rng.random((n, dim))
    X[0, :], X[1, :] = 0.0, 1.0
    y = 50.0 + 7.0 * np.sin(X @ rng.normal(0, 3, dim)) + rng.normal(0, 1, n)
    columns = KernelColumns.of(dim, groups, warped)
    lengths = rng.normal(0.5 * math.log(dim), 0.4, columns.n_groups)
    theta = np.concatenate([lengths, [-4.0], rng.normal(0, 0.5, 2 * columns.warped.size)])
    return X, standardize(y), columns, theta


def oracle(X, values, columns, theta, mean):
    """BoTorch's model of the standardized values with every hyperparameter set by hand."""
    lengths, noise, log_a, log_b = columns.split(theta)
    dim = X.shape[1]
    transform = None
    if columns.warped.size:
        unit = torch.stack([torch.zeros(dim), torch.ones(dim)]).double()
        transform = Warp(dim, columns.warped.tolist(), eps=MARGIN, bounds=unit).double()
        transform._set_concentration(1, torch.tensor(np.exp(log_a)))
        transform._set_concentration(0, torch.tensor(np.exp(log_b)))
    kernel = MaternKernel(nu=2.5, ard_num_dims=dim).double()
    kernel.lengthscale = torch.tensor(np.exp(lengths)[columns.groups])
    likelihood = GaussianLikelihood().double()
    likelihood.noise = math.exp(noise)
    constant = ConstantMean().double()
    constant.initialize(constant=mean)
    model = SingleTaskGP(
        torch.tensor(X),
        torch.tensor(values.y)[:, None],
        likelihood=likelihood,
        covar_module=kernel,
        mean_module=constant,
        outcome_transform=None,
        input_transform=transform,
    )
    return model.double()


@pytest.mark.parametrize("name", CASES)
def test_marginal_likelihood(name):
    X, values, columns, theta = problem(name)
    gp = condition(theta, X, values, columns)
    model = oracle(X, values, columns, theta, gp.mean)
    model.train()
    prior = model.likelihood(model(*model.train_inputs))
    theirs = prior.log_prob(model.train_targets).item()
    assert gp.log_marginal_likelihood == pytest.approx(theirs, rel=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_mean_and_variance_and_their_gradients(name):
    X, values, columns, theta = problem(name)
    gp = condition(theta, X, values, columns)
    model = oracle(X, values, columns, theta, gp.mean).eval()
    points = np.random.default_rng(1).uniform(0.01, 0.99, (12, X.shape[1]))
    at = torch.tensor(points, requires_grad=True)
    posterior = model.posterior(at)
    mean, variance = posterior.mean[:, 0], posterior.variance[:, 0]
    theirs = [
        values.shift + values.scale * mean,
        values.scale**2 * variance,
        values.scale * torch.autograd.grad(mean.sum(), at, retain_graph=True)[0],
        values.scale**2 * torch.autograd.grad(variance.sum(), at)[0],
    ]
    for got, expected in zip(gp.predict_with_gradient(points), theirs):
        expected = expected.detach().numpy()
        np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-8 * np.abs(expected).max())
    for got, expected in zip(gp.predict(points), theirs):
        np.testing.assert_allclose(got, expected.detach().numpy(), rtol=1e-6)


def test_log_expected_improvement_over_the_model():
    X, values, columns, theta = problem("plain")
    gp = condition(theta, X, values, columns)
    model = oracle(X, values, columns, theta, gp.mean).eval()
    points = np.random.default_rng(5).random((50, X.shape[1]))
    best = float(values.y.min())
    theirs = LogExpectedImprovement(model, best_f=best, maximize=False)
    with torch.no_grad():
        expected = theirs(torch.tensor(points)[:, None, :]).numpy() + math.log(values.scale)
    in_units = values.shift + values.scale * best
    got = log_expected_improvement(*gp.predict(points), in_units)[0]
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)
