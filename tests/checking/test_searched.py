"""A space that the runs searched only in part is not judged."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from ringfence.checking.searched import unsearched
from ringfence.history import PreparedHistory

SPACE = rf.Space({name: rf.Float(0.0, 1.0) for name in "abcd"})


def bowls(share: float, rows: int = 24, tasks: int = 12, optimum: float = 0.85) -> rf.History:
    """Quadratic tasks whose runs lie in [0, share] of every parameter."""
    rng = np.random.default_rng(0)
    x = share * rng.random((tasks * rows, 4))
    optima = np.repeat(optimum + 0.04 * rng.standard_normal((tasks, 4)), rows, axis=0)
    frame = pl.DataFrame(x, list("abcd")).with_columns(
        pl.Series("task", np.repeat([f"t{t}" for t in range(tasks)], rows)),
        pl.Series("loss", ((x - optima) ** 2).sum(axis=1)),
    )
    return rf.History.from_frame(frame, task="task", objective="loss")


def test_nothing_is_said_of_a_space_that_was_not_searched():
    """The optima lie beyond all runs: the box is worth a third of the full space's draws."""
    history = bowls(0.6)
    check = rf.check(history, SPACE, starts=5)
    assert check.verdict == "cannot tell"
    assert "none has a above 0.5" in check.reason and "run random configurations" in check.reason
    assert check.starts.verdict == "cannot tell"
    learned = rf.learn(history, SPACE, shape="auto", starts=0)
    assert learned.shape == "full"


def test_the_space_that_was_searched_is_judged():
    assert rf.check(bowls(0.6), starts=0).verdict == "helps"  # the space is inferred
    assert rf.check(bowls(1.0, optimum=0.5), SPACE, starts=0).verdict == "helps"


@pytest.mark.parametrize("rows", [8, 64])
def test_random_runs_search_all_of_it(rows):
    """False alarms: with 40 random runs a gap that counts has a chance of 8 × 1e-4 at most."""
    for seed in range(20):
        x = np.random.default_rng(seed).random((5 * rows, 4))
        frame = pl.DataFrame(x, list("abcd")).with_columns(
            pl.Series("task", np.repeat(list("uvwxy"), rows)), pl.Series("loss", x[:, 0])
        )
        prepared = PreparedHistory.of(
            rf.History.from_frame(frame, task="task", objective="loss"), SPACE, rf.check
        )
        assert unsearched(SPACE, prepared.rows) == ""


def test_choices_and_integers_that_nobody_tried():
    space = rf.Space({"k": rf.Categorical(["a", "b", "c"]), "n": rf.Int(1, 10)})
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "k": rng.choice(["a", "b"], 120),
            "n": rng.integers(1, 6, 120),
            "task": np.repeat([f"t{t}" for t in range(6)], 20),
            "loss": rng.random(120),
        }
    )
    history = rf.History.from_frame(frame, task="task", objective="loss")
    reason = unsearched(space, PreparedHistory.of(history, space, rf.check).rows)
    assert reason.startswith("the runs search 33% of the full space: none has k c, n above 5;")
