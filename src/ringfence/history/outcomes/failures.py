"""What became of each run: it finished, failed, was pruned, still runs, or was ended from outside.

A run failed if its status says so, or if it finished with an objective that is NaN or infinite.
Failures are data, since they may depend on the configuration; what was pruned, waits, runs, or was
killed by others says nothing of the kind and is neither usable nor failed.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias, get_args

import polars as pl

from ringfence.history.guessing.statuses import GOOD_STATUS

Failures: TypeAlias = Literal["keep", "ignore"]
FAILURES: tuple[Failures, ...] = get_args(Failures)

CRASH, MEMORY, TIMEOUT, DIVERGED = "crash", "memory", "timeout", "diverged"
"""The usual reasons."""
REASONS = {
    MEMORY: r"\b(oom\w*|memout|memory\w*|outofmemory\w*|out of me\w*)\b",
    TIMEOUT: r"\b(timeout|timedout|timed out|time out|time limit|time exceeded|deadline)\b",
    DIVERGED: r"\b(diverged|diverges|divergence|nan|inf|infinity|not finite|non finite|overflow)\b",
}
"""By reason: how texts tell of it; blanks stand for what is neither a letter nor a digit."""
FAILED = (
    r"\b(fail|fails|failed|failure|error|errors|errored|exception|crash|crashed|invalid|segfault)\b"
)
"""Words of failures that give no reason."""
NAMED = r"\b\w+(error|exception)\b|\bexit (code|status) (?!(130|143)\b)[1-9]"
"""Failures that are called by what was raised, or by their number: 130 and 143 are those of runs
that were ended from outside."""
PLAIN = {"crash", "crashed", "error", "errors", "errored", "exception", "segfault"}
"""With one of these alone the run crashed."""
NO = "false"
"""The answer to whether a run finished, of a column that holds such."""
SPARED = r"\b(preempted|preemption|killed|cancelled|canceled|aborted|interrupted|node fail)\b"
"""Words of runs that were ended from outside, if no reason of the usual ones is given."""
WELL = rf"({'|'.join(sorted(GOOD_STATUS - {'complete', 'ended', 'terminated'}))})\b(?! with\b)"
"""How a text begins that tells of no failure, whatever follows: finished, no errors."""
ERROR = r"[\w.]*(Error|Exception|Exit|Interrupt)\b"
"""How a line that names an error begins."""
MOST_LETTERS = 60
"""Letters of a reason that is none of the usual ones."""


def reason_in(text: str) -> str | None:
    """Why a run failed, in a word or a few: one of the usual reasons, or the text without the words
    that only say that it failed; None if nothing is left."""
    plain = _plain(text)
    for reason, pattern in REASONS.items():
        if re.search(pattern, plain):
            return reason
    rest = " ".join(re.sub(FAILED, " ", plain).split())
    if not rest or plain == NO:
        return CRASH if PLAIN.intersection(plain.split()) else None
    return rest[:MOST_LETTERS].rstrip()


def error_in(report: str) -> str | None:
    """The line of a report on a failure that names the error: the last that begins like one of
    Python's, or else the last."""
    lines = [line.strip() for line in report.splitlines() if line.strip()]
    named = [line for line in lines if re.match(ERROR, line)]
    return next(iter([*named[-1:], *lines[-1:]]), None)


def is_failure(status: str) -> bool:
    """Whether the status of a run says that it failed by itself."""
    plain = _plain(status)
    if plain == NO:
        return True
    if re.match(WELL, plain):
        return False
    if any(re.search(pattern, plain) for pattern in REASONS.values()):
        return True
    return not re.search(SPARED, plain) and bool(re.search(f"{FAILED}|{NAMED}", plain))


def failed_runs(
    status: pl.Series | None, value: pl.Series, written: pl.Series | None, reason: pl.Series | None
) -> pl.DataFrame:
    """For each run whether it failed, and the reason: columns `failed` and `reason`. `value` is the
    objective, `written` its cells where they hold no number, `reason` the store's own words."""
    nothing = pl.Series([None], dtype=pl.String).new_from_index(0, len(value))
    words = nothing if written is None else written.cast(pl.String)
    is_odd = (value.is_infinite() | value.is_nan()).fill_null(value=False)
    diverged = is_odd | _tell_failures(words)
    why = pl.select(
        pl.coalesce(_reasons(words), pl.when(is_odd).then(pl.lit(DIVERGED)))
    ).to_series()
    if status is None:
        failed = diverged
    else:
        text = status.cast(pl.String).str.to_lowercase()
        finished = text.is_in(list(GOOD_STATUS)).fill_null(value=False)
        crashed = ~finished & _tell_failures(text)
        failed = crashed | (finished & diverged)
        why = pl.select(pl.when(crashed).then(_reasons(text)).otherwise(why)).to_series()
    told = nothing if reason is None else _reasons(reason.cast(pl.String))
    why = pl.select(pl.when(failed).then(pl.coalesce(told, why))).to_series()
    return pl.DataFrame({"failed": failed, "reason": why.cast(pl.String)})


def _reasons(column: pl.Series) -> pl.Series:
    """The reason in each text of a column; null where there is none."""
    texts = column.drop_nulls().unique()
    reasons = pl.Series([reason_in(text) for text in texts], dtype=pl.String)
    return column.replace_strict(texts, reasons, default=None, return_dtype=pl.String)


def _tell_failures(column: pl.Series) -> pl.Series:
    """Whether each text of a column tells of a failure; one that is not there does not."""
    texts = column.drop_nulls().unique()
    failures = [text for text in texts if is_failure(text)]
    return column.is_in(failures).fill_null(value=False)


def _plain(text: str) -> str:
    """The text in lower case with single blanks for all that is no letter and no digit."""
    return " ".join(re.sub(r"[\W_]+", " ", text[:1000].lower()).split())
