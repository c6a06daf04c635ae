"""The page as a file: complete, self-contained, the same every time, and safe from names."""

from __future__ import annotations

import html
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
from ringfence.adapters import TOOLS
from ringfence.adapters.export import snippet
from ringfence.learned.file import decode
from ringfence.learned.records import Settings
from ringfence.rendering.markup import escape, name
from ringfence.reporting.page import document
from ringfence.reporting.page.svg import Tick, element, fitted, label, spread, width_of
from ringfence.reporting.recipe import changed_settings, recipe, typed
from ringfence.reporting.use import NAMES, use_of
from ringfence.space import write_space
from ringfence.words import shortened

SMALL, LIMIT = 250_000, 1_000_000  # bytes: of the embedded history, and of a thousand tasks


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
    (tmp_path / "again").mkdir()
    again = tmp_path / "again" / "first.html"
    subprocess.run([sys.executable, "-c", code, again], check=True)
    first = rf.report(rf.example_history(), shape="ellipsoid", path=tmp_path / "first.html")
    assert first == tmp_path / "first.html"
    assert first.read_bytes() == again.read_bytes()
    assert len(first.read_bytes()) < SMALL
    assert str(tmp_path) not in first.read_text("utf-8")


def test_nothing_is_fetched_from_anywhere(strange):
    outline = Outline(strange)
    fetched = [a for _, a in outline.tags if {"src", "srcset", "data", "poster"} & a.keys()]
    assert not fetched and not outline.all("link") and not outline.all("iframe")
    links = [a["href"].partition(",")[0] for a in outline.all("a")]
    assert {link for link in links if not link.startswith("#")} == {"data:application/json;base64"}
    (policy,) = [a["content"] for a in outline.all("meta") if "http-equiv" in a]
    assert policy.startswith("default-src 'none'") and "http" not in policy
    assert "http" not in strange.replace("http-equiv", "")


def test_names_are_text_wherever_they_stand(strange):
    outline = Outline(strange)
    assert not outline.all("img") and len(outline.all("script")) == 4  # theme, data, page, solid
    assert not outline.all("b") and all(set(a) <= {"style"} for a in outline.all("i"))
    shown = "".join(outline.texts)
    for text in (*TASKS[:5], TASKS[5].strip(), *TASKS[7:9], TASKS[11], *PARAMETERS):
        assert text in shown
    assert "\\u202eexe.evil" in shown and "\u202e" not in strange
    labels = json.loads(next(s for s in outline.scripts if s.startswith("{")))
    assert {task for task, _ in labels["tasks"]} >= {*TASKS[:5], "\\u202eexe.evil"}
    assert "innerHTML" not in strange


def test_no_name_can_end_the_script_that_holds_the_charts():
    content = {"</script>": ["<!--", "<script>", "é\u2028"]}
    text = document.script_json(content)
    assert "<" not in text and json.loads(text) == content


@pytest.mark.parametrize(
    ("text", "as_html", "on_a_chart"),
    [
        ("a<b>&c", "a&lt;b&gt;&amp;c", "a<b>&c"),
        ("\"'", "&quot;&#x27;", "\"'"),
        ("a\x1b\u202e", "a\\x1b\\u202e", "a\\x1b\\u202e"),
        ("two\nlines", "two\nlines", "two lines"),
        ("x\udcff", "x\\udcff", "x\\udcff"),
        ("x" * 50, "x" * 50, "x" * 26 + "…" + "x" * 13),
        ("  ", "  ", "(blank)"),
    ],
)
def test_text_is_escaped_for_the_place_where_it_stands(text, as_html, on_a_chart):
    """A chart's label is text for a script; an element escapes it."""
    assert escape(text) == as_html
    assert label(text, 40) == on_a_chart
    shown = escape(on_a_chart)
    assert element("text", on_a_chart, x=1.25, data_y=on_a_chart, class_="a") == (
        f'<text x="1.2" data-y="{shown}" class="a">{shown}</text>'
    )


@pytest.mark.parametrize("text", ["W" * 60, "learning_rate_" * 6, "参数" * 40, "i" * 90, "ab"])
def test_a_label_fits_its_room(text):
    for room in (40, 84, 150, 330):
        shown = fitted(text, room)
        assert width_of(shown) <= room
        assert shown == text or "…" in shown


def test_ticks_that_would_touch_give_way():
    ticks = [Tick(20.0 * k, "a label") for k in range(9)]
    kept = spread(ticks, [50.0] * 9)
    assert [tick.at for tick in kept] == [0, 60, 120]
    assert spread(ticks, [10.0] * 9) == ticks and spread([], []) == []


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
    (top,) = outline.all("html")
    assert top["lang"] == "en" and "<title>ringfence report: a table" in strange
    places = {a["id"] for a in outline.all("div") if (a.get("class") or "").startswith("place")}
    labels = json.loads(next(s for s in outline.scripts if s.startswith("{")))
    assert places == set(labels["charts"]) and len(places) == 9  # two of regret, six pairs, solid
    assert len([a for a in outline.all("svg") if a.get("class") == "chart"]) == 8


def test_text_is_readable_in_both_themes():
    """WCAG contrast of text on the page and on panels: at least 4.5."""
    css = document.file_beside("report.css")
    for theme in css.split("@media screen")[:2]:
        colors = dict(re.findall(r"--([a-z-]+): #([0-9a-f]{6})", theme))
        for ground in ("bg", "panel"):
            for ink in ("text", "muted", "ring", "out", "bad", "good"):
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
        if line.startswith("first 3 starting points: ")
    )
    assert says in text and "--starts=3" in text
    assert "what to try first" not in written(tmp_path, history, MIXED, starts=0)


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


def made_by(text: str) -> str:
    """What the page says it was made by."""
    block = text.split('aria-label="Make it again"')[1].split("<code>")[1].split("</code>")[0]
    return html.unescape(block)


def test_the_call_on_the_page_makes_the_same_page(tmp_path):
    first, again = tmp_path / "first", tmp_path / "again"
    for folder in (first, again):
        folder.mkdir()
        mixed_runs(tasks=6).write_parquet(folder / "my runs.parquet")
        (folder / "space.json").write_text(write_space(MIXED))
    history = rf.read_history(first / "my runs.parquet", task="task", objective="error")
    how = {"shape": "ellipsoid", "outliers": 0.2, "starts": 2}
    page = rf.report(history, MIXED, path=first / "r.html", **how)
    lines = made_by(page.read_text("utf-8"))
    wanted = "rf.report(history, space, shape='ellipsoid', outliers=0.2, starts=2, path='r.html')"
    assert lines.splitlines()[-1] == wanted
    (again / "again.py").write_text(lines)
    assert python(again / "again.py", cwd=again).returncode == 0
    assert (again / "r.html").read_bytes() == page.read_bytes()


def test_the_command_on_the_page_is_the_one_that_was_typed(tmp_path):
    mixed_runs(tasks=6).rename({"error": "the error"}).write_csv(tmp_path / "my runs.csv")
    words = ("my runs.csv", "--objective", "the error", "--starts=0", "-o", "r.html")
    assert ringfence("report", *words, cwd=tmp_path).returncode == 0
    made = made_by((tmp_path / "r.html").read_text("utf-8"))
    assert made == "ringfence report 'my runs.csv' --objective 'the error' --starts=0 -o r.html"
    assert shlex.split(made)[2:] == [*words]


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("mysql://me:s3cret@host:3306/db", "mysql://host/db"),
        ("postgresql://me:a@b@host/db", "postgresql://host/db"),
        ("postgresql://host/db?user=me&password=x%20y", "postgresql://host/db"),
        ("--option=url=http://t0ken@host/t0ken?token=t0ken", "--option=url=http://host"),
        ("postgresql:/me:s3cret@host/db", "postgresql://host/db"),
        ("--option=api_key=abc", "--option=api_key=***"),
        ("password=abc", "password=***"),
        ("sqlite:///a b.db", "sqlite:///a b.db"),
        ("--objective=pass_rate", "--objective=pass_rate"),
        ("http://host:5000", "http://host"),
    ],
)
def test_a_command_is_shown_without_passwords(word, shown):
    assert shlex.split(typed("ringfence report", [word])) == ["ringfence", "report", shown]


@pytest.mark.parametrize(
    ("tool", "objective", "first"),
    [("", "error", "ringfence"), ("optuna", "error", "Optuna"), ("raytune", "error", "Ray Tune"),
     ("mlflow", "error", "ringfence"), ("", "mean_test_score", "scikit-learn")],
)  # fmt: skip
def test_the_program_for_the_users_own_tool_comes_first(tool, objective, first):
    runs = mixed_runs(tasks=4, runs=5).rename({"error": objective})
    history = replace(rf.History.from_frame(runs, task="task", objective=objective), tool=tool)
    learned = rf.learn(history, MIXED, starts=0)
    use = use_of(history, learned)
    assert use.programs[0].tool == first
    assert {"ringfence", "Optuna", "SMAC3"} <= {program.tool for program in use.programs}
    optuna = next(program for program in use.programs if program.tool == "Optuna")
    assert optuna.text == snippet(learned, "learned.json", "optuna")  # as `ringfence export` does
    assert decode(use.saved.encode()) == learned
    goal = "minimize" if objective == "error" else "maximize"
    assert f'direction="{goal}"' in optuna.text


@pytest.mark.parametrize(("objective", "goal"), [("error", "minimize"), ("auc", "maximize")])
def test_the_programs_of_the_report_run_for_scores_and_for_losses(
    objective, goal, tmp_path, monkeypatch
):
    runs = mixed_runs(tasks=4, runs=5).rename({"error": objective})
    history = rf.History.from_frame(runs, task="task", objective=objective)
    use = use_of(history, rf.learn(history, MIXED, starts=2))
    (tmp_path / "learned.json").write_text(use.saved)
    monkeypatch.chdir(tmp_path)
    texts = {program.tool: program.text for program in use.programs}
    assert f"return {objective!r}, the value to {goal}" in texts["ringfence"]
    ran = {}
    exec(texts["ringfence"].replace("n_trials=20", "n_trials=3"), ran)
    assert ran["outcome"].direction == goal and len(ran["outcome"].trials) == 3
    pytest.importorskip("optuna").logging.set_verbosity(30)
    exec(texts["Optuna"].replace("n_trials=20", "n_trials=3"), ran)
    assert ran["study"].direction.name.lower() == goal
    first = ran["learned"].starts(1)[0]
    assert ran["study"].trials[0].params.items() <= first.items()


def test_every_tool_has_a_name_and_the_reader_is_known(tmp_path):
    assert set(NAMES) == set(TOOLS)
    runs = mixed_runs(tasks=3, runs=4)
    runs.write_csv(tmp_path / "runs.csv")
    assert rf.read_history(tmp_path / "runs.csv", task="task", objective="error").tool == ""
    optuna = pytest.importorskip("optuna")
    study = optuna.create_study(study_name="a")
    study.add_trial(
        optuna.trial.create_trial(
            params={"x": 0.5}, distributions={"x": optuna.distributions.FloatDistribution(0, 1)},
            value=1.0,
        )
    )  # fmt: skip
    assert rf.read_history(study).tool == "optuna"


def test_ringfences_own_program_runs(tmp_path):
    history = rf.History.from_frame(mixed_runs(tasks=4), task="task", objective="error")
    learned = rf.learn(history, MIXED, starts=0)
    learned.save(tmp_path / "learned.json")
    program = use_of(history, learned).programs[0].text.replace("n_trials=20", "n_trials=2")
    (tmp_path / "tune.py").write_text(program)
    assert python(tmp_path / "tune.py", cwd=tmp_path).returncode == 0


def test_red_is_for_what_hurts_alone():
    css = document.file_beside("report.css")
    red = re.findall(r"([^{}]+)\{[^{}]*var\(--bad\)", css)
    assert [rule.strip() for rule in red] == [".hurts"]


def test_long_lists_of_choices_are_cut_and_counted(tmp_path):
    choices = [f"choice-{k:02d}" for k in range(60)]
    frame = pl.DataFrame(
        {"task": ["a"] * 30 + ["b"] * 30, "kind": choices, "x": np.linspace(0, 1, 60),
         "error": np.arange(60.0)}
    )  # fmt: skip
    space = rf.Space({"kind": rf.Categorical(choices), "x": rf.Float(0, 1)})
    history = rf.History.from_frame(frame, task="task", objective="error")
    text = written(tmp_path, history, space, starts=0)
    ranges = text.split('aria-label="Learned ranges"')[1].split("</table>")[0]
    assert "choice-11 and 48 more" in ranges and "choice-12" not in ranges
    assert "30 more choices are not shown" in text
