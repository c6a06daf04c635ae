"""SMAC3: an objective of plain configurations as the target function of any facade.

target = smac.target(learned, objective)
scenario = Scenario(target.space, n_trials=50)
incumbent = HyperparameterOptimizationFacade(scenario, target).optimize()
target.decode(incumbent)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import CodeType
from typing import Any

from ringfence.adapters.configspace import to_configspace
from ringfence.adapters.view import Translated, as_learned
from ringfence.checks import integer
from ringfence.errors import SettingError
from ringfence.learned.space import LearnedSpace
from ringfence.space import Config, Space

OFFERED = ("seed", "budget", "instance")
"""What SMAC can pass beside the configuration."""


def target(
    learned: LearnedSpace | Space, objective: Callable[..., Any], seed: int | None = None
) -> Target:
    """The target function of `objective(config)`, which gets a plain dict and may also take `seed`,
    `budget` or `instance`. SMAC needs its `space`, too, whose seed is `seed`."""
    if not callable(objective):
        raise SettingError(f"the objective must be a function, not {objective!r}")
    return Target(as_learned(learned), objective, integer(seed, "seed", 0))


@dataclass(frozen=True, eq=False)
class Target:
    """A target function of SMAC over a learned space. It can be sent to other processes."""

    learned: LearnedSpace
    objective: Callable[..., Any]
    seed: int | None = None

    def __call__(self, config: Mapping[str, Any], **offered: Any) -> Any:
        """The objective's value; of what SMAC offers, it gets what it takes."""
        arguments = {name: value for name, value in offered.items() if name in self._arguments}
        return self.objective(self.decode(config), **arguments)

    @property
    def space(self) -> Any:
        """The ConfigurationSpace for the scenario."""
        return self._translated.space

    def decode(self, configuration: Mapping[str, Any]) -> Config:
        """A Configuration of SMAC, such as its incumbent, as a plain dict."""
        return self._translated.decode(configuration)

    def encode(self, config: Mapping[str, Any]) -> Any:
        """A plain configuration as SMAC's, for an initial design."""
        return self._translated.encode(config)

    def starts(self, n: int | None = None) -> list[Any]:
        """The first `n` starting points of the learned space as SMAC's configurations, for the
        `additional_configs` of an initial design."""
        return [self.encode(config) for config in self.learned.starts(n)]

    @property
    def __signature__(self) -> inspect.Signature:
        """SMAC reads off the signature what to pass: a budget only if the objective takes one, a
        seed always."""
        names = ["config", "seed", *(name for name in OFFERED[1:] if name in self._arguments)]
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return inspect.Signature([inspect.Parameter(name, kind) for name in names])

    @property
    def __code__(self) -> CodeType:
        """The objective's code, by which SMAC recognizes the continuation of an earlier run."""
        code = getattr(self.objective, "__code__", None)
        return code if isinstance(code, CodeType) else type(self).__call__.__code__

    @cached_property
    def _translated(self) -> Translated[Any]:
        return to_configspace(self.learned, self.seed)

    @cached_property
    def _arguments(self) -> frozenset[str]:
        parameters = inspect.signature(self.objective).parameters.values()
        if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
            return frozenset(OFFERED)
        return frozenset(parameter.name for parameter in parameters) & frozenset(OFFERED)
