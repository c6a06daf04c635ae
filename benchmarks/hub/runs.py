"""Runs of one learner on many data sets, in one form, whatever they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

import ringfence as rf
from ringfence.learned.hub.past import DATA_SET, KIND, LOSS, ROWS, TASK

ANY = "any"
KINDS = ("classification", "regression")


@dataclass(frozen=True, eq=False)
class HubRuns:
    """What an entry is learned from."""

    name: str
    learner: str
    about: str
    source: str
    licence: str
    dense: bool
    spaces: Mapping[str, rf.Space]
    """By kind of task; 'any' if it is the same for all."""
    frame: pl.DataFrame
    """Columns as in ringfence/learned/hub/past.py, perhaps more."""
    size_bound: int
    """Training rows up to which data are small."""
    defaults: Mapping[str, float] = field(default_factory=dict)
    """The loss of the library's default by task, where that is known; infinite if it failed."""

    meta: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Meta-features by task; NaN where one is not known."""

    needs: str = ""
    """What held for all runs beside their parameters, as it is to be set."""

    steps: Mapping[str, int] = field(default_factory=dict)
    """The declared steps of integers, which the space does not have; of the others it is 1."""

    def only(self, condition: pl.Expr) -> HubRuns:
        """The same with some of the rows."""
        return replace(self, frame=self.frame.filter(condition))

    @property
    def data_sets(self) -> list[str]:
        """Their names, in order."""
        return self.frame[DATA_SET].unique().sort().to_list()

    def space(self, kind: str) -> rf.Space:
        """The declared space of a kind of task."""
        return self.spaces[kind] if kind in self.spaces else self.spaces[ANY]

    def history(self, kind: str) -> rf.History:
        """As `rf.learn` takes it."""
        space = self.space(kind)
        finished = self.frame.filter(pl.col(LOSS).is_not_null())
        table = finished.select(pl.col(TASK).alias("task"), pl.col(LOSS).alias("loss"), *space)
        history = rf.History.from_frame(
            table, task="task", objective="loss", direction="minimize", parameters=list(space)
        )
        return replace(history, source=f"the hub's {self.name}", space=space)


def part_of(runs: HubRuns, kind: str, above: int | None, up_to: int | None) -> HubRuns:
    """The rows that a part of an entry is learned from."""
    condition = pl.lit(True)
    if kind != ANY:
        condition &= pl.col(KIND) == kind
    if above is not None:
        condition &= pl.col(ROWS) > above
    if up_to is not None:
        condition &= pl.col(ROWS) <= up_to
    return runs.only(condition)
