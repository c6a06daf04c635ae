"""What each study tuned and when it last ran: its own space, and so that of each task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from ringfence.history.mismatch.spaces import union_of
from ringfence.history.readers.optuna.conditions import Activity
from ringfence.history.readers.optuna.rows import StudyInfo
from ringfence.history.readers.optuna.space import Range, merge
from ringfence.history.values import LACKS
from ringfence.space import Condition, Space
from ringfence.space.conditions import can_be


@dataclass(frozen=True)
class ByTask:
    """The space and the last time of each task."""

    spaces: Mapping[str, Space]
    times: Mapping[str, float]


@dataclass(frozen=True)
class Studies:
    """The studies by their keys."""

    spaces: Mapping[int, Space]
    times: Mapping[int, float]
    parameters: tuple[str, ...]
    midway: tuple[str, ...]

    @classmethod
    def of(
        cls,
        studies: Sequence[StudyInfo],
        times: Mapping[int, float],
        ranges: Mapping[str, Sequence[Range]],
        active: Activity,
    ) -> Studies:
        """The space of each study: its own distributions of the parameters that are used."""
        by_study: dict[str, dict[str, list[Range]]] = {}
        for name in active.parameters:
            for one in ranges[name]:
                by_study.setdefault(one.study, {}).setdefault(name, []).append(one)
        spaces: dict[int, Space] = {}
        same: dict[object, Space] = {}  # many studies have the same distributions
        for study in studies:
            own = by_study.get(study.name)
            if own is not None:
                key = tuple((name, *(one.words for one in each)) for name, each in own.items())
                if key not in same:
                    same[key] = _space(own, active)
                spaces[study.key] = same[key]
        return cls(spaces, times, active.parameters, active.midway)

    def by_task(self, tasks: pl.Series, study: pl.Series) -> ByTask:
        """The same for the tasks; `tasks` and `study` have that of each trial."""
        spaces: dict[str, list[Space]] = {}
        times: dict[str, float] = {}
        pairs = pl.DataFrame({"task": tasks, "study": study}).unique(maintain_order=True)
        for task, key in pairs.drop_nulls().iter_rows():
            if key in self.spaces:
                spaces.setdefault(task, []).append(self.spaces[key])
            if key in self.times:
                times[task] = max(self.times[key], times.get(task, self.times[key]))
        return ByTask({task: union_of(each)[0] for task, each in spaces.items()}, times)

    def lacking(self, wide: pl.DataFrame) -> list[pl.Series]:
        """For each parameter that some studies lack, or some trials before it came or after it
        went: which trials these are. `wide` has the `:study` and the values of each trial."""
        columns = []
        for name in self.parameters:
            without = [key for key, space in self.spaces.items() if name not in space]
            lacks = wide[name].is_null() if name in self.midway else wide[":study"].is_in(without)
            if lacks.any():
                columns.append(lacks.alias(f"{LACKS}{name}"))
        return columns


def _space(own: Mapping[str, Sequence[Range]], active: Activity) -> Space:
    """The space of a study with these distributions."""
    parameters = {name: merge(name, each).parameter for name, each in own.items()}
    both = [c for c in active.conditions if {c.child, c.parent} <= parameters.keys()]
    own_values = ((c, [v for v in c.values if can_be(parameters[c.parent], v)]) for c in both)
    # a parent that was never at such a value here, or at nothing else, switches nothing
    conditions = [Condition(c.child, c.parent, values) for c, values in own_values if values]
    return union_of([Space(parameters), Space(parameters, conditions)])[0]
