"""Suite: what the protocol asks of a family of tasks. Losses are minimized."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from ringfence.bench.cell import Scale
from ringfence.history import History
from ringfence.optimize.domain.candidate_list import CandidateList
from ringfence.space import Config, Float, Int, Space


@dataclass(frozen=True)
class Reference:
    """What a task's losses are measured against."""

    best: float
    """Smallest known loss."""
    median: float
    """Loss of the median configuration."""


class Suite(ABC):
    """Tasks that share a space."""

    name: str
    origin: str
    """A description of the data in words, for every figure."""
    digest: str
    """Of everything that a loss depends on."""
    tasks: tuple[str, ...]
    space: Space
    """With log scales on parameters for which they are natural."""
    max_budget: float | None = None
    """Resource of a full evaluation, if less can be spent; None: all or nothing."""
    computed: bool = False
    """Whether losses are computed on request, not looked up."""
    log_loss: bool = False
    """Whether losses are logarithms, so that differences compare them and not ratios."""

    @property
    def targets(self) -> tuple[str, ...]:
        """The tasks that are left out in turn."""
        return self.tasks

    def sources(self, task: str) -> tuple[str, ...]:
        """The tasks to learn from if this one is left out."""
        return tuple(other for other in self.tasks if other != task)

    def starts(self, task: str, replication: int) -> tuple[tuple[Config, float], ...]:
        """Configurations that every search begins with, and their losses; they are no trials."""
        return ()

    @abstractmethod
    def history(self, tasks: Sequence[str], n: int, seed: int, scale: Scale) -> History:
        """`n` random evaluations of each of these tasks, uniform on `scale` if computed."""

    @abstractmethod
    def evaluate(self, task: str, config: Config, budget: float | None = None) -> float:
        """The loss of a configuration, after `budget` or in full."""

    @abstractmethod
    def reference(self, task: str) -> Reference:
        """The best known loss and the median one."""

    def candidates(self, task: str, scale: Scale) -> CandidateList | None:
        """The configurations that can be evaluated; None: all of the space."""
        return None

    def meta_features(self) -> Mapping[str, Mapping[str, float]] | None:
        """Numbers that describe each task; None if there are none."""
        return None


def on_scale(space: Space, scale: Scale) -> Space:
    """The space as declared ('log'), or without log scales ('raw')."""
    if scale == "log":
        return space
    parameters = {
        name: msgspec.structs.replace(parameter, log=False)
        if isinstance(parameter, (Float, Int))
        else parameter
        for name, parameter in space.parameters.items()
    }
    return Space(parameters, space.conditions)
