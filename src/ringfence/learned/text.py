"""A learned space as text: the table that `print` and `ringfence show` give."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ringfence.fit.outlier_count import n_outliers
from ringfence.history.doubts.repeated_bests import FAILED_RUNS
from ringfence.history.mismatch.units import OTHER_UNITS
from ringfence.learned.blocks import Block
from ringfence.learned.parts import shape_in_words, tasks_by_part
from ringfence.learned.ranges import Range, range_rows
from ringfence.learned.records import Task
from ringfence.learned.settings import NO_STARTS
from ringfence.rendering.layout import Either, Part, Table, Toned, lay_out
from ringfence.space.display import between
from ringfence.words import estimate, number, percent, plain, some, value

if TYPE_CHECKING:
    from ringfence.learned.space import LearnedSpace

BARS = (24, 12, 0)  # lengths of the bars: as long as there is room for
FEW_KNOW = 5  # tasks that know a parameter: a check needs as many, too
NAME, RANGE = 12, 20  # columns that names and ranges keep in a narrow table
TOLD = (
    "the space is that of ",
    "the best run of ",
    "lies at the end of a range that was narrower",
    "of the space: the runs count by",
    "was given a value",
    "the hub knows data of ",
    " tasks that ship of the hub's ",
    "the declared ranges hold ",
    "to be set, too: ",
    "the hub has a value for off",
)
"""Words of notes on how the past fits the space that change what is learned."""


def summary(learned: LearnedSpace) -> str:
    """The whole table: headline, one line a parameter, volume, outliers."""
    return "\n".join(lay_out(summary_parts(learned)))


def summary_parts(learned: LearnedSpace) -> list[Part]:
    """The same, to be laid out in a given width."""
    first = titled(headline(learned), learned.provenance.goal if learned.tasks else "")
    warnings = [Toned(line, "unsure") for line in caution_lines(learned)]
    parts: list[Part] = [first, *warnings, "", parameter_table(learned), "", volume_line(learned)]
    tables = part_tables(learned)
    parts += [part for table in tables for part in ("", Table(table, floors={0: NAME}))]
    parts += [""] if tables else []
    parts += outlier_lines(learned)
    parts += [*unknown_lines(learned), *few_tasks_lines(learned), *start_lines(learned)]
    return [*parts, *zone_lines(learned), *past_lines(learned), *row_lines(learned)]


def headline(learned: LearnedSpace) -> str:
    """One sentence: the shape and how many tasks it holds."""
    shape = shape_in_words(learned)
    inside = len(learned.tasks) - len(learned.outliers)
    total, top, good = len(learned.tasks), learned.settings.top, learned.settings.tolerance
    if learned.shape == "full":
        return f"the full space ({total} task{'s' * (total != 1)})"
    what = "the best configurations"
    if top:
        what = f"the best {percent(top)} of the configurations"
    elif good:
        what = f"good configurations (regret up to {good:g})"
    if total == 1:
        return f"{shape} around {what if top or good else what[:-1]} of one task"
    of = f"{inside} of {total}" if learned.outliers else f"all {inside}"
    return f"{shape} around {what} of {of} tasks"


def titled(line: str, goal: str) -> str:
    """The first line of a text, with which way is better."""
    return f"{line}; {goal}" if goal else line


def outlier_lines(learned: LearnedSpace) -> list[str]:
    """Who was left outside, and why that may be more or fewer than asked for."""
    asked = n_outliers(learned.settings.outliers, len(learned.tasks))
    left = len(learned.outliers)
    if learned.settings.top:  # the share is one of rows then
        why = " (by their best rows)"
    elif left > asked and learned.settings.literal:
        why = f" ({asked} asked for; the paper's grid of penalties is coarse)"
    elif left > asked:
        why = f" ({asked} asked for; tasks can leave together only)"
    elif left < asked:
        why = f" ({asked} asked for; the others can only leave together)"
    else:
        why = ""
    names = some(learned.outliers) if left else "no task"
    return [f"left outside{why}: {names}"] if left or asked else []


def caution_lines(learned: LearnedSpace) -> list[str]:
    """Why most of the rows do not count, if most do not for one reason, best values that look like
    those of failed runs, and numbers that look like those of other units."""
    provenance = learned.provenance
    doubts = [
        f"warning: {plain(note)}"
        for note in provenance.notes
        if note.endswith(FAILED_RUNS) or OTHER_UNITS in note
    ]
    return doubts + [
        f"note: {dropped.rows:,} of {provenance.rows:,} rows do not count: {dropped.reason} "
        f"({plain(dropped.example)})"
        for dropped in provenance.dropped
        if 2 * dropped.rows > provenance.rows
    ]


def unknown_lines(learned: LearnedSpace) -> list[str]:
    """Which parameters some tasks did not tune, and what that means for their ranges."""
    lines, total = [], len(learned.tasks)
    for name in learned.space:
        lacking = [task.name for task in learned.tasks if name in _untuned(task)]
        if lacking and len(lacking) == total:
            lines.append(f"no task tuned {name}: all of it stays")
        elif lacking:
            lines.append(
                f"{len(lacking)} of {total} tasks did not tune {name} ({some(lacking, 3)}): what "
                "is learned of it comes from the others"
            )
    return lines


def _untuned(task: Task) -> tuple[str, ...]:
    return (*task.unknown, *task.fixed)


def past_lines(learned: LearnedSpace) -> list[str]:
    """What else is to be known of a past that does not match the space."""
    notes = map(plain, learned.provenance.notes)
    return [note for note in notes if any(words in note for words in TOLD)]


def row_lines(learned: LearnedSpace) -> list[str]:
    """How many rows of the history counted, and why the others did not."""
    provenance = learned.provenance
    lines = [f"{provenance.rows_used:,} of {provenance.rows:,} rows of {provenance.source} used"]
    for dropped in provenance.dropped:
        lines.append(f"  {dropped.rows:,} dropped: {dropped.reason} ({plain(dropped.example)})")
    return lines


def start_lines(learned: LearnedSpace) -> list[str]:
    """One sentence: how many starting points there are, and what they are worth to the tasks; or
    why none were looked for."""
    count = len(learned.portfolio)
    if not count:
        return [note for note in learned.provenance.notes if note.startswith(NO_STARTS)]
    used = learned.starting_points()
    first, last = used[0].regret, used[-1].regret
    by_cost = " by cost" * bool(learned.portfolio_by_cost)
    points = f"{count} starting point{'s' * (count != 1)}{by_cost}"
    if first is None or last is None:
        return [f"{points}: best configurations of earlier tasks, which have one row each"]
    return [
        f"{points}: the tasks' mean regret is {first:.2f} after the first, {last:.2f} after all "
        "(0 best, 1 median)"
    ]


def zone_lines(learned: LearnedSpace) -> list[str]:
    """One sentence: where runs failed, if that depends on the configuration."""
    zone = learned.zone
    return [] if zone is None else [f"no-go zone: {zone.told(len(learned.tasks))}"]


def volume_line(learned: LearnedSpace) -> str:
    """One sentence: how much of the full numeric space is left."""
    share, shown = learned.volume_fraction, volume_text(learned)
    about = "about " * shown.startswith("≈")
    factor = f", {about}{number(1 / share)} times smaller" if 0 < share < 0.5 else ""
    return f"volume kept: {shown}{factor}"


def volume_text(learned: LearnedSpace) -> str:
    """The share that is kept in per cent, with its error if it is an estimate that needs one."""
    shown = estimate(learned.volume_fraction, learned.volume_error)
    return shown + " before integers are rounded" * math.isinf(learned.volume_error)


def part_tables(learned: LearnedSpace) -> list[list[list[str]]]:
    """For each union the ranges of its parts, a column each; the parameters' own table has the
    ranges over all of them."""
    tables = []
    for block in learned.blocks:
        parts = block.region.parts
        if len(parts) == 1:
            continue
        columns = [block.ranges(part) for part in parts]
        parameters = zip(block.names, block.encoding.parameters)
        rows = [["", *(f"part {number}" for number in range(1, len(parts) + 1))]]
        rows += [
            [name, *(between(parameter, *ranges[name]) for ranges in columns)]
            for name, parameter in parameters
        ]
        rows.append(["tasks", *map(str, tasks_by_part(learned, block))])
        volumes = [min(math.exp(part.log_volume), 1.0) for part in parts]
        shares = [estimate(v, v * part.log_volume_error) for v, part in zip(volumes, parts)]
        tables.append([*rows, ["volume", *shares]])
    return tables


def parameter_table(learned: LearnedSpace) -> Either:
    """Parameter, full range, learned range, share kept, a bar, and when it is active; in a narrow
    terminal the conditions stand below, and bars are short or left out."""
    rows = range_rows(learned)
    conditions: dict[str, list[str]] = {}
    for row in rows:
        if row.condition:
            conditions.setdefault(row.condition, []).append(row.name)
    below = [f"only {when}: {some(names)}" for when, names in conditions.items()]
    ways: list[list[Part]] = [[_range_table(rows, BARS[0], conditions=bool(conditions))]]
    ways += [[_range_table(rows, length), *below] for length in BARS]
    return Either(ways)


def _range_table(rows: Sequence[Range], length: int, *, conditions: bool = False) -> Table:
    """The ranges with bars of this length, and with the conditions or without."""
    columns: list[list[str]] = [
        ["parameter", *(row.name for row in rows)],
        ["full space", *(row.original for row in rows)],
        ["learned", *(row.learned for row in rows)],
        ["kept", *(percent(row.kept) for row in rows)],
    ]
    if length:
        bars = (Toned(bar(*row.span, length), "mark") if row.span else "" for row in rows)
        columns.append(["", *bars])
    if conditions:
        columns.append(["", *(row.condition for row in rows)])
    return Table(list(zip(*columns)), floors={0: NAME, 1: RANGE, 2: RANGE})


def bar(start: float, stop: float, length: int = BARS[0]) -> str:
    """An interval of [0, 1] drawn on a line."""
    first = min(int(start * length), length - 1)
    last = max(first + 1, round(stop * length))
    return "·" * first + "█" * (last - first) + "·" * (length - last)


def few_tasks_lines(learned: LearnedSpace) -> list[str]:
    """A sentence for each block that too few tasks determine, or just so."""
    if learned.shape == "full":
        return []
    known = [b for b in learned.blocks if b.tasks or not _nobody_knows(learned, b)]
    lines = [line for block in known for line in _few_tasks_lines_of(learned, block)]
    return [line for line in lines if line]


def _few_tasks_lines_of(learned: LearnedSpace, block: Block) -> list[str]:
    """What few tasks know of a block's parameters, and what all of its tasks leave open."""
    total, rare = len(learned.tasks), dict[int, list[str]]()
    for name in block.names:
        count = sum(name in task.found for task in learned.tasks)
        if 0 < count < min(FEW_KNOW, total) and not block.mixed:
            rare.setdefault(count, []).append(name)
    lines = []
    for count, names in sorted(rare.items()):
        are = "are" if len(names) > 1 else "is"
        chance = (count - 1) / (count + 1)
        why = (
            f"the range of so few holds the best value of a further one in {percent(chance)} of "
            f"cases{'' if block.conditions else ', room aside'}"
            if count > 1
            else "the region keeps room around it"
        )
        who = f"{count} of {total} tasks" if len(names) < 2 else f"{count} of {total} tasks each"
        lines.append(f"note: {some(names)} {are} known from {who} only: {why}")
    # A box lacks width where one task knows a parameter, an ellipsoid where too few do.
    is_box = all(part.is_box for part in block.region.parts)
    said = sum(len(names) for count, names in rare.items() if count == 1 or not is_box)
    if not rare or block.widened > said:
        lines.append(_few_tasks_line(replace(block, widened=max(block.widened - said, 0))))
    return lines


def _nobody_knows(learned: LearnedSpace, block: Block) -> bool:
    """Whether no task tuned any parameter of the block, which is said elsewhere."""
    return all(name in _untuned(task) for name in block.names for task in learned.tasks)


def _few_tasks_line(block: Block) -> str:
    names = some(block.names)
    if not block.widened and block.tasks <= len(block.names):
        return (
            f"note: {block.tasks} tasks are few for {len(block.names)} parameters ({names}): the "
            "region ends where their best configurations do, however near those are"
        )
    if not block.widened:
        return ""
    many = f"{block.tasks} tasks are too few, or agree too well,"
    who = "one task is too little" if block.tasks == 1 else many
    return (
        f"note: {who} for {block.widened} of {len(block.names)} directions of ({names}), which "
        "stay undetermined: the region keeps room there, and more tasks would say how much"
    )


def task_table(learned: LearnedSpace) -> Table:
    """The tasks, one line each: best value, where it lies, best configuration; a parameter that a
    task did not tune is a question mark."""
    objective = learned.provenance.objective
    rows: list[list[str]] = [["task", objective, "runs", "", *learned.space]]
    for task in learned.tasks:
        known = {name: value(best) for name, best in task.incumbent.items()}
        cells = [known.get(n, "?" if n in task.unknown else "") for n in learned.space]
        mark = Toned("outside", "unsure") if task.outside else "inside"
        rows.append([task.name, value(task.value), str(task.n_evaluations), mark, *cells])
    return Table(rows, floors=dict.fromkeys([0, 1, *range(4, len(rows[0]))], NAME))
