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
    """The target function of an objective of plain configurations, for any facade of SMAC.

    Args:
        learned: the learned space, or a plain one.
        objective: takes a plain dict, and if it likes `seed`, `budget` or `instance`.
        seed: of the ConfigurationSpace, `target.space`, which SMAC's scenario needs.

    Examples:
        >>> import ringfence as rf
        >>> from ringfence.adapters import smac
        >>> learned = rf.learn(rf.example_history(), shape="ellipsoid", starts=0)
        >>> target = smac.target(learned, lambda config: config["components"], seed=0)
        >>> len(target.space)
        6
    """
    if not callable(objective):
        raise SettingError(f"the objective must be a function, not {objective!r}")
    return Target(as_learned(learned), objective, integer(seed, "seed", 0))


@dataclass(frozen=True, eq=False)
class Target:
    """A target function of SMAC over a learned space. It can be sent to other processes.

    Args:
        learned: the learned space.
        objective: what it calls.
        seed: of the ConfigurationSpace.

    Examples:
        >>> import ringfence as rf
        >>> from ringfence.adapters import smac
        >>> learned = rf.learn(rf.example_history(), shape="ellipsoid", starts=0)
        >>> target = smac.target(learned, lambda config: config["components"], seed=0)
        >>> 0 < target(target.space.sample_configuration()) <= 1
        True
    """

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
        """A Configuration of SMAC, such as its incumbent, as a plain dict.

        Args:
            configuration: SMAC's.

        Examples:
            >>> import ringfence as rf
            >>> from ringfence.adapters import smac
            >>> learned = rf.learn(rf.example_history(), shape="ellipsoid", starts=0)
            >>> target = smac.target(learned, lambda config: config["components"], seed=0)
            >>> learned.contains(target.decode(target.space.sample_configuration()))
            True
        """
        return self._translated.decode(configuration)

    def encode(self, config: Mapping[str, Any]) -> Any:
        """A plain configuration as SMAC's, for an initial design.

        Args:
            config: values by name.

        Examples:
            >>> import ringfence as rf
            >>> from ringfence.adapters import smac
            >>> learned = rf.learn(rf.example_history(), shape="ellipsoid", starts=0)
            >>> target = smac.target(learned, lambda config: config["components"], seed=0)
            >>> type(target.encode(learned.sample(1, seed=0)[0])).__name__
            'Configuration'
        """
        return self._translated.encode(config)

    def starts(self, n: int | None = None) -> list[Any]:
        """The first `n` starting points of the learned space as SMAC's configurations, for the
        `additional_configs` of an initial design.

        Args:
            n: how many; None for all.

        Examples:
            >>> import ringfence as rf
            >>> from ringfence.adapters import smac
            >>> learned = rf.learn(rf.example_history(), shape="ellipsoid", starts=0)
            >>> target = smac.target(learned, lambda config: config["components"], seed=0)
            >>> target.starts()
            []
        """
        starts = self.learned.starts(n)
        return [self.encode(config) for config in starts if not self.learned.in_zone(config)]

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
