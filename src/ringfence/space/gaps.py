"""Missing values that nothing explains: dropped, a choice of their own, or a question.

A few are slips, and their rows are dropped and counted. A value that was drawn on purpose is not
that rare: among ten choices or fewer each has a tenth of the rows. So up to a tenth of the rows is
"a few". Above it, what was written as None is a choice of its own, as scikit-learn's
max_depth=None is; blank cells are a question to the user.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ringfence.words import some

Missing: TypeAlias = Literal["drop", "choice", "error"]
MISSING: tuple[Missing, ...] = ("drop", "choice", "error")

FEW = 0.1
"""Up to this share of the finished rows may lack a value and be dropped unasked."""


@dataclass(frozen=True)
class GapRule:
    """What is done with missing values."""

    missing: Missing | None = None
    """What the user said; None for the rule above."""
    nones: frozenset[str] = field(default=frozenset())
    """Columns in which a missing value was written as None."""

    def drops(self, rows: int, of: int) -> bool:
        """Whether `rows` with gaps, of all the finished ones, are dropped."""
        return self.missing == "drop" or (self.missing is None and rows <= FEW * of)

    def is_choice(self, name: str, rows: int, of: int, words: bool) -> bool:
        """Whether missing is a choice of its own in a column with so many gaps; among words, None
        always is if it was written."""
        if self.missing is not None:
            return self.missing == "choice"
        return name in self.nones and (words or rows > FEW * of)


def gaps_in_words(gaps: Mapping[str, tuple[int, str]], rows: int, of: int) -> str:
    """The message for gaps that are neither few nor explained: the number of each column's, and
    where its first is. `rows` of all the finished ones have some."""
    if len(gaps) == 1:
        ((name, (count, where)),) = gaps.items()
        more = "" if count == 1 else f" (and {count - 1} more)"
        what = f"{where}, column {name!r}: the value is missing{more}"
    else:
        each = [f"{count} of {name!r} (first: {where})" for name, (count, where) in gaps.items()]
        what = f"values are missing: {some(each)}"
    return (
        f"{what}, and no other column tells when; that is {rows} of {of} rows; "
        "fill them in, say missing='drop', or missing='choice' if None is a value (--missing …), "
        "leave the column out (ignore=…, --ignore …), or declare the space with a condition"
    )
