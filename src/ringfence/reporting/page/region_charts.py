"""The charts of a region: two or three parameters, its shadow, and the best configurations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.learned.records import Task
from ringfence.rendering.markup import Html
from ringfence.reporting.page.svg import (
    LINE,
    Plot,
    Tick,
    element,
    fitted,
    label,
    line,
    mark,
    spread,
    width_of,
)
from ringfence.reporting.views import RegionView, RegionViews
from ringfence.space.ticks import Scale

WIDTH, HEIGHT = 358, 330  # pixels, of a pair
MOST_OF_A_TICK = 84  # pixels, of a label beside the vertical axis
NUMBER = 66  # pixels that a number needs at most, such as -1.234e-05
SOLID_TITLE, SOLID_TICK = 150, 72  # pixels, of labels in three dimensions
MOST_NAMES = 8  # in one label


def pair_chart(view: RegionView) -> Html:
    """Two parameters: the region's shadow, the plain ranges around it, the best configurations."""
    across, upwards = view.scales
    texts = [fitted(text, MOST_OF_A_TICK) for _, text in upwards.ticks]
    plot = Plot(WIDTH, HEIGHT, left=max([24.0, *(width_of(text) + 12 for text in texts)]))
    room = (plot.x(1) - plot.left) / max(len(across.ticks), 2)
    x_ticks = [Tick(plot.x(at), fitted(text, max(room, NUMBER))) for at, text in across.ticks]
    y_ticks = [Tick(plot.y(at), text) for (at, _), text in zip(upwards.ticks, texts)]
    (left, low), (right, high) = view.lower, view.upper
    fence = [(left, low), (right, low), (right, high), (left, high)]
    return plot.drawn(
        plot.axes(
            spread(x_ticks, [width_of(tick.text) for tick in x_ticks]),
            spread(y_ticks, [LINE] * len(y_ticks)),
            _title(across),
            _title(upwards),
        ),
        plot.inner(
            element("path", d=_shadow(plot, view.boundary), class_="shadow"),
            element("path", d=line((plot.at(u, v) for u, v in fence), closed=True),
                    class_="fence"),
        ),
        *(
            mark("cross" if spot.outside else "dot", *plot.at(*spot.point), n)
            for n, spot in sorted(enumerate(view.spots), key=lambda pair: pair[1].outside)
        ),
        says=view.says,
    )  # fmt: skip


def solid_data(view: RegionView) -> dict[str, Any]:
    """Three parameters, for the script that draws and turns them: unit coordinates and labels."""
    assert view.triangles is not None
    return {
        "corners": view.boundary.round(4).tolist(),
        "triangles": view.triangles.tolist(),
        "lower": [round(end, 4) for end in view.lower],
        "upper": [round(end, 4) for end in view.upper],
        "points": [[*spot.point, int(spot.outside)] for spot in view.spots],
        "axes": [
            {
                "title": fitted(_title(scale), SOLID_TITLE),
                "ticks": [[round(at, 4), fitted(text, SOLID_TICK)] for at, text in scale.ticks],
            }
            for scale in view.scales
        ],
    }


def task_labels(views: RegionViews, objective: str) -> dict[str, Any]:
    """What to show at the spots: the tasks, once for all charts, and for each chart by its id the
    parameters and, spot by spot, numbers of tasks, values, and whether they are outside."""
    named = {f"pair-{number}": view for number, view in enumerate(views.pairs)}
    named |= {"solid-chart": views.solid} if views.solid else {}
    tasks = list(
        {t.name: t for view in named.values() for spot in view.spots for t in spot.tasks}.values()
    )
    numbers = {task.name: number for number, task in enumerate(tasks)}
    return {
        "most": MOST_NAMES,
        "tasks": [[label(t.name), f"{label(objective, 30)} {t.value:.4g}"] for t in tasks],
        "charts": {chart: _spots(view, numbers) for chart, view in named.items()},
    }


def _spots(view: RegionView, numbers: Mapping[str, int]) -> dict[str, Any]:
    def of(tasks: Sequence[Task]) -> list[int]:
        return [numbers[task.name] for task in tasks]

    return {
        "names": [label(name, 30) for name in view.names],
        "spots": [
            [of(spot.tasks), [label(text, 30) for text in spot.values], int(spot.outside)]
            for spot in view.spots
        ],
    }


def _shadow(plot: Plot, boundary: FloatArray) -> str:
    """All parts of the boundary as one path. They go around the same way: where they overlap, none
    takes from another."""
    gaps = np.flatnonzero(np.isnan(boundary[:, 0]))
    paths = []
    for part in np.split(boundary, gaps):
        curve = part[~np.isnan(part[:, 0])]
        x, y = curve.T
        backwards = float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) < 0
        ordered = curve[::-1] if backwards else curve
        paths.append(line((plot.at(u, v) for u, v in ordered.tolist()), closed=True))
    return "".join(paths)


def _title(scale: Scale) -> str:
    return label(scale.name) + (" (log)" if scale.log else "")
