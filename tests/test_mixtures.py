"""A learned union, from the call to the file, the table, the check, the picture and the search."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from problems import SPACES, divided_history, history, region
from ringfence.errors import FileError, SettingError
from ringfence.learned.diff import describe
from ringfence.learned.file import decode
from ringfence.learned.file_format import encode, encode_regions
from ringfence.regions import Union

SHAPES = ("boxes", "ellipsoids")


def parts(learned):
    return [len(b.region.parts) if isinstance(b.region, Union) else 1 for b in learned.blocks]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind, expected", [("numeric", [2]), ("mixed", [2])])
def test_two_groups_of_tasks_give_two_parts_and_far_less_volume(shape, kind, expected):
    known = divided_history(kind)
    union, one = (
        rf.learn(known, SPACES[kind], shape=s)
        for s in (shape, shape[: -2 if shape == "boxes" else -1])
    )
    assert parts(union) == expected and parts(one) == [1]
    assert not union.outliers
    assert union.volume_fraction < one.volume_fraction / 3
    assert all(union.contains(task.incumbent) for task in union.tasks)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", SPACES)
def test_where_one_is_enough_the_union_is_the_plain_shape(shape, kind):
    single = {"boxes": "box", "ellipsoids": "ellipsoid"}[shape]
    for slack in ({}, {"outliers": 0.2}, {"outliers": 0.2, "refit": True}):
        union = rf.learn(history(kind), SPACES[kind], shape=shape, **slack)
        plain = rf.learn(history(kind), SPACES[kind], shape=single, **slack)
        assert encode_regions(union) == encode_regions(plain)
        assert union.outliers == plain.outliers
        assert str(union).startswith(f"one {single} around")


@pytest.mark.parametrize("shape", SHAPES)
def test_each_block_of_conditional_parameters_has_parts_of_its_own(shape):
    learned = region("conditional", shape)
    found = {block.names: n for block, n in zip(learned.blocks, parts(learned))}
    assert found[("C", "shrink")] == 2 and found[("gamma",)] == 2
    drawn = learned.sample(400, seed=0)
    assert all(learned.contains(config) for config in drawn)
    corners = {
        (c["C"] > 1, c["gamma"] > 0.03) for c in drawn if "gamma" in c
    }  # the learned space is the product of the blocks
    assert len(corners) == 4


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", SPACES)
def test_the_file_holds_the_union_to_the_last_bit(shape, kind):
    learned = region(kind, shape)
    again = decode(encode(learned))
    assert again == learned and encode(again) == encode(learned)
    assert again.sample(20, seed=3) == learned.sample(20, seed=3)
    assert again.volume_fraction == learned.volume_fraction


@pytest.mark.parametrize(
    "damage, message",
    [
        (lambda r: r.update(parts=r["parts"][:1]), "length"),
        (lambda r: r.update(parts=r["parts"] * 5), "length"),
        (
            lambda r: r["parts"][0].update(lower=[0.9, 0.9, 0.9], upper=[0.1, 0.1, 0.1]),
            "above upper",
        ),
        (
            lambda r: r["parts"].__setitem__(
                0, {"type": "ellipsoid", "center": [0.5] * 3, "factor": [[1], [0, 1], [0, 0, 1]]}
            ),
            "mixes several shapes",
        ),
    ],
)
def test_a_damaged_union_is_an_error(damage, message):
    record = json.loads(encode(region("numeric", "boxes")))
    damage(record["blocks"][0]["region"])
    with pytest.raises(FileError, match=message):
        decode(json.dumps(record).encode())


def test_the_table_has_a_column_for_each_part():
    learned = region("mixed", "boxes")
    text = str(learned)
    assert text.startswith("2 boxes around the best configurations of all 40 tasks")
    lines = [line.split() for line in text.splitlines()]
    assert ["part", "1", "part", "2"] in lines and ["tasks", "20", "20"] in lines
    (low, high), (least, most) = (
        (part.bounds[0][1], part.bounds[1][1]) for part in learned.blocks[0].region.parts
    )
    axis = learned.blocks[0].encoding.axes[1]
    ends = [int(end) for pair in ((low, high), (least, most)) for end in axis.span(*pair)]
    row = next(line for line in lines if line[:1] == ["depth"] and "…" in line and len(line) == 7)
    assert [int(word) for word in row if word.isdigit()] == ends


def test_a_notebook_shows_the_parts():
    html = region("mixed", "boxes")._repr_html_()
    assert html.count("<table>") == 2 and "part 2" in html


def test_a_difference_in_the_number_of_parts_is_told():
    known, space = divided_history("numeric"), SPACES["numeric"]
    few = rf.History.from_frame(
        known.frame.filter(pl.col("task").is_in([f"t{2 * k}" for k in range(20)])),
        task="task",
        objective="error",
        parameters=list(space),
    )
    old, new = (rf.learn(runs, space, shape="boxes") for runs in (few, known))
    assert "parts: one box → 2 boxes" in describe(old, new)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_check_leaves_each_task_out_of_the_union(shape):
    """The best row of a task left out lies near those of its group, where the union is."""
    known, space = divided_history("numeric"), SPACES["numeric"]
    check = rf.check(known, space, shape=shape)
    assert check.volume_kept == pytest.approx(rf.learn(known, space, shape=shape).volume_fraction)
    inside = sum(task.best_is_inside for task in check.tasks)
    assert inside >= 20
    assert str(check).startswith(f"{shape}: ")


@pytest.mark.parametrize("shape", SHAPES)
def test_the_shadow_of_a_union_is_that_of_its_parts(shape):
    block = region("numeric", shape).blocks[0]
    drawn = block.region.outline(0, 1)
    assert np.isnan(drawn).any(axis=1).sum() == 1
    ends = np.nanmin(drawn, axis=0), np.nanmax(drawn, axis=0)
    bounds = [bound[:2] for bound in block.region.bounds]
    np.testing.assert_allclose(np.clip(ends, 0.0, 1.0), bounds, atol=1e-3)
    corners, triangles = block.region.surface([0, 1, 2])
    assert triangles.max() == len(corners) - 1
    cut = len(block.region.parts[0].surface([0, 1, 2])[0])
    assert not ((triangles < cut).any(axis=1) & (triangles >= cut).any(axis=1)).any()


def test_the_report_shows_the_parts(tmp_path):
    known, space = divided_history("numeric"), SPACES["numeric"]
    path = tmp_path / "report.html"
    rf.report(known, space, shape="boxes", path=path)
    page = path.read_text()
    assert "The parts of the region" in page and "part 2" in page


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("target", [0.15, 0.85])
def test_a_search_finds_the_best_point_whichever_part_it_lies_in(shape, target):
    learned = region("numeric", shape)
    names = learned.blocks[0].names

    def objective(config):
        point = learned.blocks[0].encoding.point(config)[0]
        return float(((point - target) ** 2).sum())

    best = rf.minimize(objective, learned, "gp", 25, seed=1, progress=False).best
    reachable = learned.draw(learned.blocks[0], 20_000, np.random.default_rng(0)).points
    assert best.value <= ((reachable - target) ** 2).sum(axis=1).min() + 0.005
    assert learned.contains(best.config) and set(names) <= set(best.config)


def test_an_unknown_shape_names_the_known_ones():
    with pytest.raises(SettingError, match="'box', 'ellipsoid', 'boxes', 'ellipsoids', 'full' or"):
        rf.learn(history("numeric"), SPACES["numeric"], shape="boxen")


def test_outliers_and_refit_work_as_with_one_region():
    known, space = divided_history("numeric"), SPACES["numeric"]
    for shape in SHAPES:
        slack = rf.learn(known, space, shape=shape, outliers=0.1)
        assert parts(slack) == [2] and len(slack.outliers) >= 4
        refit = rf.learn(known, space, shape=shape, outliers=0.1, refit=True)
        assert parts(refit) == [2] and refit.outliers == slack.outliers
        assert refit.volume_fraction <= slack.volume_fraction * 1.05


def test_the_example_of_the_page_prints_what_the_page_says(capsys):
    page = (Path(__file__).parent.parent / "docs" / "mixtures.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    exec(code, {})
    assert f"```\n{capsys.readouterr().out}```" in page
