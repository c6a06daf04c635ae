"""The file of a plan: which methods run on which suites, as data.

    name = "quick"
    data = ["../benchmarks/data"]         folders of tables, relative to the plan's

    [[experiment]]
    figure = "1a"
    title = "Tuning SGD for ridge regression"
    suites = ["sgd"]
    methods = ["Random", "Box Random"]    the legend, in its order
    tasks = 5                             number of tasks left out in turn; all by default
    replications = 10

A plan that is like another one names only what differs:

    name = "openml"
    like = "tables-surrogate"             the plan of that name in the same folder, written out
    suites = {svm_surrogate = "svm"}      a suite of that plan, and the one or several that take its
                                          place; in a picture the first of them
    omit = {svm = ["3b"]}                 figures that a suite cannot be in
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from ringfence.bench.cell import Evaluation, Relation, Scale
from ringfence.errors import FileError, RingfenceError, SettingError
from ringfence.incoming.content import read_text
from ringfence.incoming.parsing import toml_of

Positive = Annotated[int, msgspec.Meta(ge=1)]


class Fewer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How often a slow method runs; None: as often as the others."""

    replications: Positive | None = None
    tasks: Positive | None = None


class Experiment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One figure."""

    figure: str
    title: str
    suites: tuple[str, ...]
    methods: tuple[str, ...]
    tasks: Positive | None = None
    """Number of tasks left out in turn, evenly spaced over the suite; None: all."""
    replications: Positive = 10
    fewer: Mapping[str, Positive | Fewer] = {}
    """Replications, or replications and tasks, of slow methods, by their names."""
    trials: Positive = 50
    n_evaluations: Positive = 256
    scale: Scale = "raw"
    evaluation: Evaluation = "rows"
    sources: Relation = "mixed"


class RegionPicture(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One figure of learned spaces themselves, as figure 2."""

    figure: str
    title: str
    suite: str
    regions: tuple[str, ...]
    parameters: tuple[str, ...] = ()
    """Two or three for the axes; by default the first three that are numbers."""
    scale: Scale = "raw"
    n_evaluations: Positive = 256


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a plan's file; paths are absolute once read."""

    name: str
    experiment: tuple[Experiment, ...]
    region: tuple[RegionPicture, ...] = ()
    data: tuple[str, ...] = ()


class Like(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a file that is like another plan's."""

    name: str
    like: str
    suites: Mapping[str, str | tuple[str, ...]] = {}
    omit: Mapping[str, tuple[str, ...]] = {}
    data: tuple[str, ...] = ()


def read_file(path: Path) -> Plan:
    """The plan as written, or FileError."""
    content = _content(path)
    try:
        if "like" not in content:
            return msgspec.convert(content, Plan)
        changes = msgspec.convert(content, Like)
        base = _content(path.parent / f"{changes.like}.toml")
        if "like" in base:
            raise SettingError(f"{changes.like!r} is itself like another plan; name that one")
        return _changed(msgspec.convert(base, Plan), changes)
    except FileError:
        raise
    except (RingfenceError, msgspec.ValidationError) as error:
        raise FileError(f"{path} is not a plan: {error}") from error


def _content(path: Path) -> dict[str, Any]:
    return toml_of(read_text(path), path)


def _changed(base: Plan, changes: Like) -> Plan:
    _require(changes.suites, _suites(base), f"{changes.like!r} has no suite")
    new = {old: (s,) if isinstance(s, str) else s for old, s in changes.suites.items()}
    plan = Plan(
        changes.name,
        tuple(
            msgspec.structs.replace(
                e, suites=tuple(other for name in e.suites for other in new.get(name, (name,)))
            )
            for e in base.experiment
        ),
        tuple(
            msgspec.structs.replace(r, suite=others[0])
            for r in base.region
            if (others := new.get(r.suite, (r.suite,)))
        ),
        base.data + changes.data,
    )
    _require(changes.omit, _suites(plan), "'omit' names a suite that is not there:")
    figures = [e.figure for e in plan.experiment] + [r.figure for r in plan.region]
    for omitted in changes.omit.values():
        _require(omitted, figures, "'omit' names a figure that is not there:")
    return _without(plan, changes.omit)


def _without(plan: Plan, omit: Mapping[str, tuple[str, ...]]) -> Plan:
    """Without the suites that a figure cannot have, and without figures that then have none."""
    experiments = (
        msgspec.structs.replace(
            e, suites=tuple(name for name in e.suites if e.figure not in omit.get(name, ()))
        )
        for e in plan.experiment
    )
    return msgspec.structs.replace(
        plan,
        experiment=tuple(e for e in experiments if e.suites),
        region=tuple(r for r in plan.region if r.figure not in omit.get(r.suite, ())),
    )


def _suites(plan: Plan) -> list[str]:
    names = [name for e in plan.experiment for name in e.suites]
    return list(dict.fromkeys([*names, *(r.suite for r in plan.region)]))


def _require(names: Iterable[str], known: list[str], what: str) -> None:
    for name in names:
        if name not in known:
            raise SettingError(f"{what} {name!r}; there are {', '.join(known)}")
