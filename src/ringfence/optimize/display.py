"""An optimizer and its outcome for people: the best trial and how the others went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ringfence.rendering.layout import Table, lay_out
from ringfence.rendering.markup import name as marked
from ringfence.rendering.notebook import notebook_block, notebook_table
from ringfence.words import plain, shortened, value

if TYPE_CHECKING:
    from ringfence.optimize.ask_tell import Optimizer

HEAD = ("parameter", "best")
REASON = 200  # characters of why a trial failed; a traceback's last line has fewer


def optimizer_text(optimizer: Optimizer, ended: str = "") -> str:
    """The best trial, parameter by parameter, and the counts."""
    table = Table([HEAD, *_rows(optimizer)])
    shown = ["", table, ""] if optimizer.best else [""]
    return "\n".join(lay_out([_title(optimizer), *shown, *_lines(optimizer, ended)]))


def optimizer_html(optimizer: Optimizer, ended: str = "") -> str:
    """What a notebook shows for an optimizer or an outcome."""
    rows = [(marked(name), cell) for name, cell in _rows(optimizer)]
    tables = [notebook_table(HEAD, rows)] if rows else []
    return notebook_block(_title(optimizer), tables, _lines(optimizer, ended))


def _title(optimizer: Optimizer) -> str:
    best = optimizer.best
    if best is None:
        return f"no trial has succeeded; {optimizer.direction}d"
    return f"best value {value(best.value)}, of trial {best.number}; {optimizer.direction}d"


def _rows(optimizer: Optimizer) -> list[tuple[str, str]]:
    best = optimizer.best
    return [] if best is None else [(name, value(v)) for name, v in best.config.items()]


def _lines(optimizer: Optimizer, ended: str) -> list[str]:
    states = [trial.state for trial in optimizer.trials]
    count = len(states)
    unsettled = "unfinished" if ended else "running"
    lines = [
        f"{count} trial{'s' * (count != 1)} of {optimizer.name!r}: {states.count('done')} done, "
        f"{states.count('failed')} failed, {states.count('running')} {unsettled}"
    ]
    reasons = [trial.reason for trial in optimizer.trials if trial.reason]
    lines += [f"last failure: {shortened(plain(reasons[-1]), REASON)}"] if reasons else []
    return [*lines, f"ended: {shortened(plain(ended), REASON)}"] if ended else lines
