"""BoTorch: what optimize_acqf returns is inside, to the last digit that matters."""

from __future__ import annotations

import numpy as np
import pytest

import ringfence as rf
from problems import SPACES, Problem, region

from .contract import comes_back, inside

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
torch = pytest.importorskip("torch")
pytest.importorskip("botorch")
from botorch.acquisition import AnalyticAcquisitionFunction, PosteriorMean  # noqa: E402
from botorch.fit import fit_gpytorch_mll  # noqa: E402
from botorch.models import MixedSingleTaskGP, SingleTaskGP  # noqa: E402
from botorch.optim import optimize_acqf, optimize_acqf_mixed  # noqa: E402
from gpytorch.mlls import ExactMarginalLogLikelihood  # noqa: E402

from ringfence.adapters import botorch  # noqa: E402

NAMES = ("box", "ellipsoid", "slack ellipsoid", "boxes", "ellipsoids")
ALWAYS = [(k, n) for k in ("numeric", "mixed") for n in NAMES]


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)
    torch.manual_seed(0)


class Pull(AnalyticAcquisitionFunction):
    """An acquisition whose maximum over the cube is its upper corner, far outside the region."""

    def forward(self, X):
        return X.sum(dim=(-1, -2))


def pull():
    return Pull(SingleTaskGP(torch.rand(4, 1).double(), torch.rand(4, 1).double()))


@pytest.mark.parametrize("kind, name", ALWAYS)
def test_points_come_back_and_start_inside(kind, name):
    learned = region(kind, name)
    problem = botorch.problem(learned)
    comes_back(learned, problem.encode, problem.decode)
    begin = problem.initial_points(20, seed=0)
    assert begin.shape == (20, len(problem.vectors.names)) and begin.dtype == torch.float64
    assert ((begin >= 0) & (begin <= 1)).all()
    for x in begin:
        inside(learned, problem.decode(x))
    assert torch.equal(begin, problem.initial_points(20, seed=0))


@pytest.mark.parametrize("kind, name", ALWAYS)
def test_repair_moves_what_is_outside_to_the_boundary_and_leaves_the_rest(kind, name):
    learned = region(kind, name)
    problem = botorch.problem(learned)
    begin = problem.initial_points(10, seed=0)
    torch.testing.assert_close(problem.repair(begin), begin, rtol=0, atol=1e-9)
    anywhere = torch.rand(5, 2, begin.shape[1], dtype=torch.float64)
    repaired = problem.repair(anywhere)
    assert repaired.shape == anywhere.shape
    for x in repaired.reshape(-1, begin.shape[1]):
        inside(learned, problem.decode(x))
        torch.testing.assert_close(problem.encode(problem.decode(x)), x, rtol=0, atol=1e-9)


def test_the_constraint_is_the_ellipsoid():
    learned = region("numeric", "ellipsoid")
    ((slack, within_point),) = botorch.problem(learned).constraints
    assert within_point is True
    ellipsoid = learned.blocks[0].region.body
    points = np.random.default_rng(0).random((500, 3))
    values = slack(torch.as_tensor(points)).numpy()
    np.testing.assert_array_equal(values >= 0, ellipsoid.contains(points))
    np.testing.assert_allclose(values, 1 - ellipsoid.norm(points) ** 2, atol=1e-7)
    assert botorch.problem(region("numeric", "box")).constraints is None


@pytest.mark.parametrize("name", ["boxes", "ellipsoids"])
def test_the_constraint_of_a_union_holds_in_one_of_its_parts(name):
    learned = region("numeric", name)
    ((slack, _),) = botorch.problem(learned).constraints
    points = np.random.default_rng(0).random((2_000, 3))
    values = slack(torch.as_tensor(points)).numpy()
    np.testing.assert_array_equal(values >= 0, learned.blocks[0].region.contains(points))


@pytest.mark.parametrize("name", ["boxes", "ellipsoids"])
def test_a_pull_outwards_ends_in_the_part_farthest_out(name):
    learned = region("numeric", name)
    problem = botorch.problem(learned)
    x, value = optimize_acqf(pull(), q=1, num_restarts=4, raw_samples=64, **problem.arguments)
    inside(learned, problem.decode(x[0]))
    drawn = learned.draw(learned.blocks[0], 5_000, np.random.default_rng(0)).points
    assert float(value) > drawn.sum(axis=1).max() - 0.02


@pytest.mark.parametrize("name", ["box", "ellipsoid"])
def test_a_pull_outwards_ends_on_the_boundary(name):
    learned = region("numeric", name)
    problem = botorch.problem(learned)
    x, value = optimize_acqf(pull(), q=1, num_restarts=2, raw_samples=8, **problem.arguments)
    inside(learned, problem.decode(x[0]))
    region_ = learned.blocks[0].region
    if name == "box":
        assert float(value) == pytest.approx(region_.upper.sum(), abs=1e-5)
    else:  # the largest sum over c + F z is 1ᵀc + ‖Fᵀ1‖
        ellipsoid = region_.body
        largest = ellipsoid.center.sum() + np.linalg.norm(ellipsoid.factor.sum(axis=0))
        assert float(value) == pytest.approx(largest, abs=1e-4)


def test_choices_are_gone_through_one_by_one():
    learned = region("mixed", "ellipsoid")
    problem = botorch.problem(learned)
    assert problem.fixed_features_list == [{4: 0.0}, {4: 0.5}, {4: 1.0}]
    assert problem.cat_dims == [4]
    task = Problem(SPACES["mixed"], 0.5)
    X = problem.initial_points(12, seed=0)
    Y = torch.tensor([[-task(problem.decode(x))] for x in X], dtype=torch.float64)
    model = MixedSingleTaskGP(X, Y, cat_dims=problem.cat_dims)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    x, _ = optimize_acqf_mixed(
        PosteriorMean(model), q=1, num_restarts=2, raw_samples=16, **problem.arguments
    )
    inside(learned, problem.decode(x[0]))
    assert problem.decode(x[0])["loss"] == "log"


def test_starting_points_are_the_best_of_the_draws():
    problem = botorch.problem(region("numeric", "ellipsoid"))
    options = {"seed": 3}
    chosen = problem.initial_conditions(pull(), problem.bounds, 2, 3, 40, options=options)
    drawn = problem.initial_points(80, seed=3).reshape(40, 2, 3).sum(dim=(1, 2))
    assert chosen.shape == (3, 2, 3)
    torch.testing.assert_close(chosen.sum(dim=(1, 2)), drawn.sort(descending=True).values[:3])


def test_what_botorch_cannot_search_is_an_error():
    with pytest.raises(rf.SettingError, match="active only sometimes, such as 'gamma'"):
        botorch.problem(region("conditional", "ellipsoid"))
    many = {f"c{i}": rf.Categorical(["a", "b", "c"]) for i in range(8)}
    problem = botorch.problem(rf.Space({"x": rf.Float(0, 1), **many}))
    with pytest.raises(rf.SettingError, match="6561 combinations of choices"):
        _ = problem.arguments
