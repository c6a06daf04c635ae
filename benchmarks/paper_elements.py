"""Every element of the paper and its supplement: where it is here, and how far it is shown.

elements.toml has a row for each. What an element is said to show comes from the verdicts on its
figures; whether it is built, and with which deviation, is written there. A test holds every place
named there against the files.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from benchmarks.paper_claims import HERE
from benchmarks.paper_verdicts import OUTCOMES

State: TypeAlias = Literal["done", "deviation", "not"]
STATES: dict[State, str] = {"done": "done", "deviation": "with a deviation", "not": "not done"}


class Element(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An equation, algorithm, figure, table, setting or claim of the paper."""

    name: str
    """As the paper numbers it: "eq. 5", "figure S9a", "section 6.2"."""
    what: str
    state: State
    """As it is built; a figure that was not run is "not", whatever stands here."""
    where: tuple[str, ...] = ()
    """Files of the repository; "file.py:name" is a function, class or constant in one,
    "plans/sgd.toml:1a" a figure of a plan."""
    figures: tuple[str, ...] = ()
    """Sections of the page that have its verdict."""
    note: str = ""
    """What differs, or why it is not done."""


def read_elements() -> tuple[Element, ...]:
    """The elements in the paper's order."""
    content = tomllib.loads((HERE / "elements.toml").read_text("utf-8"))
    return msgspec.convert(content["element"], tuple[Element, ...])


def elements_table(elements: Sequence[Element], verdicts: Mapping[str, Sequence[str]]) -> str:
    """A row for each element; `verdicts` are those on each figure, one for each part and plan."""
    lines = ["| | what | where | state | verdicts on its figures |", "|---|---|---|---|---|"]
    for e in elements:
        where = ", ".join(_link(place) for place in e.where)
        notes = [e.note] * bool(e.note) + ["not run"] * _is_not_run(e, verdicts)
        state = STATES[state_of(e, verdicts)] + (f": {'; '.join(notes)}" if notes else "")
        shown = "; ".join(
            f"[{figure}](#figure-{figure.lower()}): {counted(verdicts[figure])}"
            for figure in e.figures
        )
        lines.append(f"| {e.name} | {e.what} | {where} | {state} | {shown} |")
    return "\n".join(lines)


def state_of(element: Element, verdicts: Mapping[str, Sequence[str]]) -> State:
    """The written state, unless it rests on figures none of which was run."""
    return "not" if _is_not_run(element, verdicts) else element.state


def _is_not_run(element: Element, verdicts: Mapping[str, Sequence[str]]) -> bool:
    words = [word for figure in element.figures for word in verdicts[figure] or ["not run"]]
    return bool(words) and set(words) == {"not run"}


def summary(elements: Sequence[Element], verdicts: Mapping[str, Sequence[str]]) -> str:
    """How many elements are in which state."""
    states = [state_of(e, verdicts) for e in elements]
    counts = {state: states.count(state) for state in STATES}
    said = ", ".join(f"{n} {STATES[state]}" for state, n in counts.items())
    return f"{len(elements)} elements of the paper: {said}"


def counted(verdicts: Sequence[str]) -> str:
    """'2 shown, 1 refuted', or 'not run'; verdicts that are partly so are counted as such."""
    words = [verdict.split(" (")[0].split(":")[0] for verdict in verdicts]
    order = (*OUTCOMES, "partly", "not run")
    return ", ".join(f"{words.count(w)} {w}" for w in order if w in words) or "not run"


def _link(place: str) -> str:
    path, _, name = place.partition(":")
    file = path.rsplit("/", 1)[-1]
    label = f"{file.rsplit('.', 1)[0]}{': ' if file.endswith('.toml') else '.'}{name}"
    return f"[`{label if name else file}`]({_relative(path)})"


def _relative(path: str) -> str:
    """The path as seen from docs/."""
    return path.removeprefix("docs/") if path.startswith("docs/") else f"../{path}"
