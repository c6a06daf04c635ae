"""Searches by cost: what is told, saved, spent and tried first."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from checking.histories import SPACE, charged, costs_of
from ringfence.checking.spending import SPENT
from ringfence.errors import SettingError, TrialError
from ringfence.optimize import loop
from ringfence.words import cost_text

WIDE = rf.Space({"a": rf.Float(0, 1), "b": rf.Float(0, 1)})


@pytest.fixture(scope="module")
def history() -> rf.History:
    return charged()


@pytest.fixture(scope="module")
def learned(history: rf.History) -> rf.LearnedSpace:
    return rf.learn(history, WIDE, shape="full")


def loss(config: dict) -> float:
    return 0.3 * (config["a"] - 0.6) ** 2 + (config["b"] - 0.5) ** 2


def price(config: dict) -> float:
    return float(costs_of(np.array([[config["a"], config["b"]]]))[0])


def test_starting_points_by_cost_are_cheap_first_and_dear_later(history, learned):
    by_trials, by_cost = learned.starting_points("trials"), learned.starting_points("cost")
    assert learned.starting_points() == by_cost
    assert len(by_cost) == len(by_trials) == 10
    assert price(by_cost[0].config) < price(by_trials[0].config) / 2
    assert by_cost[0].regret > by_trials[0].regret
    assert sum(price(start.config) for start in by_cost) < sum(
        price(start.config) for start in by_trials
    )
    medians = history.frame.group_by("task").agg(pl.col("spent").log().median())["spent"]
    level = 2.0 * np.log(10.0)  # of the tasks' costs on the mean, beside e^5a
    for start in by_cost:
        median = np.exp(medians.mean() - level)
        assert start.cost == pytest.approx(price(start.config) / median, rel=0.02)
    assert learned.costs.unit == "spent"


def test_a_learned_space_says_that_its_starting_points_are_by_cost(learned):
    used = learned.starting_points()
    said = f"10 starting points by cost: the tasks' mean regret is {used[0].regret:.2f} after the"
    assert said in str(learned)
    assert "by cost" not in str(rf.learn(charged(cost=False), WIDE, shape="full"))


def test_starting_points_by_cost_are_kept_in_the_file(learned, tmp_path):
    learned.save(tmp_path / "learned.json")
    again = rf.load(tmp_path / "learned.json")
    assert again.starting_points("cost") == learned.starting_points("cost")
    assert again.starts(3, by="trials") == learned.starts(3, by="trials")
    assert again.costs == learned.costs


def test_without_costs_nothing_changes():
    """The column of costs has no part in what is learned by trials."""
    plain = rf.learn(charged(cost=False), WIDE, shape="full")
    assert plain.costs is None and plain.portfolio_by_cost == ()
    with pytest.raises(SettingError, match="what the past runs cost"):
        plain.starts(3, by="cost")
    with pytest.raises(SettingError, match="'cost', 'trials' or 'auto'"):
        plain.starts(3, by="money")
    both = rf.learn(charged(), WIDE, shape="full")
    assert plain.starts() == both.starts(by="trials")


@pytest.mark.parametrize("name", ["transfer", "gp", "random"])
def test_by_trials_costs_change_nothing(name, history):
    def proposals(runs: rf.History, **settings: object) -> list[dict]:
        past = {} if name == "random" else {"history": runs}
        optimizer = rf.optimizer(name, WIDE, seed=0, **past, **settings)
        for _ in range(9):
            trial = optimizer.ask()
            optimizer.tell(trial, loss(trial.config), cost=price(trial.config))
        return [trial.config for trial in optimizer.trials]

    assert proposals(history, by="trials") == proposals(charged(cost=False))


def test_transfer_by_cost_spends_less_for_the_same(history):
    """Spent until half of the median loss is reached: by cost less than half."""
    draws = np.random.default_rng(1).random((500, 2))
    goal = 0.5 * float(np.median([loss({"a": a, "b": b}) for a, b in draws]))

    def spent(by: str) -> float:
        optimizer = rf.optimizer("transfer", WIDE, seed=0, history=history, by=by)
        while optimizer.best is None or optimizer.best.value > goal:
            trial = optimizer.ask()
            optimizer.tell(trial, loss(trial.config), cost=price(trial.config))
        return optimizer.cost

    assert spent("cost") < spent("trials") / 2


def test_costs_are_told_saved_and_handed_on(history, tmp_path):
    optimizer = rf.optimizer("transfer", WIDE, seed=0, history=history)
    assert optimizer.setup.by == "cost"
    for number in range(3):
        trial = optimizer.ask()
        optimizer.tell(trial, loss(trial.config), cost=2.0 + number)
    optimizer.fail(optimizer.ask(), "out of memory", cost=10.0)
    assert optimizer.cost == 19.0 and optimizer.trials[3].cost == 10.0
    optimizer.save(tmp_path / "run.json")
    again = rf.load_optimizer(tmp_path / "run.json")
    assert again.setup.by == "cost" and again.trials == optimizer.trials
    assert again.ask() == optimizer.ask()
    past = optimizer.history("today")
    assert past.frame[past.roles.cost].to_list() == [2.0, 3.0, 4.0, 10.0]


@pytest.mark.parametrize("cost", [-1.0, float("nan"), float("inf"), "much", True])
def test_a_cost_that_is_none_is_refused_and_the_trial_still_runs(cost):
    optimizer = rf.optimizer("random", SPACE, seed=0)
    trial = optimizer.ask()
    with pytest.raises(TrialError, match="trial 0: the cost"):
        optimizer.tell(trial, 1.0, cost=cost)
    with pytest.raises(TrialError, match="trial 0: the cost"):
        optimizer.fail(trial, "why", cost=cost)
    assert optimizer.tell(trial, 1.0, cost=0).cost == 0.0


class Clock:
    """A clock that stands still but for what trials take."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def objective(self, config: dict) -> float:
        self.now += price(config)
        return loss(config)


@pytest.fixture
def clock(monkeypatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(loop, "perf_counter", clock)
    return clock


@pytest.mark.parametrize("name", ["gp", "random"])
def test_minimize_stops_in_time(name, clock):
    """Costs are a smooth function here, so they are foreseen after a few trials."""
    outcome = rf.minimize(clock.objective, WIDE, name, seed=0, max_cost=400.0)
    assert outcome.optimizer.cost == clock.now
    assert 200.0 < clock.now <= 400.0
    assert "was spent" in outcome.ended and "of 400 is left" in outcome.ended
    assert all(trial.state == "done" for trial in outcome.trials)  # none was left behind
    more = rf.minimize(clock.objective, outcome.optimizer, max_cost=100.0)
    assert clock.now <= 500.0 and len(more.trials) > 0


def test_a_limit_spends_on_what_still_fits(clock):
    """A model goes on with cheap trials where the best ones would not end in time."""
    outcome = rf.minimize(clock.objective, WIDE, "gp", seed=0, max_cost=400.0)
    assert clock.now > 360.0
    left = 400.0 - outcome.optimizer.cost
    assert left < 40.0


def timed(history: rf.History) -> rf.History:
    """The same history with its costs as seconds."""
    return rf.History.from_frame(
        history.frame.rename({"spent": "seconds"}), task="task", objective="loss", cost="seconds"
    )


def test_history_costs_keep_a_dear_first_trial_from_being_started(history):
    """The dearest task's trials cost 10⁴ to 10⁶; a limit far below any task's cost starts none."""

    def objective(config: dict) -> float:
        raise AssertionError("nothing can end in time")

    past = timed(history)
    outcome = rf.minimize(objective, WIDE, "transfer", history=past, seed=0, max_cost=1e-3)
    assert outcome.trials == () and "too little for a trial" in outcome.ended


def test_a_limit_in_seconds_is_not_held_against_costs_in_another_unit(history, learned):
    with pytest.raises(SettingError, match="the history's costs are in 'spent'"):
        rf.minimize(loss, WIDE, "transfer", 3, history=history, max_cost=60.0)
    with pytest.raises(SettingError, match="the learned space's costs are in 'spent'"):
        rf.minimize(loss, learned, n_trials=3, max_cost=60.0)


def test_measured_trials_join_a_history_in_seconds(clock, history, tmp_path):
    past = timed(history)
    outcome = rf.minimize(clock.objective, WIDE, "transfer", 3, history=past, by="cost")
    outcome.optimizer.fail(outcome.optimizer.ask(), "out of memory", cost=1.0)
    outcome.optimizer.save(tmp_path / "run.json")
    for optimizer in (outcome.optimizer, rf.load_optimizer(tmp_path / "run.json")):
        own = optimizer.history("today")
        assert own.cost_unit == "seconds"
        assert own.frame[own.roles.reason].to_list() == [None] * 3 + ["out of memory"]
        both = rf.History.concat([past, own])
        assert both.cost_unit == "seconds"
        joined = both.frame.filter(both.task_column() == "today")
        assert joined[both.roles.cost].to_list() == own.frame[own.roles.cost].to_list()


def test_told_costs_are_not_called_seconds(history):
    optimizer = rf.optimizer("transfer", WIDE, history=history)
    optimizer.tell(optimizer.ask(), 1.0, cost=2.0)
    assert optimizer.history().cost_unit == "cost"
    rf.minimize(loss, optimizer, n_trials=1)
    assert optimizer.history().cost_unit == "cost"


def test_trials_are_timed_only_if_that_is_asked_for(clock, history):
    untimed = rf.minimize(clock.objective, WIDE, "transfer", 3, history=history)
    assert [trial.cost for trial in untimed.trials] == [None] * 3
    timed = rf.minimize(clock.objective, WIDE, "transfer", 3, history=history, by="cost")
    assert all(trial.cost == pytest.approx(price(trial.config)) for trial in timed.trials)


def test_seconds_are_not_added_to_costs_that_were_told(clock):
    optimizer = rf.optimizer("random", WIDE)
    optimizer.tell(optimizer.ask(), 1.0, cost=2.0)
    rf.minimize(clock.objective, optimizer, n_trials=2)
    assert clock.now > 0.0 and optimizer.cost == 2.0
    with pytest.raises(SettingError, match=r"seconds that trials take, .* was told"):
        rf.minimize(clock.objective, optimizer, max_cost=60.0)


def test_trials_that_were_cut_short_wait_without_spending(clock):
    """Any of them fits into the limit alone, and all five do not."""
    optimizer = rf.minimize(clock.objective, WIDE, "random", 12, seed=0, by="cost").optimizer
    waiting = [optimizer.ask() for _ in range(5)]
    limit = 1.3 * max(price(trial.config) for trial in waiting)
    before = optimizer.cost
    outcome = rf.minimize(clock.objective, optimizer, max_cost=limit)
    assert 0.0 < optimizer.cost - before <= limit
    states = [outcome.trials[trial.number].state for trial in waiting]
    assert "done" in states and "running" in states


def test_a_dear_trial_that_waits_does_not_end_a_search(clock):
    optimizer = rf.minimize(clock.objective, WIDE, "random", 12, seed=0, by="cost").optimizer
    dear = optimizer.ask()
    while price(dear.config) < 60.0:
        optimizer.tell(dear, 1.0, cost=price(dear.config))
        dear = optimizer.ask()
    outcome = rf.minimize(clock.objective, optimizer, max_cost=40.0)
    assert outcome.trials[dear.number].state == "running"
    assert len(outcome.trials) > dear.number + 1


@pytest.mark.parametrize("limit", [0, -1.0, "an hour", True, np.True_, float("nan")])
def test_a_limit_that_is_none_is_refused(limit):
    with pytest.raises(SettingError, match="max_cost must be a positive number"):
        rf.minimize(loss, WIDE, max_cost=limit)


@pytest.mark.parametrize("limit", [np.int64(60), np.float32(60.0), 60])
def test_any_number_is_a_limit(clock, limit):
    """Such as the sum of a column."""
    assert rf.minimize(clock.objective, WIDE, "random", 2, max_cost=limit).trials


def test_the_bar_shows_cost_used_and_left(clock, capsys):
    rf.minimize(clock.objective, WIDE, "random", 2, seed=0, max_cost=1e6, progress=True)
    assert "1e+06 left" in capsys.readouterr().err.replace("\n", " ")


def test_the_bar_counts_what_a_failure_cost_at_once(clock, capsys):
    def objective(config: dict) -> float:
        clock.now += 25.0
        raise ValueError("out of memory")

    rf.minimize(objective, WIDE, "random", 1, seed=0, max_cost=100.0, progress=True)
    assert "cost 25, 75 left" in " ".join(capsys.readouterr().err.split())


def test_the_check_counts_what_is_spent(history):
    """All tasks cost e^(5a) times their level, the median random trial about e^2.5 of it."""
    check = rf.check(history, WIDE, shape="full")
    spending = check.starts.spending
    assert spending.unit == "spent" and spending.n_tasks == 5
    assert spending.typical == pytest.approx(np.exp(2.5) * 100.0, rel=0.3)
    assert spending.spent == SPENT
    assert list(spending.random) == sorted(spending.random, reverse=True)
    assert spending.starts[SPENT.index(2.0)] < spending.random[SPENT.index(2.0)] / 2
    assert spending.random_needs > 3.0 * spending.total
    assert "by cost: these 10 starting points cost" in str(check)
    assert "in median trials" in check._repr_html_()
    by_trials = rf.check(history, WIDE, shape="full", by="trials")
    assert by_trials.starts.spending is None and "by cost" not in str(by_trials)
    with pytest.raises(SettingError, match="what the runs cost"):
        rf.check(charged(cost=False), WIDE, shape="full", by="cost")


def test_the_median_and_the_mean_trial_are_those_of_the_space(history):
    """Costs are e^(5a) times the task's level, and a is uniform: both are known."""
    starts = rf.check(history, WIDE, shape="full").starts
    up, spending = starts.speed_ups[-1], starts.spending
    median, mean = np.exp(2.5), (np.exp(5.0) - 1.0) / 5.0
    assert spending.typical == pytest.approx(100.0 * median, rel=0.04)
    assert spending.random_needs == pytest.approx(up.value * up.draws * mean / median, rel=0.04)


def test_random_search_by_cost_hardly_depends_on_the_draw(history, monkeypatch):
    curves = []
    for seed in range(3):
        monkeypatch.setattr("ringfence.checking.spending.SEED", seed)
        curves.append(rf.check(history, WIDE, shape="full").starts.spending.random)
    assert np.ptp(curves, axis=0).max() < 0.07


def test_the_check_names_the_tasks_whose_costs_it_does_not_know(history):
    frame, column = history.frame, history.roles.cost
    unknown = pl.when(pl.col("task") == frame["task"][0]).then(None).otherwise(pl.col(column))
    some = rf.History.from_frame(
        frame.with_columns(unknown.alias(column)), task="task", objective="loss",
        parameters=["a", "b"], cost=column,
    )  # fmt: skip
    check = rf.check(some, WIDE, shape="full")
    assert check.starts.spending.without == (str(frame["task"][0]),)
    assert f"(over 4 tasks; of {frame['task'][0]} too few costs are known)" in str(check)
    assert "too few costs" not in str(rf.check(history, WIDE, shape="full"))


def test_a_check_by_costs_that_are_all_unknown_names_their_column():
    """Whoever named a column of zeros need not be told to name one."""
    with pytest.raises(SettingError, match="of no finished run the cost in 'spent' is known"):
        rf.check(priced(np.zeros(300)), WIDE, shape="full", by="cost")
    with pytest.raises(SettingError, match=r"name the column as cost=… \(--cost …\)"):
        rf.check(charged(cost=False), WIDE, shape="full", by="cost")


def priced(costs: np.ndarray) -> rf.History:
    frame = charged().frame.with_columns(spent=pl.Series(costs))
    return rf.History.from_frame(
        frame, task="task", objective="loss", parameters=["a", "b"], cost="spent"
    )


def test_trials_of_one_price_cost_their_number():
    starts = rf.check(priced(np.full(300, 60.0)), WIDE, shape="full").starts
    up, spending = starts.speed_ups[-1], starts.spending
    assert spending.typical == pytest.approx(60.0) and spending.total == pytest.approx(10.0)
    assert spending.random_needs == pytest.approx(up.value * up.draws)


def test_totals_of_noisy_costs_are_expected_ones():
    """Whatever the configuration, a trial costs the mean of the costs."""
    noise = np.random.default_rng(0).lognormal(0.0, 1.0, 300)
    spending = rf.check(priced(noise), WIDE, shape="full").starts.spending
    assert noise.mean() > 1.4 * np.median(noise)
    assert spending.total * spending.typical == pytest.approx(10.0 * noise.mean(), rel=0.2)


@pytest.mark.parametrize(
    ("cost", "unit", "text"),
    [
        (12.3, "seconds", "12 seconds"),
        (0.034, "seconds", "0.034 seconds"),
        (89.0, "seconds", "89 seconds"),
        (41 * 60.0, "seconds", "41 minutes"),
        (6.2 * 3600, "seconds", "6.2 hours"),
        (4 * 86_400.0, "seconds", "4 days"),
        (1234.0, "dollars", "1,234 dollars"),
        (1e308, "dollars", "1e+308 dollars"),
        (1e308, "seconds", "1.2e+303 days"),
    ],
)
def test_costs_in_words(cost, unit, text):
    assert cost_text(cost, unit) == text


def test_costs_beyond_all_floats_are_refused_or_no_limit():
    optimizer = rf.optimizer("random", rf.Space({"x": rf.Float(0.0, 1.0)}), seed=0)
    with pytest.raises(rf.TrialError, match="it must be finite"):
        optimizer.tell(optimizer.ask(), 0.5, cost=10**400)
    space = rf.Space({"x": rf.Float(0.0, 1.0)})
    assert len(rf.minimize(lambda c: c["x"], space, n_trials=2, max_cost=10**400).trials) == 2
