"""Learned spaces as pictures: figure 2 and its companions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.bench.cell import Cell
from ringfence.bench.figures import file_name, new_figure, write_figure
from ringfence.bench.methods import REGIONS
from ringfence.bench.plan import Plan, RegionPicture
from ringfence.bench.suites import SuiteSource, load_suite
from ringfence.bench.suites.suite import Suite, on_scale
from ringfence.errors import SettingError
from ringfence.history import History
from ringfence.learned.space import LearnedSpace
from ringfence.learning import learn
from ringfence.space import Config, Float, Int

N_DRAWN = 300


def write_region_figures(plan: Plan, folder: Path) -> Iterator[Path]:
    """Learn each region of the plan from all tasks and draw it; the paths, as they are written."""
    for picture in plan.region:
        suite = load_suite(SuiteSource(picture.suite, plan.data))
        made = region_figure(picture, suite)
        yield from write_figure(made, folder / file_name(picture.figure))


def learned_regions(picture: RegionPicture, suite: Suite) -> dict[str, LearnedSpace]:
    """The learned space of each region's name, all from the same evaluations."""
    space = on_scale(suite.space, picture.scale)
    history = _evaluations(picture, suite)
    return {
        name: learn(
            history,
            space,
            shape=REGIONS[name].shape,
            outliers=REGIONS[name].outliers,
            refit=REGIONS[name].refit,
            starts=0,
        )
        for name in picture.regions
    }


def region_figure(picture: RegionPicture, suite: Suite) -> Any:
    """Best configurations of the tasks and draws from each region, over two or three parameters."""
    names = _shown(picture, suite)
    regions = learned_regions(picture, suite)
    title = f"Figure {picture.figure}: {picture.title}\n{suite.origin}. {picture.scale} scale"
    projection = {"projection": "3d"} if len(names) == 3 else {}
    made, axes = new_figure(title, ncols=len(regions), squeeze=False, subplot_kw=projection)
    for part, (name, learned) in zip(axes[0], regions.items()):
        drawn = _columns(learned.sample(N_DRAWN, seed=0), names)
        best = _columns([task.incumbent for task in learned.tasks], names)
        part.scatter(*drawn, s=3, color="tab:orange", label="drawn from the region")
        part.scatter(*best, s=12, color="tab:blue", label="best of each task")
        part.set_title(f"{name}: {learned.volume_fraction:.2g} of the volume", fontsize=8)
        for axis, label in zip("xyz", names):
            getattr(part, f"set_{axis}label")(label, fontsize=7)
    handles, labels = axes[0][0].get_legend_handles_labels()
    made.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=7, frameon=False)
    return made


def _shown(picture: RegionPicture, suite: Suite) -> list[str]:
    """The parameters of the axes: those asked for, or the first three that are numbers."""
    numeric = [n for n, p in suite.space.parameters.items() if isinstance(p, (Float, Int))]
    names = list(picture.parameters) or numeric[:3]
    strange = [name for name in names if name not in numeric]
    if strange or len(names) not in (2, 3):
        wrong = f"{strange[0]!r} is none" if strange else f"not {len(names)}"
        raise SettingError(
            f"figure {picture.figure!r} needs two or three numeric parameters, {wrong}"
        )
    return names


def _evaluations(picture: RegionPicture, suite: Suite) -> History:
    """The evaluations that the first replication knows of all tasks."""
    cell = Cell(suite.name, suite.digest, "", "", 0, 1, n_evaluations=picture.n_evaluations)
    seed = cell.seed("sources", every_task=True)
    return suite.history(suite.tasks, picture.n_evaluations, seed, picture.scale)


def _columns(configs: Sequence[Config], names: Sequence[str]) -> FloatArray:
    """(names, configurations); those where a parameter is inactive are left out."""
    rows = [[c[name] for name in names] for c in configs if all(name in c for name in names)]
    return np.array(rows, dtype=float).reshape(-1, len(names)).T
