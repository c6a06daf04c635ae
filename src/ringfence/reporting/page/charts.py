"""The chart of the check, and what all charts share, as plotly describes them: plain dicts.

Colors are names of CSS variables; the page looks them up, so that charts follow the light and the
dark theme. Plotly reads text as markup of its own, so every name goes through `label`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ringfence.checking.display.evidence import Curve
from ringfence.rendering.markup import escape, visible
from ringfence.words import shortened

Chart: TypeAlias = dict[str, Any]

INK, FAINT, RING, OUT, GROUND = "--text", "--line", "--ring", "--out", "--bg"


def label(text: str, most: int = 60) -> str:
    """Text that plotly shows as it is, shortened in the middle. It knows no entity for quotes."""
    shown = escape(shortened(text, most)).replace("&quot;", '"').replace("&#x27;", "'")
    return shown if text.strip() else "(blank)"


def solid_label(text: str, most: int) -> str:
    """The same on a chart in three dimensions, where plotly knows tags but no entities."""
    shown = visible(shortened(text, most)).replace("<", "‹").replace(">", "›")
    return shown if text.strip() else "(blank)"


def regret_chart(curve: Curve) -> Chart:
    """Mean regret against draws, and the arrow that is the speed-up."""
    level = curve.inside[curve.draws.index(curve.judged_at)]
    worth = min(curve.worth, curve.full_draws[-1])
    arrow = {
        "type": "scatter",
        "x": [curve.judged_at, round(worth, 2)],
        "y": [round(level, 5)] * 2,
        "mode": "lines+markers",
        "name": f"{curve.judged_at} trials inside are worth {worth:.0f}",
        "line": {"color": OUT, "width": 2, "dash": "dot"},
        "marker": {"color": OUT, "size": 9, "symbol": ["circle", "diamond"]},
        "hoverinfo": "skip",
    }
    full = _line(curve.full_draws, curve.full, "full space", INK, "dash")
    learned = _line(curve.draws, curve.inside, "learned space", RING, "solid")
    ticks = [k for k in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if k <= curve.full_draws[-1]]
    x = {
        "title": {"text": "random trials", "standoff": 8},
        "type": "log",
        "tickvals": ticks,
        "ticktext": ticks,
    }
    y = {
        "title": {"text": "expected regret", "standoff": 8},
        "rangemode": "tozero",
        "automargin": True,
    }
    layout = layout_of(380) | {"xaxis": axis() | x, "yaxis": axis() | y, "showlegend": True}
    layout["plot_bgcolor"] = GROUND
    layout["legend"] = {
        "orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "itemclick": False,
        "itemdoubleclick": False,
    }  # fmt: skip
    return {"data": [full, learned, arrow], "layout": layout}


def layout_of(height: int) -> Chart:
    """What every chart looks like."""
    ink = {"color": INK, "size": 13, "family": "system-ui, sans-serif"}
    return {
        "height": height,
        "margin": {"l": 64, "r": 16, "t": 16, "b": 56},
        "paper_bgcolor": GROUND,
        "font": ink,
        "hoverlabel": {
            "bgcolor": "--panel", "bordercolor": INK, "align": "left", "namelength": -1,
            "font": ink,
        },
        "hovermode": "closest",
    }  # fmt: skip


def axis() -> Chart:
    """What every axis looks like."""
    return {
        "gridcolor": FAINT, "linecolor": FAINT, "zeroline": False, "showline": True, "mirror": True,
    }  # fmt: skip


def _line(x: Sequence[int], y: Sequence[float], name: str, color: str, dash: str) -> Chart:
    return {
        "type": "scatter", "x": list(x), "y": [round(v, 5) for v in y], "name": name,
        "mode": "lines+markers", "line": {"color": color, "dash": dash, "width": 2},
        "marker": {"color": color, "size": 5}, "hoverinfo": "x+y+name",
    }  # fmt: skip
