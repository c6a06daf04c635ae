"""The page: facts in, one self-contained HTML document out."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from ringfence.errors import MissingExtraError
from ringfence.rendering.markup import escape
from ringfence.reporting import check_sections, sections
from ringfence.reporting.charts import regret_chart
from ringfence.reporting.facts import Facts
from ringfence.reporting.region_charts import pair_chart, solid_chart

# The browser itself then refuses every request, whatever a script in the page may try.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)


def page(facts: Facts) -> str:
    """The whole document; the same facts give the same text."""
    parts = (
        sections.warnings(facts),
        sections.ranges(facts),
        check_sections.regret(facts),
        check_sections.starts(facts),
        sections.pairs(facts),
        sections.solid(facts),
        sections.choices(facts),
        check_sections.tasks(facts),
        check_sections.dropped(facts),
        check_sections.compared(facts),
        check_sections.origin(facts),
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>ringfence report: {escape(facts.source)}</title>
<style>
{_file("report.css")}</style>
<script>{_file("theme.js")}</script>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<button type="button" id="theme">Dark colors</button>
<main id="main" tabindex="-1">
<header>
{sections.opening(facts)}
</header>
<noscript><p>The charts need JavaScript; the tables hold the same numbers.</p></noscript>
{"".join(f"{part}{chr(10)}" for part in parts if part)}</main>
<script type="application/json" id="charts">{script_json(charts(facts))}</script>
<script>{plotly_source()}</script>
<script>
{_file("report.js")}</script>
</body>
</html>
"""


def charts(facts: Facts) -> dict[str, Any]:
    """The charts by the id of their place on the page."""
    views = facts.views
    found = {
        f"pair-{place}": pair_chart(view, facts.objective) for place, view in enumerate(views.pairs)
    }
    if facts.curve is not None:
        found["regret-chart"] = regret_chart(facts.curve)
    if views.solid is not None:
        found["solid-chart"] = solid_chart(views.solid, facts.objective)
    return found


def script_json(content: Any) -> str:
    """JSON that no name in it can end the script element of."""
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c")


def plotly_source() -> str:
    """The plotly.js that the plotly package carries."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise MissingExtraError("plotly", "report") from error
    source: str = get_plotlyjs()
    return source.replace("</script", "<\\/script")


def _file(name: str) -> str:
    return (resources.files("ringfence.reporting") / name).read_text("utf-8")
