"""Earlier tasks that do not know every parameter, or tuned others: models, candidates, states."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from problems import SPACES, history, mismatched, region
from ringfence.errors import FileError
from ringfence.history import TASK, VALUE, usable_rows
from ringfence.learned.full import full_space
from ringfence.optimize.domain.domain import domain_of
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.surrogates.gp.fit import fit_gp
from ringfence.optimize.surrogates.gp.hyperparameters import KernelColumns
from ringfence.optimize.surrogates.gp.prediction import condition
from ringfence.optimize.surrogates.standardize import standardize
from ringfence.optimize.transfer.candidates import Candidates
from ringfence.optimize.transfer.incumbent_cover import covering_incumbents
from ringfence.optimize.transfer.source_models import (
    OPTIONS,
    SEARCHED,
    SourceModels,
    capped_regret,
    fit_source_models,
)
from ringfence.optimize.transfer.sources import Source, check_source, sources_of, tasks_of

CUBE = rf.Space({name: rf.Float(0, 1) for name in "abc"})
LAYOUT = Layout(full_space(CUBE))


def task(name: str, optimum, unknown=(), extra: int = 0, n: int = 60, seed: int = 0) -> Source:
    """A bowl in all coordinates, extra ones after the others; values of the unknown hidden."""
    points = np.random.default_rng(seed).random((n, 3 + extra))
    values = ((points - optimum) ** 2).sum(axis=1)
    rows = points[:, :3].copy()
    rows[:, [CUBE_NAMES.index(each) for each in unknown]] = np.nan
    return Source(name, rows, values, unknown, points[:, 3:] if extra else None)


CUBE_NAMES = ["a", "b", "c"]


def oracle(X, values):
    """The process that a source model is to be: of the capped regrets, at these features."""
    z = capped_regret(values)[0]
    assert len(z) <= SEARCHED
    # the order in which the search sees the rows changes nothing but rounding
    return fit_gp(X, z, options=OPTIONS)


def test_a_history_that_matches_gives_the_model_of_all_features_to_the_last_digit():
    layout = Layout(full_space(SPACES["mixed"]))
    source = sources_of(history("mixed"), layout).tasks[0]
    (model,) = fit_source_models([source], layout).tasks
    z, X = capped_regret(source.values)[0], layout.features(source.rows)
    columns = KernelColumns.of(len(layout.groups), layout.groups)
    theta = model.hyperparameters.theta
    gp = condition(theta, X, standardize(z, compressed=False), columns)
    scales = np.array(model.hyperparameters.length_scales)[layout.groups]
    np.testing.assert_array_equal(model.inverse, 1.0 / scales)
    np.testing.assert_array_equal(model.Z, gp.Z)
    np.testing.assert_array_equal(model.alpha, gp.values.scale * gp.alpha)
    assert not model.away.any()


def test_a_model_is_constant_along_what_its_task_does_not_know():
    source = task("t", 0.4, unknown=("b",))
    models = fit_source_models([source], LAYOUT)
    rows = np.random.default_rng(1).random((200, 3))
    moved = rows.copy()
    moved[:, 1] = 0.97
    np.testing.assert_array_equal(models.predict(rows), models.predict(moved))
    expected = oracle(source.rows[:, [0, 2]], source.values).predict(rows[:, [0, 2]])[0]
    np.testing.assert_allclose(models.predict(rows)[0], np.clip(expected, 0, 1), atol=2e-3)


def test_extra_parameters_are_held_at_the_values_of_the_best_row():
    source = task("t", 0.4, extra=2, n=100)
    models = fit_source_models([source], LAYOUT)
    rows = np.random.default_rng(1).random((200, 3))
    best = source.extra[source.values.argmin()]
    gp = oracle(np.hstack([source.rows, source.extra]), source.values)
    expected = gp.predict(np.hstack([rows, np.tile(best, (len(rows), 1))]))[0]
    np.testing.assert_allclose(models.predict(rows)[0], np.clip(expected, 0, 1), atol=2e-3)
    # the same with the extra parameter unseen is a worse model of the slice through the best row
    truth = ((rows - 0.4) ** 2).sum(axis=1) + ((best - 0.4) ** 2).sum()
    blind = fit_source_models([replace(source, extra=None)], LAYOUT)
    errors = [np.corrcoef(each.predict(rows)[0], truth)[0, 1] for each in (models, blind)]
    assert errors[0] > 0.95 and errors[0] > errors[1]


def test_predictions_of_tasks_with_different_parameters_at_once_are_those_of_each():
    sources = [
        task("all", 0.3, seed=1),
        task("less", 0.4, unknown=("a", "c"), n=30, seed=2),
        task("more", 0.5, extra=1, n=70, seed=3),
        task("other", 0.6, unknown=("b",), extra=2, n=40, seed=4),
    ]
    models = fit_source_models(sources, LAYOUT)
    rows = np.random.default_rng(9).random((300, 3))
    together = models.predict(rows)
    for number, model in enumerate(models.tasks):
        alone = SourceModels(models.full, (model,)).predict(rows)[0]
        np.testing.assert_allclose(together[number], alone, atol=1e-10)


def test_length_scales_are_means_over_the_tasks_that_know_the_parameter():
    method = rf.optimizer("transfer", CUBE, history=mismatched(CUBE)).method
    inverse = np.array([model.inverse for model in method.models.tasks])
    for j, scale in enumerate(method.length_scales):
        known = inverse[inverse[:, j] > 0, j]
        assert len(known) == (12 if j != 1 else 6)
        assert scale == pytest.approx(np.exp(-np.log(known).mean()), rel=1e-12)


def test_sources_say_what_they_do_not_know_and_what_else_they_tuned():
    layout = Layout(full_space(SPACES["mixed"]))
    first, *_, last = sources_of(mismatched(SPACES["mixed"]), layout).tasks
    assert first.unknown == ("depth",) and last.unknown == ()
    assert np.isnan(first.rows[:, layout.position("depth")]).all()
    assert first.extra.shape == (40, 1) and last.extra is None
    assert (first.extra.min(), first.extra.max()) == (0.0, 1.0)
    for each in (first, last):
        check_source(each, layout)


def frame(**columns) -> pl.DataFrame:
    """Usable rows of one task."""
    n = len(next(iter(columns.values())))
    return pl.DataFrame(
        {TASK: ["t"] * n, ":row": range(n), VALUE: np.arange(float(n)), **columns}, strict=False
    )


def test_a_parameter_that_some_rows_do_not_know_goes_by_the_larger_part():
    nan = float("nan")
    few = frame(a=[0.1, 0.2, 0.3], b=[0.5, nan, 0.6], c=[0.1, 0.1, 0.2])
    (source,) = tasks_of(few, LAYOUT)
    assert source.unknown == () and source.values.tolist() == [0.0, 2.0]
    many = frame(a=[0.1, 0.2, 0.3], b=[0.5, nan, nan], c=[0.1, 0.1, 0.2])
    (source,) = tasks_of(many, LAYOUT)
    assert source.unknown == ("b",) and len(source.values) == 3
    assert np.isnan(source.rows[:, 1]).all()


def test_inactive_is_not_unknown():
    layout = Layout(full_space(SPACES["conditional"]))
    nan, inactive = float("nan"), None
    rows = frame(
        kernel=[0.0, 0.0, 2.0], C=[1.0, 2.0, 3.0], shrink=[0.1, 0.2, 0.3],
        gamma=[inactive, inactive, nan], degree=[inactive] * 3,
    )  # fmt: skip
    (source,) = tasks_of(rows, layout)
    assert source.unknown == ("gamma",)


def test_the_same_run_with_another_extra_value_is_another_run():
    same = {"a": [0.1, 0.1, 0.1], "b": [0.2] * 3, "c": [0.3] * 3, VALUE: [1.0, 1.0, 1.0]}
    rows = frame(**same).with_columns(pl.Series(":extra:old", [0.0, 1.0, 1.0]))
    (source,) = tasks_of(rows, LAYOUT)
    assert len(source.values) == 2


@pytest.mark.parametrize("where", ["full", "box", "ellipsoid"])
def test_completions_keep_what_is_known_and_obey_the_conditions(where):
    domain = domain_of(region("conditional", where))
    layout = domain.layout
    whole = domain.draw(300, np.random.default_rng(0))
    for name in ("kernel", "gamma", "C"):
        rows = whole.copy()
        rows[:, layout.position(name)] = np.nan
        full = domain.completed(rows, np.random.default_rng(1))
        configs = layout.decode(full)
        assert all(set(config) == set(layout.space.active(config)) for config in configs)
        kept = ~np.isnan(rows) & ~np.isnan(full)
        np.testing.assert_allclose(full[kept], whole[kept], atol=1e-12)
        column = full[:, layout.position(name)]
        assert len(np.unique(column[~np.isnan(column)])) > (2 if name == "kernel" else 100)


def test_best_rows_that_lack_a_value_are_candidates_where_the_models_like_them():
    known = [task(f"k{i}", 0.3, seed=i) for i in range(3)]
    lacking = task("old", 0.3, unknown=("b",), seed=9)
    sources = [*known, lacking]
    models = fit_source_models(sources, LAYOUT)
    candidates = Candidates(domain_of(CUBE), models, sources, seed=0)
    best = lacking.best(3)[0]
    rows = candidates.rows
    for row in best:
        (found,) = np.flatnonzero(np.abs(rows[:, [0, 2]] - row[[0, 2]]).max(axis=1) < 1e-12)
        assert abs(rows[found, 1] - 0.3) < 0.35  # of eight draws the best


@pytest.mark.parametrize("damage", ["value", "name", "all", "extra rows", "extra range"])
def test_damaged_sources_are_refused(damage):
    source = task("t", 0.4, unknown=("b",), extra=1)
    rows, extra, unknown = source.rows.copy(), source.extra, source.unknown
    check_source(source, LAYOUT)
    if damage == "value":
        rows[3, 1] = 0.5
    elif damage == "name":
        unknown = ("d",)
    elif damage == "all":
        rows[:], unknown = np.nan, ("a", "b", "c")
    elif damage == "extra rows":
        extra = extra[1:]
    else:
        extra = extra + 0.5
    with pytest.raises(FileError):
        check_source(replace(source, rows=rows, extra=extra, unknown=unknown), LAYOUT)


def test_a_child_of_an_unknown_parent_may_have_a_value_or_none():
    layout = Layout(full_space(SPACES["conditional"]))
    rows = layout.encode(full_space(SPACES["conditional"]).sample(40, seed=0))
    rows[:, layout.position("kernel")] = np.nan
    source = Source("t", rows, np.arange(40.0), ("kernel",))
    check_source(source, layout)
    with pytest.raises(FileError, match="row 0"):
        check_source(replace(source, unknown=("C",)), layout)


def incumbents(points) -> list[Source]:
    return [
        Source(f"t{i}", np.array([p], float), np.array([0.0]), *(
            [tuple(n for n, x in zip(CUBE_NAMES, p) if np.isnan(x))]
        ))
        for i, p in enumerate(points)
    ]  # fmt: skip


def test_incumbents_cover_the_tasks_as_the_slow_loop_does():
    points = np.random.default_rng(0).random((25, 3))
    found = covering_incumbents(incumbents(points), domain_of(CUBE), 6, seed=0)
    chosen: list[int] = []
    gaps = np.sqrt(((points[:, None] - points) ** 2).mean(axis=2))
    for _ in range(6):
        means = [gaps[:, [*chosen, i]].min(axis=1).mean() for i in range(25)]
        chosen.append(int(np.argmin(means)))
    np.testing.assert_array_equal(found, points[chosen])


def test_an_incumbent_that_lacks_a_value_counts_by_those_it_has():
    nan = np.nan
    points = [[0.1, 0.9, 0.5], [0.9, 0.1, 0.5], [0.1, nan, 0.5], [0.11, nan, 0.5]]
    found = covering_incumbents(incumbents(points), domain_of(CUBE), 4, seed=0)
    assert found.tolist() == points[:2]  # three tasks are near the first; only whole ones are tried
    alone = covering_incumbents(incumbents(points[2:]), domain_of(CUBE), 2, seed=0)
    assert alone[:, 0].tolist() == [0.1, 0.11] and not np.isnan(alone).any()


def test_one_row_a_task_gives_starting_points_without_a_model(tmp_path):
    best = usable_rows(history("mixed"), SPACES["mixed"]).frame
    best = best.filter(pl.col(VALUE) == pl.col(VALUE).min().over(TASK))[":row"]
    past = history("mixed")
    published = rf.History.from_frame(
        past.frame[best], task="task", objective="error", direction="minimize",
        parameters=list(past.roles.parameters),
    )  # fmt: skip
    learned = rf.learn(published, SPACES["mixed"])
    assert len(learned.portfolio) == 10
    assert all(start.regret is None for start in learned.portfolio)
    assert all(learned.contains(config) for config in learned.starts())
    told = [task.incumbent for task in learned.tasks]
    for config in learned.starts():
        assert any(
            all(config[n] == pytest.approx(v) if isinstance(v, float) else config[n] == v
                for n, v in one.items())
            for one in told
        )  # fmt: skip
    assert "best configurations of earlier tasks" in str(learned)
    assert any("no model says what they are worth" in note for note in learned.provenance.notes)
    learned.save(tmp_path / "learned.json")
    assert rf.load(tmp_path / "learned.json").portfolio == learned.portfolio
