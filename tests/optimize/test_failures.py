"""What fails: the model of failures, its evidence, the zone, and what a search makes of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import msgspec
import numpy as np
import polars as pl
import pytest
from scipy.optimize import minimize
from scipy.special import expit

import ringfence as rf
from failing import LIMITS, SPACE, history_of, runs_of
from ringfence.errors import FileError
from ringfence.learned.full import full_space
from ringfence.learned.zone.odds import Feature, Term
from ringfence.learned.zone.rule import Zone, zone_fault
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.log import TrialLog
from ringfence.optimize.risk import logistic
from ringfence.optimize.risk.basis import Basis
from ringfence.optimize.risk.chance import SLOPE, Chance
from ringfence.optimize.risk.evidence import ENOUGH, evidence
from ringfence.optimize.risk.kept import chance_from
from ringfence.optimize.risk.runs import MOST_RUNS, Runs
from ringfence.optimize.risk.zone_search import (
    FAILING,
    FOLDS,
    LEAST_FAILED,
    MOST_SHARE,
    Marked,
    _held,
)
from ringfence.optimize.risk.zones import find_zone
from ringfence.optimize.trial import PRUNED, Trial
from ringfence.optimize.weighing.failure import AVERSION, weight

LAYOUT = Layout(full_space(SPACE))


def features_of(runs: pl.DataFrame) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The features of finished and failed runs of each task."""
    passed, failed = [], []
    for _, task in runs.group_by("task", maintain_order=True):
        rows = LAYOUT.encode(task.select(list(SPACE)).to_dicts())
        bad = (task["status"] != "ok").to_numpy()
        passed.append(LAYOUT.features(rows[~bad]))
        failed.append(LAYOUT.features(rows[bad]))
    return passed, failed


def test_the_fit_is_the_mode_of_the_posterior():
    rng = np.random.default_rng(0)
    Phi, task = rng.standard_normal((60, 3)), np.repeat([0, 1, 2], 20)
    y = (rng.random(60) < expit(Phi @ [1.0, -1.0, 0.0] - 1)).astype(float)
    offset, kinds = rng.standard_normal(60) * 0.3, np.array([0, 0, 1])
    start = logistic.Fit(0.0, np.zeros(3), np.zeros(3), logistic.Deviations(0.7, (0.9, 0.4)))
    fit = logistic.fit(Phi, y, task, offset, kinds, start, settled=True)

    def minus_log_posterior(at):
        mean, e, b = at[0], at[1:4], at[4:]
        odds = offset + mean + e[task] + Phi @ b
        prior = ((mean - logistic.MEAN) / logistic.SPREAD) ** 2 + (e**2).sum() / 0.7**2
        prior += (b**2 / np.array([0.9, 0.9, 0.4]) ** 2).sum()
        return -logistic.log_likelihood(odds, y) + 0.5 * prior

    best = minimize(minus_log_posterior, np.zeros(7), method="BFGS", options={"gtol": 1e-8}).x
    np.testing.assert_allclose([fit.mean, *fit.e, *fit.b], best, atol=1e-4)


def test_an_intercept_of_its_own_gives_the_rate_of_the_task():
    f = np.linspace(-3, 3, 40)
    y = (np.arange(40) % 4 == 0).astype(float)
    a = logistic.own_intercept(f, y)
    assert expit(a + f).sum() == pytest.approx(40 * 10.5 / 41)
    assert math.isfinite(logistic.own_intercept(f, np.ones(40)))


def test_a_choice_of_runs_shifts_the_log_odds_by_its_offset():
    rng = np.random.default_rng(0)
    passed, failed = [rng.random((9000, 1))], [rng.random((300, 1))]
    runs = Runs.of(passed, failed)
    assert len(runs.y) == MOST_RUNS
    shown = math.log(runs.y.sum() / (1 - runs.y).sum())
    assert shown - runs.offset[0] == pytest.approx(math.log(300 / 9000))
    assert runs.weight @ runs.y == pytest.approx(300)
    assert runs.weight.sum() == pytest.approx(9300)


def test_a_task_that_joins_leaves_the_choice_of_runs_of_the_others():
    rng = np.random.default_rng(0)
    passed, failed = ([rng.random((n, 1)) for n in counts] for counts in ([900] * 30, [300] * 30))
    names = [f"task {t}" for t in range(30)]
    before = Runs.of(passed[1:], failed[1:], names[1:])
    after = Runs.of(passed, failed, names)
    assert np.isin(after.X[after.task > 0], before.X).all()
    assert (np.bincount(after.task) == 4096 // 30).all()


def test_a_basis_is_centered_and_has_products_of_different_parameters():
    X = LAYOUT.features(LAYOUT.encode(full_space(SPACE).sample(200, seed=0)))
    basis = Basis.of(X, LAYOUT.groups)
    Phi = basis.at(X)
    np.testing.assert_allclose(Phi.mean(axis=0), 0, atol=1e-10)
    np.testing.assert_allclose(Phi.std(axis=0), 1)
    pairs = {(int(i), int(j)) for i, j in zip(basis.first, basis.second) if j >= 0 and i != j}
    assert all(LAYOUT.groups[i] != LAYOUT.groups[j] for i, j in pairs)
    assert (0, 1) in pairs


def test_failures_beyond_an_edge_are_predicted_in_a_task_left_out():
    passed, failed = features_of(runs_of())
    chance = Chance.of(passed[:3], failed[:3], LAYOUT.groups)
    assert chance is not None
    new = chance.given(np.empty((0, passed[0].shape[1])), np.empty(0, bool))
    assert np.median(new.failure(failed[3])) > 0.7
    assert np.median(new.failure(passed[3])) < 0.1
    np.testing.assert_allclose(np.exp(new.log_success(failed[3])), 1 - new.failure(failed[3]))
    np.testing.assert_allclose(chance.slopes(passed[3]), chance.basis.at(passed[3]) @ chance.b)


@pytest.mark.parametrize("rate", [0.05, 0.1, 0.3])
def test_random_failures_are_no_evidence(rate):
    for seed in range(5):
        passed, failed = features_of(runs_of(seed=seed, rate=rate))
        assert Chance.of(passed, failed, LAYOUT.groups) is None


def test_evidence_needs_two_tasks_in_which_runs_failed_and_others_did_not():
    passed, failed = features_of(runs_of())
    one = [failed[0], *(rows[:0] for rows in failed[1:])]
    assert Chance.of(passed, one, LAYOUT.groups) is None
    runs = Runs.of(passed, one)
    basis = Basis.of(runs.X, LAYOUT.groups)
    Phi = basis.at(runs.X)
    fit = logistic.fit(Phi, runs.y, runs.task, runs.offset, basis.kinds)
    assert evidence(Phi, runs, basis.kinds, fit) == -math.inf < ENOUGH


def test_trials_of_the_new_task_move_its_chance():
    passed, failed = features_of(runs_of())
    chance = Chance.of(passed[:3], failed[:3], LAYOUT.groups)
    assert chance is not None
    nothing = chance.given(passed[3][:0], np.empty(0, bool))
    np.testing.assert_allclose(nothing.at, [chance.mean, 1.0])
    np.testing.assert_allclose(nothing.covariance, np.diag([chance.deviation**2, SLOPE**2]))
    edge = passed[3][[np.argmax(nothing.failure(passed[3]))]]
    after_failure = chance.given(np.repeat(edge, 3, axis=0), np.ones(3, bool))
    after_success = chance.given(np.repeat(edge, 3, axis=0), np.zeros(3, bool))
    assert after_failure.failure(edge) > nothing.failure(edge) > after_success.failure(edge)


def zone_of(runs: pl.DataFrame) -> Zone | None:
    passed, failed, values = [], [], []
    for _, task in runs.group_by("task", maintain_order=True):
        rows = LAYOUT.encode(task.select(list(SPACE)).to_dicts())
        bad = (task["status"] != "ok").to_numpy()
        passed.append(rows[~bad])
        failed.append(rows[bad])
        values.append(task["loss"].to_numpy()[~bad])
    return find_zone(LAYOUT, passed, failed, values)


def test_the_zone_is_the_product_that_decides_and_its_counts_are_those_of_the_runs():
    runs = runs_of()
    zone = zone_of(runs)
    assert zone is not None
    assert zone.parameters == ("batch", "width")
    assert not zone.below and not zone.ratio and not zone.only
    assert min(LIMITS) <= zone.threshold <= 1.1 * max(LIMITS)
    inside = runs.filter(pl.col("batch") * pl.col("width") >= zone.threshold)
    assert zone.runs == inside.height
    assert zone.failed == (inside["status"] != "ok").sum() >= FAILING * zone.runs
    assert zone.tasks == 4
    assert 0 < zone.share <= MOST_SHARE
    draws = full_space(SPACE).sample(4000, seed=1)
    share = np.mean([zone.contains(SPACE, config) for config in draws])
    assert share == pytest.approx(zone.share, abs=0.03)


def most_failures(runs: Marked, w: np.ndarray, k: int, q: int) -> float:
    """The most failures that a threshold of rule k holds for choice q, by trying them all."""
    held = [0.0]
    for threshold in np.unique(runs.S[k][~np.isnan(runs.S[k])]):
        inside = (runs.S[k] >= threshold) & runs.M[q]
        failed, every = (w * runs.y)[inside].sum(), w[inside].sum()
        if (
            failed >= max(FAILING * every, LEAST_FAILED)
            and not (runs.barred & inside & (w > 0)).any()
        ):
            held.append(failed)
    return max(held)


@pytest.mark.parametrize("seed", range(4))
def test_the_failures_that_rules_hold_are_those_of_their_best_thresholds(seed):
    """Scores with ties and gaps, failures at the top of some rules, all runs and without a fold."""
    rng = np.random.default_rng(seed)
    n, task = 400, np.repeat(np.arange(6), [100, 90, 80, 60, 40, 30])
    y = (rng.random(n) < 0.15).astype(float)
    S = np.round(rng.normal(size=(6, n)) + 4.0 * y * (np.arange(6) > 1)[:, None], 1)
    S[rng.random(S.shape) < 0.1] = np.nan
    M = np.array([np.ones(n, bool), rng.random(n) < 0.5])
    barred = (rng.random(n) < 0.05) & (y == 0)
    w = 1.0 + rng.integers(0, 3, n)
    runs = Marked(S, M, np.zeros(6, int), y, w, task, barred, S, M)
    for counted in (np.ones(n, bool), task % FOLDS != 0, task % FOLDS != 3):
        weights = np.where(counted, w, 0.0)
        expected = [[most_failures(runs, weights, k, q) for q in (0, 1)] for k in range(6)]
        np.testing.assert_allclose(_held(runs, weights), expected)
    assert np.max(expected) > 2 * LEAST_FAILED and len(runs.rankings[0][0][0]) < n


def test_a_zone_for_one_choice_only():
    runs = runs_of(200).with_columns(
        pl.when(pl.col("kind") == "b").then(pl.lit("ok")).otherwise("status").alias("status"),
        pl.col("loss").fill_nan(9.0),
    )
    zone = zone_of(runs)
    assert zone is not None
    assert zone.only == {"kind": "a"}
    assert zone.contains(SPACE, {"batch": 1024, "width": 512, "rate": 0.01, "kind": "a"})
    assert not zone.contains(SPACE, {"batch": 1024, "width": 512, "rate": 0.01, "kind": "b"})


def test_no_zone_holds_the_best_run_of_a_task_or_what_one_task_survives():
    runs = runs_of()
    assert zone_of(runs) is not None
    survives = pl.col("task") == "t2"
    spared = runs.with_columns(
        pl.when(survives).then(pl.lit("ok")).otherwise("status").alias("status"),
        pl.col("loss").fill_nan(9.0),
    )
    assert zone_of(spared) is None
    far = (pl.col("batch") * pl.col("width")).rank("ordinal", descending=True).over("task") == 1
    best = runs.with_columns(
        pl.when(far).then(pl.lit("ok")).otherwise("status").alias("status"),
        pl.when(far).then(-1.0).otherwise("loss").alias("loss"),
    )
    zone = zone_of(best)
    kept = best.filter(far).select(list(SPACE)).to_dicts()
    assert zone is None or not any(zone.contains(SPACE, config) for config in kept)


PLANE = rf.Space({"x": rf.Float(0.0, 1.0), "u": rf.Float(0.0, 1.0)})


def zone_beyond(
    space: rf.Space, n: int, fails: Callable[[np.ndarray, np.random.Generator], np.ndarray]
) -> tuple[Zone | None, list[tuple[np.ndarray, np.ndarray]]]:
    """The zone of four tasks of n random runs; and which of each task's runs in it failed, and
    which are of its best 5 %."""
    layout, rng = Layout(full_space(space)), np.random.default_rng(0)
    tasks = []
    for _ in range(4):
        rows = layout.encode(full_space(space).sample(n, seed=int(rng.integers(10**6))))
        bad = fails(layout.columns(rows)["x"], rng)
        tasks.append((rows, bad, np.where(bad, np.inf, rng.random(n))))
    zone = find_zone(
        layout,
        [rows[~bad] for rows, bad, _ in tasks],
        [rows[bad] for rows, bad, _ in tasks],
        [value[~bad] for _, bad, value in tasks],
    )
    held = []
    for rows, bad, value in tasks if zone is not None else []:
        inside = zone.inside(space, layout.columns(rows))
        best = np.argsort(np.argsort(value)) < max(1, int(0.05 * (~bad).sum()))
        held.append((bad[inside], best[inside]))
    return zone, held


@pytest.mark.parametrize("rate", [0.9, 0.97, 1.0])
def test_a_zone_keeps_its_conditions_in_all_runs_however_many(rate):
    zone, held = zone_beyond(PLANE, 1500, lambda x, rng: (x >= 0.8) & (rng.random(1500) < rate))
    assert zone is not None or rate < 1
    assert all(bad.mean() >= 0.75 and not best.any() for bad, best in held)
    if zone is not None:
        assert zone.failed >= FAILING * zone.runs


@pytest.mark.parametrize(
    ("x", "edge"),
    [
        (rf.Int(1000, 1040), 1031),
        (rf.Int(2000, 2009), 2008),
        (rf.Float(1e5, 100_300.0), 100_240.0),
        (rf.Float(1000.0, 1001.0), 1000.8),
    ],
)
def test_a_zone_of_a_narrow_range_has_the_digits_that_it_needs(x, edge):
    space = rf.Space({"x": x, "u": rf.Float(0.0, 1.0)})
    zone, _ = zone_beyond(space, 100, lambda x, rng: x >= edge)
    assert zone is not None
    assert abs(zone.threshold - edge) <= 0.03 * (x.high - x.low)
    assert float(zone.rule.removeprefix("x ≥ ").replace(",", "")) == zone.threshold


def test_the_share_of_a_zone_is_that_of_its_rule_and_a_quarter_at_most():
    """Uniform numbers: what lies above a threshold is one minus it."""
    for edge in (0.5, 0.7, 0.8, 0.95):
        zone, _ = zone_beyond(PLANE, 400, lambda x, rng, edge=edge: x >= edge)
        assert zone is not None and zone.axis == "x"
        assert zone.share == pytest.approx(1.0 - zone.threshold, abs=0.01)  # three deviations
        assert zone.share <= MOST_SHARE and zone.cut == (edge < 0.75)


def test_a_zone_of_nearly_a_quarter_that_holds_all_failures_was_not_cut():
    """With the tenth of other runs that a zone bears it would be more than a quarter."""
    for edge in (0.76, 0.77, 0.8):
        zone, _ = zone_beyond(PLANE, 400, lambda x, rng, edge=edge: x >= edge)
        assert zone is not None and zone.threshold == pytest.approx(edge, abs=0.025)
        assert not zone.cut and "begin earlier" not in str(zone)


def test_no_zone_of_a_rule_that_holds_more_than_a_quarter_wherever_it_is_cut():
    """Of three values the largest has a third of the space, and no other rule is as short."""
    space = rf.Space({"x": rf.Int(1, 3), "u": rf.Float(-1.0, 1.0)})
    zone, _ = zone_beyond(space, 400, lambda x, rng: x >= 3)
    assert zone is None


def test_random_failures_have_no_zone():
    assert all(zone_of(runs_of(seed=seed, rate=0.3)) is None for seed in range(5))


def test_a_zone_that_was_cut_to_a_quarter_says_so():
    """All runs with a batch of at least 64 fail, more than half of the space; or at least 512."""
    for limit, cut in ((64, True), (512, False)):
        fails = pl.col("batch") >= limit
        runs = runs_of().with_columns(
            loss=pl.when(fails).then(None).otherwise((pl.col("rate").log10() + 2.5) ** 2),
            status=pl.when(fails).then(pl.lit("out_of_memory")).otherwise(pl.lit("ok")),
        )
        zone = rf.learn(history_of(runs), SPACE, starts=0).zone
        assert zone is not None and zone.cut == cut
        assert ("failures begin earlier" in str(zone)) == cut


def test_a_learned_space_has_prints_and_keeps_its_zone(tmp_path):
    learned = rf.learn(history_of(runs_of()), SPACE, starts=0)
    assert learned.zone is not None
    line = next(line for line in str(learned).splitlines() if line.startswith("no-go zone: "))
    assert f"{learned.zone.failed} of {learned.zone.runs} runs (4 tasks)" in line
    assert line.endswith("% of the space") and ", about " in line  # by draws
    learned.save(tmp_path / "learned.json")
    assert rf.load(tmp_path / "learned.json").zone == learned.zone
    assert rf.learn(history_of(runs_of(), "ignore"), SPACE, starts=0).zone is None
    assert rf.learn(history_of(runs_of(rate=0.2)), SPACE, starts=0).zone is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"parameters": ("depth",)}, "not a parameter"),
        ({"parameters": ("kind",)}, "no number"),
        ({"only": {"kind": "c"}}, "does not have"),
        ({"failed": 9}, "more failed runs"),
        ({"parameters": ("batch",), "ratio": True}, "ratio"),
        ({"parameters": ("batch", "batch")}, "twice"),
        ({"tasks": 5}, "more tasks than runs"),
        ({"threshold": -1e308}, "the whole space"),
        ({"threshold": 1024.0, "below": True}, "the whole space"),
        ({"parameters": ("batch", "width"), "threshold": 8 / 512, "ratio": True}, "whole space"),
    ],
)
def test_a_zone_that_does_not_fit_the_space_is_refused(change, words, tmp_path):
    said = {"parameters": ("batch",), "threshold": 9.0, "failed": 3, "runs": 4, "tasks": 1}
    zone = Zone(**said | change, share=0.1)
    assert words in zone_fault(zone, SPACE)
    learned = rf.learn(history_of(runs_of()), SPACE, starts=0)
    replace(learned, zone=zone).save(tmp_path / "learned.json")
    with pytest.raises(FileError, match=words):
        rf.load(tmp_path / "learned.json")


def searched(name: str, seed: int, failures: str) -> list[bool]:
    """Which of 15 trials fail in a task with a limit of 25,000."""
    history = history_of(runs_of(60), failures)
    if name == "transfer":
        optimizer = rf.optimizer(name, SPACE, seed=seed, history=history, direction="minimize")
    else:
        learned = rf.learn(history, SPACE, shape="full", starts=5)
        optimizer = rf.optimizer(name, learned, seed=seed, direction="minimize")
    failed = []
    for _ in range(15):
        trial = optimizer.ask()
        c = trial.config
        failed.append(c["batch"] * c["width"] >= 25_000)
        # the larger the better, up to where it fails
        value = -math.log(c["batch"] * c["width"]) + (math.log10(c["rate"]) + 2.5) ** 2
        optimizer.fail(trial, "memory") if failed[-1] else optimizer.tell(trial, value)
    return failed


@pytest.mark.parametrize("name", ["transfer", "gp"])
def test_a_search_that_knows_of_failures_fails_less(name):
    known = sum(sum(searched(name, seed, "keep")) for seed in range(2))
    ignored = sum(sum(searched(name, seed, "ignore")) for seed in range(2))
    assert known < ignored


def test_random_failures_change_no_digit_of_a_search():
    runs = runs_of(60, rate=0.1)
    for name in ("transfer", "gp"):
        asked = []
        for failures in ("keep", "ignore"):
            history = history_of(runs, failures)
            optimizer = rf.optimizer(name, SPACE, seed=0, history=history, direction="minimize")
            for k in range(7):
                trial = optimizer.ask()
                asked.append(trial.config)
                optimizer.tell(trial, float(k % 3))
        assert asked[:7] == asked[7:]


def test_starting_points_avoid_what_fails():
    kept = rf.learn(history_of(runs_of()), SPACE, shape="full", starts=10)
    zone = kept.zone
    assert zone is not None
    assert not any(zone.contains(SPACE, config) for config in kept.starts())


def test_a_weight_is_the_chance_of_a_result_less_the_failures_for_each():
    np.testing.assert_allclose(weight(np.log([1.0, 0.5])), [0.0, math.log(0.5) - AVERSION])
    assert np.isfinite(weight(np.array([-1e9]))).all()


def test_a_learned_space_keeps_the_chance_of_its_tasks(tmp_path):
    runs = runs_of()
    learned = rf.learn(history_of(runs), SPACE, starts=0)
    learned.save(tmp_path / "learned.json")
    kept = rf.load(tmp_path / "learned.json").odds
    passed, failed = features_of(runs)
    chance = Chance.of(passed, failed, LAYOUT.groups)
    assert chance is not None and kept is not None
    back = chance_from(kept, LAYOUT)
    X = np.concatenate([*passed, *failed])
    np.testing.assert_allclose(back.slopes(X), chance.slopes(X), atol=0.1)
    assert (back.mean, back.deviation) == (chance.mean, chance.deviation)


@pytest.mark.parametrize(
    "feature", [Feature("depth"), Feature("kind"), Feature("kind", 2), Feature("batch", 0)]
)
def test_odds_that_do_not_fit_the_space_are_refused(feature, tmp_path):
    learned = rf.learn(history_of(runs_of()), SPACE, starts=0)
    assert learned.odds is not None
    wrong = msgspec.structs.replace(learned.odds, terms=(Term((feature,), 1.0),))
    replace(learned, odds=wrong).save(tmp_path / "learned.json")
    with pytest.raises(FileError, match="the odds name"):
        rf.load(tmp_path / "learned.json")


@pytest.mark.parametrize(
    "change",
    [
        *({name: far} for name in ("mean", "constant") for far in (-1e308, 1e308)),
        {"deviation": 1e-300},
        {"deviation": 1e300},
        {"evidence": -50.0},
        {"terms": ()},
        {"terms": (Term((Feature("batch"),), 1e308),)},
        {"terms": (Term((Feature("batch"), Feature("width")), 1.0),) * 2},
        {
            "terms": (
                Term((Feature("batch"), Feature("width")), 1.0),
                Term((Feature("width"), Feature("batch")), 1.0),
            )
        },
    ],
)
def test_odds_that_no_fit_gives_are_refused(change, tmp_path):
    learned = rf.learn(history_of(runs_of()), SPACE, starts=0)
    assert learned.odds is not None
    wrong = msgspec.structs.replace(learned.odds, **change)
    replace(learned, odds=wrong).save(tmp_path / "learned.json")
    with pytest.raises(FileError):
        rf.load(tmp_path / "learned.json")


@pytest.mark.parametrize("far", [-1e9, 1e9])
@pytest.mark.parametrize("deviation", [1e-4, 1e3])
def test_the_farthest_odds_that_are_received_are_chances(far, deviation):
    learned = rf.learn(history_of(runs_of()), SPACE, starts=0)
    assert learned.odds is not None
    terms = tuple(msgspec.structs.replace(term, slope=far) for term in learned.odds.terms)
    odds = msgspec.structs.replace(
        learned.odds, mean=far, constant=far, deviation=deviation, terms=terms
    )
    X = LAYOUT.features(LAYOUT.encode(full_space(SPACE).sample(50, seed=0)))
    for n in (0, 1, 7):
        new = chance_from(odds, LAYOUT).given(X[:n], np.arange(n) % 3 == 0)
        assert np.isfinite(weight(new.log_success(X))).all()


@pytest.mark.parametrize("change", [{"runs": 10**17}, {"share": 1.0}])
def test_counts_and_shares_that_cannot_be_are_refused(change, tmp_path):
    learned = rf.learn(history_of(runs_of()), SPACE, starts=0)
    assert learned.zone is not None
    wrong = msgspec.structs.replace(learned.zone, **change)
    replace(learned, zone=wrong).save(tmp_path / "learned.json")
    with pytest.raises(FileError):
        rf.load(tmp_path / "learned.json")


def test_pruned_trials_say_nothing_about_failures():
    learned = rf.learn(history_of(runs_of()), SPACE, shape="full", starts=0)
    method = rf.optimizer("gp", learned, seed=0).method
    (failures,) = method.weighing.weights
    config = {"batch": 256, "width": 64, "rate": 0.01, "kind": "a"}
    found = []
    for reason in (None, PRUNED, "memory"):
        trials = [] if reason is None else [Trial(0, config, state="failed", reason=reason)]
        log = TrialLog(LAYOUT, trials)
        found.append(failures.log_weights(LAYOUT.encode([config]), log)[0])
    assert found[0] == found[1] > found[2]


def test_a_resumed_search_weighs_as_before(tmp_path):
    optimizer = rf.optimizer(
        "transfer", SPACE, seed=0, history=history_of(runs_of(60)), direction="minimize"
    )
    for k in range(3):
        trial = optimizer.ask()
        optimizer.fail(trial, "memory") if k == 1 else optimizer.tell(trial, 1.0 - 0.1 * k)
    optimizer.save(tmp_path / "state.json")
    assert rf.load_optimizer(tmp_path / "state.json").ask() == optimizer.ask()
