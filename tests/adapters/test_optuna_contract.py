"""Optuna's own contract for samplers, kept by ours around each kind of base sampler."""

from __future__ import annotations

import optuna
import pytest
from optuna.samplers import (
    CmaEsSampler,
    GPSampler,
    NSGAIISampler,
    QMCSampler,
    RandomSampler,
    TPESampler,
)
from optuna.testing.pytest_samplers import (
    BasicSamplerTestCase,
    MultiObjectiveSamplerTestCase,
    RelativeSamplerTestCase,
    SingleOnlySamplerTestCase,
)

import ringfence as rf
from problems import SPACES, history, mismatched, region
from ringfence.adapters.optuna import sampler as inside
from ringfence.adapters.optuna import transfer_sampler

pytestmark = [
    pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning"),
    pytest.mark.filterwarnings("ignore:Choices for a categorical distribution:UserWarning"),
]
optuna.logging.set_verbosity(optuna.logging.ERROR)


class InLearnedSpace:
    """The contract tunes a few names over ranges of every kind, which no one space could contain.
    In a learned space that lacks them they are the base sampler's."""

    @staticmethod
    def base():
        raise NotImplementedError

    @pytest.fixture
    def sampler(self):
        return lambda: inside(region("conditional", "ellipsoid"), self.base(), seed=1)


class TestRandom(InLearnedSpace, BasicSamplerTestCase, MultiObjectiveSamplerTestCase):
    base = RandomSampler


class TestTPE(
    InLearnedSpace, BasicSamplerTestCase, RelativeSamplerTestCase, MultiObjectiveSamplerTestCase
):
    @staticmethod
    def base():
        return TPESampler(n_startup_trials=0, multivariate=True)


class TestNSGAII(InLearnedSpace, BasicSamplerTestCase, MultiObjectiveSamplerTestCase):
    base = NSGAIISampler


class TestCmaEs(InLearnedSpace, BasicSamplerTestCase, SingleOnlySamplerTestCase):
    base = CmaEsSampler


class TestQMC(InLearnedSpace, BasicSamplerTestCase, MultiObjectiveSamplerTestCase):
    base = QMCSampler


class TestTransfer(BasicSamplerTestCase):
    @pytest.fixture
    def sampler(self):
        return lambda: transfer_sampler(region("conditional", "ellipsoid"), history("conditional"))


class TestTransferFromOtherParameters(BasicSamplerTestCase):
    @pytest.fixture
    def sampler(self):
        where, past = region("conditional", "mismatched"), mismatched(SPACES["conditional"])
        return lambda: transfer_sampler(where, past)


class TestGP(InLearnedSpace):
    @staticmethod
    def base():
        return GPSampler(n_startup_trials=0, deterministic_objective=True)

    test_conditional_parameter_objective = BasicSamplerTestCase.test_conditional_parameter_objective
    test_nan_objective_value = BasicSamplerTestCase.test_nan_objective_value
    test_sample_relative_categorical = RelativeSamplerTestCase.test_sample_relative_categorical


class Known:
    """The objectives of the contract whose names a space can know."""

    space: rf.Space

    @pytest.fixture(
        params=[RandomSampler, TPESampler, NSGAIISampler, CmaEsSampler, QMCSampler, GPSampler]
    )
    def sampler(self, request):
        return lambda: inside(self.space, request.param(), seed=1)


class TestKnownConditional(Known):
    space = rf.Space(
        {"x": rf.Categorical([False, True]), "y": rf.Float(0.2, 0.3), "z": rf.Float(0.25, 0.5)},
        [rf.Condition("y", "x", [True]), rf.Condition("z", "x", [False])],
    )
    test_conditional_parameter_objective = BasicSamplerTestCase.test_conditional_parameter_objective


class TestKnownNumbers(Known):
    space = rf.Space({"x": rf.Float(0.12, 0.19), "y": rf.Int(-1, 1), "z": rf.Float(-1, 1)})
    test_nan_objective_value = BasicSamplerTestCase.test_nan_objective_value
    test_partial_fixed_sampling = BasicSamplerTestCase.test_partial_fixed_sampling


class TestKnownInThreads(Known):
    space = rf.Space({"x": rf.Float(-2, 1), "y": rf.Float(-0.5, 9)})
    test_trial_relative_params = RelativeSamplerTestCase.test_trial_relative_params
