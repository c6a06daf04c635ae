"""What a search of the hub's space does that its user may not expect, in a line each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import signature
from typing import Any, Literal, TypeAlias

import numpy as np

from ringfence.adapters.sklearn.estimators import ESTIMATORS, Naming, parts_of
from ringfence.errors import SettingError
from ringfence.learned.hub.asking import hub
from ringfence.learned.hub.entries import HubEntry, beyond, part_behind
from ringfence.learned.hub.records import PartRecord
from ringfence.learned.space import LearnedSpace
from ringfence.words import brief, some

Kind: TypeAlias = Literal["classification", "regression"]

SCALED = ("elastic_net", "mlp")
"""Entries whose penalties and steps depend on the scale of a regression's target."""
SCALES = "TransformedTargetRegressor"
FAR_FROM_ONE = 10.0
"""The deviation of a target may be so many times larger or smaller: the best penalties of the hub's
tasks, whose deviation is 1, differ by more."""


@dataclass(frozen=True)
class Data:
    """What is asked of the data that a model is tuned for."""

    kind: Kind
    rows: int
    deviation: float | None
    """Of a target of numbers."""


def deviation_of(y: Any) -> float | None:
    """That of a target of numbers; None of any other."""
    try:
        numbers = np.asarray(y, float)
    except (TypeError, ValueError):
        return None
    with np.errstate(all="ignore"):
        deviation = float(np.std(numbers)) if numbers.size else math.nan
    return deviation if math.isfinite(deviation) else None


def doubts(estimator: Any, naming: Naming, learned: LearnedSpace, data: Data) -> Iterator[str]:
    """A line for each thing to know; of a space of one's own there is none.

    Raises:
        SettingError: what is set of the estimator would undo the search.
    """
    for name, value in _set_again(estimator, naming, learned).items():
        yield (
            f"the search sets {name}, and yours, {brief(value)}, is not "
            "kept: to keep it, name what is to be searched in an rf.Space (space=)"
        )
    behind = part_behind(learned)
    if behind is not None:
        yield from _of_size(*behind, data.rows)
        yield from _of_kind(*behind, data.kind)
        yield from _of_scale(behind[0].name, estimator, data)


def _set_again(estimator: Any, naming: Naming, learned: LearnedSpace) -> dict[str, Any]:
    """What the user has set of an estimator and a search of the hub's space sets anew, by name; a
    space of one's own says itself what it sets.

    Raises:
        SettingError: an argument has been set under another of its names, so that the search would
            have no effect; or the kernel is one that no space has.
    """
    part = dict(parts_of(estimator)).get(naming.prefix, estimator)
    given = part.get_params(deep=False)
    searched = _searched(naming, learned)
    known = ESTIMATORS.get(type(part).__name__)
    for alias, name in ({} if known is None else known.aliases).items():
        if given.get(alias) is not None and name in searched:
            raise SettingError(
                f"{type(part).__name__} has {alias}={brief(given[alias])}, "
                f"which is {name} by another name and would win over what the search sets: leave "
                "it out"
            )
    if naming.known is None:
        return {}
    kernel = given.get("kernel")
    if "kernel" in searched and (callable(kernel) or _is(kernel, "precomputed")):
        raise SettingError(
            f"the space searches the kernel, and yours is {brief(kernel)}: "
            "pass space=, an rf.Space without it"
        )
    usual = {name: each.default for name, each in signature(type(part)).parameters.items()}
    fixed = naming.known.fixed
    return {
        name: given[name]
        for name in sorted(searched & given.keys())
        if not _is(given[name], usual.get(name))  # XGBoost's, which it does not name, are None
        and not (name in fixed and _is(given[name], fixed[name]))
    }


def _searched(naming: Naming, learned: LearnedSpace) -> set[str]:
    """The arguments that a search sets. Some are made of several parameters, and some depend on
    others: the starting points have them all."""
    names = set(learned.space.parameters)
    if naming.known is not None:
        names |= {name for each in learned.starts() for name in naming.known.arguments(each)}
    return names


def _is(one: Any, other: Any) -> bool:
    """Whether a value that a user has set is a plain one; nothing else is compared."""
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return isinstance(one, bool) == isinstance(other, bool) and one == other
    plain = one is None or isinstance(one, (str, tuple))
    return one is other or (plain and type(one) is type(other) and bool(one == other))


def _of_size(found: HubEntry, part: PartRecord, rows: int) -> Iterator[str]:
    """Of many more rows than the hub knows. Of fewer nothing is said: nothing knows them better."""
    if rows <= part.rows[1]:
        return
    others = [
        each.name
        for each in hub()
        if each.record.learner == found.record.learner and each.record.rows[1] >= rows
    ]
    more = f"; for such sizes there is {some(others)}, see print(rf.hub()[…])" if others else ""
    for note in beyond(part, rows):
        yield f"{note}: its starting points may not hold here{more}"


def _of_kind(found: HubEntry, part: PartRecord, kind: Kind) -> Iterator[str]:
    """Of a space for the other kind of task."""
    if part.task not in ("any", kind):
        yield (
            f"the space is the hub's for {part.task}: for this estimator there is "
            f"rf.hub({found.name!r}, task={kind!r})"
        )


def _of_scale(name: str, estimator: Any, data: Data) -> Iterator[str]:
    """Of a regression's target far from deviation 1, where that matters."""
    deviation = data.deviation
    if name not in SCALED or data.kind != "regression" or not deviation or _scales(estimator):
        return
    if abs(math.log(deviation)) > math.log(FAR_FROM_ONE):
        yield (
            f"the deviation of the target is {deviation:.3g}, and was 1 in the hub's runs: its "
            "configurations mean something else here, unless the estimator is put into a "
            f"{SCALES}(…, transformer=StandardScaler())"
        )


def _scales(estimator: Any) -> bool:
    """Whether the target is transformed before an estimator sees it."""
    return any(
        type(each).__name__ == SCALES and (each.transformer, each.func) != (None, None)
        for _, each in parts_of(estimator)
    )
