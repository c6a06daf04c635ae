"""Options that several commands share, in groups."""

from ringfence.cli.options.groups import grouped
from ringfence.cli.options.learning import (
    AUTO,
    Compare,
    EvaluatedStarts,
    LearnOptions,
    n_starts,
)
from ringfence.cli.options.runs import InputFormat, OutcomeOptions, RunOptions, offer_formats

__all__ = [
    "AUTO",
    "Compare",
    "EvaluatedStarts",
    "InputFormat",
    "LearnOptions",
    "OutcomeOptions",
    "RunOptions",
    "grouped",
    "n_starts",
    "offer_formats",
]
