"""The hub for people: its table, and what one entry was learned from and how it was judged."""

from __future__ import annotations

from collections.abc import Sequence

from ringfence.learned.hub.records import EntryRecord, Evidence, PartRecord
from ringfence.rendering.layout import Part, Table, Toned, lay_out
from ringfence.rendering.notebook import notebook_block, notebook_table
from ringfence.words import percent

HEAD = ("name", "learner", "tasks", "data sets", "sizes", "evidence", "licence")
FLOORS = {0: 12, 5: 24}
"""Characters that a name and evidence keep in a narrow terminal."""
BELOW = (
    "evidence is of data sets that were left out: regret (0 is the best configuration, 1 a median "
    "one), or the share of their optima inside a share of the declared space",
    "rf.hub(NAME, task=…, rows=…) gives the space, rf.hub()[NAME] the whole entry",
)
PARTS_HEAD = ("task", "sizes", "data sets", "tasks", "left-out optima inside", "of the space")


def hub_parts(entries: Sequence[EntryRecord]) -> list[Part]:
    """All entries, a line each."""
    table = Table([HEAD, *map(_row, entries)], floors=FLOORS)
    return [Toned(_title(entries), "title"), "", table, "", *BELOW]


def hub_text(entries: Sequence[EntryRecord]) -> str:
    """The same as text."""
    return "\n".join(lay_out(hub_parts(entries)))


def hub_html(entries: Sequence[EntryRecord]) -> str:
    """What a notebook shows."""
    return notebook_block(_title(entries), [notebook_table(HEAD, map(_row, entries))], BELOW)


def _title(entries: Sequence[EntryRecord]) -> str:
    return f"the hub: {len(entries)} entries"


def _row(entry: EntryRecord) -> list[str]:
    kinds = dict.fromkeys(part.task for part in entry.parts if part.task != "any")
    sizes = f"{entry.rows[0]:,} to {entry.rows[1]:,} rows"
    evidence = "; ".join(f"{part.task}: {evidence_words(part.evidence)}" for part in entry.wholes)
    if len(entry.wholes) == 1:
        evidence = evidence_words(entry.wholes[0].evidence)
    return [
        entry.name, entry.learner, ", ".join(kinds), f"{entry.data_sets}", sizes, evidence,
        entry.licence.split(" (")[0],
    ]  # fmt: skip


def evidence_words(evidence: Evidence) -> str:
    """How a space fared on data sets left out, in a few words."""
    if evidence.starts is not None:
        told = {"default": evidence.default, "5 at random": evidence.random}
        others = ", ".join(f"{name} {x:.2f}" for name, x in told.items() if x is not None)
        return f"regret after 5 starts {evidence.starts:.2f} ({others})"
    if evidence.volume == 1.0:
        return "the declared space, with starting points"
    return f"{percent(evidence.covered)} of optima in {percent(evidence.volume)}"


def entry_parts(entry: EntryRecord) -> list[Part]:
    """One entry: where it comes from, its parts, their evidence, and where ranges clip."""
    return [
        Toned(_entry_title(entry), "title"),
        *_about(entry),
        "judged on data sets left out, all splits of each at once",
        "",
        Table([PARTS_HEAD, *map(_part_row, entry.parts)]),
        "",
        *_below(entry),
    ]


def entry_text(entry: EntryRecord) -> str:
    """The same as text."""
    return "\n".join(lay_out(entry_parts(entry)))


def entry_html(entry: EntryRecord) -> str:
    """What a notebook shows."""
    table = notebook_table(PARTS_HEAD, map(_part_row, entry.parts))
    return notebook_block(_entry_title(entry), [table], [*_about(entry), *_below(entry)])


def _entry_title(entry: EntryRecord) -> str:
    return f"{entry.name}: {entry.learner}"


def _about(entry: EntryRecord) -> list[str]:
    """Where it comes from."""
    needs = [f"to be set, too: {entry.needs}"] if entry.needs else []
    source = [f"learned from: {entry.source}", f"licence: {entry.licence}"]
    return [entry.about, *needs, *source]


def _below(entry: EntryRecord) -> list[str]:
    """What there is to say of its parts."""
    lines = [
        f"{_name(part)}: {evidence_words(part.evidence)}"
        for part in entry.parts
        if part.evidence.starts is not None
    ]
    small = [part for part in entry.parts if part.evidence.is_smallest]
    if small and not entry.dense:
        which = "" if len(small) == len(entry.parts) else " for " + "; ".join(map(_name, small))
        lines.append(
            "it cannot be smaller" + which + ": no region that was tried holds 90% of the left-out "
            "optima in half of the declared space"
        )
    edges: dict[tuple[str, str], str] = {}
    for part in sorted(entry.parts, key=lambda part: -part.tasks):  # the most tasks know best
        for edge in part.edges:
            edges.setdefault((edge.parameter, edge.end), edge.words)
    return [*lines, *(f"the declared range clips {words}" for words in edges.values())]


def _name(part: PartRecord) -> str:
    """For what the part is."""
    return f"{part.task}, {part.sizes}"


def _part_row(part: PartRecord) -> list[str]:
    evidence = part.evidence
    shares = [percent(evidence.covered), percent(evidence.volume)]
    return [part.task, part.sizes, f"{part.data_sets}", f"{part.tasks}", *shares]
