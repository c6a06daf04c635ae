"""Options that several commands share, in groups."""

from ringfence.cli.options.groups import grouped
from ringfence.cli.options.learning import (
    AUTO,
    By,
    Compare,
    EvaluatedStarts,
    FoundStarts,
    LearnOptions,
    SearchBy,
    n_starts,
)
from ringfence.cli.options.runs import InputFormat, OutcomeOptions, RunOptions, offer_formats

__all__ = [
    "AUTO",
    "By",
    "Compare",
    "EvaluatedStarts",
    "FoundStarts",
    "InputFormat",
    "LearnOptions",
    "OutcomeOptions",
    "RunOptions",
    "SearchBy",
    "grouped",
    "n_starts",
    "offer_formats",
]
