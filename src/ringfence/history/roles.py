"""Which column plays which part: named by the user, else guessed, and every guess is said."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.values import require_plain

Direction: TypeAlias = Literal["minimize", "maximize"]

TASKS = (
    "task", "task_id", "task_name", "dataset", "dataset_id", "dataset_name", "data_set", "data_id",
    "study", "study_name", "experiment", "experiment_name", "problem",
)  # fmt: skip
LOSSES = (
    "objective", "loss", "error", "val_loss", "valid_loss", "validation_loss", "val_error",
    "validation_error", "rmse", "mse", "mae", "mmce", "logloss", "log_loss", "value",
)  # fmt: skip
SCORES = (
    "score", "accuracy", "val_accuracy", "acc", "val_acc", "bal_accuracy", "balanced_accuracy",
    "auc", "roc_auc", "f1", "macro_f1", "r2", "reward",
)  # fmt: skip
STATUSES = ("status", "state")
BOOKKEEPING = (
    "id", "index", "run", "run_id", "run_name", "trial", "trial_id", "number", "config",
    "config_id", "iteration", "seed", "repeat", "repetition", "fold", "timestamp", "date",
    "created", "start_time", "end_time", "duration", "runtime", "time", "train_time", "timetrain",
    "timepredict", "fit_time", "elapsed", "seconds", "secs", "memory", "user", "host", "",
)  # fmt: skip


@dataclass(frozen=True)
class Roles:
    """The columns of a history by their parts."""

    task: str
    objective: str
    direction: Direction
    parameters: tuple[str, ...]
    budget: str | None = None
    status: str | None = None


def assign_roles(
    frame: pl.DataFrame,
    *,
    task: str | None = None,
    objective: str | None = None,
    direction: str | None = None,
    parameters: Sequence[str] | None = None,
    budget: str | None = None,
    status: str | None = None,
    ignore: Sequence[str] = (),
) -> tuple[Roles, list[str]]:
    """The roles of the columns, and a line for each guess that was made."""
    notes: list[str] = []
    if direction not in (None, "minimize", "maximize"):
        raise HistoryError(f"direction must be 'minimize' or 'maximize', not {direction!r}")
    if isinstance(parameters, str):
        parameters = [parameters]
    ignore = [ignore] if isinstance(ignore, str) else ignore
    for name in (task, objective, budget, status, *(parameters or ()), *ignore):
        if name is not None:
            require_column(frame, name)
    if task is None:
        task = _guess(frame, TASKS, "task")
        notes.append(f"took the column {task!r} as the task")
    if objective is None:
        objective = _guess(frame, LOSSES + SCORES, "objective", numeric=True)
        notes.append(f"took the column {objective!r} as the objective")
        if direction is None:
            direction = "maximize" if objective.lower() in SCORES else "minimize"
            notes.append(f"the objective is to {direction}")
    elif direction is None and objective.lower() in SCORES:
        notes.append(
            f"minimizing {objective!r}, which sounds like a score; "
            "if higher is better, say direction='maximize' (--maximize)"
        )
    if status is None:
        status = next((c for c in frame.columns if c.lower() in STATUSES), None)
        if status is not None and not _is_status(frame[status]):
            status = None
        elif status is not None:
            notes.append(f"took the column {status!r} as the status of the runs")
    taken = {task, objective, budget, status}
    if parameters is None:
        rest = [c for c in frame.columns if c not in taken and c not in ignore]
        left = [c for c in rest if _is_bookkeeping(frame[c])]
        parameters = [c for c in rest if c not in left]
        notes.append(f"took as parameters: {', '.join(parameters)}")
        if left:
            notes.append(f"not taken as parameters: {', '.join(left)}")
    roles = [name for name in (task, objective, budget, status, *parameters) if name is not None]
    twice = [name for name in roles if roles.count(name) > 1]
    if twice:
        raise HistoryError(f"the column {twice[0]!r} cannot play two parts")
    for name in (task, objective, budget, status):
        if name is not None:
            require_plain(frame[name])
    if not parameters:
        raise HistoryError("the table has no parameter columns besides the task and the objective")
    kind: Direction = "maximize" if direction == "maximize" else "minimize"
    return Roles(task, objective, kind, tuple(parameters), budget, status), notes


def require_column(frame: pl.DataFrame, name: str) -> None:
    """Raise HistoryError if the table has no such column, naming the likeliest one meant."""
    if not isinstance(name, str):
        raise HistoryError(f"a column is named by text, not by {name!r}")
    if name in frame.columns:
        return
    close = difflib.get_close_matches(name, frame.columns, 1)
    hint = f"did you mean {close[0]!r}?" if close else f"the columns are {', '.join(frame.columns)}"
    raise HistoryError(f"the table has no column {name!r}; {hint}")


def _guess(frame: pl.DataFrame, names: Sequence[str], role: str, numeric: bool = False) -> str:
    by_lower = {c.lower(): c for c in frame.columns if not numeric or frame[c].dtype.is_numeric()}
    for name in names:
        if name in by_lower:
            return by_lower[name]
    raise HistoryError(
        f"cannot tell which column is the {role}; name it with {role}=… (--{role} …); "
        f"the columns are {', '.join(frame.columns)}"
    )


def _is_bookkeeping(column: pl.Series) -> bool:
    name = column.name.lower()
    if name in BOOKKEEPING or name.startswith("unnamed:") or column.dtype.is_temporal():
        return True
    metrics = LOSSES + SCORES
    stem = name.rstrip("0123456789").rstrip("_")  # val_loss_3: one seed's or one fold's
    if column.dtype.is_numeric() and (
        name in metrics or stem in metrics or stem.endswith(("_time", "_seconds", "_secs"))
    ):
        return True
    if column.dtype == pl.String and len(column) > 50:
        return column.n_unique() > 0.5 * len(column)  # names of runs, notes
    return False


GOOD_STATUS = {"complete", "completed", "ok", "success", "succeeded", "finished", "done", "true"}


def _is_status(column: pl.Series) -> bool:
    if column.dtype != pl.String:
        return False
    return any(str(value).lower() in GOOD_STATUS for value in column.unique().head(50))
