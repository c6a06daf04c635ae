"""Pictures and notebook tables of a check and of a learned space."""

from __future__ import annotations

import errno
import os
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from strange_names import TASKS, check_of, full_regret, strange_history, task_check

import ringfence as rf
from conftest import MIXED
from ringfence.bench.figures import curve_figure, write_picture
from ringfence.learned.picture.drawing import draw, tick_labels
from ringfence.learned.picture.numbers import rows
from ringfence.rendering.fitting import apart
from ringfence.words import plain


def test_the_picture_of_a_check_holds_the_curves_and_the_worst_tasks():
    tasks = [task_check(f"t{i:02d}", 0, speed=1.0 + i) for i in range(60)]
    figure = check_of(*tasks, task_check("loses", full_regret(10) + 0.3), "silent").plot()
    curves, bars = figure.axes
    whole, inside, worth = curves.get_lines()
    assert list(inside.get_xdata()) == [1, 2, 5, 10, 25, 50]
    assert whole.get_ydata()[9] == pytest.approx(full_regret(10))
    start, stop = worth.get_xdata()
    assert start == 10 and stop > 10
    band, interval = curves.collections  # that of the curve, and that of what it is worth
    assert {x for x, _ in band.get_paths()[0].vertices} == {1, 2, 5, 10, 25, 50}
    ((low, _), (high, _)) = interval.get_segments()[0]
    assert low < stop < high
    assert "log scale" in curves.get_xlabel() and {3, 4, 30} <= set(curves.get_xticks(minor=True))
    labels = [label.get_text() for label in bars.get_yticklabels()]
    assert len(labels) == 40 and labels[:2] == ["loses", "t00"]
    widths = [bar.get_width() for bar in bars.patches]
    assert widths[0] == pytest.approx(-0.3) and widths == sorted(widths)
    assert bars.get_title() == "the 40 of 61 tasks that gain least"
    assert len(bars.collections[0].get_segments()) == 40  # their intervals
    assert overlaps(figure) == []


def test_the_picture_of_one_task_has_a_bar_of_usual_height():
    _, bars = check_of(task_check("only", 0, speed=3.0)).plot().axes
    (bar,) = bars.patches
    assert bar.get_height() < 0.15 * abs(np.subtract(*bars.get_ylim()))


def overlaps(figure):
    """Pairs of texts that touch as they are drawn, and texts that leave the figure."""
    figure.draw_without_rendering()
    texts = [text for part in (figure, *figure.subfigs) for text in part.texts]
    for axes in (axes for axes in figure.axes if axes.axison):
        texts += [axes.title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            ticks = zip(axis.get_ticklocs(), axis.get_ticklabels())
            texts += [text for at, text in ticks if low <= at <= high]
    shown = [t for t in texts if t.get_visible() and t.get_text().strip()]
    boxes = [text.get_window_extent() for text in shown]
    assert len(shown) > 5
    touching = [
        (shown[i].get_text(), shown[j].get_text())
        for i, j in combinations(range(len(shown)), 2)
        if boxes[i].overlaps(boxes[j])
    ]
    beyond = [
        text.get_text()
        for text, box in zip(shown, boxes)
        if min(box.min) < -1 or any(box.max > np.array(figure.bbox.max) + 1)
    ]
    return touching + beyond


NASTY = {
    "one": {"x": rf.Float(0, 1)},
    "twelve": {f"parameter_{i}": rf.Float(10.0 ** -(i + 1), 1, log=i % 2 == 0) for i in range(12)},
    "choices": {
        "kernel": rf.Categorical([f"a_rather_long_name_of_a_kernel_{i}" for i in range(40)]),
        "grade": rf.Categorical([f"quality level {i:02d} of all" for i in range(12)], ordered=True),
        "size": rf.Categorical(["small edition, signed", "medium", "large"], ordered=True),
    },
    "long": {
        "model.head.optimizer.schedule.warmup.initial_learning_rate_multiplier": rf.Float(
            1e-5, 1e-1, log=True
        ),
        "W" * 70: rf.Float(0.2, 0.9, log=True),
        "x": rf.Float(1e5, 1e5 + 1),
    },
    "log": {
        "a": rf.Float(1e-12, 1, log=True),
        "b": rf.Float(2, 3, log=True),
        "c": rf.Int(1, 4096, log=True),
    },
    "constant": {"a": rf.Constant(3), "b": rf.Int(0, 2), "c": rf.Constant("x")},
    "signs": {"$lr$": rf.Float(0, 1), "a^b_c": rf.Float(0, 1), "$x^{": rf.Categorical(["$", "^"])},
}


def learned_around(space, tasks=6, **how):
    """A space learned from one run of each task, drawn from the full space."""
    full = rf.Space(space)
    drawn = rf.learn(rf.History.from_frame(
        pl.DataFrame({"task": ["a"], "error": [0.5]} | {n: [_some(p)] for n, p in space.items()}),
        task="task", objective="error",
    ), full, shape="full", starts=0).sample(tasks, seed=0)  # fmt: skip
    rows = [{**config, "task": f"t{i}", "error": 0.5} for i, config in enumerate(drawn)]
    history = rf.History.from_frame(pl.DataFrame(rows), task="task", objective="error", **how)
    return rf.learn(history, full, starts=0)


def _some(parameter):
    if isinstance(parameter, rf.Categorical):
        return parameter.choices[0]
    return parameter.value if isinstance(parameter, rf.Constant) else parameter.low


@pytest.mark.parametrize("kind", NASTY)
def test_no_label_touches_another(kind):
    figure = learned_around(NASTY[kind], direction="maximize").plot()
    assert overlaps(figure) == []
    searched = [n for n, p in NASTY[kind].items() if not isinstance(p, rf.Constant)]
    assert len(figure.axes[0].get_yticks()) == len(searched)
    names = [text.get_window_extent().width for text in figure.axes[0].get_yticklabels()]
    assert max(names) < 0.27 * figure.bbox.width
    for axes in figure.axes[1:]:  # no name is longer than its axis
        across, up = axes.xaxis.label.get_window_extent(), axes.yaxis.label.get_window_extent()
        assert across.width <= axes.bbox.width and up.height <= axes.bbox.height


def test_a_space_of_one_task_is_drawn():
    assert overlaps(learned_around(NASTY["log"], tasks=1).plot()) == []


def test_log_axes_say_so_and_have_minor_ticks():
    figure = learned_around({"lr": rf.Float(1e-5, 1, log=True), "width": rf.Int(1, 9)}).plot()
    ranges, pair = figure.axes
    assert [text.get_text() for text in ranges.texts].count("log scale") == 1
    assert pair.get_xlabel() == "lr (log scale)" and pair.get_ylabel() == "width"
    labels = [text.get_text() for text in pair.get_xticklabels()]
    assert labels == ["10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁰"]
    assert pair.get_xticks(minor=True)[0] == pytest.approx(np.log10(2) / 5)
    assert [text.get_text() for text in pair.get_yticklabels()] == ["2", "4", "6", "8"]
    assert pair.get_yticks()[0] == pytest.approx(1.5 / 9)  # the middle of the cell of 2


def test_choices_are_cells_and_what_they_have_in_common_is_left_out():
    space = {"kind": rf.Categorical(["a", "b", "c"]), "grade": NASTY["choices"]["grade"]}
    kind, grade = rows(learned_around(space))
    assert kind.says == "3 of 3 choices" and len(kind.kept) == 3
    assert set(kind.points.round(3)) <= {0.167, 0.5, 0.833}
    assert tick_labels(grade.scale)[:2] == ["…00…", "…02…"]
    assert apart(["linear_kernel_one", "rbf"], 9) == ["linea…one", "rbf"]


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
    assert labels[:2] == [r"\$^\$", r"two\nlines"] and len(labels[2]) <= 32


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
        *(task_check(f"t{i}", 0, speed=3.0) for i in range(9)),
        task_check("<script>x", full_regret(10)),
    )
    html = found._repr_html_()
    assert "trials inside are worth" in html and "<script" not in html
    assert html.index("&lt;script&gt;x") < html.index("t0")
    assert f"{found.speed_ups[3].value:.2f}" in html


def test_notebook_tables_of_strange_names_are_text():
    learned = rf.learn(strange_history())
    html = learned._repr_html_()
    assert "<script" not in html and "&lt;script&gt;alert(3)" in html


def test_a_picture_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    learned = learned_around(NASTY["log"])
    path = tmp_path / "learned.png"
    path.write_bytes(b"before")
    path.chmod(0o600)
    with monkeypatch.context() as broken:
        broken.setattr(os, "replace", _full)
        with pytest.raises(rf.FileError, match="No space left"):
            draw(learned, path)
    assert path.read_bytes() == b"before" and len([*tmp_path.iterdir()]) == 1
    draw(learned, path)
    assert path.read_bytes()[:4] == b"\x89PNG" and path.stat().st_mode & 0o077 == 0


def _full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("name", ["picture", "picture.xyz", "picture."])
def test_a_picture_of_no_format_is_one_line(name, tmp_path):
    with pytest.raises(rf.FileError, match="cannot write"):
        draw(learned_around(NASTY["log"]), tmp_path / name)
    assert not [*tmp_path.iterdir()]


DOLLARS = (r"$\frac{$", r"\$x$", "\x1b[31m$x^$")


@pytest.mark.parametrize("name", DOLLARS)
def test_dollar_signs_are_drawn_wherever_a_name_stands(name, tmp_path):
    """Parameter, choice, task and objective; the title, the axes, the ticks and the legend."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({
        "task": np.repeat([f"{name}{i}" for i in range(4)], 20), name: rng.random(80),
        "other": rng.random(80), "kind": rng.choice([name, "b"], 80), f"{name}!": rng.random(80),
    })  # fmt: skip
    history = rf.History.from_frame(frame, task="task", objective=f"{name}!", direction="minimize")
    for value in (rf.learn(history, starts=0), rf.check(history, starts=0)):
        value.plot().draw_without_rendering()
    points = pl.DataFrame(
        {"method": [name] * 2, "order": [0, 0], "trial": [1, 2], "mean": [1.0, 2.0],
         "error": [0.1, 0.1]}
    )  # fmt: skip
    picture = curve_figure(points, "regret", f"Figure {name}: {name}\nsecond line")
    write_picture(picture, tmp_path / "curves.png")
    assert plain(name) in picture.get_suptitle().replace(r"\$", "$")
