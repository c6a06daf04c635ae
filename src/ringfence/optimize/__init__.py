"""Optimizers that suggest the next configuration inside a learned space: ask and tell."""

from ringfence.optimize.ask_tell import Optimizer, optimizer
from ringfence.optimize.loop import Outcome, minimize
from ringfence.optimize.method import BaseMethod, Options, Proposal
from ringfence.optimize.resume import load_optimizer
from ringfence.optimize.transfer.similarity import meta_features
from ringfence.optimize.trial import Trial

__all__ = [
    "BaseMethod",
    "Optimizer",
    "Options",
    "Outcome",
    "Proposal",
    "Trial",
    "load_optimizer",
    "meta_features",
    "minimize",
    "optimizer",
]
