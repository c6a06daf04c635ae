"""The sections of the page in their order: the contents list and the page follow it."""

from __future__ import annotations

from dataclasses import dataclass

from ringfence.reporting.facts import Facts


@dataclass(frozen=True)
class Section:
    """A part of the page; `id` is its anchor and the name of its template."""

    id: str
    title: str

    @property
    def template(self) -> str:
        """Where it is written."""
        return f"sections/{self.id}.html.jinja"


def sections(facts: Facts) -> tuple[Section, ...]:
    """Those that have something to say."""
    told = (
        ("ranges", "Learned ranges", True),
        ("warnings", "What to keep in mind", bool(facts.warnings)),
        ("use", "Use it", True),
        ("regret", "What the trials are worth", True),
        ("starts", "Starting points: what to try first", facts.starts is not None),
        ("zone", "No-go zone: where runs failed", facts.zone is not None),
        ("pairs", "Best configurations, two parameters at a time", True),
        ("solid", "Three parameters at once", facts.views.solid is not None),
        ("choices", "Choices of the best configurations", bool(facts.frequencies)),
        ("tasks", "Task by task, worst first", bool(facts.checked.rows)),
        ("past", "How the past fits the space of now", facts.past is not None),
        ("versions", "How it came to be", facts.versions is not None),
        ("settings", "Other settings", bool(facts.compared)),
        ("rows", "Rows that are not used", True),
        ("origin", "Where this comes from", True),
    )
    return tuple(Section(id, title) for id, title, wanted in told if wanted)
