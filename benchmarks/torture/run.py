"""One tortured history: learned, judged and timed."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

import ringfence as rf
from benchmarks.torture.histories import Case, case
from benchmarks.torture.promises import broken_promise


@dataclass(frozen=True)
class Outcome:
    """What became of a history."""

    text: str
    shape: str
    cloud: str
    end: str
    """'kept', 'refused: ERROR' if nothing can be learned from it, or 'broken'."""
    fault: str | None
    seconds: float


def outcome_of(number: int, seed: int = 0) -> Outcome:
    """Learn from the history with this number, and judge what was learned."""
    tortured = case(number, seed)
    begin = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        end, fault = _judged(tortured)
    seconds = time.process_time() - begin
    shape = str(tortured.settings["shape"])
    return Outcome(str(tortured), shape, tortured.cloud, end, fault, seconds)


def _judged(tortured: Case) -> tuple[str, str | None]:
    """How it ended, and what is wrong with that."""
    try:
        learned = rf.learn(tortured.history, tortured.space, starts=0, **tortured.settings)
    except rf.HistoryError as error:  # of rows that do not belong to the space
        return "refused", None if "\n" not in str(error) else f"several lines: {error}"
    except Exception as error:
        return "broken", f"{type(error).__name__}: {error}"
    try:
        fault = broken_promise(learned)
    except Exception as error:
        fault = f"{type(error).__name__}: {error}"
    return ("broken", fault) if fault else ("kept", None)
