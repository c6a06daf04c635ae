"""The guard: some of the trials search the full space, in case the region misses the optimum.

They come from the same method over the full space, which sees all trials. Of n new configurations
⌊share n⌋ are the guard's. While the best trial lies outside the region, which has then proved
wrong, every second one is; once nothing is left inside, all are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from ringfence.errors import SettingError
from ringfence.learned.full import full_space
from ringfence.learned.space import LearnedSpace
from ringfence.optimize.domain.domain import Domain, domain_of
from ringfence.optimize.log import TrialLog
from ringfence.space import Space

GuardShare: TypeAlias = float | Literal["auto"] | None
"""A share of the trials; 'auto' for the method's usual one, None or 0 for none."""
USUAL = 0.1
"""The share for methods with a model (docs/guard.md has the measurements)."""


@dataclass(frozen=True, eq=False)
class Guard:
    """How many trials are the guard's, and where they look."""

    share: float
    domain: Domain
    """The full space, or all candidates."""
    region: LearnedSpace

    def is_due(self, log: TrialLog) -> bool:
        """Whether the next new configuration is the guard's."""
        guarded = [trial.guard for trial in log.trials if trial.resumes is None]
        if sum(guarded) < n_guarded(self.share, len(guarded) + 1):
            return True
        best = log.best
        return best is not None and not guarded[-1] and not self.region.contains(best.config)


def n_guarded(share: float, n: int) -> int:
    """How many of the first `n` trials are the guard's at least."""
    return math.floor(share * n + 1e-9)


def guard_share(guard: GuardShare, usual: float = USUAL) -> float:
    """The share that is meant, or SettingError."""
    if guard == "auto":
        return usual
    if guard is None:
        return 0.0
    if isinstance(guard, bool) or not isinstance(guard, (int, float)) or not 0 <= guard <= 1:
        raise SettingError(
            f"guard is the share of trials from the full space, from 0 to 1, not {guard!r}"
        )
    return float(guard)


def guard_of(
    where: LearnedSpace | Space, candidates: Iterable[Mapping[str, Any]] | None, share: float
) -> Guard | None:
    """The guard of a search of `where`; None if its share is 0 or there is nothing outside."""
    if share == 0.0 or not isinstance(where, LearnedSpace) or where.shape == "full":
        return None
    full = replace(full_space(where.space), zone=where.zone, odds=where.odds)
    return Guard(share, domain_of(full, candidates), where)
