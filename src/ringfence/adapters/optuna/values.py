"""A planned value as the user's `suggest_*` call wants it, or what to change if it cannot be."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from ringfence.errors import SettingError
from ringfence.learned.space import LearnedSpace
from ringfence.space import Choice, Float, Int, choice_key
from ringfence.space.pairs import flag_of, switched


class Fitting:
    """Fits planned values to the distributions of the study."""

    def __init__(self, learned: LearnedSpace, steps: Mapping[str, float]) -> None:
        self._space = learned.space
        self._bounds = learned.bounds
        self._choices = learned.choices
        self._steps = steps
        self._off = switched(learned.space)
        self._boxed = {n for b in learned.blocks if b.region.is_box for n in b.names}

    def value(self, name: str, planned: Choice, wanted: BaseDistribution) -> Any:
        """The planned value in the distribution's own type; SettingError if the distribution leaves
        out a part of the learned space."""
        if isinstance(wanted, CategoricalDistribution):
            return self._choice(name, planned, wanted)
        assert isinstance(wanted, (FloatDistribution, IntDistribution))
        if isinstance(planned, bool) or not isinstance(planned, (int, float)):
            raise SettingError(f"{name!r} is a choice in the learned space, a number in the study")
        if isinstance(wanted, IntDistribution) and not isinstance(planned, int):
            raise SettingError(
                f"{name!r} is a real number in the learned space, an integer in the study"
            )
        self._check_range(name, planned, wanted)
        if isinstance(wanted, FloatDistribution):
            return float(planned if wanted.step is None else self._on_grid(name, planned, wanted))
        return int(planned if wanted.step == 1 else self._on_grid(name, planned, wanted))

    def _choice(self, name: str, planned: Choice, wanted: CategoricalDistribution) -> Any:
        if name not in self._choices and not isinstance(planned, (str, bool, type(None))):
            self._refuse_scale(name, wanted)
        offered = {choice_key(plain(choice)): choice for choice in wanted.choices}
        for choice in self._choices.get(name, (planned,)):
            if choice_key(choice) not in offered:
                raise SettingError(
                    f"the learned space keeps {name} = {choice!r}, which the study does not offer; "
                    "add the choice, or learn in a space without it"
                )
        return offered[choice_key(planned)]

    def _refuse_scale(self, name: str, wanted: CategoricalDistribution) -> None:
        """Numbers that are choices in the study must not be a range in the learned space."""
        if isinstance(self._space[name], (Float, Int)):
            raise SettingError(
                f"{name!r} is a range of numbers in the learned space, but one of "
                f"{list(wanted.choices)} in the study; learn in a space with "
                f"Categorical({list(wanted.choices)}, ordered=True)"
            )

    def _check_range(
        self, name: str, planned: float, wanted: FloatDistribution | IntDistribution
    ) -> None:
        low, high = self._bounds.get(name, (planned, planned))
        off = self._off[name].off if name in self._off else None
        if off is not None and not wanted.low <= off <= wanted.high:
            low, high = self._range_of(name, planned, low, high)
        if wanted.low <= low and high <= wanted.high:  # type: ignore[operator]
            return
        raise SettingError(
            f"{name!r} goes from {wanted.low:.12g} to {wanted.high:.12g} in the study, narrower "
            f"than the learned {low:.12g} to {high:.12g}; widen it, or learn in a space with the "
            "narrower range"
        )

    def _range_of(self, name: str, planned: float, low: Any, high: Any) -> tuple[Any, Any]:
        """The ends of a range that begins or ends with the value that switches off, without that
        value; SettingError if it is planned, which the study has no word for."""
        parameter = self._off[name]
        if planned == parameter.off:
            flag = flag_of(self._space, name)
            raise SettingError(
                f"{name!r} may be off ({planned:g}) in the learned space, which the study's range "
                f"does not hold; ask for trial.suggest_categorical({flag!r}, [True, False]) first, "
                f"and for {name!r} only if that is True"
            )
        return (
            parameter.low if low == parameter.off else low,
            parameter.high if high == parameter.off else high,
        )

    def _on_grid(
        self, name: str, planned: float, wanted: FloatDistribution | IntDistribution
    ) -> float:
        """The planned value on the study's grid. In a box, every grid value in the range is inside;
        any other region has to know the grid beforehand."""
        step = wanted.step or 1.0
        if name not in self._steps and name in self._boxed:
            low, high = (float(end) for end in self._bounds[name])  # type: ignore[arg-type]
            first = math.ceil((low - wanted.low) / step - 1e-9)
            last = math.floor((high - wanted.low) / step + 1e-9)
            if first <= last:
                count = min(max(round((planned - wanted.low) / step), first), last)
                return wanted.low + count * step
            raise SettingError(
                f"{name!r} goes in steps of {step:g} in the study, and none of them lies in the "
                f"learned {low:g} to {high:g}; make the steps smaller"
            )
        if name in self._steps and wanted._contains(planned):
            return planned
        raise SettingError(
            f"{name!r} goes from {wanted.low:g} in steps of {step:g} in the study; say so: "
            f"sampler(learned, …, steps={{{name!r}: {step:g}}})"
            + self._origin(name, wanted.low, step)
        )

    def _origin(self, name: str, low: float, step: float) -> str:
        parameter = self._space[name]
        start = parameter.low if isinstance(parameter, (Float, Int)) else low
        n_steps = (low - start) / step
        if abs(n_steps - round(n_steps)) < 1e-8:
            return ""
        return f", and let the range begin on the same grid as the learned space's {start:g}"


def plain(choice: Any) -> Any:
    """A choice as a learned space has it: anything but a single value is its JSON text."""
    return json.dumps(choice) if isinstance(choice, (list, tuple, dict)) else choice
