"""Which column says whether a run finished, by the words in it."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.guessing.results import name_words
from ringfence.words import some

STATUSES = ("status", "state")
"""What such a column is called."""
GOOD_STATUS = {
    "complete", "completed", "ok", "success", "succeeded", "successful", "finished", "done", "true",
    "terminated", "passed", "ended",
}  # fmt: skip
"""What the status of a run that counts may be, in lower case; Ray Tune's is TERMINATED."""
BAD_STATUS = {
    "error", "errored", "fail", "failed", "failure", "crash", "crashed", "running", "killed",
    "timeout", "timed out", "timed_out", "oom", "memoryout", "pruned", "waiting", "queued",
    "pending", "scheduled", "cancelled", "canceled", "aborted", "stopped", "interrupted",
    "preempted", "diverged", "incomplete", "unfinished", "invalid", "false",
}  # fmt: skip
"""That of one that does not: it failed, runs, or was stopped early."""
LIKE_STATUSES = {"outcome", "result", "success", "succeeded"}
LIKE_ENDINGS = ("_status", "_state")
"""A column of such a name is a status if each of its words is one."""
TELLING = {
    "failed", "fail", "failure", "error", "errors", "exception", "traceback", "crash", "crashed",
    "oom", "killed", "diverged", "exit", "exitcode", "returncode", "signal", "message", "reason",
}  # fmt: skip
"""A name with such a word may tell why a run failed, as error_message and exit_code do."""
MOST_WORDS = 50
"""This many different values are looked at."""


def guess_status(frame: pl.DataFrame, known: Collection[str]) -> str | None:
    """The first column called status or state that tells which runs finished, or else one that is
    called alike; HistoryError if there is text in one of the former that does not, unless it is
    `known` to be no parameter."""
    empty = empty_statuses(frame)
    names = [name for name in frame.columns if name.lower() in STATUSES and name not in empty]
    for name in names:
        if frame[name].dtype == pl.Boolean or _is_known(_words(frame[name])):
            return name
    if found := next((column.name for column in frame if is_like_status(column)), None):
        return found
    texts = [name for name in names if frame[name].dtype == pl.String and name not in known]
    if not texts:
        return None
    words = [repr(word) for word in frame[texts[0]].drop_nulls().unique(maintain_order=True)[:4]]
    raise HistoryError(
        f"the column {texts[0]!r} is called like the status of runs, but holds {some(words)}; "
        "write finished or failed in it, name another with status=… (--status …), or leave it out "
        f"with ignore=[{texts[0]!r}] (--ignore {texts[0]})"
    )


def empty_statuses(frame: pl.DataFrame) -> list[str]:
    """The columns called status or state that say nothing of any run."""
    return [
        column.name
        for column in frame
        if column.name.lower() in STATUSES
        and not (column.dtype == pl.String and (column.str.strip_chars() != "").any())
        and (column.dtype == pl.String or not column.count())
    ]


def is_like_status(column: pl.Series) -> bool:
    """Whether a column is called much like a status, and each of its words is one."""
    stem = "_".join(name_words(column.name))
    if stem not in LIKE_STATUSES and not stem.endswith(LIKE_ENDINGS):
        return False
    if column.dtype == pl.Boolean:  # use_state may be a parameter
        return stem in ("success", "succeeded") and column.count() > 0
    words = _words(column)
    return _is_known(words) and words <= GOOD_STATUS | BAD_STATUS


def tells_of_failure(column: pl.Series, finished: pl.Series) -> bool:
    """Whether a column says something of runs that did not finish alone: it is empty where they
    did, or called like what failed runs leave, and of one value there that others do not share."""
    done, rest = column.filter(finished).unique(), column.filter(~finished)
    if not finished.any() or not rest.count():
        return False
    if not done.count():
        return True
    is_called = bool(TELLING.intersection(name_words(column.name)))
    return is_called and len(done) == 1 and bool((rest != done[0]).any())


def unfinished(column: pl.Series) -> str:
    """What the runs that do not count say, in words; empty if all count."""
    text = column.cast(pl.String)
    words = text.filter(~text.str.to_lowercase().is_in(list(GOOD_STATUS)).fill_null(value=False))
    different = words.drop_nulls().unique().sort().to_list()
    return some([*different, *(["nothing"] if words.null_count() else [])])


def _words(column: pl.Series) -> set[str]:
    if column.dtype != pl.String:
        return set()
    different = column.drop_nulls().unique().head(MOST_WORDS)
    return set(different.str.to_lowercase())


def _is_known(words: set[str]) -> bool:
    return bool(words & GOOD_STATUS) or bool(words and words <= BAD_STATUS)
