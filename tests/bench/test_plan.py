"""Plans: what is written in them is what is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from ringfence.bench.methods import method
from ringfence.bench.plan import only, planned, read_plan
from ringfence.bench.plan_file import read_file
from ringfence.bench.suites.description import read_description
from ringfence.bench.suites.loading import RUN_HERE, description_of
from ringfence.errors import FileError, SettingError

PLANS = Path(__file__).parents[2] / "plans"

TINY = """
name = "tiny"
[[experiment]]
figure = "1a"
title = "made up"
suites = ["example"]
methods = ["Random", "Box Random", "SMAC"]
tasks = 4
replications = 3
fewer = {SMAC = 1}
"""


@pytest.fixture
def read(tmp_path):
    def read(text, data=()):
        (tmp_path / "plan.toml").write_text(text)
        return read_plan(tmp_path / "plan.toml", data)

    return read


def test_a_plan_is_a_product_with_fewer_replications_where_it_says_so(read):
    cells = [item.cell for item in planned(read(TINY))]
    assert len(cells) == len({cell.key for cell in cells}) == 4 * (3 + 3 + 1)
    assert len({cell.task for cell in cells}) == 4
    assert {cell.replication for cell in cells if cell.method == "SMAC"} == {0}


def test_a_slow_method_can_be_run_on_fewer_tasks_of_those_left_out(read):
    cells = [c.cell for c in planned(read(TINY.replace("SMAC = 1", "SMAC = {tasks = 2}")))]
    of_smac = [cell for cell in cells if cell.method == "SMAC"]
    assert len(of_smac) == 2 * 3 and {c.task for c in of_smac} < {c.task for c in cells}


def test_a_cell_that_two_figures_share_is_the_same_cell(read):
    again = TINY.split("\n", 2)[2].replace('"1a"', '"1b"').replace(', "SMAC"', "")
    plan = read(TINY + again.replace("fewer = {SMAC = 1}", ""))
    first, second = (
        {p.cell.key for p in planned(plan) if p.experiment.figure == f} for f in ("1a", "1b")
    )
    assert second < first


def test_similarity_is_part_of_a_cell_only_where_it_matters(read):
    plan = read(TINY.replace('"SMAC"]', '"SMAC", "Box GP (T=3)"]\nsources = "similar"'))
    found = {item.cell.method: item.cell.sources for item in planned(plan)}
    assert found.pop("Box GP (T=3)") == "similar" and set(found.values()) == {"mixed"}


def test_one_suite_of_a_plan_can_be_run_alone(read):
    plan = read(TINY.replace('["example"]', '["sgd", "example"]'))
    alone = only(plan, "sgd")
    assert {item.cell.suite for item in planned(alone)} == {"sgd"}
    together = {item.cell.key for item in planned(plan)}
    assert {item.cell.key for item in planned(alone)} < together
    with pytest.raises(SettingError, match="no suite 'svm'; it has example, sgd"):
        only(plan, "svm")


def test_every_part_of_a_description_changes_its_key(read):
    import msgspec

    cell = next(planned(read(TINY))).cell
    others = {
        "suite": "x", "data": "x", "task": "x", "method": "x", "replication": 9, "trials": 9,
        "n_evaluations": 9, "scale": "log", "evaluation": "neighbors", "sources": "similar",
        "protocol": 9,
    }  # fmt: skip
    assert set(others) == set(cell.__struct_fields__)
    keys = {msgspec.structs.replace(cell, **{name: value}).key for name, value in others.items()}
    assert len(keys | {cell.key}) == len(others) + 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"Random", "Box', '"Box', "figure '1a' needs 'Random'"),
        ('"SMAC"]', '"SMACK"]', "no method is called 'SMACK'"),
        ("SMAC = 1", "GP = 1", "'fewer' names 'GP', which is not run"),
        ("SMAC = 1", "Random = 1", "'Random' needs all replications"),
        ("replications = 3", "replications = 0", "Expected `int` >= 1"),
        ('"Box Random"', '"Random"', "names 'Random' twice"),
        ("name =", "nome =", "unknown field `nome`"),
        ('"1a"', '"1a', "is cut off or not TOML"),
    ],
)
def test_what_is_wrong_with_a_plan_is_said(read, old, new, message):
    with pytest.raises(FileError, match=message):
        read(TINY.replace(old, new))


def test_folders_and_descriptions_are_found_from_where_the_plan_is(read, tmp_path):
    text = TINY.replace('"tiny"', '"tiny"\ndata = ["tables"]').replace('"example"', '"own.toml"')
    plan = read(text, [tmp_path / "more"])
    assert plan.data == (str(tmp_path / "tables"), str(tmp_path / "more"))
    assert plan.experiment[0].suites == (str(tmp_path / "own.toml"),)


OTHER = """
name = "other"
like = "plan"
suites = {example = "sgd"}
omit = {sgd = ["1b"]}
"""


@pytest.fixture
def read_other(read, tmp_path):
    """Reads a text as a plan beside "plan": the tiny one, and a second figure on two suites."""
    second = (
        TINY.split("\n", 2)[2].replace('"1a"', '"1b"').replace('["example"]', '["example", "own"]')
    )
    read(TINY + second)

    def read_other(text):
        (tmp_path / "other.toml").write_text(text)
        return read_plan(tmp_path / "other.toml")

    return read_other


def test_a_plan_like_another_is_that_plan_on_other_suites(read_other):
    first, second = read_other(OTHER).experiment
    assert first.suites == ("sgd",) and second.suites == ("own",)
    assert first.fewer == {"SMAC": 1} and first.tasks == 4 and first.title == "made up"
    both = read_other(OTHER.replace('["1b"]}', '["1b"], own = ["1b"]}'))
    assert [(e.figure, e.suites) for e in both.experiment] == [("1a", ("sgd",))]
    assert both.name == "other"
    two = read_other(OTHER.replace('"sgd"}', '["sgd", "sgd-mixed"]}'))
    assert [e.suites for e in two.experiment] == [("sgd", "sgd-mixed"), ("sgd-mixed", "own")]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("example =", "exmple =", "'plan' has no suite 'exmple'; there are example, own"),
        ("{sgd =", "{example =", "'omit' names a suite that is not there: 'example'"),
        ('"1b"', '"1c"', "'omit' names a figure that is not there: '1c'; there are 1a, 1b"),
        ('"plan"', '"plann"', r"cannot read .*plann\.toml"),
        ('"plan"', '"other"', "'other' is itself like another plan"),
        ("suites =", "suite =", "unknown field `suite`"),
    ],
)
def test_what_is_wrong_with_a_plan_like_another_is_said(read_other, old, new, message):
    with pytest.raises(FileError, match=message):
        read_other(OTHER.replace(old, new))


@pytest.mark.parametrize("path", sorted(PLANS.glob("*.toml")), ids=lambda p: p.stem)
def test_the_plans_of_the_repository_are_plans(path):
    plan = read_plan(path)
    assert plan.name == path.stem
    for experiment in plan.experiment:
        assert experiment.title


@pytest.mark.parametrize("path", sorted(PLANS.glob("*.toml")), ids=lambda p: p.stem)
def test_no_plan_compares_tasks_of_which_nothing_is_known(path):
    for experiment in read_plan(path).experiment:
        compares = experiment.sources == "similar" or any(
            method(label).engine.meta for label in experiment.methods
        )
        for name in {*experiment.suites} - {*RUN_HERE, "example"}:
            what, _ = read_description(description_of(name))
            assert what.meta_features is not None or not compares, (experiment.figure, name)


def test_the_quick_plan_needs_no_data_that_is_not_here():
    assert sum(1 for _ in planned(read_plan(PLANS / "quick.toml"))) > 100


def test_a_suite_with_nothing_in_its_place_has_no_picture(tmp_path):
    base = read_file(PLANS / "sgd.toml")
    (tmp_path / "sgd.toml").write_bytes((PLANS / "sgd.toml").read_bytes())
    suite = base.region[0].suite
    plan = tmp_path / "plan.toml"
    plan.write_text(f'name = "a"\nlike = "sgd"\n[suites]\n{suite} = []\n')
    assert suite not in [region.suite for region in read_file(plan).region]
