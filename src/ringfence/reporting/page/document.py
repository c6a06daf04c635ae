"""The page: facts in, one self-contained HTML document out."""

from __future__ import annotations

import base64
import json
from importlib import resources
from typing import Any

from ringfence.checking.display.text import spending_rows
from ringfence.rendering.markup import Html
from ringfence.reporting.facts import Facts
from ringfence.reporting.page.charts import (
    NARROW,
    WIDE,
    regret_chart,
    regret_labels,
    spending_chart,
)
from ringfence.reporting.page.environment import environment
from ringfence.reporting.page.region_charts import pair_chart, solid_data, task_labels
from ringfence.reporting.page.sections import sections
from ringfence.reporting.page.zone_chart import zone_chart
from ringfence.reporting.recipe import SPACE_FILE
from ringfence.reporting.use import LEARNED_FILE


def page_html(facts: Facts) -> str:
    """The whole document; the same facts give the same text."""
    return (
        environment()
        .get_template("page.html.jinja")
        .render(
            facts=facts,
            sections=sections(facts),
            space_file=SPACE_FILE,
            learned_file=LEARNED_FILE,
            pair_chart=pair_chart,
            regret_chart=regret_chart,
            spending_chart=spending_chart,
            zone_chart=zone_chart,
            spending_rows=spending_rows,
            wide=WIDE,
            narrow=NARROW,
            data_address=data_address,
            charts=script_json(chart_data(facts)),
            style=file_beside("report.css"),
            theme_script=file_beside("theme.js"),
            page_script=file_beside("report.js"),
            solid_script=file_beside("solid.js"),
        )
    )


def chart_data(facts: Facts) -> dict[str, Any]:
    """What the scripts need: the labels of the charts, and the solid."""
    labels = task_labels(facts.views, facts.objective)
    if facts.curve is not None:
        texts = regret_labels(facts.curve)
        labels["charts"] |= {f"regret-{size}": {"texts": texts} for size in ("wide", "narrow")}
    solid = facts.views.solid
    return labels | {"solid": None if solid is None else solid_data(solid)}


def script_json(content: Any) -> Html:
    """JSON for a script element, which no name in it can end."""
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return Html(text.replace("<", "\\u003c"))


def data_address(text: str) -> str:
    """An address that is the text itself, for a link that saves it as a file."""
    return f"data:application/json;base64,{base64.b64encode(text.encode()).decode()}"


def file_beside(name: str) -> Html:
    """A style sheet or script of the page."""
    return Html((resources.files("ringfence.reporting.page") / name).read_text("utf-8"))
