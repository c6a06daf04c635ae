"""A table in DuckDB teaches what it teaches in memory, and only its best rows travel."""

from __future__ import annotations

import math

import ibis
import numpy as np
import polars as pl
import pytest

import ringfence as rf
from readers.formats import (
    PARAMETERS,
    ROLES,
    assert_same_learned,
    but_for_provenance,
    in_memory,
    made_history,
)
from ringfence.history import COST, usable_rows
from ringfence.history.readers.ibis.best import _prime_from
from ringfence.history.readers.ibis.numbers import turning_point
from ringfence.space.inference import suggests_log

pytestmark = pytest.mark.filterwarnings(  # Ibis 12 with DuckDB 2
    "ignore:fetch_.*is deprecated:DeprecationWarning"
)

SPACE = rf.Space(
    {
        "C": rf.Float(1e-2, 1e2, log=True),
        "kernel": rf.Categorical(["linear", "rbf", "poly"]),
        "gamma": rf.Float(0.1, 0.9),
        "depth": rf.Int(2, 7),
        "size": rf.Categorical([8, 16, 32], ordered=True),
        "degree": rf.Int(2, 4),
        "solver": rf.Constant("libsvm"),
    },
    [
        rf.Condition("gamma", "kernel", ["rbf", "poly"]),
        rf.Condition("degree", "kernel", ["poly"]),
        rf.Condition("degree", "depth", [3, 4, 5, 6]),
    ],
)


def engine(frame: pl.DataFrame, database: str = ":memory:"):
    """The frame as a table of a fresh DuckDB."""
    connection = ibis.duckdb.connect(database, threads=1)
    connection.con.register("frame", frame.to_arrow())
    connection.con.execute("CREATE TABLE runs AS FROM frame")
    return connection.table("runs")


def nasty(seed: int) -> pl.DataFrame:
    """Runs with all that goes wrong: ties, NaN, infinities, failures, budgets, values out of range
    and of the wrong type, values where a parameter is inactive, a task without one of them."""
    rng = np.random.default_rng(seed)
    n = 400
    task = rng.integers(0, 7, n)
    kernel = rng.choice(["linear", "rbf", "poly"], n)
    gamma = np.where(kernel == "linear", np.nan, rng.uniform(0, 1, n))
    gamma[(kernel == "linear") & (rng.random(n) < 0.1)] = 0.5
    depth = rng.integers(1, 9, n).astype(float)
    depth[rng.random(n) < 0.02] = 3.5
    C = 10 ** rng.uniform(-3, 3, n)
    C[rng.random(n) < 0.02] = math.inf
    loss = rng.integers(0, 12, n) / 8.0
    loss[rng.random(n) < 0.05] = math.nan
    loss[rng.random(n) < 0.05] = -math.inf
    size = rng.choice(["8", "16", "32", "x"], n, p=[0.33, 0.32, 0.33, 0.02])
    frame = pl.DataFrame(
        {
            "task": np.where(rng.random(n) < 0.02, np.nan, task),
            "C": C,
            "kernel": kernel,
            "gamma": gamma,
            "depth": depth,
            "size": size,
            "degree": rng.integers(2, 5, n),
            "loss": loss,
            "state": rng.choice(["FINISHED", "failed", "Complete"], n, p=[0.5, 0.1, 0.4]),
            "epochs": rng.choice([9, 27, 81], n, p=[0.2, 0.3, 0.5]),
        },
        nan_to_null=True,
    )
    lacking = (pl.col("task") == 3) & (seed % 2 == 1)
    return frame.with_columns(pl.when(lacking).then(None).otherwise(pl.col("depth")).alias("depth"))


DECLARED = [
    pytest.param(seed, budget, direction, marks=[pytest.mark.slow] * ((seed + i + j) % 2))
    for seed in range(6)
    for i, budget in enumerate([None, "epochs"])
    for j, direction in enumerate(["minimize", "maximize"])
]
"""The slow half has no pair of settings that the other half lacks."""


@pytest.mark.parametrize("seed, budget, direction", DECLARED)
def test_a_declared_space_judges_rows_in_the_engine_as_in_memory(seed, budget, direction):
    frame = nasty(seed)
    options = {"task": "task", "objective": "loss", "budget": budget, "direction": direction}
    memory = rf.History.from_frame(frame, status="state", **options)
    there = rf.read_history(engine(frame), status="state", space=SPACE, best=5, **options)
    assert len(there) <= 7 * 5 < len(memory)
    for settings in ({}, {"shape": "ellipsoid"}, {"categories": "observed"}):
        one, two = rf.learn(memory, SPACE, starts=0, **settings), rf.learn(there, **settings)
        assert but_for_provenance(one) == but_for_provenance(two)
        assert one.provenance.rows == two.provenance.rows
        assert one.provenance.rows_used == two.provenance.rows_used
        fallen = [[(d.rows, d.reason) for d in x.provenance.dropped] for x in (one, two)]
        assert fallen[0] == fallen[1]
        assert len(fallen[0]) >= 5


def clean(seed: int) -> pl.DataFrame:
    frame = made_history(tasks=9, runs=40, seed=seed)
    rng = np.random.default_rng(seed)
    return frame.with_columns(
        pl.Series("wide", 10 ** rng.uniform(-4, 0, 360)),
        pl.Series("skewed", np.where(rng.random(360) < 0.5 + 0.02 * (seed - 3), 0.001, 1.0)),
        pl.Series("floor", np.maximum(rng.uniform(-1, 1, 360), 0.001)),
        pl.Series("text", rng.choice(np.arange(1, 2000, 40), 360).astype(str)),
        pl.Series("loss", np.where(rng.random(360) < 0.1, np.nan, rng.integers(0, 30, 360) / 4)),
        pl.Series("whole", rng.choice([1.0, 2.0, math.inf], 360, p=[0.5, 0.49, 0.01])),
        pl.lit("libsvm").alias("solver"),
        pl.Series("l2", np.where(rng.random(360) < 0.4, 0.0, 10 ** rng.uniform(-3, 1, 360))),
        pl.Series("rounded", np.where(np.arange(360) == 8, 0.0, 10 ** rng.uniform(-3, 1, 360))),
    )


SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 8))]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_space_is_inferred_in_the_engine_as_in_memory(seed):
    frame = clean(seed)
    memory = rf.History.from_frame(frame, **ROLES)
    there = rf.read_history(engine(frame), best=3, **ROLES)
    inferred = rf.infer_space(memory)
    assert there.space == inferred.space
    assert inferred.space["wide"].log and not inferred.space["text"].log
    assert inferred.space["l2"].off == 0.0 and inferred.space["rounded"].off is None
    assert rf.infer_space(there).notes == inferred.notes
    assert_same_learned(memory, there)


def test_csv_parquet_and_the_engine_teach_the_same(tmp_path):
    frame = made_history()
    frame.write_csv(tmp_path / "runs.csv")
    frame.write_parquet(tmp_path / "runs.parquet")
    connection = ibis.duckdb.connect(threads=1)
    tables = [
        engine(frame, tmp_path / "runs.duckdb"),
        connection.read_parquet(tmp_path / "runs.parquet"),
        connection.read_csv(tmp_path / "runs.csv"),
        ibis.memtable(frame),
    ]
    memory = rf.read_history(tmp_path / "runs.csv", **ROLES)
    assert_same_learned(memory, rf.read_history(tmp_path / "runs.parquet", **ROLES))
    for table in tables:
        assert_same_learned(memory, rf.read_history(table, **ROLES))


@pytest.mark.parametrize("best", [1, 2, 7])
def test_the_best_rows_travel_the_earliest_of_equals_first(best):
    rng = np.random.default_rng(best)
    n = 3000
    frame = pl.DataFrame(
        {
            "task": rng.choice(["a", "b", "c"], n, p=[0.9, 0.0995, 0.0005]),
            "x": rng.random(n),
            "loss": rng.integers(3, 60, n),
        }
    )
    there = rf.read_history(engine(frame), best=best, **ROLES)
    place = pl.struct("loss", pl.int_range(pl.len())).rank("ordinal").over("task")
    assert there.frame.equals(frame.filter(place <= best).select("task", "loss", "x"))


def test_an_order_column_breaks_ties_and_sorts_the_tasks():
    frame = pl.DataFrame(
        {
            "task": ["a", "a", "b", "b"],
            "x": [1.0, 2.0, 3.0, 4.0],
            "loss": [0.5, 0.5, 0.5, 0.5],
            "at": [4, 3, 2, 1],
        }
    )
    there = rf.read_history(engine(frame), order="at", best=1, **ROLES)
    assert there.frame["x"].to_list() == [4.0, 2.0]
    assert there.roles.parameters == ("x",)
    everything = rf.read_history(engine(frame), order="at", best=None, **ROLES)
    assert everything.frame["x"].to_list() == [4.0, 3.0, 2.0, 1.0]


def test_without_an_order_equals_are_told_apart_by_their_values(monkeypatch):
    frame = pl.DataFrame(
        {"task": ["b", "b", "a", "a"], "x": [2.0, 1.0, 4.0, 3.0], "loss": [0.5, 0.5, 0.5, 0.5]}
    )
    table = engine(frame)

    class Elsewhere:
        name = "warehouse"

    monkeypatch.setattr(ibis, "get_backend", lambda _table: Elsewhere)
    assert rf.read_history(table, best=1, **ROLES).frame["x"].to_list() == [3.0, 1.0]


def test_what_needs_more_than_the_best_rows_says_so():
    frame = made_history(runs=40)
    memory, there = in_memory(frame), rf.read_history(engine(frame), best=5, **ROLES)
    top = {"top": 0.125}
    one, two = rf.learn(memory, starts=0, **top), rf.learn(there, **top)
    assert but_for_provenance(one) == but_for_provenance(two)
    for settings in ({"top": 0.2}, {"n_evaluations": 3}, {"average_repeats": True}, {"starts": 3}):
        with pytest.raises(rf.HistoryError, match="best=None"):
            rf.learn(there, **settings)
    with pytest.raises(rf.HistoryError, match=r"a check needs every row.*best=None"):
        rf.check(there)
    with pytest.raises(rf.HistoryError, match="chosen for another space"):
        rf.learn(there, rf.Space({"C": rf.Float(0.001, 1000)}))
    every = rf.read_history(engine(frame), best=None, **ROLES)
    assert every.selection is None
    assert_same_learned(memory, every)
    assert rf.learn(every, top=0.2) and rf.check(every)


def test_the_history_says_what_was_left_where_it_is():
    frame = made_history(runs=40)
    there = rf.read_history(engine(frame), best=2, **ROLES)
    assert there.notes[-1] == "8 of 160 rows were read, at most the best 2 of each task"
    assert there.source == "runs (Ibis)"
    provenance = rf.learn(there).provenance
    assert (provenance.rows, provenance.rows_used) == (160, 156)
    assert provenance.dropped[0].rows == 4


@pytest.mark.parametrize(
    ("change", "space", "message"),
    [
        ({"loss": pl.lit(math.nan)}, None, "no run of the history finished"),
        ({"depth": [None, *[3] * 23]}, None, "task 't0', column 'depth': the value is missing"),
        ({"depth": [*[None] * 4, *[3] * 20]}, SPACE, "task 't0', column 'depth': . values are"),
        ({"kernel": pl.lit("magic")}, SPACE, "; 14 because kernel is not one of linear, rbf, poly"),
        ({"solver": pl.lit(None, pl.String)}, None, "the column 'solver' is empty"),
        ({"solver": [f"name {i}" for i in range(24)]}, "many", "more than 5 different texts"),
        ({"C": [[1.0]] * 24}, None, "the column 'C' holds array<float64>"),
    ],
)
def test_bad_tables_are_one_clear_error(change, space, message, monkeypatch):
    frame = (
        made_history()
        .drop("shrinking")
        .with_columns(size=8, degree=pl.lit(None, pl.Int64), gamma=pl.col("gamma").fill_null(0.5))
    )
    for name, value in change.items():
        column = pl.Series(value) if isinstance(value, list) else value
        frame = frame.with_columns(**{name: column})
    if space == "many":
        monkeypatch.setattr("ringfence.history.readers.ibis.columns.MOST_CHOICES", 5)
    declared = space if isinstance(space, rf.Space) else None
    parameters = (
        [n for n in (*PARAMETERS, "solver") if n in frame.columns] if not declared else None
    )
    with pytest.raises((rf.HistoryError, rf.SpaceError), match=message):
        rf.read_history(engine(frame), space=declared, parameters=parameters, **ROLES)


def test_wrong_arguments_are_one_clear_error():
    table = engine(made_history())
    with pytest.raises(rf.HistoryError, match="reads an Ibis table, such as"):
        rf.read_history("runs.db", format="ibis")
    with pytest.raises(rf.HistoryError, match="no column 'lost'; did you mean 'loss'"):
        rf.read_history(table, task="task", objective="lost")
    with pytest.raises(rf.HistoryError, match="no column 'nr'"):
        rf.read_history(table, order="nr", **ROLES)
    with pytest.raises(rf.SettingError, match="best must be at least 1"):
        rf.read_history(table, best=0, **ROLES)
    with pytest.raises(rf.SettingError, match="space must be a Space"):
        rf.read_history(table, space={"C": 1}, **ROLES)
    nobody = rf.Space({"nope": rf.Float(0, 1)})
    with pytest.raises(rf.HistoryError, match="no column 'nope'"):
        rf.read_history(table, space=nobody, **ROLES)


@pytest.mark.parametrize(("low", "high"), [(1e-6, 1.0), (0.3, 30.0), (1.0, 4e9)])
def test_the_turning_point_is_where_the_log_scale_stops_to_fit(low, high):
    turn = turning_point(low, high)
    assert not suggests_log(low, high, turn)
    assert suggests_log(low, high, np.nextafter(turn, 0))
    assert suggests_log(low, high, low * 1.001) and not suggests_log(low, high, high)


def test_parts_are_a_prime_number():
    assert [_prime_from(n) for n in (1, 4, 400, 402)] == [2, 5, 401, 409]


def test_of_two_columns_called_like_a_task_one_is_named():
    frame = pl.DataFrame(
        {"dataset": ["a"] * 2, "study": ["s", "t"], "x": [1, 2], "loss": [0.1, 0.2]}
    )
    with pytest.raises(
        rf.HistoryError, match="which column is the task\\? candidates: dataset, st"
    ):
        rf.read_history(engine(frame))
    assert rf.read_history(engine(frame), task="dataset").tasks == ("a",)


def test_bests_that_cannot_be_are_named():
    frame = pl.DataFrame(
        {"task": ["a", "b"] * 20, "x": [i / 7 for i in range(40)], "rmse": [-1.0, *range(1, 40)]}
    )
    with pytest.raises(rf.HistoryError, match=r"1 row with rmse = -1 .* never negative .* filter"):
        rf.read_history(engine(frame), best=3)


def test_costs_travel_with_the_best_rows_and_failures_with_all():
    frame = made_history().with_columns(fit_seconds=np.linspace(1.0, 24.0, 24))
    table = engine(frame)
    best = rf.read_history(table, best=2, parameters=PARAMETERS, **ROLES)
    space = rf.learn(best, starts=0).space
    usable = usable_rows(best, space)
    costs = dict(zip(frame["C"], frame["fit_seconds"]))
    assert best.cost_unit == "seconds"
    assert usable.frame[COST].to_list() == [costs[c] for c in usable.frame["C"]]
    assert not usable.failed.height
    every = usable_rows(rf.read_history(table, best=None, parameters=PARAMETERS, **ROLES), space)
    assert every.failed["C"].to_list() == frame.filter(status="failed")["C"].to_list()
    assert every.failed[COST].to_list() == [costs[c] for c in every.failed["C"]]
