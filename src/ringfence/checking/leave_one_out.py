"""One history with its tasks to be left out: what the checks of several settings share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec
import numpy as np

from ringfence.checking.flags import flags
from ringfence.checking.left_out.recorded import RecordedTask, recorded_tasks
from ringfence.checking.left_out.sources import CheckSources
from ringfence.checking.left_out.tasks import TaskCheck, check_tasks
from ringfence.checking.result import Check, summarize
from ringfence.errors import HistoryError
from ringfence.history import PreparedHistory, RowChoice, incumbents
from ringfence.learned.blocks import expected_share
from ringfence.learned.records import Settings
from ringfence.space import Space


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """The recorded tasks, and what is learned from any of them."""

    prepared: PreparedHistory
    choice: RowChoice
    """Which rows the others learn from."""
    tasks: tuple[RecordedTask, ...]
    warnings: tuple[str, ...]
    _sources: dict[float, CheckSources] = field(default_factory=dict)

    @classmethod
    def of(cls, prepared: PreparedHistory, choice: RowChoice) -> LeaveOneOut:
        """The tasks of a history; HistoryError if there are fewer than two."""
        history, space = prepared.history, prepared.space
        if history.selection is not None:
            raise HistoryError(history.selection.every_row_needed("a check"))
        tasks = recorded_tasks(space, prepared.rows)
        if len(tasks) < 2:
            raise HistoryError(
                "a check needs at least two tasks: one to leave out, one to learn from"
            )
        return cls(prepared, choice, tasks, tuple(flags(history, space, prepared.rows, tasks)))

    @property
    def space(self) -> Space:
        """The original space."""
        return self.prepared.space

    def sources(self, top: float) -> CheckSources:
        """The incumbents, made ready once for each `top`."""
        if top not in self._sources:
            best = incumbents(self.prepared.rows, self.choice, top=top)
            names = [task.name for task in self.tasks]
            self._sources[top] = CheckSources.of(self.space, best, names)
        return self._sources[top]

    def completed(self, settings: Settings) -> Settings:
        """The settings with this choice of rows."""
        choice = self.choice
        return msgspec.structs.replace(
            settings,
            n_evaluations=choice.n_evaluations,
            seed=choice.seed,
            average_repeats=choice.average_repeats,
        )

    def check(self, settings: Settings, step: Callable[[], None]) -> Check:
        """Leave each task out in turn; `step` is called after each."""
        sources = self.sources(settings.top)
        by_name: dict[str, TaskCheck | None] = {}
        everyone = np.ones(len(self.tasks), dtype=bool)
        for number, task in enumerate(self.tasks):
            (by_name[task.name],) = check_tasks([task], sources, settings, everyone, [number])
            step()
        blocks, _ = sources.fit(settings, everyone)
        return summarize(settings, by_name, expected_share(self.space, blocks), self.warnings)
