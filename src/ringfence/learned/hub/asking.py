"""rf.hub: what there is, and the learned space for a task of which nothing is known yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, overload

from ringfence.errors import SettingError
from ringfence.learned.hub.display import hub_html, hub_text
from ringfence.learned.hub.entries import HubEntry, entry, names
from ringfence.learned.space import LearnedSpace


@dataclass(frozen=True, eq=False, repr=False)
class Hub:
    """All entries of the hub, by `rf.hub()`: `print` shows them as a table, `rf.hub()[name]` is one
    of them.

    Examples:
        >>> import ringfence as rf
        >>> hub = rf.hub()
        >>> "catboost-tabr" in [entry.name for entry in hub]
        True
    """

    entries: tuple[HubEntry, ...]
    """In the order of their names."""

    def __getitem__(self, name: str) -> HubEntry:
        return entry(name)

    def __iter__(self) -> Iterator[HubEntry]:
        return iter(self.entries)

    def __contains__(self, name: object) -> bool:
        return any(name in (each, each.name) for each in self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __str__(self) -> str:
        return hub_text([each.record for each in self.entries])

    def _repr_html_(self) -> str:
        return hub_html([each.record for each in self.entries])

    def __repr__(self) -> str:
        return f"Hub({', '.join(each.name for each in self.entries)})"


@overload
def hub() -> Hub: ...


@overload
def hub(
    name: str,
    *,
    task: Literal["classification", "regression"] | None = None,
    rows: int | None = None,
) -> LearnedSpace: ...


def hub(
    name: str | None = None,
    *,
    task: Literal["classification", "regression"] | None = None,
    rows: int | None = None,
) -> Hub | LearnedSpace:
    """A learned space that ships with the package, with starting points; or all that there are.

    `rf.minimize` and the samplers that transfer know the runs that it was learned from unasked.

    Args:
        name: of the entry, such as 'catboost-tabr'; None gives the table of all.
        task: 'classification' or 'regression'; None takes what was learned from both.
        rows: number of rows to train on, if the space depends on it.

    Raises:
        SettingError: a name that the hub does not have, or a kind of task that the entry does not
            know.

    Examples:
        >>> import ringfence as rf
        >>> space = rf.hub("catboost-tabr", task="regression", rows=20_000)
        >>> space.contains(space.starts(1)[0])
        True
    """
    if name is not None:
        return entry(name).space(task, rows)
    if task is not None or rows is not None:
        raise SettingError("task and rows choose among the spaces of an entry: name one, too")
    return Hub(tuple(entry(each) for each in names()))
