"""What ringfence raises on purpose. Every message says what is wrong, where, and what to do."""

from __future__ import annotations

import os

from ringfence.errors.addresses import without_secrets

LONGEST = "RINGFENCE_MAX_MESSAGE"
FIRST = 20
"""So many times that much is looked through for secrets; an address may begin in the middle."""
USUAL = 4000
"""Letters of a message, fifty lines of a terminal; what is quoted in it may be of any length."""


class RingfenceError(Exception):
    """Base of every error that ringfence raises on purpose.

    Examples:
        >>> import ringfence as rf
        >>> try:
        ...     rf.load("nowhere.json")
        ... except rf.RingfenceError as error:
        ...     print(type(error).__name__)
        FileError
    """

    def __init__(self, message: str = "") -> None:
        text = without_secrets(_shortened(str(message), FIRST))
        super().__init__(_shortened(_one_line(text)))


class SpaceError(RingfenceError, ValueError):
    """A search space that cannot be: bounds, choices or conditions that contradict each other."""


class HistoryError(RingfenceError, ValueError):
    """A table of past runs that cannot be read as one."""


class UnusedError(HistoryError):
    """What was said of past runs, a column or an option, and their source has no use for."""

    def __init__(self, message: str, said: object) -> None:
        super().__init__(message)
        self.said = said


class FitError(RingfenceError, ValueError):
    """A region that cannot be fitted, or an answer that failed its own certificate."""


class FileError(RingfenceError, ValueError):
    """A file that is not what it should be."""


class SettingError(RingfenceError, ValueError):
    """An argument that makes no sense."""


class ExhaustedError(RingfenceError, RuntimeError):
    """A search space with no configuration left to try."""


class TrialError(RingfenceError, ValueError):
    """A result that fits no running trial."""


class MissingExtraError(RingfenceError, ImportError):
    """An optional package that this call needs and that is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"this needs the package {package!r}; install it with: "
            f"pip install 'ringfence[{extra}]' (in a clone: pip install -e '.[{extra}]')"
        )


def _one_line(message: str) -> str:
    """What a file holds or is called is shown, never obeyed."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in message)


def _shortened(message: str, times: int = 1) -> str:
    """The message without its middle if it is longer than the environment allows, or so many
    times as long."""
    text = os.environ.get(LONGEST, "")
    most = times * (int(text) if text.isdecimal() and len(text) < 10 else USUAL)
    if len(message) <= most:
        return message
    half = most // 2
    left_out = f" … ({len(message) - 2 * half:,} letters, see {LONGEST}) … "
    return message[:half] + left_out + message[len(message) - half :]
