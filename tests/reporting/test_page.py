"""The page as a file: complete, self-contained, the same every time, and safe from names."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from outline import Outline
from strange_names import PARAMETERS, TASKS, strange_history

import ringfence as rf
from conftest import MIXED, incumbent_history, mixed_runs, unit_space
from processes import python, ringfence
from ringfence.learned.records import Settings
from ringfence.rendering.markup import escape, name
from ringfence.reporting.page import document
from ringfence.reporting.page.charts import label, solid_label
from ringfence.reporting.recipe import changed_settings, recipe
from ringfence.words import shortened

LIMIT = 6_000_000  # bytes


def written(tmp_path, history, space=None, **how) -> str:
    return rf.report(history, space, path=tmp_path / "r.html", **how).read_text("utf-8")


@pytest.fixture(scope="module")
def strange(tmp_path_factory) -> str:
    return written(
        tmp_path_factory.mktemp("strange"), strange_history(), shape="ellipsoid", outliers=0.05
    )


def test_the_same_input_gives_the_same_bytes_also_in_another_process(tmp_path):
    code = (
        "import ringfence as rf, sys; "
        "rf.report(rf.example_history(), shape='ellipsoid', path=sys.argv[1])"
    )
    again = tmp_path / "again.html"
    subprocess.run([sys.executable, "-c", code, again], check=True)
    first = rf.report(rf.example_history(), shape="ellipsoid", path=tmp_path / "first.html")
    assert first == tmp_path / "first.html"
    assert first.read_bytes() == again.read_bytes()


def test_nothing_is_fetched_from_anywhere(strange):
    outline = Outline(strange)
    fetched = [a for _, a in outline.tags if {"src", "srcset", "data", "poster"} & a.keys()]
    assert not fetched and not outline.all("link") and not outline.all("iframe")
    assert [a["href"] for a in outline.all("a")] == ["#main"]
    (policy,) = [a["content"] for a in outline.all("meta") if "http-equiv" in a]
    assert policy.startswith("default-src 'none'") and "http" not in policy
    own = strange.replace(document.plotly_source(), "")
    assert "http" not in own.replace("http-equiv", "") and len(own) < 0.2 * len(strange)


def test_names_are_text_wherever_they_stand(strange):
    outline = Outline(strange)
    assert not outline.all("img") and len(outline.all("script")) == 4
    assert not outline.all("b") and all(set(a) <= {"style"} for a in outline.all("i"))
    shown = "".join(outline.texts)
    for text in (*TASKS[:5], TASKS[5].strip(), *TASKS[7:9], TASKS[11], *PARAMETERS):
        assert text in shown
    assert "\\u202eexe.evil" in shown and "\u202e" not in strange
    assert "(blank)" in shown
    charts = json.loads(next(s for s in outline.scripts if s.startswith("{")))
    hover = " ".join(t for c in charts.values() for d in c["data"] for t in d.get("hovertext", []))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in hover and "<script" not in hover
    assert "hovertemplate" not in strange.replace(document.plotly_source(), "")


def test_no_name_can_end_the_script_that_holds_the_charts():
    content = {"</script>": ["<!--", "<script>", "é\u2028"]}
    text = document.script_json(content)
    assert "<" not in text and json.loads(text) == content


@pytest.mark.parametrize(
    ("text", "as_html", "on_a_chart", "on_a_solid"),
    [
        ("a<b>&c", "a&lt;b&gt;&amp;c", "a&lt;b&gt;&amp;c", "a‹b›&c"),
        ("\"'", "&quot;&#x27;", "\"'", "\"'"),
        ("a\x1b\u202e", "a\\x1b\\u202e", "a\\x1b\\u202e", "a\\x1b\\u202e"),
        ("x" * 50, "x" * 50, "x" * 26 + "…" + "x" * 13, "x" * 26 + "…" + "x" * 13),
        ("  ", "  ", "(blank)", "(blank)"),
    ],
)
def test_text_is_escaped_for_the_place_where_it_stands(text, as_html, on_a_chart, on_a_solid):
    assert escape(text) == as_html
    assert label(text, 40) == on_a_chart
    assert solid_label(text, 40) == on_a_solid


def test_names_are_kept_apart_from_the_direction_around_them():
    assert name("مهمة") == "<bdi>مهمة</bdi>" and name("\t ") == "(blank)"
    assert [len(shortened("x" * 99, most)) for most in (5, 60, 98, 99)] == [5, 60, 98, 99]


def test_headings_are_in_order_and_every_region_and_chart_has_a_name(strange):
    outline = Outline(strange)
    levels = [int(tag[1]) for tag, _ in outline.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    for _, attributes in outline.tags:
        if attributes.get("role") in ("region", "img", "group"):
            assert attributes.get("aria-label")
        if "tabindex" in attributes and attributes.get("id") != "main":
            assert attributes["tabindex"] == "0" and attributes["role"] == "region"
    ids = [attributes["id"] for _, attributes in outline.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    named = {a["aria-labelledby"] for a in outline.all("section")}
    assert named <= set(ids)
    (html,) = outline.all("html")
    assert html["lang"] == "en" and "<title>ringfence report: a table" in strange
    places = {a["id"] for a in outline.all("div") if a.get("class") == "chart"}
    charts = json.loads(next(s for s in outline.scripts if s.startswith("{")))
    assert places == set(charts) and len(places) == 8  # regret, six pairs, the solid


def test_text_is_readable_in_both_themes():
    """WCAG contrast of text on the page and on panels: at least 4.5."""
    css = document.file_beside("report.css")
    for theme in css.split("@media screen")[:2]:
        colors = dict(re.findall(r"--([a-z-]+): #([0-9a-f]{6})", theme))
        for ground in ("bg", "panel"):
            for ink in ("text", "muted", "ring", "out", "good"):
                assert contrast(colors[ink], colors[ground]) >= 4.5, (ink, ground)


def contrast(one: str, other: str) -> float:
    def light(color: str) -> float:
        parts = np.array([int(color[i : i + 2], 16) / 255 for i in (0, 2, 4)])
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_that_of_the_standard():
    assert contrast("000000", "ffffff") == pytest.approx(21)
    assert contrast("777777", "ffffff") == pytest.approx(4.48, abs=0.01)


def test_a_thousand_tasks_and_many_parameters_stay_below_the_limit(tmp_path):
    rng = np.random.default_rng(0)
    count, dim = 1000, 32
    names = [f"a_parameter_with_a_long_name_{j}" for j in range(dim)]
    points = rng.random((2 * count, dim))
    frame = pl.DataFrame({n: points[:, j] for j, n in enumerate(names)}).with_columns(
        task=pl.Series([f"a-data-set-with-a-long-name-{i // 2:04d}" for i in range(2 * count)]),
        error=pl.Series(rng.random(2 * count)),
    )
    history = rf.History.from_frame(frame, task="task", objective="error")
    space = rf.Space({n: rf.Float(0, 1) for n in names})
    text = written(tmp_path, history, space)
    assert len(text.encode()) < LIMIT
    assert "6 of 496 pairs are drawn" in text and "400 of 1000 tasks are drawn" in text
    assert "more tasks are not shown" in text


def test_tasks_that_all_agree_and_few_runs_still_make_a_page(tmp_path):
    history = incumbent_history(np.full((6, 3), 0.5))
    text = written(tmp_path, history, unit_space(3), shape="ellipsoid", outliers=0.1)
    assert "The history cannot tell" in text and "no curve" in text


def test_one_task_makes_a_page_that_admits_it(tmp_path):
    text = written(tmp_path, incumbent_history(np.array([[0.3, 0.4]])), unit_space(2))
    assert "Nothing to check against" in text


def test_a_space_without_numbers_makes_a_page(tmp_path):
    frame = pl.DataFrame({"task": [*"aabbcc"], "kind": [*"xyxyxy"], "error": [1.0, 2, 1, 2, 1, 2]})
    history = rf.History.from_frame(frame, task="task", objective="error")
    text = written(tmp_path, history, categories="observed")
    assert "there is no pair to draw" in text and "left out" in text


def test_a_block_that_one_task_speaks_of_makes_a_page(tmp_path):
    space = rf.Space(
        {"kind": rf.Categorical(["x", "y"]), "a": rf.Float(0, 1), "b": rf.Float(0, 1)},
        [rf.Condition("a", "kind", ["x"]), rf.Condition("b", "kind", ["x"])],
    )
    frame = pl.DataFrame(
        {"task": [*"aabbcc"], "kind": [*"xyyxyx"], "a": [0.5, None, None, 0.2, None, 0.9],
         "b": [0.1, None, None, 0.2, None, 0.3], "error": [1.0, 2, 1, 2, 1, 2]}
    )  # fmt: skip
    history = rf.History.from_frame(frame, task="task", objective="error")
    text = written(tmp_path, history, space, shape="ellipsoid")
    assert "<bdi>a</bdi> against <bdi>b</bdi>" in text and "where kind is x" in text


def test_the_commands_and_lines_on_the_page_make_the_same_space_again(tmp_path):
    """The table has names that a shell and Python would trip over."""
    frame = mixed_runs(tasks=8).rename({"task": "the 'task'", "error": "$err or"})
    frame.write_parquet(tmp_path / "my runs.parquet")
    history = rf.read_history(
        tmp_path / "my runs.parquet", task="the 'task'", objective="$err or", direction="maximize"
    )
    how = {"shape": "ellipsoid", "outliers": 0.2, "refit": True, "starts": 2}
    wanted = rf.learn(history, MIXED, **how)
    found = recipe(history, wanted, auto=False)
    (tmp_path / "space.json").write_text(found.space)
    for command in found.commands:
        program, *words = shlex.split(command)
        assert program == "ringfence"
        assert ringfence(*words, cwd=tmp_path).returncode == 0
    assert rf.load(tmp_path / "learned.json") == wanted
    assert (tmp_path / "report.html").read_text("utf-8").count("<h1") == 1
    lines = [line for line in found.python if "report" not in line]
    (tmp_path / "again.py").write_text("\n".join([*lines, "learned.save('again.json')"]))
    assert python(tmp_path / "again.py", cwd=tmp_path).returncode == 0
    assert rf.load(tmp_path / "again.json") == wanted


@pytest.mark.parametrize("source", ["studies.db", "mlruns", "data.json, search space 5891"])
def test_runs_of_another_tool_are_made_again_from_their_table(source, tmp_path):
    """A reader's columns are not what its source can be asked for."""
    runs = rf.History.from_frame(mixed_runs(tasks=6), task="task", objective="error")
    history = replace(runs, source=source)
    wanted = rf.learn(history, MIXED)
    found = recipe(history, wanted, auto=False)
    assert found.note.endswith("history.frame.write_parquet('runs.parquet') writes them.")
    history.frame.write_parquet(tmp_path / "runs.parquet")
    (tmp_path / "space.json").write_text(found.space)
    words = shlex.split(found.commands[0])[1:]
    assert ringfence(*words, cwd=tmp_path).returncode == 0
    assert rf.load(tmp_path / "learned.json").bounds == wanted.bounds


def test_only_settings_that_were_changed_are_named():
    settings = Settings(shape="box", outliers=0.1, refit=True, seed=0)
    assert changed_settings(settings) == {
        "shape": "box", "outliers": 0.1, "refit": True, "seed": 0,
    }  # fmt: skip
    assert changed_settings(Settings(shape="box", outliers=0.0)) == {"shape": "box"}


def test_the_comparison_is_on_the_page_where_it_was_asked_for(tmp_path):
    history = rf.History.from_frame(mixed_runs(tasks=6, runs=20), task="task", objective="error")
    steps = []
    text = written(
        tmp_path, history, MIXED, compare=True, progress=lambda *done: steps.append(done)
    )
    table = text.split('aria-label="The check of several settings"')[1].split("</table>")[0]
    assert table.count("<tr>") > 8 and "ellipsoid, outliers 0.1, refit" in table
    assert steps[-1][0] == steps[-1][1]
    assert "Other settings" not in written(tmp_path, history, MIXED, starts=0)


@pytest.mark.parametrize("shape", ["box", "auto"])
def test_starting_points_and_their_worth_are_on_the_page_unless_there_are_none(tmp_path, shape):
    history = rf.History.from_frame(mixed_runs(tasks=6, runs=40), task="task", objective="error")
    text = written(tmp_path, history, MIXED, shape=shape, starts=3)
    points = text.split('aria-label="Starting points"')[1].split("</table>")[0]
    assert points.count("<tr>") == 1 + 3 and "(blank)" not in points
    says = next(
        line
        for line in str(rf.check(history, MIXED, shape=shape, starts=3)).splitlines()
        if line.startswith("first 3 starts: ")
    )
    assert says in text and "--starts=3" in text
    assert "What to try first" not in written(tmp_path, history, MIXED, starts=0)


def test_the_automatic_choice_is_told_with_the_figure_of_the_choice(tmp_path):
    history = rf.History.from_frame(mixed_runs(tasks=6, runs=40), task="task", objective="error")
    text = written(tmp_path, history, MIXED, shape="auto")
    assert "chosen anew without each task" in text and "--shape=auto" in text
    assert "Other settings" in text


def test_an_interrupted_or_impossible_write_leaves_nothing_half_done(tmp_path):
    history = incumbent_history(np.random.default_rng(0).random((5, 2)))
    with pytest.raises(rf.FileError, match="no such folder"):
        rf.report(history, path=tmp_path / "none" / "r.html")
    (tmp_path / "folder").mkdir()
    with pytest.raises(rf.FileError, match="cannot write"):
        rf.report(history, path=tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize("package", ["jinja2", "plotly.offline"])
def test_a_missing_package_is_named_before_the_work_begins(package, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    name = package.partition(".")[0]
    says = rf"needs the package '{name}'; install it with: pip install 'ringfence\[report\]'"
    no_history = None  # the first look at it would be another error
    with pytest.raises(rf.MissingExtraError, match=says):
        rf.report(no_history, path=tmp_path / "r.html")
