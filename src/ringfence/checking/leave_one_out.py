"""One history with its tasks to be left out: what the checks of several settings share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import msgspec
import numpy as np

from ringfence.checking.belief.beliefs import Beliefs
from ringfence.checking.belief.regret_scale import RegretScale
from ringfence.checking.flags import flags
from ringfence.checking.left_out.recorded import RecordedTask, recorded_tasks
from ringfence.checking.left_out.sources import CheckSources
from ringfence.checking.left_out.tasks import TaskEvidence, check_tasks
from ringfence.checking.result import Check, summarize
from ringfence.checking.searched import scarcity, unsearched
from ringfence.errors import HistoryError
from ringfence.history import PreparedHistory, RowChoice
from ringfence.learned.blocks import expected_share, share_error
from ringfence.learned.full import full_space
from ringfence.learned.records import Settings
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.transfer.sources import Source, tasks_of
from ringfence.space import Space


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """The recorded tasks, what is learned from any of them, and what is believed of each."""

    prepared: PreparedHistory
    choice: RowChoice
    """Which rows the others learn from."""
    tasks: tuple[RecordedTask, ...]
    warnings: tuple[str, ...]
    _sources: dict[tuple[float, float], CheckSources] = field(default_factory=dict)
    _evidence: dict[Settings, list[TaskEvidence | None]] = field(default_factory=dict)

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
        """The full space."""
        return self.prepared.space

    @cached_property
    def recorded(self) -> dict[str, Source]:
        """The rows of each task as numbers."""
        layout = Layout(full_space(self.space))
        return {task.name: task for task in tasks_of(self.prepared.rows, layout)}

    @cached_property
    def beliefs(self) -> Beliefs | None:
        """What random configurations would give on each task; None if no task tells good from
        bad."""
        return Beliefs.of(list(self.recorded.values()), full_space(self.space))

    @cached_property
    def unsearched(self) -> str:
        """Why nothing can be said of the full space; empty if the runs searched most of it."""
        return unsearched(self.space, self.prepared.rows)

    @cached_property
    def scarce(self) -> float:
        """How much of the space few tasks know."""
        return scarcity(self.space, self.prepared.rows)

    @property
    def scale(self) -> RegretScale | None:
        """How the shares of better configurations become regrets."""
        return None if self.beliefs is None else self.beliefs.scale

    def sources(self, settings: Settings) -> CheckSources:
        """The incumbents that the settings draw around, made ready once."""
        top, tolerance = key = settings.top, settings.tolerance
        if key not in self._sources:
            best, _ = self.prepared.incumbents(self.choice, top=top, tolerance=tolerance)
            names = [task.name for task in self.tasks]
            self._sources[key] = CheckSources.of(self.space, best, names)
        return self._sources[key]

    def completed(self, settings: Settings) -> Settings:
        """The settings with this choice of rows."""
        choice = self.choice
        return msgspec.structs.replace(
            settings,
            n_evaluations=choice.n_evaluations,
            seed=choice.seed,
            average_repeats=choice.average_repeats,
        )

    def evidence(
        self, settings: Settings, step: Callable[[], None] = lambda: None
    ) -> list[TaskEvidence | None]:
        """Leave each task out in turn; `step` is called after each."""
        if settings not in self._evidence:
            sources = self.sources(settings)
            everyone = np.ones(len(self.tasks), dtype=bool)
            evidence = []
            for number, task in enumerate(self.tasks):
                evidence += check_tasks([task], self.beliefs, sources, settings, everyone, [number])
                step()
            self._evidence[settings] = evidence
        return self._evidence[settings]

    def check(self, settings: Settings, step: Callable[[], None]) -> Check:
        """The check of one setting; `step` is called for each task."""
        evidence = self.evidence(settings, step)
        everyone = np.ones(len(self.tasks), dtype=bool)
        blocks, _ = self.sources(settings).fit(settings, everyone)
        share = expected_share(self.space, blocks)
        check = self.summarize(settings, evidence, share)
        return msgspec.structs.replace(check, volume_error=share * share_error(blocks))

    def summarize(
        self,
        settings: Settings,
        evidence: list[TaskEvidence | None],
        volume: float,
        chosen_from: int = 0,
    ) -> Check:
        """The check that follows from the evidence on each of the tasks."""
        names = [task.name for task in self.tasks]
        by_name = dict(zip(names, evidence))
        return summarize(
            settings,
            by_name,
            self.scale,
            volume,
            self.warnings,
            chosen_from,
            self.prepared.history.goal,
            self.prepared.account,
            self.unsearched,
            self.scarce,
        )
