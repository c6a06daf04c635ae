"""One history with its tasks to be left out: what the checks of several settings share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import msgspec
import numpy as np
import polars as pl

from ringfence.arrays import BoolArray
from ringfence.checking.belief.beliefs import Beliefs
from ringfence.checking.belief.regret_scale import RegretScale
from ringfence.checking.flags import flags
from ringfence.checking.left_out.recorded import RecordedTask, recorded_tasks
from ringfence.checking.left_out.sources import CheckSources
from ringfence.checking.left_out.tasks import TaskEvidence, check_tasks
from ringfence.checking.result import Check, summarize
from ringfence.checking.searched import scarcity, unsearched
from ringfence.checking.verdict import SAMPLED
from ringfence.errors import HistoryError
from ringfence.history import TASK, PreparedHistory, RowChoice
from ringfence.history.lots import tasks_by_lot
from ringfence.learned.blocks import expected_share, share_error
from ringfence.learned.full import full_space
from ringfence.learned.records import Settings
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.transfer.sources import Source, tasks_of
from ringfence.space import Space

MOST_JUDGED = 200
"""Tasks that are left out in turn if there are more than twice as many. What the model gets wrong
for all tasks alike outweighs what it gets wrong for each from some forty tasks on, so more would
not make the intervals much narrower."""


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """The recorded tasks, what is learned from any of them, and what is believed of each."""

    prepared: PreparedHistory
    choice: RowChoice
    """Which rows the others learn from."""
    tasks: tuple[RecordedTask, ...]
    """The tasks to be left out: all, or a random choice if they are many."""
    warnings: tuple[str, ...]
    names: tuple[str, ...]
    """All tasks, those to be left out first."""
    _sources: dict[tuple[float, float], CheckSources] = field(default_factory=dict)
    _evidence: dict[Settings, list[TaskEvidence | None]] = field(default_factory=dict)

    @classmethod
    def of(cls, prepared: PreparedHistory, choice: RowChoice) -> LeaveOneOut:
        """The tasks of a history; HistoryError if there are fewer than two."""
        history, space = prepared.history, prepared.space
        if history.selection is not None:
            raise HistoryError(history.selection.every_row_needed("a check"))
        names = prepared.rows[TASK].unique(maintain_order=True).to_list()
        if len(names) < 2:
            raise HistoryError(
                "a check needs at least two tasks: one to leave out, one to learn from"
            )
        judged = _judged(names)
        tasks = recorded_tasks(space, _rows_of(judged, names, prepared.rows))
        warnings = flags(history, space, prepared.rows, tasks)
        everyone = [task.name for task in tasks]
        everyone += [name for name in names if name not in judged]
        return cls(prepared, choice, tasks, tuple(warnings), tuple(everyone))

    @property
    def space(self) -> Space:
        """The full space."""
        return self.prepared.space

    @property
    def everyone(self) -> BoolArray:
        """All tasks as the mask that `CheckSources.fit` takes, to be left out of one by one."""
        return np.ones(len(self.names), dtype=bool)

    @property
    def is_sample(self) -> bool:
        """Whether only some of the tasks are left out."""
        return len(self.tasks) < len(self.names)

    @cached_property
    def recorded(self) -> dict[str, Source]:
        """The rows of each task to be left out as numbers."""
        judged = {task.name for task in self.tasks}
        rows = _rows_of(judged, self.names, self.prepared.rows)
        return {task.name: task for task in tasks_of(rows, Layout(full_space(self.space)))}

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
            self._sources[key] = CheckSources.of(self.space, best, self.names)
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
            evidence, everyone = [], self.everyone
            for number, task in enumerate(self.tasks):
                evidence += check_tasks([task], self.beliefs, sources, settings, everyone, [number])
                step()
            self._evidence[settings] = evidence
        return self._evidence[settings]

    def check(self, settings: Settings, step: Callable[[], None]) -> Check:
        """The check of one setting; `step` is called for each task."""
        evidence = self.evidence(settings, step)
        blocks, _ = self.sources(settings).fit(settings, self.everyone)
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
            warnings=self.warnings,
            chosen_from=chosen_from,
            goal=self.prepared.history.goal,
            notes=(*self.prepared.account, *self._sample_note),
            unsearched=self.unsearched,
            scarce=self.scarce,
        )

    @property
    def _sample_note(self) -> list[str]:
        if not self.is_sample:
            return []
        return [
            f"{len(self.tasks)} of {len(self.names):,} {SAMPLED}, and the intervals are those of "
            "so many; the space is always that of all others"
        ]


def _judged(names: Sequence[str]) -> set[str]:
    """The tasks to be left out in turn: all, or a random choice, whatever their order."""
    return set(names) if len(names) <= 2 * MOST_JUDGED else tasks_by_lot(names, MOST_JUDGED)


def _rows_of(tasks: Collection[str], names: Sequence[str], rows: pl.DataFrame) -> pl.DataFrame:
    """The rows of some of the tasks with these names."""
    return rows if len(tasks) == len(names) else rows.filter(pl.col(TASK).is_in(list(tasks)))
