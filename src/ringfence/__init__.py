"""Learn the search space of the next tuning job from the jobs already run.

import ringfence as rf

history = rf.read_history("runs.parquet", task="dataset", objective="error")
learned = rf.learn(history, shape="ellipsoid", outliers=0.1)
learned.sample(10, seed=0)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ringfence.version import __version__

if TYPE_CHECKING:
    from ringfence.checking import Check, Comparison, check, compare
    from ringfence.errors import (
        ExhaustedError,
        FileError,
        FitError,
        HistoryError,
        MissingExtraError,
        RingfenceError,
        SettingError,
        SpaceError,
        TrialError,
    )
    from ringfence.history import History, infer_space, read_history
    from ringfence.history.example import example_history
    from ringfence.learned.file import load
    from ringfence.learned.space import LearnedSpace
    from ringfence.learning import learn
    from ringfence.optimize import (
        Optimizer,
        Outcome,
        Trial,
        load_optimizer,
        meta_features,
        minimize,
        optimizer,
    )
    from ringfence.reporting.report import report
    from ringfence.space import Categorical, Condition, Constant, Float, Int, Space, read_space

__all__ = [
    "Categorical",
    "Check",
    "Comparison",
    "Condition",
    "Constant",
    "ExhaustedError",
    "FileError",
    "FitError",
    "Float",
    "History",
    "HistoryError",
    "Int",
    "LearnedSpace",
    "MissingExtraError",
    "Optimizer",
    "Outcome",
    "RingfenceError",
    "SettingError",
    "Space",
    "SpaceError",
    "Trial",
    "TrialError",
    "__version__",
    "check",
    "compare",
    "example_history",
    "infer_space",
    "learn",
    "load",
    "load_optimizer",
    "meta_features",
    "minimize",
    "optimizer",
    "read_history",
    "read_space",
    "report",
]

# Public names are imported when first used, so that `import ringfence` costs next to nothing.
_HOMES = {
    "errors": [n for n in __all__ if n.endswith("Error")],
    "space": ["Categorical", "Condition", "Constant", "Float", "Int", "Space", "read_space"],
    "history": ["History", "infer_space", "read_history"],
    "history.example": ["example_history"],
    "learning": ["learn"],
    "checking": ["Check", "Comparison", "check", "compare"],
    "learned.space": ["LearnedSpace"],
    "learned.file": ["load"],
    "reporting.report": ["report"],
    "optimize": [
        "Optimizer",
        "Outcome",
        "Trial",
        "load_optimizer",
        "meta_features",
        "minimize",
        "optimizer",
    ],
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"ringfence.{home}"), name)
    raise AttributeError(f"module 'ringfence' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
