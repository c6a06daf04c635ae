"""A learned space as text: the table that `print` and `ringfence show` give."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ringfence.fit.outlier_count import n_outliers
from ringfence.learned.blocks import Block
from ringfence.learned.parts import shape_in_words, tasks_by_part
from ringfence.learned.ranges import range_rows
from ringfence.words import align, number, percent, plain, some, value

if TYPE_CHECKING:
    from ringfence.learned.space import LearnedSpace

BAR = 24


def summary(learned: LearnedSpace) -> str:
    """The whole table: headline, one line a parameter, volume, outliers."""
    lines = [headline(learned), "", *parameter_table(learned), "", volume_line(learned)]
    tables = part_tables(learned)
    lines += [line for table in tables for line in ("", *align(table))]
    lines += [""] if tables else []
    lines += outlier_lines(learned)
    lines += [widened_line(block) for block in learned.blocks if block.widened]
    if learned.portfolio:
        lines.append(start_line(learned))
    return "\n".join([*lines, *row_lines(learned)])


def headline(learned: LearnedSpace) -> str:
    """One sentence: the shape and how many tasks it holds."""
    shape = shape_in_words(learned)
    inside = len(learned.tasks) - len(learned.outliers)
    total, top = len(learned.tasks), learned.settings.top
    if learned.shape == "whole":
        return f"the original space, kept whole ({total} task{'s' * (total != 1)})"
    what = f"best {percent(top)} of the configurations" if top else "best configurations"
    if total == 1:
        return f"{shape} around the {what if top else what[:-1]} of one task"
    of = f"{inside} of {total}" if learned.outliers else f"all {inside}"
    return f"{shape} around the {what} of {of} tasks"


def outlier_lines(learned: LearnedSpace) -> list[str]:
    """Who was left outside, and why that may be more or fewer than asked for."""
    asked = n_outliers(learned.settings.outliers, len(learned.tasks))
    left = len(learned.outliers)
    if learned.settings.top:  # the share is one of rows then
        why = " (by their best rows)"
    elif left > asked:
        why = f" ({asked} asked for; tasks can leave together only)"
    elif left < asked:
        why = f" ({asked} asked for; the others can only leave together)"
    else:
        why = ""
    names = some(learned.outliers) if left else "no task"
    return [f"left outside{why}: {names}"] if left or asked else []


def row_lines(learned: LearnedSpace) -> list[str]:
    """How many rows of the history counted, and why the others did not."""
    provenance = learned.provenance
    lines = [f"{provenance.rows_used:,} of {provenance.rows:,} rows of {provenance.source} used"]
    for dropped in provenance.dropped:
        lines.append(f"  {dropped.rows:,} dropped: {dropped.reason} ({plain(dropped.example)})")
    return lines


def start_line(learned: LearnedSpace) -> str:
    """One sentence: how many starting points there are, and what they are worth to the tasks."""
    count = len(learned.portfolio)
    return (
        f"{count} starting point{'s' * (count != 1)}: the tasks' mean regret is "
        f"{learned.portfolio[0].regret:.2f} after the first, "
        f"{learned.portfolio[-1].regret:.2f} after all (0 best, 1 median)"
    )


def volume_line(learned: LearnedSpace) -> str:
    """One sentence: how much of the original numeric space is left."""
    share = learned.volume_fraction
    factor = f", {number(1 / share)} times smaller" if 0 < share < 0.5 else ""
    return f"volume kept: {percent(share)}{factor}"


def part_tables(learned: LearnedSpace) -> list[list[list[str]]]:
    """For each union the ranges of its parts, a column each; the parameters' own table has the
    ranges over all of them."""
    tables = []
    for block in learned.blocks:
        parts = block.region.parts
        if len(parts) == 1:
            continue
        columns = [block.ranges(part) for part in parts]
        rows = [["", *(f"part {number}" for number in range(1, len(parts) + 1))]]
        rows += [
            [name, *(f"{value(low)} … {value(high)}" for low, high in (c[name] for c in columns))]
            for name in block.names
        ]
        rows.append(["tasks", *map(str, tasks_by_part(learned, block))])
        shares = [percent(min(math.exp(part.log_volume), 1.0)) for part in parts]
        tables.append([*rows, ["volume", *shares]])
    return tables


def parameter_table(learned: LearnedSpace) -> list[str]:
    """The lines of the table: parameter, original range, learned range, share kept, a bar."""
    rows = [["parameter", "original", "learned", "kept", ""]]
    for row in range_rows(learned):
        marks = [bar(*row.span)] if row.span else []
        marks += [row.condition] if row.condition else []
        rows.append([row.name, row.original, row.learned, percent(row.kept), "  ".join(marks)])
    return align(rows)


def bar(start: float, stop: float) -> str:
    """An interval of [0, 1] drawn on a line."""
    first = min(int(start * BAR), BAR - 1)
    last = max(first + 1, round(stop * BAR))
    return "·" * first + "█" * (last - first) + "·" * (BAR - last)


def widened_line(block: Block) -> str:
    """One sentence: which directions too few tasks determine."""
    names = ", ".join(block.names)
    return (
        f"note: tasks that are few or agree ({block.tasks}) leave {block.widened} of "
        f"{len(block.names)} directions of ({names}) undetermined; the region keeps room there"
    )


def task_table(learned: LearnedSpace) -> list[str]:
    """The tasks, one line each: best value, where it lies, best configuration."""
    objective = learned.provenance.objective
    rows = [["task", objective, "runs", "", *learned.space]]
    for task in learned.tasks:
        cells = [value(task.incumbent[n]) if n in task.incumbent else "" for n in learned.space]
        mark = "outside" if task.outside else "inside"
        rows.append([task.name, value(task.value), str(task.n_evaluations), mark, *cells])
    return align(rows)
