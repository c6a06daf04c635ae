"""A learned space as text: the table that `print` and `ringfence show` give."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ringfence.blocks import Block
from ringfence.learned import LearnedSpace
from ringfence.learned_parts import parts_of, ranges_of, shape_of, tasks_by_part
from ringfence.space import Categorical, Choice, Condition, Constant, Parameter

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
    shape = shape_of(learned)
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
    asked = math.ceil(learned.settings.outliers * len(learned.tasks) - 1e-9)
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
        parts = parts_of(block.region)
        if len(parts) == 1:
            continue
        columns = [ranges_of(block, part) for part in parts]
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
    spans = spans_of(learned)
    rows = [["parameter", "original", "learned", "kept", ""]]
    for name, parameter in learned.space.parameters.items():
        condition = condition_text(learned.space.conditions_of(name))
        if name in spans:
            low, high = learned.bounds[name]
            start, stop = spans[name]
            rows.append(
                [name, original(parameter), f"{value(low)} … {value(high)}",
                 percent(stop - start), f"{bar(start, stop)}{condition}"]
            )  # fmt: skip
        elif name in learned.choices and isinstance(parameter, Categorical):
            kept = learned.choices[name]
            share = len(kept) / len(parameter.choices)
            same = "unchanged" if share == 1 else ", ".join(value(choice) for choice in kept)
            rows.append([name, original(parameter), same, percent(share), condition.strip()])
        else:
            rows.append([name, original(parameter), "unchanged", percent(1.0), condition.strip()])
    return align(rows)


def spans_of(learned: LearnedSpace) -> dict[str, tuple[float, float]]:
    """The learned interval of each numeric parameter in its own unit coordinate."""
    spans = {}
    for block in learned.blocks:
        lower, upper = block.spans
        for name, start, stop in zip(block.names, lower.tolist(), upper.tolist()):
            spans[name] = (start, stop)
    return spans


def original(parameter: Parameter) -> str:
    """A parameter's range in a few words."""
    if isinstance(parameter, Categorical):
        joint = " < " if parameter.ordered else ", "
        return joint.join(value(choice) for choice in parameter.choices)
    if isinstance(parameter, Constant):
        return value(parameter.value)
    scale = " (log)" if parameter.log else ""
    return f"{value(parameter.low)} … {value(parameter.high)}{scale}"


def bar(start: float, stop: float) -> str:
    """An interval of [0, 1] drawn on a line."""
    first = min(int(start * BAR), BAR - 1)
    last = max(first + 1, round(stop * BAR))
    return "·" * first + "█" * (last - first) + "·" * (BAR - last)


def align(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines with aligned columns."""
    rows = [[plain(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows]


def plain(text: str) -> str:
    """The text on one line, with nothing that a terminal would obey."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def value(item: Choice) -> str:
    """A value to four digits."""
    return f"{item:.4g}" if isinstance(item, float) else str(item)


def number(item: float) -> str:
    """A large number in words that fit a line."""
    return f"{item:,.0f}" if item < 1e6 else f"{item:.2g}"


def percent(share: float) -> str:
    """A share in per cent, with digits where they matter."""
    return f"{share:.0%}" if share >= 0.1 else f"{100 * share:.2g}%"


def condition_text(conditions: Sequence[Condition]) -> str:
    """The end of a line: under which conditions a parameter is active."""
    parts = [f"{c.parent} is {' or '.join(value(v) for v in c.values)}" for c in conditions]
    return "  where " + " and ".join(parts) if parts else ""


def widened_line(block: Block) -> str:
    """One sentence: which directions too few tasks speak of."""
    names = ", ".join(block.names)
    return (
        f"note: tasks that are few or agree ({block.tasks}) leave {block.widened} of "
        f"{len(block.names)} directions of ({names}) undetermined; the region keeps room there"
    )


def some(names: Sequence[str], most: int = 12) -> str:
    """The names in a line, the rest counted."""
    shown = ", ".join(plain(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def task_table(learned: LearnedSpace) -> list[str]:
    """The tasks, one line each: best value, where it lies, best configuration."""
    objective = learned.provenance.objective
    rows = [["task", objective, "runs", "", *learned.space]]
    for task in learned.tasks:
        cells = [value(task.incumbent[n]) if n in task.incumbent else "" for n in learned.space]
        mark = "outside" if task.outside else "inside"
        rows.append([task.name, value(task.value), str(task.n_evaluations), mark, *cells])
    return align(rows)
