"""What came of a call: fine, refused, or a failure, and where."""

from __future__ import annotations

import re
import traceback
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

from fuzz.hostile import TOKEN
from ringfence.errors import RingfenceError

LONGEST_MESSAGE = 4200
"""Characters of a message at most: 4,000, and the words that say how much was left out."""
PACKAGE = "/ringfence/"
"""What the paths of our own modules have in common."""
FULL = "does not fit into memory"
"""What we say then; but inputs are small, and a limit should have come first."""
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What a terminal obeys, what turns text around, and what cannot be written at all."""


@dataclass(frozen=True)
class Outcome:
    """`kind` is fine, refused or the name of a failure; `place` the innermost frame of ours."""

    kind: str
    place: str = ""
    detail: str = ""

    @property
    def failed(self) -> bool:
        """Whether this must not happen."""
        return self.kind not in ("fine", "refused")

    @property
    def key(self) -> str:
        """Failures with the same key count as one."""
        return f"{self.kind} {self.place}"


class Flaw(Exception):
    """Something that a target noticed itself, such as a file that does not come back as it was."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind


def judged(call: Callable[[], None]) -> Outcome:
    """Call, and say what came of it."""
    try:
        call()
    except Flaw as flaw:
        return Outcome(flaw.kind, _place((flaw.__cause__ or flaw).__traceback__), str(flaw)[:500])
    except RingfenceError as error:
        return _of_message(error)
    except BaseException as error:  # polars' panic and SystemExit are no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        text = "".join(traceback.format_exception_only(error))[:500]
        return Outcome(type(error).__name__, _place(error.__traceback__), text)
    return Outcome("fine")


def _of_message(error: RingfenceError) -> Outcome:
    try:
        message = str(error)
    except Exception as odd:
        return Outcome(f"message-{type(odd).__name__}", _place(error.__traceback__))
    kind = fault_of(message)
    if kind is None:
        return Outcome("refused")
    return Outcome(kind, _place(error.__traceback__), ascii(message[:300]))


def fault_of(message: str) -> str | None:
    """What is wrong with a message, if anything."""
    if len(message) > LONGEST_MESSAGE:
        return "long-message"
    if TOKEN in message:
        return "leak"
    if FULL in message:
        return "memory"
    if "\n" in message:
        return "several-lines"
    if UNSAFE.search(message):
        return "control-characters"
    return None if message.strip() else "empty-message"


def unsafe_in(text: str) -> str | None:
    """The first letter of printed text that a terminal would obey, but for line ends and tabs."""
    found = UNSAFE.search(text.replace("\n", "").replace("\t", ""))
    return None if found is None else unicodedata.name(found[0], repr(found[0]))


def _place(trace: TracebackType | None) -> str:
    """Module and function of the innermost frame of the package; of any if there is none."""
    codes = [frame.f_code for frame, _ in traceback.walk_tb(trace)]
    own = [code for code in codes if PACKAGE in code.co_filename] or codes[-1:]
    return f"{own[-1].co_filename.rpartition(PACKAGE)[2]}:{own[-1].co_name}"
