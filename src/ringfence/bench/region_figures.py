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
from ringfence.rendering.fitting import label
from ringfence.space import Config, Float, Int

N_DRAWS = 300  # from each region, enough to show its shape


def write_region_figures(plan: Plan, folder: Path) -> Iterator[Path]:
    """Learn each region of the plan from all tasks and draw it; the paths, as they are written."""
    for picture in plan.region:
        suite = load_suite(SuiteSource(picture.suite, plan.data))
        yield from write_figure(region_figure(picture, suite), folder / file_name(picture.figure))


def learned_regions(picture: RegionPicture, suite: Suite) -> dict[str, LearnedSpace]:
    """The learned space of each region's name, all from the same evaluations."""
    space = on_scale(suite.space, picture.scale)
    history = _evaluations(picture, suite)
    return {name: learn(history, space, **REGIONS[name].arguments) for name in picture.regions}


def region_figure(picture: RegionPicture, suite: Suite) -> Any:
    """Best configurations of the tasks and draws from each region, over two or three parameters."""
    names = _axis_names(picture, suite)
    regions = learned_regions(picture, suite)
    title = f"Figure {picture.figure}: {picture.title}\n{suite.origin}. {picture.scale} scale"
    projection = {"projection": "3d"} if len(names) == 3 else {}
    drawing, axes = new_figure(title, ncols=len(regions), squeeze=False, subplot_kw=projection)
    for part, (name, learned) in zip(axes[0], regions.items()):
        draws = _columns(learned.sample(N_DRAWS, seed=0), names)
        best = _columns([task.incumbent for task in learned.tasks], names)
        part.scatter(*draws, s=3, color="tab:orange", label="drawn from the region")
        part.scatter(*best, s=12, color="tab:blue", label="best of each task")
        part.set_title(f"{name}: {learned.volume_fraction:.2g} of the volume", fontsize=8)
        for axis, parameter in zip("xyz", names):
            getattr(part, f"set_{axis}label")(label(parameter), fontsize=7)
    handles, labels = axes[0][0].get_legend_handles_labels()
    drawing.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=7, frameon=False)
    return drawing


def _axis_names(picture: RegionPicture, suite: Suite) -> list[str]:
    """The parameters of the axes: those of the plan, or the first three that are numbers."""
    numeric = [n for n, p in suite.space.parameters.items() if isinstance(p, (Float, Int))]
    names = list(picture.parameters) or numeric[:3]
    unknown = [name for name in names if name not in numeric]
    if unknown or len(names) not in (2, 3):
        wrong = f"{unknown[0]!r} is none" if unknown else f"not {len(names)}"
        raise SettingError(
            f"figure {picture.figure!r} needs two or three numeric parameters, {wrong}"
        )
    return names


def _evaluations(picture: RegionPicture, suite: Suite) -> History:
    """The evaluations of all tasks that are known in the first replication."""
    cell = Cell(suite.name, suite.digest, "", "", 0, 1, n_evaluations=picture.n_evaluations)
    seed = cell.seed("sources", every_task=True)
    return suite.history(suite.tasks, picture.n_evaluations, seed, picture.scale)


def _columns(configs: Sequence[Config], names: Sequence[str]) -> FloatArray:
    """(names, configurations), without configurations in which one of them is inactive."""
    rows = [[c[name] for name in names] for c in configs if all(name in c for name in names)]
    return np.array(rows, dtype=float).reshape(-1, len(names)).T
