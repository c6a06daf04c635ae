"""A user's own tasks beside those of the hub, which give way as own ones come.

With n own tasks a share SOON / (SOON + n) of the hub's is kept, evenly spread over their order;
docs/hub.md has the measurements.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import polars as pl

from ringfence.errors import SettingError
from ringfence.history.history import History
from ringfence.history.mismatch.match import match
from ringfence.history.mismatch.spaces import widest
from ringfence.history.runs import Runs, read_with_hint
from ringfence.history.usable import usable_rows
from ringfence.learned.hub.entries import HubEntry, entry, part_behind, past_of
from ringfence.learned.hub.records import ModelRecord, PartRecord
from ringfence.learned.space import LearnedSpace
from ringfence.space import Parameter, Space
from ringfence.space.pairs import off_for_flags
from ringfence.words import counted, some

SOON = 10
"""Own tasks with which half of the hub's are left."""
ENOUGH_INSIDE = 0.5
"""Of the hub's runs: half of those that ship are the best of their task, so that of fewer some of
the best are gone."""
MARK = "hub: "
"""What the names of the hub's tasks begin with, beside own ones."""


@dataclass(frozen=True)
class Joined:
    """Own runs and those of the hub."""

    history: History
    space: Space
    """Of the own runs; a range that was only read off them is widened to the hub's."""
    hub: str
    """The entry and its part, as a learned space has it."""
    notes: tuple[str, ...]


def join(own: History, space: Space, hub: str | LearnedSpace, *, read_off: bool) -> Joined:
    """The own runs with those of a space of the hub. `space` is the own one; `read_off` is whether
    it was read off the runs. SettingError if they have no parameter in common."""
    found, part = _asked(hub)
    past = found.history_of_part(part)
    assert past.space is not None
    common = [name for name in space if name in past.space]
    renames = _renames(own, past.space)
    if not common:
        call = "; ".join(renames) or "history.rename({…}) (--rename OLD=NEW) gives yours its names"
        raise SettingError(
            f"the hub's {found.name!r} and these runs have no parameter in common: it has "
            f"{some(list(past.space))}; {call}"
        )
    fitting = complete_rows(past, space)
    if not len(fitting):
        raise SettingError(f"no run of the hub's {found.name!r} has all of {some(common)}")
    kept = thinned(fitting, len(own.tasks))
    count = f"{len(kept.tasks)} of the {len(past.tasks)} tasks that ship of the hub's"
    beside_own = f"beside {counted(len(own.tasks), 'own one')}"
    notes = [f"{count} {found.name!r} count {beside_own}", *renames]
    notes += _flag_notes(space, past.space)
    if left_out := len(past) - len(fitting):
        notes.append(
            f"{counted(left_out, 'row')} of the hub left out, in which parameters are inactive "
            "that are active in all own runs"
        )
    joint = widened(space, past.space) if read_off else space
    if not read_off:
        notes += _narrow_notes(kept, joint, found.name)
    return Joined(beside(own, kept), joint, f"{found.name}/{part.key}", tuple(notes))


def with_past(learned: LearnedSpace, own: Runs | None) -> Runs | None:
    """Earlier runs for a search of a learned space: the own ones, those of the hub that the space
    comes from, or both; None if there are none."""
    past = past_of(learned)
    if own is None or past is None:
        return past if own is None else own
    own = read_with_hint(own, "history")
    return beside(own, thinned(complete_rows(past, learned.space), len(own.tasks)))


def known_models(learned: LearnedSpace) -> dict[str, ModelRecord]:
    """What is known of the models of the hub's tasks, by the names that they have in a search of
    this space; nothing if it is of another space than the hub's."""
    behind = part_behind(learned)
    if behind is None or behind[0].space_of_part(behind[1]).space != learned.space:
        return {}
    models = behind[0].record.models
    return {**models, **{f"{MARK}{name}": model for name, model in models.items()}}


def beside(own: History, past: History) -> History:
    """Own runs and those of the hub, whose tasks have names of their own."""
    task = past.roles.task
    frame = past.frame.with_columns((pl.lit(MARK) + pl.col(task)).alias(task))
    return History.concat([own, replace(past, frame=frame)])


def complete_rows(past: History, space: Space) -> History:
    """The hub's rows that have all parameters which are active in every configuration of a space.
    Its runs of XGBoost have no depth where the booster is linear, and own ones may know no other
    than trees."""
    conditional = {condition.child for condition in space.conditions}
    needed = [n for n in past.roles.parameters if n in space and n not in conditional]
    if not needed:
        return past
    return replace(past, frame=past.frame.filter(pl.all_horizontal(pl.col(needed).is_not_null())))


def thinned(past: History, n_own: int) -> History:
    """The hub's tasks that are left beside so many own ones, at least one."""
    tasks = past.tasks
    count = math.ceil(len(tasks) * SOON / (SOON + n_own))
    return past.only([tasks[i * len(tasks) // count] for i in range(count)])


def widened(space: Space, other: Space) -> Space:
    """The space with ranges that hold those of another one, too."""
    parameters: dict[str, Parameter] = {}
    for name, parameter in space.parameters.items():
        both = widest([parameter, other[name]]) if name in other else None
        parameters[name] = both or parameter
    return Space(parameters, space.conditions)


def _asked(hub: str | LearnedSpace) -> tuple[HubEntry, PartRecord]:
    """The entry and the part that are meant."""
    if isinstance(hub, LearnedSpace):
        behind = part_behind(hub)
        if behind is None:
            raise SettingError("hub must be a name, or a space that rf.hub(name, …) gives")
        return behind
    name, _, kind = str(hub).partition("/")
    found = entry(name)
    return found, found.part(kind or None)


def _flag_notes(own: Space, other: Space) -> list[str]:
    """A note on the numbers that a flag switches in own runs and a value in the hub's, with the
    call that makes them the same."""
    off = off_for_flags(own, other)
    if not off:
        return []
    calls = ", ".join(f"{name!r}: {value:g}" for name, value in off.items())
    options = " ".join(f"--off={name}={value:g}" for name, value in off.items())
    return [
        f"{some(list(off))} of the own runs {'has a flag' if len(off) == 1 else 'have flags'}, and "
        f"the hub has a value for off: history.with_off({{{calls}}}) makes them the same, and all "
        f"of its rows count ({options})"
    ]


def _narrow_notes(kept: History, space: Space, name: str) -> list[str]:
    """A note if declared ranges leave most of the hub's runs outside: the best that is left of a
    task is then that of a few runs."""
    inside = len(usable_rows(kept, space).frame)
    if inside >= ENOUGH_INSIDE * len(kept):
        return []
    return [
        f"the declared ranges hold {inside:,} of the {len(kept):,} runs of these tasks, "
        f"{inside / len(kept.tasks):.0f} a task, and the best of so few says little: with the "
        f"ranges of the hub's {name!r}, or none declared, all count"
    ]


def _renames(own: History, space: Space) -> list[str]:
    """What own parameters are probably called in the hub, with the calls that rename them."""
    return [
        f"{one.parameter} {one.why}: {one.call}"
        for one in match(own, space).suggestions
        if ".rename(" in one.call
    ]
