"""What a notebook shows, in a notebook that is executed; and what `repr` and `str` say."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import polars as pl
import pytest
from outline import Outline

import ringfence as rf
from ringfence.learned.ranges import range_rows
from ringfence.space import Categorical, Condition, Float, Space

NASTY = "<script>alert(1)</script>"

SETUP = """
import numpy as np, polars as pl, ringfence as rf
rng = np.random.default_rng(0)
frame = pl.DataFrame({
    "task": np.repeat([f"t{i}" for i in range(6)], 40),
    "x": rng.random(240), "<script>alert(1)</script>": rng.random(240),
}).with_columns(error=(pl.col("x") - 0.3).abs())
history = rf.History.from_frame(frame, task="task", objective="error", direction="minimize")
learned = rf.learn(history, starts=2)
check = rf.check(history, starts=2)
space = learned.space
outcome = rf.minimize(lambda config: config["x"], learned, "random", 3, progress=False)
"""

CELLS = {
    "history": "text/html",
    "space": "text/html",
    "learned": "text/html",
    "check": "text/html",
    "outcome": "text/html",
    "outcome.optimizer": "text/html",
    "learned.plot()": "image/png",
    "check.plot()": "image/png",
    "%matplotlib inline": None,
    "learned.plot() ": "image/png",
    "import matplotlib.pyplot as plt; plt.get_fignums()": "text/plain",
}


@pytest.fixture(scope="module")
def outputs():
    """The outputs of each cell of a notebook."""
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    from nbformat.v4 import new_code_cell, new_notebook

    notebook = new_notebook(cells=[new_code_cell(text) for text in (SETUP, *CELLS)])
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    return {cell.source: cell.outputs for cell in notebook.cells}


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_cell_shows_one_thing_of_the_right_kind(outputs, cell):
    """Figures show without magic, and once with it; nothing is left open in pyplot."""
    shown = outputs[cell]
    if CELLS[cell] is None:
        assert shown == []
        return
    (shown,) = shown
    assert shown.output_type == "execute_result" and CELLS[cell] in shown.data
    if CELLS[cell] == "text/html":
        html = shown.data["text/html"]
        assert "<table>" in html and "<script" not in html
        assert len(shown.data["text/plain"]) <= 1000
    if cell.endswith("get_fignums()"):
        assert shown.data["text/plain"] == "[]"


def test_the_notebook_shows_starting_points_with_their_verdict(outputs):
    (learned,), (check,) = outputs["learned"], outputs["check"]
    assert "2 starting points: " in learned.data["text/html"]
    assert "regret left" in learned.data["text/html"]
    assert "first 2 starting points: " in check.data["text/html"]


def test_a_figure_is_matplotlibs_and_goes_when_nobody_holds_it(tmp_path):
    from matplotlib.figure import Figure

    figure = rf.learn(rf.example_history(), starts=0).plot()
    assert isinstance(figure, Figure) and figure._repr_png_()[:4] == b"\x89PNG"
    figure.savefig(tmp_path / "learned.svg")
    gone = weakref.ref(figure)
    del figure
    gc.collect()
    assert gone() is None


def many() -> tuple[rf.History, Space]:
    """60 parameters, one of them with 500 choices, 30 tasks."""
    rng = np.random.default_rng(0)
    names = [f"a_rather_long_name_of_a_parameter_{i}" for i in range(60)]
    words = [f"choice number {i}" for i in range(500)]
    space = Space(
        {**{name: Float(0.0, 1.0) for name in names}, "c": Categorical(words)},
        [Condition(names[0], "c", words[:400])],
    )
    columns = {name: rng.random(90) for name in names}
    frame = pl.DataFrame(
        {"task": np.repeat([f"t{i}" for i in range(30)], 3), **columns, "error": rng.random(90)}
    ).with_columns(c=pl.Series(rng.choice(words[400:], 90)))
    return rf.History.from_frame(frame, task="task", objective="error"), space


def test_every_value_has_a_short_repr():
    history, space = many()
    learned = rf.learn(history, space, starts=0)
    check = rf.check(history, space, starts=0)
    outcome = rf.minimize(lambda config: 1.0, learned, "random", 3, progress=False)
    values = [
        history, space, space["c"], space.conditions[0], learned, learned.tasks[0],
        learned.provenance, learned.settings, check, check.tasks, outcome, outcome.best,
        outcome.optimizer,
    ]  # fmt: skip
    for value in values:
        text = repr(value)
        assert len(text) <= (1000 if not isinstance(value, tuple) else 15_000), type(value)
        assert len(text.splitlines()) <= 10
    for value in (history, space, learned, check, outcome, outcome.optimizer):
        assert max(map(len, str(value).splitlines())) <= 800 and "<table>" in value._repr_html_()
    assert "and 488 more" in str(space) and "and 488 more" in str(learned)


def test_a_comparison_is_short_and_its_text_is_the_table():
    history = rf.example_history().only(rf.example_history().tasks[:6])
    found = rf.compare(history, starts=0)
    assert len(repr(found)) < 400 and repr(found).startswith("Comparison(12 settings; ")
    html = found._repr_html_()
    for part in ("<table>", "verdict", found.recommendation.split(" (")[0]):
        assert part in html and part in str(found) + "<table>"
    assert "minimize &#x27;error&#x27;" in html and "minimize 'error'" in str(found)
    assert len(repr(found.checks[0])) < 300 and len(repr(found.checks[0].speed_ups)) < 1000


def test_tables_have_what_the_text_has():
    learned = rf.learn(rf.example_history().only(rf.example_history().tasks[:2]))
    assert "no starting points were looked for" in learned._repr_html_()
    conditions = {row.condition for row in range_rows(learned)} - {""}
    assert len(conditions) == 2
    for when in conditions:
        assert when in str(learned) and when in learned._repr_html_()
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"task": np.repeat(list("abcde"), 40), "x": rng.random(200)})
    error = pl.when(pl.col("task") == "a").then(1.0).otherwise((pl.col("x") - 0.3) ** 2)
    check = rf.check(frame.with_columns(error=error), starts=0)
    for line in ("not judged (their best and median run are equal): a", "unlike the rest",
                 f"volume kept: {100 * check.volume_kept:.2g}"):  # fmt: skip
        assert line in str(check) and line in check._repr_html_()


def test_names_are_shown_and_not_obeyed():
    space = Space({NASTY: Float(0.0, 1.0), "k": Categorical([NASTY, "\x1b[31mred"])})
    html = space._repr_html_()
    assert "<script" not in html and "&lt;script&gt;" in html and "\x1b" not in str(space)


def shown_values(name: str) -> list[object]:
    """Everything that a notebook shows, of runs whose names all begin with this one."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({
        f"{name}task": np.repeat([f"{name}{i}" for i in range(4)], 10),
        f"{name}x": rng.random(40), f"{name}y": rng.random(40),
        f"{name}kind": rng.choice([f"{name}a", f"{name}b"], 40), f"{name}!": rng.random(40),
    })  # fmt: skip
    history = rf.History.from_frame(
        frame, task=f"{name}task", objective=f"{name}!", direction="minimize"
    )
    learned = rf.learn(history, starts=2)
    outcome = rf.minimize(lambda config: 0.5, learned, "random", 2, progress=False)
    check = rf.check(history, starts=0)
    return [history, learned.space, learned, check, outcome, outcome.optimizer]


def test_tables_of_hostile_names_are_the_tables_of_harmless_ones_with_other_words():
    hostile = "'\"><img src=x onerror=alert(1)></table><script>alert(2)</script><!-- \x1b\u202e"
    for evil, plain in zip(shown_values(hostile), shown_values("m")):
        html = evil._repr_html_()
        assert Outline(html).tags == Outline(plain._repr_html_()).tags
        assert not set(html) & {"\x1b", "\u202e"} and "img src" in html
