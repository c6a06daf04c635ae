"""Zone: a bound on a parameter, or on a product or ratio of some, perhaps for one choice only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeAlias

import msgspec
import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.errors import SpaceError
from ringfence.space import Categorical, Choice, Constant, Float, Int, Parameter, Space
from ringfence.space.parameters import extremes
from ringfence.words import Brief, counted, percent, value

Positive: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=2**53)]  # as JSON keeps it everywhere

MOST_TASKS = 400
"""Tasks that say where runs fail, chosen at random if there are more: all share one model, and more
take a minute."""


class Zone(Brief, msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of the space where nearly all runs failed, in every task that had some there.

    Examples:
        >>> from ringfence.learned.zone.rule import Zone
        >>> zone = Zone(("batch", "width"), threshold=1e5, failed=41, runs=44, tasks=4, share=0.1)
        >>> print(zone)
        batch × width ≥ 100,000 failed in 41 of 44 runs (4 tasks), about 10% of the space
    """

    parameters: Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=4)]
    """Numeric parameters, positive if there are several."""
    threshold: float
    """Of the parameter, or of the product or ratio of them, in their own units; inside counts."""
    failed: Positive
    """Failed runs inside."""
    runs: Positive
    """All runs inside."""
    tasks: Positive
    """Tasks that have runs inside."""
    share: Annotated[float, msgspec.Meta(ge=0, lt=1)]
    """Of the full space, by draws from it: give or take 0.3 % of the space."""
    below: bool = False
    """Whether the zone lies below the threshold, not above."""
    ratio: bool = False
    """Whether the first parameter is divided by the second."""
    only: dict[str, Choice] = {}
    """A choice of a categorical parameter outside of which nothing is said."""
    cut: bool = False
    """Whether most runs beyond failed, too, and it was cut to the share that a zone may have."""

    def inside(self, space: Space, columns: Mapping[str, FloatArray]) -> BoolArray:
        """Which of many configurations lie in the zone; columns as `LearnedSpace.inside` has them.
        One without a value of a parameter does not."""
        score = combined([columns[name] for name in self.parameters], ratio=self.ratio)
        inside = score <= self.threshold if self.below else score >= self.threshold
        return np.asarray(inside & self.concerns(space, columns))

    def concerns(self, space: Space, columns: Mapping[str, FloatArray]) -> BoolArray:
        """Which configurations the zone says anything about: those of its choice."""
        concerned = np.ones(len(columns[self.parameters[0]]), dtype=bool)
        for name, choice in self.only.items():
            parameter = space[name]
            if isinstance(parameter, Categorical):
                concerned &= columns[name] == parameter.index(choice)
        return concerned

    def contains(self, space: Space, config: Mapping[str, Any]) -> bool:
        """Whether a configuration lies in the zone."""
        columns = {name: np.array([_number(space, name, config)]) for name in self.names}
        return bool(self.inside(space, columns)[0])

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that decide."""
        return (*self.parameters, *self.only)

    @property
    def axis(self) -> str:
        """What is bounded: "batch × width"."""
        return (" / " if self.ratio else " × ").join(self.parameters)

    @property
    def rule(self) -> str:
        """Where it lies: "batch × width ≥ 120,000 with checkpointing = False"."""
        bound = f"{self.axis} {'≤' if self.below else '≥'} {_short(self.threshold)}"
        return bound + "".join(f" with {name} = {value(c)}" for name, c in self.only.items())

    @property
    def remark(self) -> str:
        """What to add if the zone was cut; else empty."""
        return f"; cut to {percent(self.share)}, failures begin earlier" if self.cut else ""

    def __str__(self) -> str:
        return self.told()

    def told(self, n_tasks: int = 0) -> str:
        """The zone in a line; `n_tasks` are all tasks, of which a part alone may be looked at."""
        tasks = counted(self.tasks, "task")
        if n_tasks > MOST_TASKS:
            tasks = f"{self.tasks:,} of {n_tasks:,} tasks, of which a random choice was looked at"
        return (
            f"{self.rule} failed in {self.failed:,} of {self.runs:,} runs ({tasks}), "
            f"about {percent(self.share)} of the space{self.remark}"
        )


def _short(threshold: float) -> str:
    return f"{threshold:,.10g}" if abs(threshold) < 1e9 else f"{threshold:.4g}"


def combined(columns: Sequence[FloatArray], *, ratio: bool) -> FloatArray:
    """What a zone bounds: the product of the columns, or the first over the second."""
    if ratio:
        first, second = columns
        return first / second
    return np.asarray(np.prod(columns, axis=0))


def _number(space: Space, name: str, config: Mapping[str, Any]) -> float:
    """A value as columns have it; NaN if the configuration lacks it."""
    parameter = space[name]
    if isinstance(parameter, Constant):
        config = {**config, name: parameter.value}
    if name not in config:
        return float("nan")
    if isinstance(parameter, Categorical):
        position = parameter.index(config[name])
        return float("nan") if position is None else float(position)
    try:
        return float(config[name])
    except (TypeError, ValueError):
        raise SpaceError(f"{name!r} is a number, not {config[name]!r}") from None


def zone_fault(zone: Zone, space: Space) -> str:
    """What of a zone does not fit the space; empty if all does."""
    for name in zone.names:
        if name not in space:
            return f"the zone names {name!r}, which is not a parameter of the space"
    for name in zone.parameters:
        if isinstance(space[name], (Categorical, Constant)):
            return f"the zone bounds {name!r}, which is no number"
    if len(set(zone.parameters)) < len(zone.parameters):
        return "the zone has a parameter twice"
    lows, highs = zip(*(_range(space[name]) for name in zone.parameters))
    if len(lows) > 1 and min(lows) <= 0.0:
        return "the zone is of several parameters that are not all positive"
    if zone.ratio and len(zone.parameters) != 2:
        return "the zone has a ratio that is not of two parameters"
    for name, choice in zone.only.items():
        parameter = space[name]
        if not isinstance(parameter, Categorical) or parameter.index(choice) is None:
            return f"the zone is for a choice that {name!r} does not have"
    if zone.failed > zone.runs:
        return "the zone has more failed runs than runs"
    if zone.tasks > zone.runs:
        return "the zone has more tasks than runs"
    ends = [highs[0], *(lows if zone.ratio else highs)[1:]]
    if not zone.below:
        ends = [lows[0], *(highs if zone.ratio else lows)[1:]]
    end = float(combined([np.array(value) for value in ends], ratio=zone.ratio))
    always = not zone.only and not {c.child for c in space.conditions} & {*zone.parameters}
    if always and (zone.threshold >= end if zone.below else zone.threshold <= end):
        return "the zone is the whole space"
    return ""


def _range(parameter: Parameter) -> tuple[float, float]:
    """The ends of a numeric parameter."""
    assert isinstance(parameter, (Int, Float))
    low, high = extremes(parameter)
    return float(low), float(high)
