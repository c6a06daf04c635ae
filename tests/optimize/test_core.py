"""Layout, domain, design and charts: what every method stands on."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import ringfence as rf
from problems import REGIONS, SPACES, region
from ringfence.errors import ExhaustedError, SettingError
from ringfence.optimize.domain.coordinates import CubeCoordinates, SmoothCoordinates
from ringfence.optimize.domain.design import Design
from ringfence.optimize.domain.domain import domain_of
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.search.maximize import Search, steps

CELLS = [(kind, name) for kind in SPACES for name in REGIONS]


@pytest.mark.parametrize("kind, name", CELLS)
def test_rows_there_and_back(kind, name):
    learned = region(kind, name)
    layout = Layout(learned)
    configs = learned.sample(200, seed=1)
    rows = layout.encode(configs)
    again = layout.decode(rows)
    for before, after in zip(configs, again):
        assert list(before) == list(after)
        for key, value in before.items():
            assert type(after[key]) is type(value)
            assert (
                after[key] == pytest.approx(value, rel=1e-12)
                if isinstance(value, float)
                else (after[key] == value)
            )
    assert np.allclose(layout.encode(again), rows, atol=1e-12, equal_nan=True)
    assert layout.inside(rows).all()


def test_both_ends_of_every_range_survive():
    layout = Layout(region("mixed", "full"))
    ends = [
        {"lr": 1e-4, "depth": 1, "width": 4, "size": "s", "loss": "hinge", "seed": 7},
        {"lr": 1.0, "depth": 12, "width": 4096, "size": "xl", "loss": "square", "seed": 7},
    ]
    assert layout.decode(layout.encode(ends)) == ends


def test_features_span_the_region_and_tell_categories_apart():
    layout = Layout(region("conditional", "box"))
    rows = layout.encode(layout.learned.sample(3000, seed=0))
    X = layout.features(rows)
    numeric = [layout.groups.tolist().index(layout.position(n)) for n in ("C", "shrink")]
    assert X[:, numeric].min() >= 0
    assert X[:, numeric].max() <= 1
    assert (X[:, numeric].max(axis=0) > 0.99).all()
    kernels = X[:, layout.groups == layout.position("kernel")]
    assert np.allclose(((kernels[:, None] - kernels[None]) ** 2).sum(-1).max(), 1.0)
    degree = X[:, layout.groups == layout.position("degree")].ravel()
    off = np.isnan(rows[:, layout.position("degree")])
    assert off.any()
    assert (degree[off] == 0.5).all()


@pytest.mark.parametrize("kind, name", CELLS)
def test_draws_are_inside_and_follow_the_law_of_sample(kind, name):
    """Kolmogorov–Smirnov per column at 1e-4; 60 columns in all: one false alarm in 160 runs of
    the suite with other seeds."""
    learned = region(kind, name)
    domain = domain_of(learned)
    rows = domain.draw(2000, np.random.default_rng(3))
    assert domain.layout.inside(rows).all()
    assert all(learned.contains(config) for config in domain.layout.decode(rows[:200]))
    reference = domain.layout.encode(learned.sample(2000, seed=4))
    for j in range(rows.shape[1]):
        ours, theirs = rows[:, j], reference[:, j]
        found = stats.ks_2samp(ours[~np.isnan(ours)], theirs[~np.isnan(theirs)])
        assert found.pvalue > 1e-4, domain.layout.names[j]


def test_a_small_space_is_listed_and_runs_out():
    space = rf.Space(
        {"a": rf.Int(1, 3), "b": rf.Categorical(["x", "y"]), "c": rf.Int(1, 2)},
        [rf.Condition("c", "b", ["x"])],
    )
    domain = domain_of(space)
    assert len(domain.pool) == 9  # a × (x with two values of c, y alone)
    keys = set(domain.layout.keys(domain.pool))
    with pytest.raises(ExhaustedError, match="all 9 configurations"):
        domain.untried(keys)


def test_a_large_finite_space_is_not_listed_but_still_ends():
    learned = region("mixed", "full")
    space = rf.Space({f"i{j}": rf.Int(0, 9) for j in range(6)})
    assert domain_of(space).pool is None
    assert domain_of(learned).pool is None

    class Everything(set):
        def __contains__(self, key):
            return True

    with pytest.raises(ExhaustedError, match="exhausted"):
        domain_of(space).fresh(Everything(), np.random.default_rng(0))


def test_candidates_are_checked_cut_to_the_region_and_kept_once():
    learned = region("numeric", "ellipsoid")
    configs = region("numeric", "full").sample(300, seed=0)
    domain = domain_of(learned, [*configs, *configs])
    inside = [config for config in configs if learned.contains(config)]
    assert 0 < len(inside) < 300
    assert len(domain.pool) == len(inside)
    with pytest.raises(SettingError, match="none of the 1 candidates"):
        domain_of(learned, [c for c in configs if not learned.contains(c)][:1])
    with pytest.raises(SettingError, match="empty"):
        domain_of(learned, [])
    with pytest.raises(rf.SpaceError, match="'lr'"):
        domain_of(learned, [{**configs[0], "lr": 7.0}])
    with pytest.raises(rf.SpaceError, match="candidate 1: "):
        domain_of(learned, [configs[0], {**configs[0], "lr": 7.0}])
    with pytest.raises(SettingError, match="candidate 0 is str; of a DataFrame"):
        domain_of(learned, "lr")
    with pytest.raises(SettingError, match="LearnedSpace or a Space, not dict"):
        domain_of({"lr": (0, 1)})


def test_candidates_of_a_table_with_gaps_and_numpy_values_are_saved(tmp_path):
    space = rf.Space(
        {"w": rf.Int(0, 10), "k": rf.Categorical(["a", "b"]), "g": rf.Float(0.1, 1)},
        [rf.Condition("g", "k", ["a"])],
    )
    rows = [
        {"w": np.int64(1), "k": np.str_("b"), "g": np.nan},
        {"w": 2, "k": "b", "g": None},
        {"w": 3, "k": "a", "g": np.float32(0.5)},
    ]
    engine = rf.optimizer("random", space, seed=0, candidates=rows)
    engine.tell(engine.ask(), 1.0)
    engine.save(tmp_path / "state")
    again = rf.load_optimizer(tmp_path / "state")
    asked = [engine.trials[0].config, *(again.ask().config for _ in range(2))]
    assert sorted(asked, key=lambda c: c["w"]) == [
        {"w": 1, "k": "b"}, {"w": 2, "k": "b"}, {"w": 3, "k": "a", "g": 0.5}
    ]  # fmt: skip


@pytest.mark.parametrize("kind, name", CELLS)
def test_the_design_is_inside_distinct_and_seeded(kind, name):
    domain = domain_of(region(kind, name))
    rng = np.random.default_rng(0)
    tried: set[bytes] = set()
    rows = []
    design = Design(domain, 5)
    for _ in range(40):
        row = design.next(tried, rng)
        tried.update(domain.layout.keys(row))
        rows.append(row)
    assert len(tried) == 40
    assert domain.layout.inside(np.concatenate(rows)).all()
    assert np.array_equal(Design(domain, 5).next(set(), rng), rows[0], equal_nan=True)
    assert not np.array_equal(Design(domain, 6).next(set(), rng), rows[0], equal_nan=True)


def test_the_design_fills_a_box_more_evenly_than_chance():
    domain = domain_of(rf.Space({"x": rf.Float(0, 1), "y": rf.Float(0, 1)}))
    design = Design(domain, 0)
    tried: set[bytes] = set()
    points = []
    for _ in range(64):
        row = design.next(tried, np.random.default_rng(0))
        tried.update(domain.layout.keys(row))
        points.append(row[0])
    counts = np.histogram2d(*np.array(points).T, bins=8, range=[[0, 1], [0, 1]])[0]
    assert (counts == 1).all()  # one in each of 64 cells; 64 random points leave 37 % empty


@pytest.mark.parametrize("kind, name", CELLS)
@pytest.mark.parametrize("chart_of", [CubeCoordinates, SmoothCoordinates])
def test_charts_stay_inside_and_come_back(chart_of, kind, name):
    domain = domain_of(region(kind, name))
    layout = domain.layout
    rng = np.random.default_rng(2)
    base = domain.draw(20, rng)
    chart = chart_of(layout, base)
    numeric = chart.numeric
    there = chart.rows(chart.start)
    assert np.allclose(there[:, numeric], base[:, numeric], atol=1e-9, equal_nan=True)
    spread = 1.0 if chart_of is CubeCoordinates else 3.0
    u = np.clip(rng.normal(0.5, spread, chart.start.shape), 0 if spread == 1 else -9, spread)
    if chart_of is SmoothCoordinates:
        u = np.clip(u, *chart.bounds)
    rows = chart.rows(u)
    for block in layout.learned.blocks:
        points = rows[:, [layout.position(n) for n in block.names]]
        assert block.region.contains(points[~np.isnan(points).any(axis=1)]).all()


@pytest.mark.parametrize("kind, name", CELLS)
def test_the_gradient_of_the_smooth_chart_is_right(kind, name):
    domain = domain_of(region(kind, name))
    layout = domain.layout
    rng = np.random.default_rng(2)
    chart = SmoothCoordinates(layout, domain.draw(20, rng), context=np.array([0.3]))
    u = np.clip(chart.start + 0.3 * rng.standard_normal(chart.start.shape), 0.02, 0.98)
    features, pullback = chart.linearized(u)
    np.testing.assert_array_equal(features, chart.to_features(u))
    weights = rng.standard_normal(features.shape)
    analytic = pullback(weights)
    for j in range(u.shape[1]):
        step = np.zeros_like(u)
        step[:, j] = 1e-6
        change = chart.to_features(u + step) - chart.to_features(u - step)
        slope = (weights * change).sum(axis=1) / 2e-6
        # a ray that leaves through an edge between a face and the ellipsoid has no gradient
        agree = np.isclose(slope, analytic[:, j], rtol=1e-4, atol=1e-5)
        assert agree.mean() >= 0.95, (j, slope, analytic[:, j])


class Bowl:
    """A model that is sure of itself: a bowl around one point of feature space."""

    def __init__(self, bottom):
        self.bottom = bottom

    def predict(self, X):
        return ((X - self.bottom) ** 2).sum(axis=1), np.full(len(X), 1.0)

    def predict_with_gradient(self, X):
        return *self.predict(X), 2 * (X - self.bottom), np.zeros_like(X)


@pytest.mark.parametrize("name", REGIONS)
def test_the_search_finds_a_bottom_inside(name):
    domain = domain_of(region("numeric", name))
    inner = domain.draw(1, np.random.default_rng(1))
    bottom = domain.layout.features(inner)[0]
    found = Search(domain, set(), inner[:0]).maximize(Bowl(bottom), 0.0, np.random.default_rng(0))
    assert np.allclose(domain.layout.features(found)[0], bottom, atol=2e-3)


@pytest.mark.parametrize("name", ["box", "ellipsoid"])
def test_the_search_ends_on_the_boundary_where_the_bottom_is_beyond(name):
    domain = domain_of(region("numeric", name))
    bowl = Bowl(np.full(3, 3.0))
    found = Search(domain, set(), np.empty((0, 3))).maximize(bowl, 5.0, np.random.default_rng(0))
    draws = domain.draw(200_000, np.random.default_rng(5))
    lowest = bowl.predict(domain.layout.features(draws))[0].min()
    assert bowl.predict(domain.layout.features(found))[0][0] <= lowest
    assert domain.layout.inside(found).all()


def test_steps_stay_near_and_inside_the_chart():
    domain = domain_of(region("conditional", "ellipsoid"))
    row = domain.draw(1, np.random.default_rng(0))
    near = domain.layout.snap(steps(domain, row, np.random.default_rng(1)))
    known = ~np.isnan(near) & ~np.isnan(row)
    assert np.median(np.abs(near - row)[known]) < 0.1
    kernel = domain.layout.position("kernel")
    assert len(set(near[:, kernel])) > 1
    assert not np.isnan(near[:, domain.layout.position("C")]).any()


def test_a_design_of_which_nothing_lies_inside_goes_on_with_plain_draws():
    """Of 64 points of a sequence, and of the next 64, none need lie in a small part of the cube."""
    design = Design(domain_of(rf.Space({"x": rf.Float(0, 1), "y": rf.Float(0, 1)})), seed=0)
    design._from_cube = lambda cube: np.empty((0, 2))
    row = design.next(set(), np.random.default_rng(0))
    assert row.shape == (1, 2) and ((row >= 0) & (row <= 1)).all()
