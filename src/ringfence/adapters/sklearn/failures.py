"""What scikit-learn says when every fit of a call failed: one text with all tracebacks."""

from __future__ import annotations

from ringfence.words import shortened

EVERY_FOLD = "all fits failed"
"""How the reason of such a trial begins."""
ALL_FAILED = "All the "
"""How scikit-learn's error begins if no fit of a call succeeded."""
LETTERS = 300
"""Of a reason: a line of an error may hold a whole table."""


def says_all_failed(error: ValueError) -> bool:
    """Whether this is scikit-learn's error for a call of which no fit succeeded."""
    return str(error).lstrip().startswith(ALL_FAILED)


def reason_of(error: ValueError, n: int) -> str:
    """Why every fit failed: of the last traceback in scikit-learn's text the line behind the calls.
    If `n` configurations were tried at once, the text does not say which failed why."""
    lines = [line for line in str(error).splitlines() if line.strip(" -")]
    begins = [i for i, line in enumerate(lines) if line.startswith("Traceback")]
    behind = lines[begins[-1] + 1 :] if begins else []
    said = next((line for line in behind if not line[0].isspace()), lines[-1]).strip()
    at_once = f" of {n} configurations at once, the last" if n > 1 else ""
    return shortened(f"{EVERY_FOLD}{at_once}: {said}", LETTERS)
