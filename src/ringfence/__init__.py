"""Learn the search space of the next tuning job from the jobs already run.

import ringfence as rf

history = rf.read_history("runs.parquet", task="dataset", objective="error")
learned = rf.learn(history, shape="ellipsoid", outliers=0.1)
learned.sample(10, seed=0)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import ringfence.threads  # noqa: F401 - it must see every fork
from ringfence.version import __version__ as __version__

if TYPE_CHECKING:  # for editors and type checkers: the same names as in HOMES
    from ringfence.checking import Check as Check
    from ringfence.checking import Comparison as Comparison
    from ringfence.checking import check as check
    from ringfence.checking import compare as compare
    from ringfence.errors import ExhaustedError as ExhaustedError
    from ringfence.errors import FileError as FileError
    from ringfence.errors import FitError as FitError
    from ringfence.errors import HistoryError as HistoryError
    from ringfence.errors import MissingExtraError as MissingExtraError
    from ringfence.errors import RingfenceError as RingfenceError
    from ringfence.errors import SettingError as SettingError
    from ringfence.errors import SpaceError as SpaceError
    from ringfence.errors import TrialError as TrialError
    from ringfence.history import History as History
    from ringfence.history import infer_space as infer_space
    from ringfence.history import read_history as read_history
    from ringfence.history.example import example_history as example_history
    from ringfence.history.mismatch.match import Match as Match
    from ringfence.history.mismatch.match import match as match
    from ringfence.learned.file import load as load
    from ringfence.learned.hub.asking import Hub as Hub
    from ringfence.learned.hub.asking import hub as hub
    from ringfence.learned.hub.entries import HubEntry as HubEntry
    from ringfence.learned.space import LearnedSpace as LearnedSpace
    from ringfence.learning import learn as learn
    from ringfence.optimize import Optimizer as Optimizer
    from ringfence.optimize import Outcome as Outcome
    from ringfence.optimize import Trial as Trial
    from ringfence.optimize import load_optimizer as load_optimizer
    from ringfence.optimize import meta_features as meta_features
    from ringfence.optimize import minimize as minimize
    from ringfence.optimize import optimizer as optimizer
    from ringfence.reporting.report import report as report
    from ringfence.space import Categorical as Categorical
    from ringfence.space import Condition as Condition
    from ringfence.space import Constant as Constant
    from ringfence.space import Float as Float
    from ringfence.space import Int as Int
    from ringfence.space import Space as Space
    from ringfence.space import read_space as read_space

# Public names are imported when first used, so that `import ringfence` costs next to nothing.
HOMES = {
    "checking": "Check Comparison check compare",
    "errors": "ExhaustedError FileError FitError HistoryError MissingExtraError RingfenceError "
    "SettingError SpaceError TrialError",
    "history": "History infer_space read_history",
    "history.example": "example_history",
    "history.mismatch.match": "Match match",
    "learned.file": "load",
    "learned.hub.asking": "Hub hub",
    "learned.hub.entries": "HubEntry",
    "learned.space": "LearnedSpace",
    "learning": "learn",
    "optimize": "Optimizer Outcome Trial load_optimizer meta_features minimize optimizer",
    "reporting.report": "report",
    "space": "Categorical Condition Constant Float Int Space read_space",
}
_HOME = {name: home for home, names in HOMES.items() for name in names.split()}
__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"ringfence.{_HOME[name]}"), name)
    raise AttributeError(f"module 'ringfence' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
