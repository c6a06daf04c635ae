"""Optuna: any sampler kept inside a learned space, and distributions there and back."""

from ringfence.adapters.optuna.api import (
    distributions,
    enqueue,
    sampler,
    space_from_distributions,
    transfer_sampler,
)

__all__ = [
    "distributions",
    "enqueue",
    "sampler",
    "space_from_distributions",
    "transfer_sampler",
]
