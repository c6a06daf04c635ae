"""What a learned space keeps beside its regions: tasks, starting points, settings, provenance."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec

from ringfence.history import RowChoice
from ringfence.history.directions import goal_text
from ringfence.history.selection import Dropped
from ringfence.space import Choice
from ringfence.words import Brief

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class Task(Brief, msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A past task: its best configuration, and where that lies."""

    name: str
    incumbent: dict[str, Choice]
    value: float
    n_evaluations: Count
    slack: Annotated[float, msgspec.Meta(ge=0)]
    outside: bool
    unknown: tuple[str, ...] = ()
    """The parameters that it did not tune; its incumbent leaves them out."""
    fixed: tuple[str, ...] = ()
    """The parameters that it had at one value throughout, which shape no region."""
    stands_for: Count = 0
    """How many tasks it stands for among the starting points' models, itself included; 0 if it has
    none, or if every task has one."""

    @property
    def found(self) -> dict[str, Choice]:
        """What tuning found of its incumbent: without what was fixed."""
        return {name: best for name, best in self.incumbent.items() if name not in self.fixed}


class Start(Brief, msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A configuration to try early."""

    config: dict[str, Choice]
    regret: Annotated[float, msgspec.Meta(ge=0, le=1)] | None
    """Mean over the tasks of the best regret up to here, as their models predict it: 0 is a task's
    best value, 1 its median. None if the tasks have one row each, and so no models."""
    cost: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """What it is expected to cost, in units of a task's median trial; None if that is unknown."""


class CostUnit(Brief, msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the trials of the past cost."""

    unit: str
    """'seconds' for times, else the name of the column."""
    typical: Annotated[float, msgspec.Meta(gt=0)]
    """The median over the tasks of the cost of a task's median trial."""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the space was learned."""

    shape: str
    """A name of fit/shapes.py, or 'full' for the full space itself."""
    outliers: Annotated[float, msgspec.Meta(ge=0, lt=1)]
    refit: bool = False
    categories: Literal["all", "observed"] = "all"
    n_evaluations: Count | None = None
    seed: Count | None = None
    average_repeats: bool = False
    top: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.0
    """Share of each task's best rows around which the region is drawn; 0 is the best row alone."""
    tolerance: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.0
    """Regret up to which a row of a task may stand for it; 0 is the best row alone."""
    literal: bool = False
    """Whether the paper's equations were taken as it prints them."""
    one_cloud: bool = False
    """Whether parameters that are active only sometimes were fitted together with the others."""

    @property
    def rows(self) -> RowChoice:
        """Which rows of a task count."""
        return RowChoice(self.n_evaluations, self.seed, self.average_repeats)


class Provenance(Brief, msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the space comes from."""

    ringfence: str
    source: str
    digest: str
    objective: str
    direction: Literal["minimize", "maximize"]
    rows: Count
    rows_used: Count
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()
    guessed: bool = False
    """Whether the direction was guessed from the name of the objective."""

    @property
    def goal(self) -> str:
        """What is better, and whether that is a guess: "maximize 'auc' (guessed from its name)"."""
        return goal_text(self.objective, self.direction, guessed=self.guessed)
