"""An entry of the hub as records of a JSON file: what it was learned from, how it was judged, and a
learned space for each kind of task and size of data.

The rows that it was learned from, or the most telling of them, lie beside it in a Parquet file of
the same name (past.py).
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from ringfence.learned.records import Count
from ringfence.space import Choice
from ringfence.words import Brief, percent

FORMAT: Final = "ringfence.hub-entry"
VERSION: Final = 1

TaskKind: TypeAlias = Literal["any", "classification", "regression"]
"""'any' is learned from both."""
Share: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]
Positive: TypeAlias = Annotated[float, msgspec.Meta(gt=0)]
Regret: TypeAlias = Annotated[float, msgspec.Meta(ge=0)]


class Edge(Brief, msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An end of a declared range at which more optima lie than chance puts there: the best may lie
    beyond."""

    parameter: str
    end: Literal["low", "high"]
    value: Choice
    share: Share
    """Of the data sets: mean share of a data set's optima that lie there."""

    @property
    def words(self) -> str:
        """It in words: "max_depth: 31% of the optima at its high end, 14"."""
        return f"{self.parameter}: {percent(self.share)} of the optima at its {self.end} end, " + (
            f"{self.value:g}" if isinstance(self.value, float) else f"{self.value}"
        )


class Evidence(Brief, msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How a space fared on data sets that were left out, all splits of each at once."""

    covered: Share
    """Share of the left-out optima inside, the mean over data sets."""
    volume: Share
    """Share of the declared space that is kept."""
    is_smallest: bool = True
    """False if a region of at most half the declared space holds 90 % of the left-out optima, as
    this one does; True if none that was tried does."""
    starts: Regret | None = None
    """Mean regret of the left-out data sets after five starting points; 0 is the best configuration
    of a data set, 1 a median one."""
    default: Regret | None = None
    """The same of the library's default configuration."""
    random: Regret | None = None
    """The same after five random configurations of the declared space."""


class PartRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A learned space of an entry, and for which tasks it holds."""

    task: TaskKind
    data_sets: Count
    tasks: Count
    """Tasks, of which a data set has several if it was split in several ways."""
    rows: tuple[Count, Count]
    """The smallest and the largest number of training rows that it was learned from."""
    evidence: Evidence
    space: msgspec.Raw
    """The learned space, as `LearnedSpace.save` writes it."""
    above: Count | None = None
    """It holds for data of more rows than this; None: of any, to the least."""
    up_to: Count | None = None
    """It holds for data of at most so many rows; None: of any, to the most."""
    edges: tuple[Edge, ...] = ()
    """Where the declared range clips the optima."""

    @property
    def key(self) -> str:
        """What tells it from the other parts of its entry."""
        above = "" if self.above is None else f">{self.above}"
        return f"{self.task}{above}" + ("" if self.up_to is None else f"<={self.up_to}")

    @property
    def is_whole(self) -> bool:
        """Whether it holds for data of any size."""
        return self.above is None and self.up_to is None

    def holds(self, rows: int) -> bool:
        """Whether it is for data of so many rows."""
        is_above = self.above is None or rows > self.above
        return is_above and (self.up_to is None or rows <= self.up_to)

    @property
    def sizes(self) -> str:
        """For data of which size it holds, in words."""
        if self.above is not None:
            return f"above {self.above:,} rows"
        return f"up to {self.up_to:,} rows" if self.up_to is not None else "any size"


class ModelRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Hyperparameters of a task's model over its kept rows (optimize/transfer/source_models.py)."""

    length_scales: tuple[Positive, ...]
    noise: Positive


class EntryRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The whole file."""

    format: Literal["ringfence.hub-entry"]
    version: Literal[1]
    name: str
    learner: str
    about: str
    """What was tuned, and how, in a sentence or two."""
    source: str
    """Where the runs come from."""
    licence: str
    dense: bool
    """Whether many configurations of each task are known, or only the best one."""
    parameters: tuple[str, ...]
    parts: Annotated[tuple[PartRecord, ...], msgspec.Meta(min_length=1)]
    needs: str = ""
    """What else to set, as in all of its runs; empty: nothing."""
    sets: Count | None = None
    """From how many data sets it was learned, if that is not the sum over kinds of tasks: one may
    be in two."""
    models: dict[str, ModelRecord] = {}
    """By task, if the entry is dense: the search for them is what takes the time of a model."""

    @property
    def wholes(self) -> list[PartRecord]:
        """The parts that together hold for all: one, or one for each kind of task if no space holds
        for both."""
        whole = [part for part in self.parts if part.is_whole]
        return [part for part in whole if part.task == "any"] or whole

    @property
    def data_sets(self) -> int:
        """From how many data sets it was learned."""
        total = sum(part.data_sets for part in self.wholes)
        return total if self.sets is None else self.sets

    @property
    def rows(self) -> tuple[int, int]:
        """The smallest and the largest number of training rows."""
        each = [part.rows for part in self.wholes]
        return min(low for low, _ in each), max(high for _, high in each)
