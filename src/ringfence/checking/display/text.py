"""A check as text: the sentence that matters first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ringfence.checking.verdict import JUDGED_AT, SAMPLED, Verdict
from ringfence.history.doubts.repeated_bests import FAILED_RUNS
from ringfence.learned.settings import describe
from ringfence.learned.text import titled
from ringfence.learned.zone.rule import MOST_TASKS
from ringfence.rendering.layout import Either, Part, Sentence, Table, Tone, Toned, lay_out
from ringfence.words import cost_text, counted, estimate, plain, some

if TYPE_CHECKING:
    from ringfence.checking.comparison import Comparison
    from ringfence.checking.result import Check, Spending, StartsCheck, ZoneCheck


ROUNDING = 1e-9  # regrets this near to each other are equal
REGRET = "regret: 0 is the best of thousands of random configurations, 1 a median one"
SHOWN_FROM, SHOWN_TO = 0.5, 20.0  # median trials spent that a text shows
SETTING = 24  # columns that the name of a setting keeps in a narrow table
TONES: dict[Verdict, Tone] = {
    "helps": "good",
    "hurts": "bad",
    "no clear difference": "unsure",
    "cannot tell": "unsure",
}


def headline(check: Check) -> str:
    """One sentence: what the learned space would have been worth."""
    name = describe(check.settings)
    if check.chosen_from:
        name = f"the choice among {check.chosen_from} settings (from all tasks: {name})"
    if check.verdict == "cannot tell":
        return f"{name}: cannot tell; {check.reason}"
    return f"{name}: {check.verdict}; {worth(check)}"


def worth(check: Check) -> str:
    """The speed-up after ten draws with its interval, and on how many tasks it is no loss."""
    column = _column(check)
    up = check.speed_ups[column]
    full = check.full_at(JUDGED_AT)
    if all(abs(task.inside[column] - full) <= ROUNDING for task in check.tasks):
        return "it keeps the full space"
    no_worse = [task for task in check.tasks if task.inside[column] <= full + ROUNDING]
    return (
        f"{JUDGED_AT} trials inside are worth {up.value * JUDGED_AT:.0f} "
        f"in the full space (90% interval {up.low * JUDGED_AT:.0f} to {up.high * JUDGED_AT:.0f}), "
        f"no worse on {len(no_worse)} of {len(check.tasks)} tasks"
    )


def choice_line(comparison: Comparison) -> str:
    """How a setting was chosen, and what the choice is worth, in one line."""
    setting, count = describe(comparison.settings), len(comparison.checks)
    if comparison.undecided:
        return f"{setting}, after {count} settings were tried: {comparison.recommendation}"
    return f"{setting}: chosen among {count} settings; {nested_line(comparison.nested)}"


def nested_line(nested: Check | None) -> str:
    """What the choice is worth to a task that took no part in it."""
    if nested is None:
        return "the best of several settings looks a little better than it is"
    if nested.verdict == "cannot tell":
        return f"chosen anew without each task: cannot tell; {nested.reason}"
    return f"chosen anew without each task: {nested.verdict}; {worth(nested)}"


def comparison_text(comparison: Comparison) -> str:
    """A line for each setting, the recommendation, and what the choice is worth to a new task."""
    return "\n".join(lay_out(comparison_parts(comparison)))


def comparison_parts(comparison: Comparison) -> list[Part]:
    """The same, to be laid out in a given width."""
    nested = comparison.nested
    parts: list[Part] = [
        titled(f"settings after {JUDGED_AT} trials", comparison.goal),
        *(Toned(line, "unsure") for line in caution_lines(comparison)),
        "",
        settings_table(comparison),
        REGRET,
        "",
        comparison.recommendation,
        toned(nested_line(nested), nested),
    ]
    parts += [toned(line, comparison.starts) for line in starts_lines(comparison.starts)]
    return [*parts, *warning_lines(comparison.checks[0])]


def settings_table(comparison: Comparison) -> Either:
    """A line for each setting; in a narrow terminal only what decides."""
    wide = [["setting", "volume", "regret", "speed-up", "90% interval", "verdict", "hurts"]]
    narrow = [["setting", "speed-up (90%)", "verdict"]]
    for check in comparison.checks:
        cells, short = ["", "", ""], ""
        if check.speed_ups:
            up = check.speed_ups[_column(check)]
            cells = [f"{up.inside:.3f}", f"{up.value:.2f}", f"{up.low:.2f} to {up.high:.2f}"]
            short = f"{up.value:.1f} ({up.low:.1f} to {up.high:.1f})"
        hurt = f"{len(check.hurt)} of {len(check.tasks)}"
        name, verdict = describe(check.settings), Toned(check.verdict, TONES[check.verdict])
        wide.append([name, estimate(check.volume_kept, check.volume_error), *cells, verdict, hurt])
        narrow.append([name, short, verdict])
    return Either([[Table(rows, floors={0: SETTING})] for rows in (wide, narrow)])


def summary(check: Check) -> str:
    """The headline, the table of trials, the tasks to look at, the warnings."""
    return "\n".join(lay_out(summary_parts(check)))


def summary_parts(check: Check) -> list[Part]:
    """The same, to be laid out in a given width."""
    parts: list[Part] = [toned(titled(headline(check), check.goal), check)]
    parts += [Toned(line, "unsure") for line in caution_lines(check)]
    rows = [["trials", "regret inside", "full space", "speed-up", "90% interval"]]
    for up in check.speed_ups:
        interval = f"{up.low:.2f} to {up.high:.2f}"
        rows.append(
            [str(up.draws), f"{up.inside:.3f}", f"{up.full:.3f}", f"{up.value:.2f}", interval]
        )
    parts += ["", Table(rows), REGRET] if check.speed_ups else []
    parts += ["", *(toned(line, check.starts) for line in starts_lines(check.starts))]
    if check.starts is not None and check.starts.spending is not None:
        parts += ["", Table(spending_rows(check.starts.spending)), ""]
    return [*parts, *space_lines(check), *zone_lines(check.zone), *warning_lines(check)]


def space_lines(check: Check) -> list[str]:
    """How much is kept, and the tasks to look at."""
    lines = [f"volume kept: {estimate(check.volume_kept, check.volume_error)}"]
    named = (
        ("would hurt", check.hurt),
        ("unlike the rest (their best lies outside)", check.unlike),
        ("not judged (their best and median run are equal)", check.not_judged),
    )
    lines += [f"{label}: {some(names)}" for label, names in named if names]
    return lines + [note for note in check.notes if SAMPLED in note]


def zone_lines(zone: ZoneCheck | None) -> list[str]:
    """What the no-go zone of the other tasks is to each task; no line if there is none."""
    if zone is None:
        return []
    looked = " tasks looked at" if zone.tasks >= MOST_TASKS else ""  # of more, a random choice
    others = (
        f"without each task in turn, the others have a zone for {zone.claimed} of {zone.tasks}"
        f"{looked}"
    )
    held = f"{zone.failed:,} of {zone.runs:,} runs of those tasks in it failed"
    best = f"the best run of {len(zone.best_inside)} of them lies in it"
    named = f" ({some(zone.best_inside)})" if zone.best_inside else ""
    return [f"no-go zone: {zone.zone.rule}{zone.zone.remark}", f"{others}; {held}; {best}{named}"]


def toned(line: str, judged: Check | StartsCheck | None) -> Sentence:
    """The line with its verdict in the tone that this has."""
    verdict = judged.verdict if judged else ""
    before, colon, after = line.partition(f": {verdict}; ")
    if judged is None or not colon:
        return line
    return before, ": ", Toned(verdict, TONES[judged.verdict]), "; ", after


def starts_lines(starts: StartsCheck | None) -> list[str]:
    """What the starting points are worth, in one line; no line if they were not judged."""
    if starts is None:
        return []
    if not starts.speed_ups:
        return [f"starting points: cannot tell; {starts.reason}"]
    up = starts.speed_ups[-1]
    name = f"first {up.draws} starting points" if up.draws > 1 else "first starting point"
    lines = [
        f"{name}: {starts.verdict}; mean regret {up.inside:.3f}, for which random search of the "
        f"full space needs {up.value * up.draws:.0f} trials (90% interval "
        f"{up.low * up.draws:.0f} to {up.high * up.draws:.0f}, over "
        f"{counted(len(starts.tasks), 'task')})" + (f"; {starts.reason}" if starts.reason else "")
    ]
    return lines + spending_lines(starts.spending)


def spending_lines(spending: Spending | None) -> list[str]:
    """What the starting points cost, and random search for the same; no line if nobody knows."""
    if spending is None:
        return []
    typical, unit, n = spending.typical, spending.unit, spending.n_starts
    needed = cost_text(spending.random_needs * typical, unit)
    first = f"these {n} starting points cost" if n > 1 else "this starting point costs"
    line = (
        f"by cost: {first} {cost_text(spending.total * typical, unit)}; random search needs "
        f"{needed} for the same"
    )
    if spending.without:
        tasks = counted(spending.n_tasks, "task")
        line += f" (over {tasks}; of {some(spending.without)} too few costs are known)"
    return [line]


def spending_rows(spending: Spending) -> list[list[str]]:
    """Regret against what is spent: of the starting points, and of random search."""
    rows = [["spent", "in median trials", "starting points", "random search"]]
    columns = zip(spending.spent, spending.starts, spending.random)
    return rows + [
        [
            cost_text(spent * spending.typical, spending.unit),
            f"{spent:g}",
            f"{ours:.3f}",
            f"{usual:.3f}",
        ]
        for spent, ours, usual in columns
        if SHOWN_FROM <= spent <= SHOWN_TO
    ]


def caution_lines(judged: Check | Comparison) -> list[str]:
    """Best values that look like those of failed runs: then all figures are about these."""
    return [f"warning: {plain(note)}" for note in judged.notes if note.endswith(FAILED_RUNS)]


def warning_lines(check: Check) -> list[str]:
    """What the data cannot support, a line for each warning."""
    return [f"warning: {warning}" for warning in check.warnings]


def _column(check: Check) -> int:
    return [up.draws for up in check.speed_ups].index(JUDGED_AT)
