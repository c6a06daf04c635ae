"""`one_cloud=True`: parameters that are active only sometimes, in one region with the others."""

from __future__ import annotations

import itertools

import msgspec
import numpy as np
import polars as pl
import pytest

import ringfence as rf
from problems import SPACES, history
from ringfence.errors import FileError
from ringfence.learned.cube import UnitCube
from ringfence.learned.full import full_space
from ringfence.learned.picture.numbers import pairs
from ringfence.regions import sample

SPACE = SPACES["conditional"]
WIDE = {"shape": "ellipsoid", "one_cloud": True, "starts": 0}

PARENT = rf.Space(
    {
        "layers": rf.Int(1, 3),
        "lr": rf.Float(0.0, 1.0),
        "width": rf.Float(0.0, 1.0),
        "rate": rf.Float(0.0, 1.0),
    },
    [rf.Condition("width", "layers", [2, 3]), rf.Condition("rate", "layers", [3])],
)
"""Conditions on a whole number, which is a coordinate of the cloud itself."""


def numbered(n: int = 24) -> rf.History:
    """One row for each task."""
    rng = np.random.default_rng(2)
    layers = np.arange(n) % 3 + 1
    x = 0.2 + 0.5 * rng.random((n, 3))
    frame = pl.DataFrame(
        {
            "task": [str(t) for t in range(n)],
            "layers": layers,
            "lr": x[:, 0],
            "width": [v if k > 1 else None for k, v in zip(layers, x[:, 1])],
            "rate": [v if k > 2 else None for k, v in zip(layers, x[:, 2])],
            "loss": rng.random(n),
        }
    )
    return rf.History.from_frame(frame, task="task", objective="loss")


@pytest.fixture(scope="module", params=["kernel", "layers"])
def learned(request) -> rf.LearnedSpace:
    if request.param == "kernel":
        return rf.learn(rf.example_history(), **WIDE)
    return rf.learn(numbered(), PARENT, **WIDE)


def test_it_is_one_block(learned):
    (block,) = learned.blocks
    assert block.mixed and not block.conditions
    assert set(block.names) == {n for n in learned.space if n != "kernel"}
    assert not learned.outliers


def test_inside_is_who_has_a_completion_inside(learned):
    """Held against a grid of completions: no grid point may be inside where `contains` says no, and
    where it says yes by a margin there is one."""
    (block,) = learned.blocks
    grid = np.linspace(0, 1, 21)
    agreed = 0
    for config in full_space(learned.space).sample(60, seed=3):
        point = block.encoding.point(config)[0]
        gaps = np.isnan(point)
        every = np.array(list(itertools.product(grid, repeat=int(gaps.sum()))))
        full = np.repeat(point[None], len(every), axis=0)
        full[:, gaps] = every
        some = bool(block.region.contains(full).any())
        says = learned.contains(config)
        assert says or not some
        agreed += some == says
    assert agreed >= 57  # the grid is coarse at the boundary


def test_rows_and_configurations_agree(learned):
    configs = full_space(learned.space).sample(300, seed=4)
    frame = pl.DataFrame({n: [c.get(n) for c in configs] for n in learned.space})
    columns = {}
    for name, parameter in learned.space.parameters.items():
        values = frame[name].to_list()
        if isinstance(parameter, rf.Categorical):
            values = [None if v is None else parameter.choices.index(v) for v in values]
        columns[name] = np.array([np.nan if v is None else v for v in values], float)
    assert learned.inside(columns).tolist() == [learned.contains(c) for c in configs]


def test_draws_are_uniform_over_the_region_and_lose_what_is_inactive(learned):
    """Algorithm 1: of the parameter that is always active, the law is that of the whole region."""
    (block,) = learned.blocks
    configs = learned.sample(2000, seed=5)
    assert all(learned.contains(c) for c in configs)
    assert all(tuple(c) == learned.space.active(c) for c in configs)
    name = "C" if "C" in learned.space else "lr"
    j = block.names.index(name)
    direct = sample(block.region, 4000, np.random.default_rng(6), snap=block.encoding.snap)
    ours = np.array([block.encoding.point(c)[0, j] for c in configs])
    from scipy.stats import ks_2samp

    assert ks_2samp(ours, direct.points[:, j]).pvalue > 1e-6  # one false alarm in a million


def test_the_volume_is_the_share_of_random_configurations_inside(learned):
    n = 5000
    share = np.mean([learned.contains(c) for c in full_space(learned.space).sample(n, seed=7)])
    error = np.sqrt(share * (1 - share) / n)
    assert abs(learned.volume_fraction - share) < 5 * np.hypot(error, learned.volume_error)
    assert 0 < learned.volume_error < 0.05 * learned.volume_fraction


def test_the_cube_leads_inside_and_back(learned):
    cube = UnitCube(learned)
    for config in learned.sample(50, seed=8):
        point = cube.encode(config)
        assert set(cube.names) <= set(point)
        again = cube.decode(point)
        assert again.keys() == config.keys()
        for name, value in config.items():
            assert again[name] == (pytest.approx(value) if isinstance(value, float) else value)
    rng = np.random.default_rng(9)
    for _ in range(50):
        values = dict(zip(cube.names, rng.random(len(cube.names))))
        values |= {n: c[rng.integers(len(c))] for n, c in learned.choices.items()}
        assert learned.contains(cube.decode(values))


def test_it_comes_back_from_its_file(learned, tmp_path):
    learned.save(tmp_path / "learned.json")
    again = rf.load(tmp_path / "learned.json")
    assert again == learned and again.blocks[0].mixed
    content = msgspec.json.decode((tmp_path / "learned.json").read_bytes())
    del content["settings"]["one_cloud"]
    (tmp_path / "other.json").write_bytes(msgspec.json.encode(content))
    with pytest.raises(FileError, match="other conditions than its own"):
        rf.load(tmp_path / "other.json")


def test_pairs_that_never_meet_are_not_drawn():
    """degree needs poly, and gamma is there for poly as well; in PARENT all can meet."""
    space = rf.Space(
        {
            "kernel": rf.Categorical(["poly", "rbf"]),
            "C": rf.Float(0, 1),
            "gamma": rf.Float(0, 1),
            "degree": rf.Float(0, 1),
        },
        [rf.Condition("gamma", "kernel", ["rbf"]), rf.Condition("degree", "kernel", ["poly"])],
    )
    rng = np.random.default_rng(0)
    kernel = ["poly", "rbf"] * 8
    frame = pl.DataFrame(
        {
            "task": [str(t) for t in range(16)],
            "kernel": kernel,
            "C": rng.random(16),
            "gamma": [v if k == "rbf" else None for k, v in zip(kernel, rng.random(16))],
            "degree": [v if k == "poly" else None for k, v in zip(kernel, rng.random(16))],
            "loss": rng.random(16),
        }
    )
    past = rf.History.from_frame(frame, task="task", objective="loss")
    learned = rf.learn(past, space, **WIDE)
    shown = pairs(learned)
    assert [pair.names for pair in shown] == [("C", "gamma"), ("C", "degree")]
    assert [len(pair.points) for pair in shown] == [8, 8]


def test_without_conditions_it_is_the_same_region():
    past = history("numeric")
    plain = rf.learn(past, SPACES["numeric"], shape="ellipsoid", starts=0)
    together = rf.learn(past, SPACES["numeric"], **WIDE)
    assert (plain.blocks[0].region.body.factor == together.blocks[0].region.body.factor).all()
    assert not together.blocks[0].mixed


def test_slack_reaches_parameters_that_are_active_only_sometimes():
    """Figure S5a: the outlier is one in a conditional parameter, which blocks never leave out."""
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "task": [str(t) for t in range(20)],
            "booster": ["tree"] * 16 + ["linear"] * 4,
            "rounds": 0.45 + 0.1 * rng.random(20),
            "eta": [*(0.1 + 0.1 * rng.random(15)), 0.95, *[None] * 4],
            "loss": rng.random(20),
        }
    )
    space = rf.Space(
        {
            "booster": rf.Categorical(["tree", "linear"]),
            "rounds": rf.Float(0.0, 1.0),
            "eta": rf.Float(0.0, 1.0),
        },
        [rf.Condition("eta", "booster", ["tree"])],
    )
    past = rf.History.from_frame(frame, task="task", objective="loss")
    for shape in ("box", "ellipsoid"):
        blocks = rf.learn(past, space, shape=shape, outliers=0.05, starts=0)
        cloud = rf.learn(past, space, shape=shape, outliers=0.05, one_cloud=True, starts=0)
        assert "15" not in blocks.outliers and blocks.bounds["eta"][1] >= 0.95
        assert "15" in cloud.outliers and cloud.bounds["eta"][1] < 0.95


@pytest.mark.slow
def test_tolerance_and_refit_go_with_it():
    past = rf.example_history()
    plain = rf.learn(past, **WIDE)
    good = rf.learn(past, tolerance=0.05, **WIDE)
    assert good.volume_fraction < plain.volume_fraction and not good.outliers
    refit = rf.learn(past, outliers=0.2, refit=True, **WIDE)
    assert len(refit.outliers) >= 4 and refit.volume_fraction < plain.volume_fraction


def test_a_parameter_that_no_task_has_keeps_its_whole_range():
    past = history("conditional")
    frame = past.frame.filter(pl.col("kernel") != "poly")
    rest = rf.History.from_frame(
        frame, task="task", objective="error", parameters=list(SPACE), direction="minimize"
    )
    learned = rf.learn(rest, SPACE, **WIDE)
    assert [block.names for block in learned.blocks] == [("C", "shrink", "gamma"), ("degree",)]
    assert learned.bounds["degree"] == (2, 6)


def test_the_check_takes_it():
    past = history("conditional")
    found = rf.check(past, SPACE, shape="ellipsoid", one_cloud=True, starts=0)
    assert "one cloud" in str(found)
