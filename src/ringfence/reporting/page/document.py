"""The page: facts in, one self-contained HTML document out."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from ringfence.errors import MissingExtraError
from ringfence.rendering.markup import Html
from ringfence.reporting.facts import Facts
from ringfence.reporting.page.charts import Chart, regret_chart
from ringfence.reporting.page.environment import environment
from ringfence.reporting.page.region_charts import pair_chart, solid_chart
from ringfence.reporting.recipe import SPACE_FILE


def page_html(facts: Facts) -> str:
    """The whole document; the same facts give the same text."""
    return (
        environment()
        .get_template("page.html.jinja")
        .render(
            facts=facts,
            space_file=SPACE_FILE,
            charts=script_json(charts(facts)),
            plotly=plotly_source(),
            style=file_beside("report.css"),
            theme_script=file_beside("theme.js"),
            page_script=file_beside("report.js"),
        )
    )


def charts(facts: Facts) -> dict[str, Chart]:
    """The charts by the id of their place on the page."""
    views = facts.views
    by_id = {
        f"pair-{index}": pair_chart(view, facts.objective) for index, view in enumerate(views.pairs)
    }
    if facts.curve is not None:
        by_id["regret-chart"] = regret_chart(facts.curve)
    if views.solid is not None:
        by_id["solid-chart"] = solid_chart(views.solid, facts.objective)
    return by_id


def require_packages() -> None:
    """Raise MissingExtraError unless Jinja2 and plotly are installed."""
    environment()
    plotly_source()


def script_json(content: Any) -> Html:
    """JSON for a script element, which no name in it can end."""
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return Html(text.replace("<", "\\u003c"))


def plotly_source() -> Html:
    """The plotly.js that the plotly package carries."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise MissingExtraError("plotly", "report") from error
    return Html(get_plotlyjs().replace("</script", "<\\/script"))


def file_beside(name: str) -> Html:
    """A style sheet or script of the page."""
    return Html((resources.files("ringfence.reporting.page") / name).read_text("utf-8"))
