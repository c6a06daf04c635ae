"""A history whose names are everything but plain, and checks made by hand."""

from __future__ import annotations

import numpy as np
import polars as pl

import ringfence as rf
from ringfence.checking import Check
from ringfence.checking.left_out.recorded import FULL_DRAWS
from ringfence.checking.left_out.tasks import TaskCheck
from ringfence.checking.result import summarize
from ringfence.learned.records import Settings

TASKS = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(2)>",
    "\"double\" & 'single'",
    "%{x} %{hovertext}",
    "<b>bold</b> &amp; &lt;",
    "long " * 60,
    " ",
    "🚀 rocket",
    "مهمة",
    "\u202eexe.evil",
    "two\nlines\tand a tab",
    "$\\alpha$",
)
PARAMETERS = ("<script>alert(3)</script>", "%{y}<b>rate</b>", "'\"&lt;</style>", "شرح")


def strange_history() -> rf.History:
    """Four parameters and a categorical one; the optimum of the first task is far from the rest."""
    rng = np.random.default_rng(0)
    runs = 60
    n = len(TASKS) * runs
    points = rng.random((n, 4))
    optima = np.repeat(0.4 + 0.05 * rng.standard_normal((len(TASKS), 4)), runs, axis=0)
    optima[:runs] = 0.95
    frame = pl.DataFrame(
        {
            "the <task>": np.repeat(TASKS, runs),
            **{name: points[:, j] for j, name in enumerate(PARAMETERS)},
            "<i>kind</i>": rng.choice(["<script>alert(4)</script>", "plain"], n),
            "err<or>": ((points - optima) ** 2).sum(axis=1),
        }
    )
    return rf.History.from_frame(frame, task="the <task>", objective="err<or>")


def task_check(name: str, inside: float | None, speed: float = 1.0) -> TaskCheck:
    """A task whose regret after K draws in the whole space is 1 / K, and inside 1 / (speed k), or
    `inside` for every k; None where no row is inside."""
    draws = (1, 2, 5, 10, 25, 50)
    curve = tuple(1 / (speed * k) if inside == 0 else inside for k in draws)
    return TaskCheck(
        name=name,
        rows=2000,
        rows_inside=0 if inside is None else 100,
        best_is_inside=inside == 0,
        rank_of_best_inside=None if inside is None else 3,
        regret_of_best_inside=inside,
        inside=None if inside is None else curve,
        full=tuple(1 / k for k in FULL_DRAWS),
    )


def check_of(*tasks: TaskCheck, warnings: tuple[str, ...] = (), **settings: object) -> Check:
    """The check that follows from these tasks."""
    how = Settings(**{"shape": "box", "outliers": 0.0, **settings})
    return summarize(how, {task.name: task for task in tasks}, 0.25, warnings)
