"""One history in one space, made ready: what the checks of several settings share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec
import numpy as np
import polars as pl

from ringfence.blocks import expected_share
from ringfence.checking.flags import flags
from ringfence.checking.leave_one_out import TaskCheck, look_at
from ringfence.checking.recorded import RecordedTask, recorded_tasks
from ringfence.checking.sources import Sources
from ringfence.checking.verdict import Check, conclude
from ringfence.errors import HistoryError, SettingError
from ringfence.history import History, incumbents, infer_space, usable_rows
from ringfence.learned_records import Settings
from ringfence.space import Space


@dataclass(frozen=True, eq=False)
class Case:
    """The recorded tasks, and what any of them teach."""

    space: Space
    rows: pl.DataFrame
    tasks: tuple[RecordedTask, ...]
    warnings: tuple[str, ...]
    given: Settings
    """Which rows count (`n_evaluations`, `seed`, `average_repeats`); the rest is to be varied."""
    _sources: dict[float, Sources] = field(default_factory=dict)

    @classmethod
    def of(cls, history: History, space: Space | None, given: Settings) -> Case:
        """The case of a history; HistoryError if it has fewer than two tasks."""
        if not isinstance(history, History):
            raise SettingError(f"check takes a History, not {type(history).__name__}")
        if history.selection is not None:
            raise HistoryError(history.selection.whole_needed("a check"))
        space = space or history.space or infer_space(history).space
        rows = usable_rows(history, space).frame
        tasks = recorded_tasks(space, rows)
        if len(tasks) < 2:
            raise HistoryError(
                "a check needs at least two tasks: one to leave out, one to learn from"
            )
        return cls(space, rows, tasks, tuple(flags(history, space, rows, tasks)), given)

    def sources(self, top: float) -> Sources:
        """The incumbents, made ready once for each `top`."""
        if top not in self._sources:
            best = incumbents(
                self.rows,
                n_evaluations=self.given.n_evaluations,
                seed=self.given.seed,
                average_repeats=self.given.average_repeats,
                top=top,
            )
            self._sources[top] = Sources.of(self.space, best, [task.name for task in self.tasks])
        return self._sources[top]

    def complete(self, settings: Settings) -> Settings:
        """The settings with this case's choice of rows."""
        return msgspec.structs.replace(
            settings,
            n_evaluations=self.given.n_evaluations,
            seed=self.given.seed,
            average_repeats=self.given.average_repeats,
        )

    def check(self, settings: Settings, step: Callable[[], None]) -> Check:
        """Leave each task out in turn; `step` is called after each."""
        sources = self.sources(settings.top)
        found: dict[str, TaskCheck | None] = {}
        everyone = np.ones(len(self.tasks), dtype=bool)
        for number, task in enumerate(self.tasks):
            (found[task.name],) = look_at([task], sources, settings, everyone, [number])
            step()
        blocks, _ = sources.fit(settings, everyone)
        return conclude(settings, found, expected_share(self.space, blocks), self.warnings)
