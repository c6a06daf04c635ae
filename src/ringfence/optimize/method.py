"""Method: how the next configuration is chosen. One file for each method in `methods/`.

A file `methods/some_name.py` with a class `Method` makes the optimizer `some-name`; nothing else
has to be registered. `rf.optimizer` also takes a class of the user's own. A proposal depends on the
setup, the log and the generator alone; what is worth keeping between proposals (a model's
hyperparameters, say) goes into `memory`, which is saved with the state, so that a resumed optimizer
continues as it would have done.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import msgspec
import numpy as np

from ringfence.errors import SettingError
from ringfence.history import Direction
from ringfence.learned.settings import Unit
from ringfence.optimize.domain.domain import Domain
from ringfence.optimize.guard import Guard
from ringfence.optimize.log import TrialLog
from ringfence.optimize.transfer.sources import Sources
from ringfence.optimize.trial import Trial
from ringfence.optimize.weighing.reasons import weighing_of
from ringfence.optimize.weighing.weighing import Weighing
from ringfence.space import Config


@dataclass(frozen=True, eq=False)
class Setup:
    """What every method starts from."""

    domain: Domain
    seed: int
    sources: Sources | None = None
    starts: tuple[Config, ...] = ()
    """Configurations to try before all others."""
    guard: Guard | None = None
    """Which trials search the full space."""
    direction: Direction = "minimize"
    """Of the user's objective; methods see values of which smaller ones are better."""
    by: Unit = "trials"
    """Whether a search is to be short in trials or in what they cost."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A method's own settings; each method lists its own."""


@dataclass(frozen=True)
class Proposal:
    """What to try next."""

    config: Config
    budget: float | None = None
    resumes: int | None = None
    place: tuple[int, int] | None = None


class BaseMethod(ABC):
    """A way to choose the next configuration."""

    Options: ClassVar[type[Options]] = Options
    budgeted: ClassVar[bool] = False
    usual_guard: ClassVar[float] = 0.0
    """The share of trials that search the full space if none is asked for."""

    def __init__(self, setup: Setup, options: Any) -> None:
        self.setup = setup
        self.options = options
        self.memory: dict[str, Any] = {}

    @abstractmethod
    def propose(self, log: TrialLog, rng: np.random.Generator) -> Proposal:
        """The next configuration after those of `log`; ExhaustedError if none is left."""

    def recall(self, memory: dict[str, Any]) -> None:
        """Take the memory back that a file kept; ValueError if it cannot be this method's."""
        self.memory.update(memory)

    def check_trials(self, trials: Sequence[Trial]) -> None:  # noqa: B027 - most have nothing to say
        """FileError if the trials that a file kept cannot be this method's."""

    def next_start(self, log: TrialLog) -> Config | None:
        """The first starting point that was not tried."""
        layout = self.domain.layout
        for config in self.setup.starts:
            if layout.keys(layout.encode([config]))[0] not in log.tried:
                return dict(config)
        return None

    @cached_property
    def weighing(self) -> Weighing:
        """What an acquisition is multiplied by."""
        sources = self.setup.sources
        tasks = () if sources is None else (*sources.tasks, *sources.failures)
        return weighing_of(self.domain.layout, tasks, self.setup.by, self.n_unweighed)

    @property
    def n_unweighed(self) -> int:
        """The number of trials before anything is weighed, as a design's."""
        return 0

    @property
    def domain(self) -> Domain:
        """Where to search."""
        return self.setup.domain


def read_options(kind: type[Options], given: dict[str, Any], method: str) -> Options:
    """The method's options from keyword arguments, or SettingError."""
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        raise SettingError(f"optimizer {method!r}: {error}") from error
