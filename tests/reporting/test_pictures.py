"""Pictures and notebook tables of a check and of a learned space."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from strange_names import TASKS, check_of, strange_history, task_check

import ringfence as rf
from conftest import MIXED


def test_the_picture_of_a_check_holds_the_curves_and_the_worst_tasks():
    tasks = [task_check(f"t{i:02d}", 0, speed=1.0 + i) for i in range(60)]
    figure = check_of(*tasks, task_check("loses", 0.4), task_check("silent", None)).plot()
    curves, bars = figure.axes
    whole, inside, worth = curves.get_lines()
    assert list(inside.get_xdata()) == [1, 2, 5, 10, 25, 50]
    assert whole.get_ydata()[9] == pytest.approx(0.1)
    start, stop = worth.get_xdata()
    assert start == 10 and stop > 10
    labels = [label.get_text() for label in bars.get_yticklabels()]
    assert len(labels) == 40 and labels[:2] == ["loses", "t00"]
    widths = [bar.get_width() for bar in bars.patches]
    assert widths[0] == pytest.approx(-0.3) and widths == sorted(widths)
    assert bars.get_title() == "the 40 of 61 tasks that gain least"


def test_a_check_that_cannot_tell_has_a_picture_too():
    figure = check_of(task_check("a", None), task_check("b", None)).plot()
    assert not figure.axes and "cannot tell" in figure.get_suptitle()


def test_strange_names_can_be_drawn(tmp_path):
    """matplotlib would read dollar signs as mathematics and fail on some."""
    tasks = [task_check(name, 0, speed=2.0) for name in (*TASKS, "$\\frac{$", "$^$")]
    with pytest.warns(UserWarning, match="Glyph"):  # fonts without Arabic or rockets
        check_of(*tasks).plot().savefig(tmp_path / "check.png")


def test_parameters_of_any_name_can_be_drawn(tmp_path):
    rng = np.random.default_rng(0)
    names = ("$^$", "two\nlines", "x" * 200)
    frame = pl.DataFrame({name: rng.random(8) for name in names}).with_columns(
        task=pl.Series([*"abcdefgh"]), error=pl.Series(rng.random(8))
    )
    learned = rf.learn(rf.History.from_frame(frame, task="task", objective="error"), starts=0)
    figure = learned.plot()
    figure.savefig(tmp_path / "learned.png")
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels[:2] == [r"\$^\$", r"two\nlines"] and len(labels[2]) == 32


def test_a_notebook_shows_the_ranges(mixed_history):
    learned = rf.learn(mixed_history, MIXED, shape="ellipsoid", outliers=0.1)
    html = learned._repr_html_()
    for name in MIXED:
        assert f"<bdi>{name}</bdi>" in html
    low, high = learned.bounds["lr"]
    assert f"{low:.4g} … {high:.4g}" in html and "volume kept: " in html
    assert learned.outliers[0] in html and "<script" not in html


def test_a_notebook_shows_the_check_worst_task_first():
    found = check_of(
        *(task_check(f"t{i}", 0, speed=3.0) for i in range(4)), task_check("<script>x", 0.4)
    )
    html = found._repr_html_()
    assert "draws inside are worth" in html and "<script" not in html
    assert html.index("&lt;script&gt;x") < html.index("t0")
    assert f"{found.speed_ups[3].value:.2f}" in html


def test_notebook_tables_of_strange_names_are_text():
    learned = rf.learn(strange_history())
    html = learned._repr_html_()
    assert "<script" not in html and "&lt;script&gt;alert(3)" in html
