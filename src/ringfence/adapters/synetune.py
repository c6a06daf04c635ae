"""Syne Tune: a config space for a box, and a searcher for every region.

    SingleObjectiveScheduler(synetune.config_space(box), metric="loss")
    inside = synetune.searcher(ellipsoid, seed=0)
    SingleObjectiveScheduler(inside.config_space, metric="loss", searcher=inside)

Syne Tune knows no conditions and needs a value for every parameter of every trial: an inactive
parameter has a value, too, which means nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ringfence.adapters.values import middle, one_type
from ringfence.adapters.view import ToolView, as_learned, refuse_off, require_box
from ringfence.checks import integer
from ringfence.errors import MissingExtraError, SettingError
from ringfence.learned.space import LearnedSpace
from ringfence.space import Categorical, Config, Constant, Int, Parameter, Space
from ringfence.space.parameters import extremes

try:
    from syne_tune import config_space as cs
    from syne_tune.optimizer.schedulers.searchers.searcher_factory import searcher_cls, searchers
    from syne_tune.optimizer.schedulers.searchers.single_objective_searcher import (
        SingleObjectiveBaseSearcher,
    )
except ModuleNotFoundError as error:
    raise MissingExtraError("syne-tune", "synetune") from error


def config_space(learned: LearnedSpace | Space) -> dict[str, Any]:
    """A box as Syne Tune's own config space.

    Args:
        learned: the learned space, a box, or a plain space.

    Raises:
        SettingError: another region, which needs `searcher`.

    Examples:
        >>> import ringfence as rf
        >>> from ringfence.adapters import synetune
        >>> space = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True), "depth": rf.Int(1, 12)})
        >>> sorted(synetune.config_space(space))
        ['depth', 'lr']
    """
    given = as_learned(learned)
    way = "ringfence.adapters.synetune.searcher(learned)"
    require_box(given, "a config space of Syne Tune", way)
    space = given.as_space()
    refuse_off(space, "a config space of Syne Tune", way)
    return _domains(space)


def searcher(
    learned: LearnedSpace | Space, base: str | None = None, seed: int | None = None
) -> RegionSearcher:
    """A searcher whose every suggestion lies in the learned space.

    Args:
        learned: the learned space, or a plain one.
        base: None draws uniformly; the name of Syne Tune's own, such as "kde", "bore" or
            "botorch", lets that one propose, over the box or the cube.
        seed: of the draws.

    Examples:
        >>> import ringfence as rf
        >>> from ringfence.adapters import synetune
        >>> space = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True), "depth": rf.Int(1, 12)})
        >>> space.contains(synetune.searcher(space, seed=0).suggest())
        True
    """
    if base is not None and base not in searchers:
        raise SettingError(f"Syne Tune has no searcher {base!r}; it has {', '.join(searchers)}")
    return RegionSearcher(as_learned(learned), base, integer(seed, "seed", 0))


class RegionSearcher(SingleObjectiveBaseSearcher):  # type: ignore[misc]
    """Suggestions inside a learned space; `searcher` makes it, and `config_space` is what the
    scheduler needs.

    Examples:
        >>> import ringfence as rf
        >>> from ringfence.adapters import synetune
        >>> space = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True), "depth": rf.Int(1, 12)})
        >>> sorted(synetune.searcher(space).config_space)
        ['depth', 'lr']
    """

    def __init__(self, learned: LearnedSpace, base: str | None, seed: int | None) -> None:
        self._learned = learned
        super().__init__(_domains(learned.as_space()), random_seed=seed)
        self._view = ToolView(learned, flat=True)
        self._rng = np.random.default_rng(seed)
        self._base = None
        if base is not None:
            self._base = searcher_cls(base)(
                config_space=_domains(self._view.space), random_seed=self.random_seed
            )

    def suggest(self, **kwargs: Any) -> Config | None:
        """The next configuration, with a value for inactive parameters too."""
        if self._base is None:
            return self._filled(self._learned.sample(1, seed=self._rng)[0])
        values = self._base.suggest(**kwargs)
        return None if values is None else self._filled(self._view.decode(values))

    def on_trial_result(
        self, trial_id: int, config: Mapping[str, Any], metric: float, resource_level: int = 0
    ) -> None:
        """Pass an intermediate result on to the base."""
        if self._base is not None:
            self._base.on_trial_result(trial_id, self._values(config), metric)

    def on_trial_complete(
        self, trial_id: int, config: Mapping[str, Any], metric: float, resource_level: int = 0
    ) -> None:
        """Pass a final result on to the base."""
        if self._base is not None:
            self._base.on_trial_complete(trial_id, self._values(config), metric)

    def on_trial_error(self, trial_id: int) -> None:
        """Pass a failure on to the base."""
        if self._base is not None:
            self._base.on_trial_error(trial_id)

    def _filled(self, config: Config) -> Config:
        space = self._learned.as_space()
        return {n: config[n] if n in config else middle(space[n]) for n in space}

    def _values(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """A trial's configuration in the base's values, without what the scheduler added to it."""
        known = {name: value for name, value in config.items() if name in self._learned.space}
        return self._view.encode(known)


def _domains(space: Space) -> dict[str, Any]:
    for name, parameter in space.parameters.items():
        if isinstance(parameter, Categorical) and not one_type(parameter.choices):
            raise SettingError(
                f"Syne Tune needs choices of one type, and {name!r} has "
                f"{list(parameter.choices)}: make them text"
            )
    return {name: _domain(parameter) for name, parameter in space.parameters.items()}


def _domain(parameter: Parameter) -> Any:
    if isinstance(parameter, Constant):
        return parameter.value
    if isinstance(parameter, Categorical):
        choices = list(parameter.choices)
        return cs.ordinal(choices, kind="equal") if parameter.ordered else cs.choice(choices)
    low, high = parameter.low, parameter.high
    if parameter.off is not None:  # the scheduler's view of a searcher: all that may be suggested
        return (cs.randint if isinstance(parameter, Int) else cs.uniform)(*extremes(parameter))
    if isinstance(parameter, Int):
        return (cs.lograndint if parameter.log else cs.randint)(low, high)
    return (cs.loguniform if parameter.log else cs.uniform)(low, high)
