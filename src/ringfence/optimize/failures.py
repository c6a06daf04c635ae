"""Which failures of the objective end a search, and which are recorded so that it goes on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ringfence.errors import SettingError, TrialError
from ringfence.optimize.trial import Trial

Catch: TypeAlias = type[Exception] | tuple[type[Exception], ...]

BUGS = (NameError, TypeError, ImportError, AttributeError, SyntaxError, KeyError)
"""Another configuration would not help: the code names what is not there. KeyError is among them
since its usual cause is a parameter that the configuration does not have."""

IN_A_ROW = 3
"""This many failures, one after the other, say more about the objective than about the space."""


class NoNumberError(TrialError):
    """The objective returned what no configuration would turn into a number, such as None."""


class Failures:
    """The failures of one call of `minimize`."""

    def __init__(self, catch: Catch) -> None:
        kinds = catch if isinstance(catch, tuple) else (catch,)
        if not all(isinstance(kind, type) and issubclass(kind, Exception) for kind in kinds):
            raise SettingError(
                f"catch must be an exception's class or a tuple of such, as in catch=ValueError, "
                f"not {catch!r}"
            )
        self._caught = kinds
        self._in_a_row = 0

    def success(self) -> None:
        """A trial gave a number."""
        self._in_a_row = 0

    def ends(self, error: BaseException) -> bool:
        """Whether the search ends with this one."""
        if isinstance(error, self._caught):
            return False
        self._in_a_row += 1
        return is_bug(error) or self._in_a_row >= IN_A_ROW


def is_bug(error: BaseException) -> bool:
    """Whether the code is to blame, whatever the configuration."""
    # scikit-learn's error for a value that an estimator does not take is both of these
    is_code = isinstance(error, BUGS) and not isinstance(error, ValueError)
    return is_code or isinstance(error, NoNumberError)


def advice(error: BaseException, trial: Trial, finished: int) -> str:
    """What to add to an error that ends a search."""
    kind = _as_typed(error)
    again = "rf.minimize(objective, error.outcome.optimizer"
    mended = f"Once it is mended, {again}) continues with this trial; " if is_bug(error) else ""
    return (
        f"ringfence: the search ended with trial {trial.number}, {trial.config}. The "
        f"{finished} finished trial{'s' * (finished != 1)} and the failed ones are in "
        f"error.outcome. {mended}catch={kind} records such failures and goes on: "
        f"{again}, catch={kind})"
    )


def _as_typed(error: BaseException) -> str:
    """The class of the error as users would write it."""
    if isinstance(error, TrialError):
        return "rf.TrialError"
    kind = type(error)
    own = kind.__module__ in ("builtins", "__main__") or "<locals>" in kind.__qualname__
    return kind.__name__ if own else f"{kind.__module__}.{kind.__qualname__}"


def failure_line(trials: Sequence[Trial]) -> str:
    """How many of the trials failed, and why the first did; empty if none did."""
    failed: list[Any] = [trial for trial in trials if trial.state == "failed"]
    if not failed:
        return ""
    why = f", the first with {failed[0].reason}" if failed[0].reason else ""
    return f"{len(failed)} of {len(trials)} trials failed{why}"
