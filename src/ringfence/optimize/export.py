"""Trials as a history that `learn` can read next time."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history import Direction, History
from ringfence.history.joining import UNNAMED
from ringfence.history.roles import Roles
from ringfence.history.tables import free_name
from ringfence.optimize.trial import Trial
from ringfence.space import Space


def history_of(
    trials: Sequence[Trial], space: Space, task: str, direction: Direction, *, timed: bool = False
) -> History:
    """A row for each settled trial: its task, parameters, value, status, budget, cost and reason;
    `timed` is whether the costs are seconds."""
    settled = [trial for trial in trials if trial.state != "running"]
    if not settled:
        raise HistoryError("no trial is finished yet, so there is no history")
    names = {"task": "task", "value": UNNAMED, "status": "status"}
    names |= {"budget": "budget", "cost": "seconds" if timed else "cost", "reason": "reason"}
    names = {role: free_name(name, space.parameters) for role, name in names.items()}
    columns: dict[str, list[object]] = {
        names["task"]: [task] * len(settled),
        **{name: [trial.config.get(name) for trial in settled] for name in space},
        names["value"]: [trial.value for trial in settled],
        names["status"]: ["complete" if t.state == "done" else "failed" for t in settled],
    }
    budgeted = any(trial.budget is not None for trial in settled)
    if budgeted:
        columns[names["budget"]] = [trial.budget for trial in settled]
    charged = any(trial.cost is not None for trial in settled)
    if charged:
        columns[names["cost"]] = [trial.cost for trial in settled]
    explained = any(trial.reason is not None for trial in settled)
    if explained:
        columns[names["reason"]] = [trial.reason for trial in settled]
    frame = pl.DataFrame(
        {name: pl.Series(name, column, strict=False) for name, column in columns.items()}
    )
    frame = frame.cast({pl.Null: pl.Float64})  # of a parameter that was active in no trial
    roles = Roles(
        task=names["task"],
        objective=names["value"],
        direction=direction,
        parameters=tuple(space),
        budget=names["budget"] if budgeted else None,
        status=names["status"],
        cost=names["cost"] if charged else None,
        timed=charged and timed,
        reason=names["reason"] if explained else None,
    )
    return History(frame, roles, source="trials", space=space)
