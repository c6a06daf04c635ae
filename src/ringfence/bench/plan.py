"""Plan: which methods run on which suites, and the cells that this makes. Its file: `plan_file`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import msgspec

from ringfence.bench.cell import Cell, Relation
from ringfence.bench.methods import REGIONS, method
from ringfence.bench.plan_file import Experiment, Fewer, Plan, RegionPicture, read_file
from ringfence.bench.suites import Suite, SuiteSource, load_suite
from ringfence.errors import FileError, SettingError

BASELINE = "Random"
"""What every curve is normalized by."""

__all__ = [
    "BASELINE",
    "Experiment",
    "Plan",
    "Planned",
    "RegionPicture",
    "only",
    "part",
    "planned",
    "read_plan",
]


@dataclass(frozen=True)
class Planned:
    """A cell, where its suite comes from, and the figure it is for."""

    experiment: Experiment
    source: SuiteSource
    cell: Cell


def read_plan(path: Path, data: Sequence[Path] = ()) -> Plan:
    """A plan, with more folders of data; FileError if something in it cannot be."""
    plan = read_file(path)
    try:
        _check(plan)
    except SettingError as error:
        raise FileError(f"{path}: {error}") from error
    home = path.resolve().parent
    folders = [home / folder for folder in plan.data] + [folder.resolve() for folder in data]
    return msgspec.structs.replace(
        plan,
        data=tuple(str(folder) for folder in folders),
        experiment=tuple(
            msgspec.structs.replace(e, suites=tuple(_absolute(s, home) for s in e.suites))
            for e in plan.experiment
        ),
        region=tuple(
            msgspec.structs.replace(r, suite=_absolute(r.suite, home)) for r in plan.region
        ),
    )


def part(plan: Plan, figures: Sequence[str] = (), replications: int | None = None) -> Plan:
    """Only these figures of a plan, and of each cell at most so many replications."""
    names = [e.figure for e in plan.experiment] + [r.figure for r in plan.region]
    for figure in figures:
        if figure not in names:
            raise SettingError(f"the plan has no figure {figure!r}; it has {', '.join(names)}")
    return msgspec.structs.replace(
        plan,
        experiment=tuple(
            msgspec.structs.replace(
                e, replications=min(e.replications, replications or e.replications)
            )
            for e in plan.experiment
            if not figures or e.figure in figures
        ),
        region=tuple(r for r in plan.region if not figures or r.figure in figures),
    )


def only(plan: Plan, suite: str) -> Plan:
    """The part of a plan that runs on one suite."""
    experiments = tuple(
        msgspec.structs.replace(e, suites=(name,))
        for e in plan.experiment
        for name in e.suites
        if Path(name).stem == suite
    )
    if not experiments:
        names = sorted({Path(name).stem for e in plan.experiment for name in e.suites})
        raise SettingError(f"the plan has no suite {suite!r}; it has {', '.join(names)}")
    pictures = tuple(picture for picture in plan.region if Path(picture.suite).stem == suite)
    return msgspec.structs.replace(plan, experiment=experiments, region=pictures)


def planned(plan: Plan) -> Iterator[Planned]:
    """Every cell of every figure; a cell that two figures share comes twice."""
    for experiment in plan.experiment:
        for name in experiment.suites:
            source = SuiteSource(name, plan.data, experiment.evaluation)
            for cell in _cells(experiment, load_suite(source)):
                yield Planned(experiment, source, cell)


def _cells(experiment: Experiment, suite: Suite) -> Iterator[Cell]:
    tasks = _spread(suite.targets, experiment.tasks)
    for label in experiment.methods:
        fewer = _fewer(experiment, label)
        replications = min(experiment.replications, fewer.replications or experiment.replications)
        for task, replication in product(_spread(tasks, fewer.tasks), range(replications)):
            yield Cell(
                suite=suite.name,
                data=suite.digest,
                task=task,
                method=label,
                replication=replication,
                trials=experiment.trials,
                n_evaluations=experiment.n_evaluations,
                scale=experiment.scale,
                evaluation=experiment.evaluation,
                sources=_relation(experiment, label),
            )


def _fewer(experiment: Experiment, label: str) -> Fewer:
    fewer = experiment.fewer.get(label, Fewer())
    return fewer if isinstance(fewer, Fewer) else Fewer(replications=fewer)


def _relation(experiment: Experiment, label: str) -> Relation:
    """Which sources come first; the same for all methods that take every source."""
    return "mixed" if method(label).tasks is None else experiment.sources


def _spread(tasks: Sequence[str], n: int | None) -> list[str]:
    """`n` of the tasks, evenly spaced; all if there are fewer."""
    count = len(tasks) if n is None else min(n, len(tasks))
    return [tasks[i * len(tasks) // count] for i in range(count)]


def _absolute(suite: str, home: Path) -> str:
    """The suite's name, or the path of its description, which is relative to the plan's folder."""
    return str(home / suite) if suite.endswith(".toml") else suite


def _check(plan: Plan) -> None:
    figures = [e.figure for e in plan.experiment] + [r.figure for r in plan.region]
    for figure in figures:
        if figures.count(figure) > 1:
            raise SettingError(f"figure {figure!r} is planned twice")
    for experiment in plan.experiment:
        where = f"figure {experiment.figure!r}"
        for label in experiment.methods:
            method(label)
            if experiment.methods.count(label) > 1:
                raise SettingError(f"{where} names {label!r} twice")
        if BASELINE not in experiment.methods:
            raise SettingError(f"{where} needs {BASELINE!r}, by which curves are normalized")
        if BASELINE in experiment.fewer:
            raise SettingError(f"{where}: {BASELINE!r} needs all replications, the others need it")
        unknown = sorted(set(experiment.fewer) - set(experiment.methods))
        if unknown:
            raise SettingError(f"{where}: 'fewer' names {unknown[0]!r}, which is not run")
    for picture in plan.region:
        for name in picture.regions:
            if name not in REGIONS:
                raise SettingError(f"figure {picture.figure!r}: no region is called {name!r}")
