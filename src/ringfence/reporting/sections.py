"""The parts of the page that show the learned space itself."""

from __future__ import annotations

from ringfence.learned.ranges import Range
from ringfence.rendering.markup import Cell, Html, escape, name, named, number, table, words
from ringfence.reporting.facts import Facts, Frequency
from ringfence.reporting.views import View
from ringfence.words import percent, value

MOST_CELLS = 6000  # in the table of best configurations
MOST_CHOICES = 30


def section(key: str, title: str, *parts: str) -> Html:
    """A part of the page with its heading."""
    inner = "\n".join(part for part in parts if part)
    return Html(
        f'<section aria-labelledby="{key}">\n<h2 id="{key}">{title}</h2>\n{inner}\n</section>'
    )


def figure(key: str, says: str, caption: Html, *, height: int) -> Html:
    """The place of a chart: what it shows in words, for those who do not see it, and below it."""
    return Html(
        f'<figure role="group" aria-label="{escape(says)}">'
        f'<div class="chart" id="{key}" role="img" aria-label="{escape(says)}" '
        f'style="min-height:{height}px"></div>'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def bar(start: float, stop: float) -> Html:
    """An interval of [0, 1] as a bar."""
    left, width = 100 * start, max(100 * (stop - start), 1.0)
    return Html(
        '<span class="bar" aria-hidden="true">'
        f'<i style="left:{min(left, 99.0):.1f}%;width:{width:.1f}%"></i></span>'
    )


def opening(facts: Facts) -> Html:
    """The sentence that matters, and what the space is."""
    about = "".join(f"<li>{escape(line[:1].upper() + line[1:])}</li>" for line in facts.about)
    return Html(
        f'<p class="kicker">ringfence report on {name(facts.source)}</p>\n'
        f'<h1 class="{facts.verdict.replace(" ", "-")}">{escape(facts.sentence)}</h1>\n'
        f'<ul class="about">{about}</ul>'
    )


def warnings(facts: Facts) -> Html:
    """What the data cannot support, and the tasks to look at."""
    if not facts.warnings:
        return section("warnings", "What to keep in mind", "<p>No warnings.</p>")
    lines = "".join(f"<li>{escape(line)}</li>" for line in facts.warnings)
    return section("warnings", "What to keep in mind", f'<ul class="warnings">{lines}</ul>')


def ranges(facts: Facts) -> Html:
    """The parameters before and after."""
    head = ("parameter", "original", "learned", "kept", "where it lies", "active")
    return section(
        "ranges",
        "Ranges before and after",
        table("Ranges before and after", head, [_range_row(row) for row in facts.ranges]),
        *(_parts(rows) for rows in facts.parts),
        "<p>A bar is the original range from its low to its high end, on a log scale where it "
        "says so; the filled part is what is kept.</p>",
    )


def _parts(rows: list[list[str]]) -> str:
    """The parts of a union side by side."""
    head, *body = rows
    cells = [[named(first), *(words(text) for text in rest)] for first, *rest in body]
    return "<h3>The parts of the region</h3>\n" + table("Parts of the region", head, cells)


def _range_row(row: Range) -> list[Cell]:
    return [
        named(row.name),
        words(row.original),
        words(row.learned),
        number(percent(row.kept), row.kept),
        Cell(bar(*row.span)) if row.span else words(""),
        words(row.condition or "always"),
    ]


def pairs(facts: Facts) -> Html:
    """Two parameters at a time, and the best configurations in a table."""
    views = facts.views
    if not views.of_pairs:
        text = "<p>No two numeric parameters are active together, so there is no pair to draw.</p>"
        return section("pairs", "The best configurations, two parameters at a time", text)
    figures = "\n".join(
        figure(f"pair-{place}", _view_says(view), _names_of(view), height=320)
        for place, view in enumerate(views.pairs)
    )
    return section(
        "pairs",
        "The best configurations, two parameters at a time",
        '<p class="key">● best configuration of a task inside &emsp; ✕ of a task left outside '
        "&emsp; filled: the learned region, seen along all other parameters (a cross may lie "
        "within that shadow) &emsp; dotted: the plain ranges around it. Point at a mark to see its "
        "task.</p>",
        f'<div class="grid">{figures}</div>',
        _left_out(facts),
        f"<details><summary>The best configurations as a table</summary>{_best(facts)}</details>",
    )


def solid(facts: Facts) -> Html:
    """Three parameters at once."""
    view = facts.views.solid
    if view is None:
        return Html("")
    turns = "".join(
        f'<button type="button" data-turn="{way}">Turn {way}</button>'
        for way in ("left", "right", "up", "down")
    )
    return section(
        "solid",
        "Three parameters at once",
        f'<div class="turns" id="turns">{turns}</div>',
        '<p class="key">● best configuration of a task inside &emsp; ◆ of a task left outside '
        "&emsp; surface: the learned region, seen along all other parameters &emsp; lines: the "
        "plain ranges around it. The three parameters are those that shrank most.</p>",
        figure("solid-chart", _view_says(view), _names_of(view), height=460),
        '<p id="no-webgl" hidden>This browser does not draw in three dimensions (WebGL is off). '
        "The pairs above show the same points.</p>",
    )


def choices(facts: Facts) -> Html:
    """How often each choice is best."""
    if not facts.frequencies:
        return Html("")
    tables = [_frequency(frequency) for frequency in facts.frequencies]
    return section("choices", "Choices of the best configurations", *tables)


def _frequency(frequency: Frequency) -> str:
    total = max(frequency.tasks, 1)
    rows = [
        [named(choice), number(f"{tasks}", tasks), Cell(bar(0.0, tasks / total)),
         words("kept" if kept else "left out")]
        for choice, tasks, kept in frequency.choices[:MOST_CHOICES]
    ]  # fmt: skip
    more = len(frequency.choices) - len(rows)
    label = f"Choices of {frequency.name} among the best configurations of {frequency.tasks} tasks"
    shown = table(label, ("choice", "tasks", "share", "in the learned space"), rows)
    left = f"<p>{more} more choices are not shown.</p>" if more else ""
    return f"<h3>{name(frequency.name)}</h3>\n{shown}{left}"


def _view_says(view: View) -> str:
    names = " against ".join(scale.name for scale in view.scales)
    inside = sum(len(spot.tasks) for spot in view.spots if not spot.outside)
    outside = sum(len(spot.tasks) for spot in view.spots if spot.outside)
    return (
        f"Best configurations, {names}: {inside} tasks inside the learned region, {outside} left "
        "outside. The ranges and the table of best configurations hold the numbers."
    )


def _names_of(view: View) -> Html:
    return Html(" against ".join(name(scale.name) for scale in view.scales))


def _left_out(facts: Facts) -> str:
    views = facts.views
    lines = []
    if len(views.pairs) < views.of_pairs:
        lines.append(
            f"{len(views.pairs)} of {views.of_pairs} pairs are drawn, those that keep least."
        )
    if views.tasks < views.of_tasks:
        lines.append(f"{views.tasks} of {views.of_tasks} tasks are drawn, those outside first.")
    return f"<p>{' '.join(lines)}</p>" if lines else ""


def _best(facts: Facts) -> str:
    """The best configurations; so many of them as fit MOST_CELLS."""
    shown = facts.tasks[: max(20, MOST_CELLS // len(facts.parameters))]
    rows = [
        [
            named(task.name),
            number(value(task.value), task.value),
            number(str(task.n_evaluations), task.n_evaluations),
            words("outside" if task.outside else "inside"),
            *(words(value(task.incumbent[n]) if n in task.incumbent else "")
              for n in facts.parameters),
        ]
        for task in shown
    ]  # fmt: skip
    head = ("task", facts.objective, "runs", "where", *facts.parameters)
    left = len(facts.tasks) - len(shown)
    more = f"<p>{left} more tasks are not shown.</p>" if left else ""
    return table("Best configuration of each task", head, rows, sortable=True) + more
