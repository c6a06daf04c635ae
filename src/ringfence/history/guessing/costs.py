"""Which column is what a run cost: one that is called like the time that it took, and nothing
else. A parameter may be called cost, and time alone may be a time stamp."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from ringfence.history.guessing.names import is_time
from ringfence.history.guessing.results import name_words
from ringfence.history.outcomes.durations import in_seconds, unit_in

WHOLE = {
    "duration", "runtime", "run_time", "wall_time", "walltime", "wall_clock", "wallclock",
    "wall_clock_time", "wallclock_time", "elapsed", "elapsed_time", "time_elapsed", "total_time",
    "time_total", "trial_time", "trial_duration", "run_duration", "total_duration", "job_duration",
    "laufzeit", "rechenzeit", "dauer",
}  # fmt: skip
"""The time that a run took from its begin to its end; a unit may stand behind it."""
TRAINING = {
    "train_time", "training_time", "fit_time", "timetrain", "time_train", "mean_fit_time",
    "train_duration", "training_duration", "fit_duration", "train_runtime", "trainingszeit",
}  # fmt: skip
"""That of its training, where nothing says that of the whole."""
WITH_UNIT = {"trial": WHOLE, "run": WHOLE, "train": TRAINING, "training": TRAINING, "fit": TRAINING}
"""With a unit behind it, such as fit_seconds, this is a time as well."""
UNITS = {"seconds", "secs", "minutes", "hours", "milliseconds", "sekunden", "minuten", "stunden"}
"""Units that are a time by themselves."""


def guess_cost(frame: pl.DataFrame, taken: Collection[str]) -> tuple[str | None, list[str]]:
    """The column of the runs' costs, None if there is none; and the others that could be."""
    free = [name for name in frame.columns if name not in taken and not name.startswith(":")]
    named = [n for kind in (WHOLE, TRAINING) for n in free if _kind(n) is kind]
    held = [name for name in named if (in_seconds(frame[name]) > 0).sum() > frame.height / 2]
    return (held[0], held[1:]) if held else (None, [])


def is_cost(name: str) -> bool:
    """Whether a column of this name is the cost of runs if it holds durations."""
    return _kind(name) is not None


def is_timed(name: str) -> bool:
    """Whether the costs in a column of this name are times, in seconds once they are read."""
    words = name_words(name)
    return is_cost(name) or is_time(words) or (len(words) == 1 and words[0] in UNITS)


def _kind(name: str) -> set[str] | None:
    words = name_words(name)
    has_unit = unit_in(words) is not None
    stem = "_".join(words[:-1] if has_unit else words)
    if has_unit and not stem:
        return WHOLE if words[0] in UNITS else None
    if has_unit and stem in WITH_UNIT:
        return WITH_UNIT[stem]
    return next((kind for kind in (WHOLE, TRAINING) if stem in kind), None)
