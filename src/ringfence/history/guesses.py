"""What columns are usually called, and by which signs their part in a history is guessed."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ringfence.errors import HistoryError

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
METRICS = LOSSES + SCORES
STATUSES = ("status", "state")
GOOD_STATUS = {"complete", "completed", "ok", "success", "succeeded", "finished", "done", "true"}
"""What the status of a run that counts may be, in lower case."""
BOOKKEEPING = (
    "id", "index", "run", "run_id", "run_name", "trial", "trial_id", "number", "config",
    "config_id", "iteration", "seed", "repeat", "repetition", "fold", "timestamp", "date",
    "created", "start_time", "end_time", "duration", "runtime", "time", "train_time", "timetrain",
    "timepredict", "fit_time", "elapsed", "seconds", "secs", "memory", "user", "host", "",
)  # fmt: skip
DURATIONS = ("_time", "_seconds", "_secs")

SHORT_TABLE = 50
"""Up to this many rows, texts that never repeat may still be choices."""
STATUS_VALUES = 50
"""This many different values are looked at to see whether a column holds the status of runs."""


def guess_task(frame: pl.DataFrame) -> str:
    """The column of the task by its name."""
    return _first_of(TASKS, frame.columns, frame, "task")


def guess_objective(frame: pl.DataFrame) -> str:
    """The column of numbers that is called like an objective."""
    numeric = [column.name for column in frame if column.dtype.is_numeric()]
    return _first_of(METRICS, numeric, frame, "objective")


def guess_status(frame: pl.DataFrame) -> str | None:
    """The first column called status or state, if it tells which runs finished."""
    name = next((name for name in frame.columns if name.lower() in STATUSES), None)
    return name if name is not None and _is_status(frame[name]) else None


def is_score(name: str) -> bool:
    """Whether more of what has this name is usually better."""
    return name.lower() in SCORES


def is_bookkeeping(column: pl.Series) -> bool:
    """Whether the column tells of the run rather than of what was tried: an id, a time, a metric,
    a text that hardly repeats."""
    name = column.name.lower()
    if name in BOOKKEEPING or name.startswith("unnamed:") or column.dtype.is_temporal():
        return True
    if column.dtype.is_numeric():
        stem = name.rstrip("0123456789").rstrip("_")  # val_loss_3: one seed's or one fold's
        return name in METRICS or stem in METRICS or stem.endswith(DURATIONS)
    if column.dtype == pl.String and len(column) > SHORT_TABLE:
        return column.n_unique() > 0.5 * len(column)  # names of runs, notes
    return False


def _first_of(usual: Sequence[str], names: Sequence[str], frame: pl.DataFrame, role: str) -> str:
    by_lower = {name.lower(): name for name in names}
    for name in usual:
        if name in by_lower:
            return by_lower[name]
    raise HistoryError(
        f"cannot tell which column is the {role}; name it with {role}=… (--{role} …); "
        f"the columns are {', '.join(frame.columns)}"
    )


def _is_status(column: pl.Series) -> bool:
    if column.dtype != pl.String:
        return False
    return any(str(value).lower() in GOOD_STATUS for value in column.unique().head(STATUS_VALUES))
