"""A random sample and the best row of each task, and long layouts, inside DuckDB."""

from __future__ import annotations

import ibis
import numpy as np
import polars as pl
import pytest

import ringfence as rf

pytestmark = pytest.mark.filterwarnings(  # Ibis 12 with DuckDB 2
    "ignore:fetch_.*is deprecated:DeprecationWarning"
)


def engine(frame: pl.DataFrame):
    connection = ibis.duckdb.connect(threads=1)
    connection.con.register("frame", frame.to_arrow())
    connection.con.execute("CREATE TABLE runs AS FROM frame")
    return connection.table("runs")


def runs(n: int = 30_000, tasks: int = 6) -> pl.DataFrame:
    """Few runs of the first task, and many of the others, of which some failed."""
    rng = np.random.default_rng(0)
    task = np.where(rng.random(n) < 0.002, 0, rng.integers(1, tasks, n))
    x = rng.random(n)
    loss = np.abs(x - 0.1 * task) + rng.exponential(0.1, n)
    loss[rng.random(n) < 0.01] = np.nan
    kernel = rng.choice(["rbf", "poly"], n)
    names = [f"t{each}" for each in task]
    return pl.DataFrame({"task": names, "x": x, "kernel": kernel, "loss": loss})


def read(frame, **options):
    return rf.read_history(engine(frame), task="task", objective="loss", **options)


@pytest.mark.parametrize("sample", [10, 256])
def test_a_sample_has_the_best_row_and_so_many_at_random(sample):
    frame = runs()
    history = read(frame, sample=sample)
    found = history.frame.group_by("task").agg(pl.len(), pl.col("loss").min().alias("best"))
    finite = frame.filter(pl.col("loss").is_finite())
    truth = finite.group_by("task").agg(pl.len().alias("n"), pl.col("loss").min().alias("least"))
    both = found.join(truth, on="task")
    assert both.height == 6 and both["best"].to_list() == both["least"].to_list()
    wanted = np.minimum(sample, both["n"].to_numpy())
    assert ((both["len"] == wanted) | (both["len"] == wanted + 1)).all()
    assert history.selection is None
    assert any(f"the best and a random {sample} of each task" in note for note in history.notes)
    assert any("loss is missing or not finite" in note for note in history.notes)


def test_a_sample_says_that_failed_runs_stay_behind():
    said = "failed runs are not read in a sample"
    assert any(said in note for note in read(runs(), sample=64).notes)
    assert not any(said in note for note in read(runs().drop_nans(), sample=64).notes)


def test_the_sample_is_that_of_random_rows():
    """The share of sampled values below the median of all, 5 tasks of 256: outside of 0.5 ± 0.07
    once in a million."""
    frame = runs().filter(pl.col("task") != "t0")
    history = read(frame, sample=256)
    medians = (
        frame.filter(pl.col("loss").is_finite())
        .group_by("task")
        .agg(pl.col("loss").median().alias("median"))
    )
    both = history.frame.join(medians, on="task")
    assert abs((both["loss"] < both["median"]).mean() - 0.5) < 0.07


def test_the_samples_of_tasks_whose_trials_have_the_same_numbers_are_independent():
    """Two tasks share 32.8 of 256 sampled numbers of 2,000 with a deviation of 5.0; among 45 pairs
    one shares 70 or more, or none, less than once in a billion."""
    rng = np.random.default_rng(0)
    tasks, n = 10, 2000
    frame = pl.DataFrame(
        {
            "task": [f"t{each}" for each in np.repeat(np.arange(tasks), n)],
            "trial": np.tile(np.arange(n), tasks),
            "x": rng.random(tasks * n),
            "loss": rng.random(tasks * n),
        }
    )
    found = read(frame, order="trial", sample=256).frame.join(frame, on=["task", "x"])
    sets = [set(rows["trial"]) for _, rows in found.group_by("task")]
    shared = [len(one & other) for i, one in enumerate(sets) for other in sets[:i]]
    assert min(shared) > 0 and max(shared) < 70


def test_what_is_learned_from_a_sample_has_the_same_box_and_starting_points_and_can_be_checked():
    frame = runs(5_000)
    history = read(frame, sample=64)
    learned, whole = rf.learn(history), rf.learn(frame, task="task", objective="loss", starts=0)
    assert learned.bounds == whole.bounds and len(learned.portfolio) == 10
    assert [task.value for task in sorted(learned.tasks, key=lambda one: one.name)] == [
        task.value for task in sorted(whole.tasks, key=lambda one: one.name)
    ]
    assert len(rf.check(history, starts=0).tasks) == 6
    again = read(frame, sample=64)
    assert again.frame.equals(history.frame)


def test_small_tables_come_whole():
    frame = runs(200).filter(pl.col("loss").is_finite())
    assert len(read(frame, sample=500)) == frame.height


def long(frame: pl.DataFrame) -> pl.DataFrame:
    """A row for each run and key, values as text."""
    numbered = frame.with_row_index("run").with_columns(pl.exclude("run", "task").cast(pl.String))
    return numbered.unpivot(index=["run", "task"], variable_name="key", value_name="value")


WIDE = pl.DataFrame(
    {
        "task": ["a"] * 4 + ["b"] * 4,
        "lr": [0.1, 0.01, 0.5, 0.2, 0.3, 0.02, 0.7, 0.05],
        "depth": [2, 3, 4, 5, 6, 7, 8, 9],
        "kernel": ["rbf", "poly", "rbf", "poly"] * 2,
        "loss": [0.5, 0.4, 0.3, 0.9, 0.8, 0.1, 0.2, 0.25],
    }
)


@pytest.mark.parametrize("options", [{"best": 3}, {"sample": 3}, {"best": None}])
def test_runs_by_key_and_value_are_as_wide_ones(options):
    tall = rf.read_history(
        engine(long(WIDE).sample(fraction=1.0, shuffle=True, seed=1)),
        task="task", objective="loss", long=("run", "key", "value"), **{"best": None, **options},
    )  # fmt: skip
    assert set(tall.roles.parameters) == {"lr", "depth", "kernel"}
    learned = rf.learn(tall, starts=0)
    truth = rf.learn(WIDE, task="task", objective="loss", starts=0)
    assert learned.space == rf.Space({name: truth.space[name] for name in learned.space})
    best = {task.name: (task.value, task.incumbent) for task in learned.tasks}
    assert best == {task.name: (task.value, task.incumbent) for task in truth.tasks}


def test_a_map_of_parameters_is_as_columns():
    table = engine(WIDE)
    as_text = {name: table[name].cast("string") for name in ("lr", "depth", "kernel")}
    packed = table.select(
        "task",
        "loss",
        params=ibis.map(ibis.array(list(as_text)), ibis.array(list(as_text.values()))),
    )
    history = rf.read_history(packed, task="task", objective="loss", best=8)
    assert set(history.roles.parameters) == {"lr", "depth", "kernel"}
    truth = rf.learn(WIDE, task="task", objective="loss", starts=0)
    assert rf.learn(history, starts=0).bounds == truth.bounds


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"long": ("run", "key")}, "three columns"),
        ({"long": ("run", "run", "key")}, "three columns"),
        ({"long": 5}, "three columns"),
        ({"long": ("run", "key", "worth")}, "no column 'worth'"),
        ({"sample": 0}, "sample"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, message):
    with pytest.raises(rf.RingfenceError, match=message):
        rf.read_history(engine(long(WIDE)), task="task", objective="loss", **wrong)


def test_a_key_that_is_a_column_too_is_refused():
    tall = long(WIDE).with_columns(pl.lit(0.5).alias("lr"))
    with pytest.raises(rf.HistoryError, match="a key 'lr'"):
        rf.read_history(engine(tall), task="task", objective="loss", long=("run", "key", "value"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("lr", "", "an empty key"),
        ("lr", "DEPTH", "a key 'depth', and so is another one called 'DEPTH'"),
        ("lr", "RUN", "a key 'RUN', and so is a column called 'run'"),
    ],
)
def test_keys_that_an_engine_cannot_tell_apart_are_refused(old, new, message):
    tall = long(WIDE).with_columns(pl.col("key").replace(old, new))
    with pytest.raises(rf.HistoryError, match=message):
        rf.read_history(engine(tall), task="task", objective="loss", long=("run", "key", "value"))


def test_keys_that_are_numbers_are_refused():
    tall = long(WIDE).with_columns(pl.col("key").str.len_chars())
    with pytest.raises(rf.HistoryError, match="and keys are text"):
        rf.read_history(engine(tall), task="task", objective="loss", long=("run", "key", "value"))


@pytest.mark.parametrize("huge", ["1e30", "99999999999999999999"])
def test_a_whole_number_that_fits_no_integer_is_no_error_of_the_engine(huge):
    is_first = (pl.col("key") == "depth") & (pl.col("run") == pl.col("run").min())
    tall = long(WIDE).with_columns(value=pl.when(is_first).then(pl.lit(huge)).otherwise("value"))
    with pytest.raises(rf.RingfenceError, match="integers beyond"):
        rf.read_history(engine(tall), task="task", objective="loss", long=("run", "key", "value"))


@pytest.mark.parametrize("options", [{"sample": 2**70}, {"best": 2**70}])
def test_more_rows_than_any_table_has_are_all(options):
    assert len(read(WIDE, **options)) == len(WIDE)


def queries(keys: int, monkeypatch) -> int:
    """How many tables the engine is asked for to read a long table with so many keys: a third
    of them numbers of few values, a third spread on a log scale, a third words."""
    rng = np.random.default_rng(0)
    values = {f"grid{i}": rng.integers(1, 5, 20) for i in range(keys)}
    values |= {f"log{i}": 10 ** rng.uniform(-4, 0, 20) for i in range(keys)}
    values |= {f"word{i}": rng.choice(["a", "b", "c"], 20) for i in range(keys)}
    wide = pl.DataFrame({"task": ["a", "b"] * 10, "loss": rng.random(20), **values})
    table, asked = engine(long(wide)), []
    kept = ibis.expr.types.Table.to_polars

    def counted(self, *args, **options):
        asked.append(self)
        return kept(self, *args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(ibis.expr.types.Table, "to_polars", counted)
        history = rf.read_history(
            table, task="task", objective="loss", long=("run", "key", "value"), best=5
        )
    assert len(history.roles.parameters) == 3 * keys
    return len(asked)


def test_more_keys_are_no_more_queries(monkeypatch):
    assert queries(8, monkeypatch) == queries(2, monkeypatch)


def test_too_many_keys_are_refused():
    tall = pl.concat([long(WIDE)] * 10)
    tall = tall.with_columns(key=pl.format("key{}", pl.int_range(pl.len()) % 301))
    with pytest.raises(rf.HistoryError, match="more than 300 different keys"):
        rf.read_history(engine(tall), task="task", objective="loss", long=("run", "key", "value"))


@pytest.mark.parametrize("name", ["task", "loss"])
def test_rows_of_a_run_that_disagree_are_refused(name):
    losses = WIDE.with_row_index("run").select("run", "loss")
    tall = long(WIDE.drop("loss")).join(losses, on="run", maintain_order="left")
    arguments = {"task": "task", "objective": "loss", "long": ("run", "key", "value")}
    assert len(rf.read_history(engine(tall), **arguments)) == WIDE.height
    step = (pl.col("run") == 5) & (pl.col("key") == "depth")
    other = {"task": pl.lit("c"), "loss": pl.lit(0.05)}[name]
    torn = tall.with_columns(pl.when(step).then(other).otherwise(name).alias(name))
    with pytest.raises(
        rf.HistoryError, match=f"the rows of run 5 say .* as {name}: keep"
    ) as caught:
        rf.read_history(engine(torn), **arguments)
    assert "\n" not in str(caught.value)


def test_an_engine_without_lists_is_asked_for_each_column(monkeypatch):
    frame = WIDE
    truth = rf.read_history(engine(frame), task="task", objective="loss", best=8)

    def refused(*_, **__):
        raise ibis.common.exceptions.UnsupportedOperationError("no lists")

    monkeypatch.setattr(ibis.expr.types.Column, "collect", refused)
    there = rf.read_history(engine(frame), task="task", objective="loss", best=8)
    assert there.space == truth.space and there.frame.equals(truth.frame)


@pytest.mark.parametrize("part", ["task", "objective", "budget", "status", "cost"])
def test_a_column_called_as_one_of_ours_is_refused(part):
    """It was looked for in vain once the rows had travelled."""
    columns = {"task": "task", "objective": "loss", "direction": "minimize"}
    frame = WIDE.with_columns(pl.col(columns.get(part, "depth")).alias(":of"))
    with pytest.raises(rf.HistoryError, match="rename ':of'"):
        rf.read_history(engine(frame), **(columns | {part: ":of"}), best=3)


def test_a_parameter_may_be_called_share():
    """As a number that the engine counts."""
    frame = WIDE.with_columns(
        pl.col("kernel").alias("share"),
        depth=pl.when(pl.col("kernel") == "rbf").then("depth"),
    ).drop("kernel")
    learned = rf.learn(engine(frame), task="task", objective="loss", best=8, starts=0)
    assert learned.space.conditions_of("depth")[0].parent == "share"


def test_runs_may_be_called_low():
    """As what is asked of each run."""
    tall = long(WIDE).rename({"run": "low"})
    history = rf.read_history(
        engine(tall), task="task", objective="loss", long=("low", "key", "value"), best=3
    )
    assert set(history.roles.parameters) == {"lr", "depth", "kernel"}


def test_a_constant_that_is_missing_now_and_then_is_all_there_is():
    frame = WIDE.select("task", "loss", lr=pl.Series([0.5] * 4 + [None] * 4))
    assert len(read(frame, best=2)) > 0
