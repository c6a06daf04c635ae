"""The last digits of another processor: what the models are given, off by a hair.

    RINGFENCE_PERTURB=1e-12 make test

multiplies every feature that is not an integer by 1 ± 1e-12 on its way into a Gaussian process,
ABLR, a source model or SMAC's forest; another number gives other digits. The change is a function
of the feature alone, so a run still repeats itself. A test that fails under it depends on how a
matrix product is rounded.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

import numpy as np

SIZE = float(os.environ.get("RINGFENCE_PERTURB", "0"))
ENTRANCES = (
    ("ringfence.optimize.methods.gp", "fit_gp", [0]),
    ("ringfence.optimize.surrogates.gp.listed", "ListedGP._scaled", [1]),
    ("ringfence.optimize.methods.ablr", "fit_ablr", [0]),
    ("ringfence.optimize.methods.ablr", "ABLR.with_task", [2]),
    ("ringfence.optimize.methods.transfer", "Prior.of", [0, 1]),
    ("ringfence.optimize.methods.smac", "Forest.train", [1]),
    ("ringfence.optimize.transfer.source_models", "fit_gp", [0]),
    ("ringfence.optimize.transfer.source_models", "condition", [1]),
)
"""Where features enter a model: a module, a name in it, and which of its arguments they are."""


def perturbed(X: Any, size: float = SIZE) -> Any:
    """Features (n, d), each off by a share of at most `size`; integers stay. Of tasks, a list of
    (X, y), the features."""
    if isinstance(X, list):
        return [(perturbed(features, size), y) for features, y in X]
    off = X * (1.0 + size * np.sin(1e9 * X))
    return np.where(np.round(X) == X, X, off)


def entrance(module: str, name: str) -> tuple[Any, str, Callable[..., Any]]:
    """The module or class that holds the function, the function's name there, and itself."""
    owner: Any = import_module(module)
    *classes, last = name.split(".")
    for part in classes:
        owner = getattr(owner, part)
    return owner, last, getattr(owner, last)


def install() -> None:
    """Wrap every entrance, in this process."""
    for module, name, places in ENTRANCES:
        try:
            owner, last, function = entrance(module, name)
        except ImportError:  # of SMAC, which is an extra
            continue
        setattr(owner, last, _wrapped(function, places))


def _wrapped(function: Callable[..., Any], places: list[int]) -> Callable[..., Any]:
    @wraps(function)
    def wrapper(*arguments: Any, **options: Any) -> Any:
        changed = list(arguments)
        for place in places:
            changed[place] = perturbed(changed[place])
        return function(*changed, **options)

    return wrapper


if SIZE:
    install()
