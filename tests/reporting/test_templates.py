"""Templates: whatever a value says, it is shown as text."""

from __future__ import annotations

import base64
import re
import subprocess
import sys
from dataclasses import fields, is_dataclass, replace

import msgspec
import pytest
from jinja2 import UndefinedError, nodes
from outline import Outline
from strange_names import check_of, strange_history, task_check

import ringfence as rf
from ringfence.checking.display.evidence import SettingRow, StartingPoints
from ringfence.history import Dropped
from ringfence.rendering.markup import DIRECTION_MARKS, Html, escape, name, visible
from ringfence.rendering.notebook import notebook_table
from ringfence.reporting.facts import Facts, gather
from ringfence.reporting.page.document import page_html
from ringfence.reporting.page.environment import digits, environment, extent
from ringfence.reporting.past import PastFit

TEMPLATES = environment().list_templates()


def syntax(template: str) -> nodes.Template:
    templates = environment()
    return templates.parse(templates.loader.get_source(templates, template)[0])


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_template_compiles_and_none_escapes_the_escaping(template):
    templates = environment()
    templates.get_template(template)
    assert templates.autoescape is True
    switches = (nodes.EvalContextModifier, nodes.MarkSafe, nodes.MarkSafeIfAutoescape)
    assert not list(syntax(template).find_all(switches))
    filters = {node.name for node in syntax(template).find_all(nodes.Filter)}
    assert filters <= {
        "digits", "extent", "join", "length", "list", "map", "name", "numbered", "percent",
        "replace", "select", "value",
    }  # fmt: skip


@pytest.mark.parametrize("template", TEMPLATES)
def test_attributes_are_quoted(template):
    """Escaping is of no use to an attribute without quotes, nor within a script."""
    templates = environment()
    source = templates.loader.get_source(templates, template)[0]
    assert not re.search(r"=\s*\{\{", source)
    handed = re.findall(r"<(?:script|style)[^>]*>\s*\{\{ (\w+) \}\}", source)
    assert len(handed) == len(re.findall(r"<(?:script|style)", source))
    assert set(handed) <= {"style", "theme_script", "charts", "page_script", "solid_script"}


def test_there_is_a_template_for_every_section():
    assert len(TEMPLATES) == 17 and "page.html.jinja" in TEMPLATES


def test_what_is_not_there_is_an_error():
    with pytest.raises(UndefinedError):
        environment().from_string("{{ facts.sentense }}").render(facts=object())


def test_a_template_shows_values_by_the_rule_of_notebooks():
    text = "<b>\"&'\x1b\u202e\n"
    template = environment().from_string('<p title="{{ text }}">{{ text }}{{ text|name }}</p>')
    assert template.render(text=text) == f'<p title="{escape(text)}">{escape(text)}{name(text)}</p>'
    assert notebook_table((text,), [(text,)]).count(escape(text)) == 2
    assert environment().from_string("{{ 0.5 }} {{ none }}").render() == "0.5 None"


def test_markup_that_was_joined_or_changed_is_text_again():
    bold = Html("<b>a</b>")
    assert escape(bold) == "<b>a</b>"
    for changed in (bold + "<i>", bold.replace("a", "<i>"), "".join([bold, "<i>"]), f"{bold}"):
        assert escape(changed).startswith("&lt;b&gt;")


def everything(history: rf.History) -> Facts:
    """Facts of a page with all sections."""
    learned = rf.learn(history, shape="ellipsoid", outliers=0.1, categories="observed", starts=0)
    tasks = [task_check(task.name, 0, speed=2.0) for task in learned.tasks[1:]]
    check = check_of(task_check(learned.tasks[0].name, None), *tasks, warnings=("thin",))
    facts = gather(history, learned, check, None)
    points = (facts.parameters, facts.parameters)
    setting = SettingRow("box", 0.5, "50%", (2.0, 1.0, 3.0), "helps", 1, 9, recommended=True)
    return replace(
        facts,
        parts=([["", "part 1"], ["rate", "0 … 1"], ["tasks", "9"]],),
        starts=StartingPoints(points, "worth it", ((1, 0.5, 9.0), (2, 0.3, 20.0))),
        dropped=(Dropped(3, "no value", "row 7"),),
        past=PastFit(
            ("parameter", "today", "A: 1 task"),
            (("rate", "0 … 1", "missing"),),
            ("A: one (3 runs)",),
            ("rate was not tuned",),
        ),
        compared=(setting, replace(setting, speed_up=None, recommended=False)),
        advice=("take it",),
        notes=("took a column",),
        recipe=replace(facts.recipe, note="from a table"),
    )


def rewritten(item, change):
    """A value in which every text that is not empty has been changed."""
    if isinstance(item, str):
        return change(item) if item else item
    if isinstance(item, tuple | list):
        return type(item)(rewritten(part, change) for part in item)
    if isinstance(item, dict):
        return {rewritten(k, change): rewritten(v, change) for k, v in item.items()}
    if isinstance(item, msgspec.Struct):
        parts = msgspec.structs.asdict(item)
        return msgspec.structs.replace(item, **rewritten_values(parts, change))
    if is_dataclass(item):
        parts = {field.name: getattr(item, field.name) for field in fields(item)}
        return replace(item, **rewritten_values(parts, change))
    return item


def rewritten_values(parts, change):
    return {key: rewritten(part, change) for key, part in parts.items()}


def hostile(number: int) -> str:
    return (
        f"<script>alert({number})</script>'\"><img/src=x/onerror=alert(1)></style>&amp;<!--"
        "\x00\x1b\t\u202e\u2066{{7*7}}{%raw%}${1}"
    )


def without_charts(page: str) -> tuple[str, list[str]]:
    """The page, and its charts, in which long names take the place of ticks."""
    chart = re.compile(r'<svg [^>]*class="chart">.*?</svg>(?=</div>)', re.DOTALL)
    return chart.sub("", page), chart.findall(page)


def unpacked(address: str) -> str:
    return base64.b64decode(address.removeprefix("data:application/json;base64,")).decode()


def test_a_page_of_hostile_texts_is_the_page_of_harmless_ones_with_other_words():
    """Every text in the facts is replaced. Nothing but texts may differ: same tags, same
    attributes, and wherever the harmless page says a number the hostile page says its text."""
    facts = everything(strange_history())
    numbers: dict[str, int] = {}

    def harmless(text: str) -> str:
        return f"⟦{numbers.setdefault(text, len(numbers))}⟧"

    rewritten(replace(facts, views=None), harmless)
    beside_charts = set(numbers.values())
    wanted = Outline(without_charts(page_html(rewritten(facts, harmless)))[0])
    page = page_html(rewritten(facts, lambda text: hostile(numbers[text])))
    rest, charts = without_charts(page)
    shown = Outline(rest)

    def as_hostile(text: str) -> str:
        return re.sub("⟦([0-9]+)⟧", lambda match: visible(hostile(int(match[1]))), text)

    assert len(numbers) > 100
    assert [tag for tag, _ in shown.tags] == [tag for tag, _ in wanted.tags]
    for (_, attributes), (_, expected) in zip(shown.tags, wanted.tags):
        if expected.get("download"):
            saved = as_hostile(unpacked(expected.pop("href")))
            assert visible(unpacked(attributes.pop("href"))) == saved
        assert attributes == {key: as_hostile(text or "") or text for key, text in expected.items()}
    assert "".join(shown.texts) == as_hostile("".join(wanted.texts))
    said = "".join([*wanted.texts, f"⟦{numbers[facts.use.saved]}⟧"])
    assert not {n for n in beside_charts if f"⟦{n}⟧" not in said}
    drawn = Outline("".join(charts)).tags
    assert {tag for tag, _ in drawn} == {"svg", "path", "text", "use"}
    assert not [key for _, attributes in drawn for key in attributes if key.startswith("on")]
    assert {a["href"] for tag, a in drawn if tag == "use"} == {"#dot", "#cross", "#diamond"}
    assert not set(page) & (DIRECTION_MARKS | set("\x00\x1b\t"))
    assert "alert(1)" not in "".join(s for s in shown.scripts if not s.startswith("{"))


def test_blank_names_are_called_blank_wherever_a_name_stands():
    page = page_html(rewritten(everything(strange_history()), lambda text: " "))
    assert "<bdi> </bdi>" not in page and "<bdi></bdi>" not in page
    assert page.count("(blank)") > 50


def test_bars_stay_within_their_frame_and_are_wide_enough_to_be_seen():
    assert extent((0.25, 0.75)) == ("25.0%", "50.0%")
    assert extent((1.0, 1.0)) == ("99.0%", "1.0%")


def test_minus_zero_is_zero():
    assert digits(-0.0, ".3f") == "0.000" and digits(-0.0, "+.3f") == "+0.000"
    assert digits(1234, ",") == "1,234" and digits(-0.5, "+.3f") == "-0.500"


def test_a_notebook_needs_no_template_engine():
    code = (
        "import sys; sys.modules.update(jinja2=None, markupsafe=None); "
        "import ringfence as rf; history = rf.example_history(); "
        "assert '<bdi>' in rf.learn(history, starts=0)._repr_html_(); "
        "assert '<bdi>' in rf.check(history, starts=0)._repr_html_()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
