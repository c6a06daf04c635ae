"""Which way the past runs went, held against the study that is to follow them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

from optuna.study import Study, StudyDirection

from ringfence.learned.space import LearnedSpace


@dataclass
class PastDirection:
    """What the past runs were tuned for, and whether a study was held against it."""

    objective: str
    direction: str
    """'minimize' or 'maximize'; empty if there were no past runs."""
    looked: bool = False

    @classmethod
    def of(cls, learned: LearnedSpace) -> PastDirection:
        """That of a learned space; one learned from nothing has none."""
        past = learned.provenance
        return cls(past.objective, past.direction if learned.tasks else "")

    def hold_against(self, study: Study) -> None:
        """Warn, once, if the past runs were maximized and the study minimizes its one objective, as
        studies do unless told otherwise."""
        if self.looked:
            return
        self.looked = True
        if self.direction == "maximize" and study.directions == [StudyDirection.MINIMIZE]:
            warnings.warn(
                f"this study is to minimize, but the past runs maximize {self.objective!r}: create "
                "it with direction='maximize' if it returns such values; if less of what it "
                "returns is better, all is well",
                UserWarning,
                stacklevel=2,
            )
