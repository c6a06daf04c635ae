"""A history whose names are everything but plain, and checks made by hand."""

from __future__ import annotations

import numpy as np
import polars as pl

import ringfence as rf
from ringfence.checking import Check
from ringfence.checking.belief.regret_scale import COUNTS, EXPONENTS, RegretScale
from ringfence.checking.left_out.tasks import TaskCheck, TaskEvidence
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
    return rf.History.from_frame(
        frame, task="the <task>", objective="err<or>", direction="minimize"
    )


SCALE = RegretScale(np.eye(len(EXPONENTS))[5])  # one exponent, known for sure


def full_regret(draws: float) -> float:
    """Regret after this many draws from the full space."""
    return float(np.interp(np.log(draws), np.log(COUNTS), SCALE.full[5]))


def task_check(name: str, inside: float | None, speed: float = 1.0) -> TaskEvidence | str:
    """A task on which k trials inside are worth `speed` times as many in the full space, or with
    the regret `inside` for every k; if that is None, the name of a task that cannot be judged."""
    if inside is None:
        return name
    draws = (1, 2, 5, 10, 25, 50)
    curve = tuple(full_regret(speed * k) if inside == 0 else inside for k in draws)
    check = TaskCheck(
        name=name,
        rows=2000,
        rows_inside=100,
        best_is_inside=inside == 0,
        rank_of_best_inside=3,
        inside=curve,
        low=curve,
        high=curve,
    )
    return TaskEvidence(
        check, np.broadcast_to(curve, (4, len(EXPONENTS), len(curve))), 2000, exact=True
    )


def check_of(
    *tasks: TaskEvidence | str,
    warnings: tuple[str, ...] = (),
    chosen_from: int = 0,
    **settings: object,
) -> Check:
    """The check that follows from these tasks."""
    how = Settings(**{"shape": "box", "outliers": 0.0, **settings})
    by_name = {
        task if isinstance(task, str) else task.check.name: None if isinstance(task, str) else task
        for task in tasks
    }
    return summarize(how, by_name, SCALE, 0.25, warnings=warnings, chosen_from=chosen_from)
