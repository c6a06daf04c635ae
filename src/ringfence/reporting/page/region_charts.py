"""The charts of a region: two or three parameters, its shadow, and the best configurations."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import Any

from ringfence.rendering.scales import Scale
from ringfence.reporting.page.charts import (
    FAINT,
    GROUND,
    INK,
    OUT,
    RING,
    Chart,
    axis,
    label,
    layout_of,
    solid_label,
)
from ringfence.reporting.views import RegionView, Spot

MOST_NAMES = 8  # in one hover label


def pair_chart(view: RegionView, objective: str) -> Chart:
    """Two parameters: the region's shadow, the plain box around it, the best configurations."""
    shadow = _trace(*view.boundary.T.tolist()) | {
        "mode": "lines",
        "fill": "toself",
        "fillcolor": "--ring-faint",
        "line": {"color": RING, "width": 1.5},
    }
    fence = _trace(*_edges(view)) | {
        "mode": "lines",
        "line": {"color": INK, "width": 1, "dash": "dot"},
    }
    x, y = (_unit_axis(scale) for scale in view.scales)
    for side in (x, y):
        side["title"]["standoff"] = 8
        side |= {"ticks": "outside", "tickcolor": FAINT}
    layout = layout_of(320) | {"showlegend": False, "xaxis": x, "yaxis": y}
    layout["plot_bgcolor"] = GROUND
    return {"data": [shadow, fence, *_points(view, objective)], "layout": layout}


def solid_chart(view: RegionView, objective: str) -> Chart:
    """Three parameters: the region's shadow as a surface, the box around it, the points."""
    assert view.triangles is not None
    body = _trace(*view.boundary.T.tolist()) | dict(zip("ijk", view.triangles.T.tolist()))
    body |= {"type": "mesh3d", "color": RING, "opacity": 0.25}
    frame = _trace(*_edges(view)) | {"mode": "lines", "line": {"color": INK, "width": 2}}
    scene: Chart = {
        f"{name}axis": _unit_axis(scale, solid_label) | {"showspikes": False}
        for name, scale in zip("xyz", view.scales)
    }
    camera = {"eye": {"x": 1.5, "y": 1.5, "z": 0.9}, "center": {"x": 0, "y": 0, "z": -0.12}}
    scene |= {"aspectmode": "cube", "camera": camera}
    layout = layout_of(460) | {"showlegend": False, "scene": scene}
    layout["margin"] = {"l": 0, "r": 0, "t": 0, "b": 0}
    return {"data": [body, frame, *_points(view, objective)], "layout": layout}


def _points(view: RegionView, objective: str) -> list[Chart]:
    """The best configurations inside and outside, told apart by symbol as well as color."""
    flat = len(view.scales) == 2
    traces = []
    for outside, symbol, color in ((False, "circle", INK), (True, "x" if flat else "diamond", OUT)):
        spots = [spot for spot in view.spots if spot.outside == outside]
        if not spots:
            continue
        marker = {"symbol": symbol, "color": color, "size": 8 if flat else 4, "opacity": 0.85}
        trace = _trace(*zip(*(spot.point for spot in spots)))
        trace |= {"mode": "markers", "marker": marker, "hoverinfo": "text"}
        trace["hovertext"] = [_hover(view, spot, objective) for spot in spots]
        traces.append(trace | {"cliponaxis": False} if flat else trace)
    return traces


def _hover(view: RegionView, spot: Spot, objective: str) -> str:
    """The tasks at a spot with their values, and the configuration."""
    lines = [
        f"<b>{label(task.name)}</b>  {label(objective, 30)} {task.value:.4g}"
        for task in spot.tasks[:MOST_NAMES]
    ]
    if len(spot.tasks) > MOST_NAMES:
        lines.append(f"and {len(spot.tasks) - MOST_NAMES} more tasks")
    lines += [f"{label(s.name, 30)} = {label(v, 30)}" for s, v in zip(view.scales, spot.values)]
    return "<br>".join([*lines, "left outside"] if spot.outside else lines)


def _edges(view: RegionView) -> list[list[float | None]]:
    """The edges of the box around the region as one broken line, a list for each axis."""
    corners = list(product(*zip(view.lower, view.upper)))
    path: list[list[float | None]] = [[] for _ in view.scales]
    for start, stop in combinations(corners, 2):
        if sum(a != b for a, b in zip(start, stop)) == 1:
            for coordinates, a, b in zip(path, start, stop):
                coordinates += [a, b, None]
    return path


def _trace(*columns: Sequence[float | None]) -> Chart:
    """Points without a hover label."""
    rounded: dict[str, Any] = {
        name: [None if x is None or math.isnan(x) else round(x, 4) for x in column]
        for name, column in zip("xyz", columns)
    }
    return {"type": "scatter" if len(columns) == 2 else "scatter3d", "hoverinfo": "skip"} | rounded


def _unit_axis(scale: Scale, text: Callable[[str, int], str] = label) -> Chart:
    title = text(scale.name, 24) + (" (log)" if scale.log else "")
    return axis() | {
        "title": {"text": title},
        "range": [0, 1],
        "tickvals": [round(x, 4) for x, _ in scale.ticks],
        "ticktext": [text(tick, 12) for _, tick in scale.ticks],
        "gridcolor": FAINT,
    }
