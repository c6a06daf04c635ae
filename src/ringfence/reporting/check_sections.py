"""The parts of the page that show the evidence, and where it comes from."""

from __future__ import annotations

from ringfence.checking.display.evidence import SettingRow, TaskRow
from ringfence.rendering.markup import Cell, Html, escape, named, number, table, words
from ringfence.reporting.facts import Facts
from ringfence.reporting.recipe import SPACE_FILE
from ringfence.reporting.sections import figure, section
from ringfence.words import percent

MOST_TASKS = 1000
NO_CURVE = (
    "No task has recorded runs inside the space learned from the others, so there is no curve."
)


def regret(facts: Facts) -> Html:
    """Regret against draws, and the speed-up."""
    curve = facts.curve
    if curve is None:
        return section("regret", "What the trials are worth", f"<p>{escape(NO_CURVE)}</p>")
    says = (
        f"{curve.judged_at} random trials in the learned space are worth {curve.worth:.1f} in the "
        f"full space (90% interval over tasks {curve.low:.1f} to {curve.high:.1f}), a speed-up of "
        f"{curve.worth / curve.judged_at:.2f}."
    )
    whole = dict(zip(curve.full_draws, curve.full))
    rows = [
        [number(str(k), k), number(f"{inside:.3f}", inside), number(f"{whole[k]:.3f}", whole[k])]
        for k, inside in zip(curve.draws, curve.inside)
    ]
    head = ("trials", "regret in the learned space", "regret in the full space")
    caption = escape(
        "Each task left out in turn: expected regret of the best of so many of its recorded runs. "
        "0 is the task's best run, 1 its median run."
    )
    return section(
        "regret",
        "What the trials are worth",
        f"<p>{escape(says)}</p>",
        figure("regret-chart", says, caption, height=380),
        "<details><summary>The curve as a table</summary>"
        f"{table('Expected regret against trials', head, rows)}</details>",
    )


def starts(facts: Facts) -> Html:
    """The starting points, and what they are worth."""
    found = facts.starts
    if found is None:
        return Html("")
    rows = [
        [number(str(place + 1), place + 1), *map(named, point)]
        for place, point in enumerate(found.points)
    ]
    after = [
        [number(str(k), k), number(f"{regret:.3f}", regret), number(f"{trials:.0f}", trials)]
        for k, regret, trials in found.worth
    ]
    head = ("points", "mean regret", "trials of random search for that")
    return section(
        "starts",
        "What to try first",
        "<p>Configurations that cover the earlier tasks, in the order to try them. What such "
        "points are worth is seen on each task in turn: chosen by the others, among its recorded "
        f"runs.</p><p>{escape(found.says)}</p>",
        table("Starting points", ("order", *facts.parameters), rows),
        table("What the first of them are worth", head, after) if after else "",
    )


def tasks(facts: Facts) -> Html:
    """The check of each task."""
    if not facts.checked:
        return Html("")
    head = (
        "task", "regret inside", "regret in full", "gain", "verdict", "best run", "rank of best "
        "inside", "runs", "runs inside",
    )  # fmt: skip
    shown = facts.checked[:MOST_TASKS]
    left = len(facts.checked) - len(shown)
    return section(
        "tasks",
        "Task by task, worst first",
        "<p>What the space learned from the other tasks would have meant for each: expected regret "
        "after ten trials inside it and in the full space. The headings sort.</p>",
        table("The check task by task", head, map(_task, shown), sortable=True, sorted_by="gain"),
        f"<p>{left} more tasks, which gain more, are not shown.</p>" if left else "",
    )


def _task(row: TaskRow) -> list[Cell]:
    best = {None: "", True: "inside", False: "outside"}[row.best_is_inside]
    return [
        named(row.name),
        number(f"{row.inside or 0:.3f}", row.inside),
        number(f"{row.full or 0:.3f}", row.full),
        number(f"{row.gain or 0:+.3f}", row.gain),
        words(row.verdict),
        words(best),
        number(str(row.rank), row.rank),
        number(str(row.rows), row.rows),
        number(str(row.rows_inside), row.rows_inside),
    ]


def dropped(facts: Facts) -> Html:
    """Which rows did not count, and why."""
    used = f"<p>{facts.rows_used:,} of {facts.rows:,} rows are used.</p>"
    rows = [
        [words(entry.reason), number(f"{entry.rows:,}", entry.rows), words(entry.example)]
        for entry in facts.dropped
    ]
    head = ("reason", "rows", "the first of them")
    shown = table("Rows that are not used", head, rows) if rows else ""
    return section("rows", "Rows that are not used", used, shown)


def compared(facts: Facts) -> Html:
    """Several settings side by side."""
    if not facts.compared:
        return Html("")
    head = ("setting", "volume kept", "speed-up", "90% interval", "verdict", "would hurt", "")
    advice = "".join(f"<li>{escape(line)}</li>" for line in facts.advice)
    return section(
        "settings",
        "Other settings",
        table("The check of several settings", head, map(_setting, facts.compared)),
        f"<ul>{advice}</ul>",
    )


def _setting(row: SettingRow) -> list[Cell]:
    value, low, high = row.speed_up or (None, 0.0, 0.0)
    return [
        words(row.name),
        number(percent(row.volume), row.volume),
        number(f"{value or 0:.2f}", value),
        words("" if value is None else f"{low:.2f} to {high:.2f}"),
        words(row.verdict),
        words(f"{row.hurt} of {row.tasks}"),
        words("recommended" if row.recommended else ""),
    ]


def origin(facts: Facts) -> Html:
    """Provenance, and how to make all this again."""
    recipe = facts.recipe
    entries = "".join(f"<dt>{k}</dt><dd>{escape(v)}</dd>" for k, v in facts.provenance)
    notes = "".join(f"<li>{escape(note)}</li>" for note in facts.notes)
    return section(
        "origin",
        "Where this comes from",
        f"<dl>{entries}</dl>",
        f"<h3>Read off the table</h3><ul>{notes}</ul>" if notes else "",
        "<h3>Make it again</h3>",
        f"<p>{escape(recipe.note)}</p>" if recipe.note else "",
        _code("Commands", "\n".join(recipe.commands)),
        _code("The same in Python", "\n".join(recipe.python)),
        f"<details><summary>{SPACE_FILE}: the original space</summary>"
        f"{_code(SPACE_FILE, recipe.space)}</details>",
    )


def _code(label: str, text: str) -> str:
    return (
        f'<pre role="region" aria-label="{escape(label)}" tabindex="0"><code>{escape(text)}'
        "</code></pre>"
    )
