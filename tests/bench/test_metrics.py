"""Measures against tables made by hand."""

from __future__ import annotations

import polars as pl
import pytest

from ringfence.bench.metrics import curves, final
from ringfence.bench.pairs import judged_regrets
from ringfence.bench.results import SCHEMA, read_results
from ringfence.bench.text import summary
from ringfence.errors import FileError


def table(losses, *, median=10.0, best=1.0, log_loss=False):
    """`losses` maps (task, method, replication) to a curve."""
    methods = list(dict.fromkeys(method for _, method, _ in losses))
    rows = [
        {
            "figure": "1a", "title": "made up", "order": methods.index(method), "suite": "s",
            "origin": "by hand", "log_loss": log_loss, "scale": "raw", "evaluation": "rows",
            "task": task, "method": method, "replication": replication, "best": best,
            "median": median, "exhausted": task == "b" and method != "Random",
            "trial": trial, "loss": float(loss),
        }
        for (task, method, replication), curve in losses.items()
        for trial, loss in enumerate(curve, start=1)
    ]  # fmt: skip
    return pl.DataFrame(rows)


def value(results, method, metric, trial):
    row = curves(results).filter(
        pl.col("method") == method, pl.col("metric") == metric, pl.col("trial") == trial
    )
    return row.select("mean", "error", "n").row(0)


TWO = table(
    {
        ("a", "Random", 0): (8, 4),
        ("b", "Random", 0): (6, 2),
        ("a", "Box GP", 0): (4, 2),
        ("b", "Box GP", 0): (6, 1),
    }
)


def test_normalized_by_what_random_reached_in_the_same_replication():
    assert value(TWO, "Random", "normalized", 2) == (1.0, 0.0, 2)
    assert value(TWO, "Random", "normalized", 1)[0] == pytest.approx((8 / 4 + 6 / 2) / 2)
    mean, error, n = value(TWO, "Box GP", "normalized", 1)
    assert (mean, n) == (pytest.approx((1.0 + 3.0) / 2), 2)
    assert error == pytest.approx(2**0.5 / 2**0.5)  # std of (1, 3) is √2, over √2


def test_logarithms_are_compared_by_differences():
    made = table({("a", "Random", 0): (2, -1), ("a", "GP", 0): (0, -3)}, log_loss=True)
    assert value(made, "Random", "normalized", 2)[0] == 0
    assert value(made, "GP", "normalized", 2)[0] == -2


def test_a_random_search_that_reached_zero_cannot_normalize():
    made = table({("a", "Random", 0): (1, 0), ("a", "GP", 0): (1, 1)}, best=0.0)
    assert curves(made).filter(pl.col("metric") == "normalized").is_empty()
    assert "-" in summary(made)


def test_regret_is_zero_at_the_best_known_and_one_at_the_median():
    assert value(TWO, "Box GP", "regret", 2)[0] == pytest.approx(((2 - 1) / 9 + 0) / 2)
    median = table({("a", "Random", 0): (10, 10)})
    assert value(median, "Random", "regret", 1)[0] == 1
    # A loss below what was known before becomes the best known, for every method.
    lower = table({("a", "Random", 0): (10, 5), ("a", "GP", 0): (10, 0)})
    assert value(lower, "GP", "regret", 2)[0] == 0
    assert value(lower, "Random", "regret", 2)[0] == 0.5


def test_distance_is_mean_regret_over_that_of_random():
    assert value(TWO, "Random", "distance", 1)[:2] == (1.0, 0.0)
    own, base = (3 + 5) / 2, (7 + 5) / 2
    assert value(TWO, "Box GP", "distance", 1)[0] == pytest.approx(own / base)


def test_ranks_share_ties_and_count_only_replications_that_all_have():
    assert value(TWO, "Box GP", "rank", 1) == (pytest.approx((1 + 1.5) / 2), 0.25, 2)
    more = table(
        {
            ("a", "Random", 0): (8, 4),
            ("a", "Random", 1): (8, 0),
            ("a", "SMAC", 0): (9, 3),
        }
    )
    assert value(more, "Random", "rank", 2) == (2.0, None, 1)


def test_the_summary_says_what_a_figure_rests_on():
    text = summary(TWO)
    assert "Figure 1a: made up\nby hand. raw scale, evaluation: rows, 2 tasks left out" in text
    assert "Box GP" in text and "0.500 ± 0.000" in text
    assert text.count("ran out") == 1 and text.endswith("ran out in 1 of 2 cells")
    assert final(TWO)["trial"].unique().to_list() == [2]


def test_replications_are_how_often_each_task_was_left_out():
    """Two replications, each of another task, are one of each task."""
    cells = [("a", "Random", 0), ("a", "Random", 1), ("a", "GP", 0), ("b", "Random", 0)]
    results = table(dict.fromkeys([*cells, ("b", "Random", 1), ("b", "GP", 1)], (2.0,)))
    assert "2 tasks left out, 1 to 2 replications, 1 trial" in summary(results)


def test_the_best_loss_of_a_task_counts_in_every_figure():
    far = table({("a", "Random", 0): (8, 7)})
    near = table({("a", "Random", 0): (8, 0.5)}).with_columns(figure=pl.lit("1b"))
    both = curves(pl.concat([far, near]))
    ends = both.filter(pl.col("metric") == "regret", pl.col("trial") == 2).sort("figure")
    assert ends["mean"].to_list() == pytest.approx([6.5 / 9.5, 0.0])


def test_a_search_that_had_nothing_to_try_is_charged_the_median():
    never = float("inf")
    made = table({("b", "Random", 0): (6, 2), ("b", "Box GP", 0): (never, never)})
    assert [value(made, "Box GP", "regret", trial)[0] for trial in (1, 2)] == [1.0, 1.0]
    assert value(made, "Box GP", "normalized", 2)[0] == pytest.approx(10 / 2)
    assert value(made, "Box GP", "rank", 2)[0] == 2
    assert summary(made).endswith("had nothing to try in 1 of them, counted as the median")
    cells = judged_regrets(made.with_columns(volume=0.0)).sort("method")
    assert cells["searched"].to_list() == [False, True]
    assert cells.select("early", "end").row(0) == (1.0, 1.0)


def whole(**columns):
    """Results with all their columns, some of them changed."""
    return TWO.with_columns(
        **{"sources": pl.lit("mixed"), "n_evaluations": 256, "volume": 1.0, **columns}
    )


@pytest.mark.parametrize(
    "frame, message",
    [
        (pl.DataFrame({"figure": ["1a"]}), "has no column 'title'"),
        (pl.DataFrame(schema=SCHEMA), "holds no results"),
        (whole(loss=pl.lit("low")), "'loss' does not hold Float64 in every row"),
        (whole(method=None), "'method' does not hold String"),
        (whole(trial=pl.lit(2**40)), "'trial' does not hold Int32"),
        (whole(exhausted=pl.lit(1)), "'exhausted' does not hold Boolean"),
    ],
)
def test_a_file_without_results_is_refused(frame, message, tmp_path):
    frame.write_parquet(tmp_path / "results.parquet")
    with pytest.raises(FileError, match=message):
        read_results(tmp_path / "results.parquet")


def test_integers_of_another_width_are_the_same_results(tmp_path):
    wide = whole(trial=pl.col("trial").cast(pl.UInt64), order=pl.col("order").cast(pl.Int64))
    wide.write_parquet(tmp_path / "results.parquet")
    assert summary(read_results(tmp_path / "results.parquet")) == summary(TWO)
