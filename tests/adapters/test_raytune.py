"""Ray Tune: its own domains for boxes, a Searcher for the rest, and runs that were interrupted."""

from __future__ import annotations

import json
import os

import polars as pl
import pytest

import ringfence as rf
from problems import SPACES, Problem, region
from ringfence.history.readers.shared.runs import flat
from ringfence.learned.full import full_space

from .contract import AWKWARD, CELLS, evenly, inside

os.environ |= {"RAY_TRAIN_ENABLE_V2_MIGRATION_WARNINGS": "0", "RAY_USAGE_STATS_ENABLED": "0"}
ray = pytest.importorskip("ray")
from ray import tune  # noqa: E402
from ray.tune.schedulers import ASHAScheduler, HyperBandScheduler  # noqa: E402
from ray.tune.search.optuna import OptunaSearch  # noqa: E402

from ringfence.adapters import raytune  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    yield tmp_path_factory.mktemp("ray")
    ray.shutdown()


def train_quickly():
    """A trainable that Ray sends to its workers by value."""

    def train(config):
        for step in range(1, 5):
            tune.report({"loss": config["C"] + 1 / step})

    return train


def fit(folder, name, *, search_alg=None, scheduler=None, param_space=None, n=4):
    tuner = tune.Tuner(
        train_quickly(),
        param_space=param_space or {},
        tune_config=tune.TuneConfig(
            search_alg=search_alg, scheduler=scheduler, metric="loss", mode="min", num_samples=n,
            max_concurrent_trials=2,
        ),
        run_config=tune.RunConfig(storage_path=str(folder), name=name, verbose=0),
    )  # fmt: skip
    results = tuner.fit()
    assert not results.errors and len(results) == n
    return [result.config for result in results]


@pytest.mark.parametrize("kind", ["numeric", "mixed"])
@pytest.mark.parametrize("name", ["full", "box", "slack box"])
def test_a_box_as_a_param_space(kind, name):
    learned = region(kind, name)
    space = raytune.param_space(learned)
    for _ in range(100):
        inside(
            learned,
            {n: d.sample() if hasattr(d, "sample") else d for n, d in space.items()},
        )


@pytest.mark.parametrize("log", [False, True])
def test_both_ends_of_whole_numbers_are_drawn(log):
    domain = raytune.param_space(rf.Space({"k": rf.Int(3, 7, log), "x": rf.Float(0, 1)}))["k"]
    drawn = domain.sample(size=2000)
    assert set(drawn) == {3, 4, 5, 6, 7}
    if not log:
        evenly(drawn, 3, 7)


def test_what_a_param_space_cannot_say_is_an_error():
    with pytest.raises(rf.SettingError, match=r"raytune.searcher\(learned\), or learn with"):
        raytune.param_space(region("numeric", "ellipsoid"))
    with pytest.raises(rf.SettingError, match="no conditions: use"):
        raytune.param_space(region("conditional", "box"))
    with pytest.raises(rf.SettingError, match=r"'l2' may be off \(0\) beside its range"):
        raytune.param_space(SPACES["off"])


@pytest.mark.parametrize("kind, name", CELLS)
def test_every_suggestion_is_inside_with_or_without_a_base(kind, name):
    learned, problem = region(kind, name), Problem(SPACES[kind], 0.5)
    for base in (None, OptunaSearch(seed=0)):
        searcher = raytune.searcher(learned, "loss", "min", seed=0, base=base)
        for i in range(15):
            config = searcher.suggest(str(i))
            inside(learned, config)
            searcher.on_trial_complete(str(i), {"loss": problem(config)})


@pytest.mark.parametrize("shape", ["box", "ellipsoid"])
def test_a_name_with_a_slash_is_nested_as_the_reader_has_it(shape):
    names = {"model/lr": rf.Float(0.0, 1.0), "model/net/depth": rf.Int(1, 9), "x": rf.Float(0, 1)}
    rows = pl.DataFrame(full_space(rf.Space(names)).sample(9, seed=0))
    table = rows.with_columns(task=pl.int_range(pl.len()).cast(pl.String), loss=pl.lit(0.0))
    history = rf.History.from_frame(table, task="task", objective="loss")
    learned = rf.learn(history, rf.Space(names), shape=shape)
    for base in (None, OptunaSearch(seed=0)):
        searcher = raytune.searcher(learned, "loss", "min", seed=0, base=base)
        for i in range(5):
            config = searcher.suggest(str(i))
            assert set(config) == {"model", "x"} and set(config["model"]) == {"lr", "net"}
            inside(learned, flat(config, "/"))
    space = raytune.param_space(learned.as_space())
    assert isinstance(space["model"]["net"]["depth"], tune.search.sample.Integer)


def test_starting_points_are_nested_as_all_suggestions_are():
    space = rf.Space({"model/lr": rf.Float(0.0, 1.0), "model/net/depth": rf.Int(1, 9)})
    table = pl.DataFrame(full_space(space).sample(60, seed=0)).with_columns(
        task=pl.Series([f"t{i % 3}" for i in range(60)]),
        loss=(pl.col("model/lr") - 0.5) ** 2,
    )
    history = rf.History.from_frame(table, task="task", objective="loss")
    learned = rf.learn(history, space, shape="box", starts=3)
    searcher = raytune.searcher(learned, seed=0, starts=3)
    suggestions = [searcher.suggest(str(i)) for i in range(4)]
    for config in suggestions:
        assert set(config) == {"model"} and set(config["model"]) == {"lr", "net"}
    assert [flat(config, "/") for config in suggestions[:3]] == learned.starts(3)


@pytest.mark.parametrize("names", [("a", "a/b"), ("a/b", "a")])
def test_a_name_cannot_be_a_value_and_a_dict(names):
    space = rf.Space({name: rf.Float(0, 1) for name in names})
    for make in (raytune.searcher, raytune.param_space):
        with pytest.raises(rf.SettingError, match=r"Ray cannot nest .*: rename one"):
            make(space)


def test_a_base_learns_from_the_results():
    learned, problem = region("numeric", "ellipsoid"), Problem(SPACES["numeric"], 0.5)
    searcher = raytune.searcher(learned, "loss", "min", base=OptunaSearch(seed=0))
    values = []
    for i in range(60):
        values.append(problem(searcher.suggest(str(i))))
        searcher.on_trial_complete(str(i), {"loss": values[-1]})
    assert sum(values[-20:]) < 0.7 * sum(values[:20])


def test_awkward_choices():
    learned = full_space(AWKWARD)
    searcher = raytune.searcher(AWKWARD, "loss", "min", base=OptunaSearch(seed=0))
    for i in range(10):
        inside(learned, searcher.suggest(str(i)))


@pytest.mark.parametrize("base", [None, "optuna"])
def test_a_saved_searcher_goes_on_where_it_was(base, tmp_path):
    learned, problem = region("mixed", "ellipsoid"), Problem(SPACES["mixed"], 0.5)

    def make(seed):
        given = OptunaSearch(seed=seed) if base else None
        return raytune.searcher(learned, "loss", "min", seed=seed, base=given)

    def go(searcher, numbers):
        found = []
        for i in numbers:
            found.append(searcher.suggest(str(i)))
            searcher.on_trial_complete(str(i), {"loss": problem(found[-1])})
        return found

    searcher = make(1)
    go(searcher, range(15))
    searcher.save(str(tmp_path / "state"))
    rest = go(searcher, range(15, 20))
    again = make(2)
    again.restore(str(tmp_path / "state"))
    assert go(again, range(15, 20)) == rest
    other = raytune.searcher(learned, "loss", "min", base=None if base else OptunaSearch())
    with pytest.raises(rf.FileError, match=f"saved {'with' if base else 'without'} a base"):
        other.restore(str(tmp_path / "state"))


def test_errors_say_what_is_wrong(tmp_path):
    learned = region("numeric", "box")
    with pytest.raises(rf.SettingError, match="'min' or 'max', not 'minimize'"):
        raytune.searcher(learned, "loss", "minimize")
    with pytest.raises(rf.SettingError, match="needs metric and mode"):
        raytune.searcher(learned, base=OptunaSearch())
    taken = OptunaSearch({"x": tune.uniform(0, 1)}, metric="loss", mode="min")
    with pytest.raises(rf.SettingError, match="a space of its own"):
        raytune.searcher(learned, "loss", "min", base=taken)
    for content in ("", "[]", json.dumps({"seed": 1})):
        (tmp_path / "state").write_text(content)
        with pytest.raises(rf.FileError, match="state of a searcher"):
            raytune.searcher(learned).restore(str(tmp_path / "state"))


def test_tuner_with_schedulers_and_optuna(cluster):
    learned = region("conditional", "ellipsoid")
    asha = ASHAScheduler(max_t=4, grace_period=1)
    for config in fit(
        cluster, "asha", search_alg=raytune.searcher(learned, seed=0), scheduler=asha
    ):
        inside(learned, config)
    searcher = raytune.searcher(learned, "loss", "min", base=OptunaSearch(seed=0))
    hyperband = HyperBandScheduler(max_t=4)
    for config in fit(cluster, "hyperband", search_alg=searcher, scheduler=hyperband):
        inside(learned, config)


def test_tuner_with_a_param_space_and_optuna(cluster):
    box = rf.Space({"C": rf.Float(0.1, 10, log=True), "k": rf.Int(1, 3), "fixed": rf.Constant(7)})
    learned = full_space(box)
    space = raytune.param_space(box)
    for config in fit(cluster, "box", search_alg=OptunaSearch(seed=0), param_space=space, n=4):
        inside(learned, config)


def test_an_interrupted_run_is_restored(cluster, monkeypatch):
    monkeypatch.setenv("TUNE_GLOBAL_CHECKPOINT_S", "0")
    learned = region("conditional", "slack ellipsoid")
    armed = cluster / "armed"
    armed.touch()

    class Crash(tune.Callback):
        """Waits for what Ray saves in the background, twice: only then it is of one moment."""

        saved = 0

        def on_step_end(self, iteration, trials, **info):
            if len(trials) >= 3 and armed.exists():
                trials[0].storage.syncer.wait()
                self.saved += 1
                if self.saved == 2:
                    armed.unlink()
                    raise RuntimeError("the lights went out")

    tuner = tune.Tuner(
        train_quickly(),
        tune_config=tune.TuneConfig(
            search_alg=raytune.searcher(learned, seed=5), metric="loss", mode="min", num_samples=5,
            max_concurrent_trials=1,
        ),
        run_config=tune.RunConfig(
            storage_path=str(cluster), name="cut", verbose=0, callbacks=[Crash()]
        ),
    )  # fmt: skip
    with pytest.raises(Exception, match="the lights went out"):
        tuner.fit()
    results = tune.Tuner.restore(str(cluster / "cut"), train_quickly()).fit()
    unbroken = raytune.searcher(learned, seed=5)
    expected = [unbroken.suggest(str(i)) for i in range(5)]
    assert sorted(map(json.dumps, (r.config for r in results))) == sorted(map(json.dumps, expected))
