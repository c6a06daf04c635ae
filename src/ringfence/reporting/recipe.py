"""How to make a learned space, its check and its report again: commands and Python lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from ringfence.errors.addresses import shown
from ringfence.history import History
from ringfence.history.directions import guess_direction
from ringfence.history.readers.table import recognizes as is_table
from ringfence.learned.records import Settings
from ringfence.learned.space import LearnedSpace
from ringfence.quoting import literal, shell_word
from ringfence.space import Space, write_space

SPACE_FILE = "space.json"
ROWS = ("n_evaluations", "seed", "average_repeats")
"""The settings that say which rows count, whatever the shape."""
EXAMPLE = "svm_history.parquet"  # the source of rf.example_history()
ADDRESS = re.compile(r"(?:jdbc:|[A-Za-z][\w+.-]+:/|[^\s=]*:[^@\s]*@).*")
SECRET = re.compile(r"(?i)((?:^|[?&=])[\w-]*(?:pass|secret|token|key)[\w-]*=)[^&\s]+")
PYTHON_ONLY = {"n_evaluations", "seed"}
"""Settings for which only `learn` has an option on the command line."""


@dataclass(frozen=True)
class Recipe:
    """Lines to run, beside the files they need."""

    made: str
    """The command or the Python lines that made the page; empty if they are not known."""
    commands: tuple[str, ...]
    python: tuple[str, ...]
    space: str
    """The content of SPACE_FILE."""
    note: str
    """Where the runs come from, if the lines cannot say."""


def recipe(history: History, learned: LearnedSpace, *, auto: bool, made: str = "") -> Recipe:
    """The lines that give the same space from the same runs; `auto` if the check judged the choice
    of the settings."""
    runs = _runs(history)
    writing = f"history.frame.write_parquet({literal(runs)})"
    note = f"The runs were {history.source}; {writing} writes them."
    note = "" if runs == history.source else note
    options = changed_settings(learned.settings)
    check_options = (
        {k: v for k, v in options.items() if k in ROWS} | {"shape": "auto"} if auto else options
    )
    starts = {"starts": len(learned.portfolio)}
    options, check_options = options | starts, check_options | starts
    commands = [_command("learn", runs, history, options)]
    if not options.keys() & PYTHON_ONLY:
        commands += [_command(verb, runs, history, check_options) for verb in ("check", "report")]
    return Recipe(
        made,
        tuple(commands),
        tuple(_python(history, options, check_options)),
        write_space(learned.space),
        note,
    )


def changed_settings(settings: Settings) -> dict[str, Any]:
    """The shape, and every other setting that is not at its default."""
    defaults = {field.name: field.default for field in msgspec.structs.fields(Settings)}
    chosen = msgspec.structs.asdict(settings)
    return {
        name: value
        for name, value in chosen.items()
        if name == "shape" or (value != defaults[name] and not (name == "outliers" and value == 0))
    }


def _runs(history: History) -> str:
    """The table of the runs: that which was read, or one to be written."""
    return history.source if is_table(history.source) else "runs.parquet"


def python_call(
    history: History,
    space: Space | Literal["latest"] | None,
    path: Path,
    given: Mapping[str, Any],
) -> str:
    """The lines of Python that make a report: reading the runs, and `rf.report` with the arguments
    that are not at their defaults. Folders from the root on are nobody else's business."""
    arguments = [f"{name}={literal(value)}" for name, value in given.items()]
    lines = ["import ringfence as rf", "", _reading(history)]
    if isinstance(space, Space):
        lines.append(f"space = rf.read_space({literal(SPACE_FILE)})")
    names = ["history", "space" if isinstance(space, Space) else literal(space)]
    names = names[:1] if space is None else names
    arguments.append(f"path={literal(path.name if path.is_absolute() else path.as_posix())}")
    return "\n".join([*lines, f"rf.report({', '.join([*names, *arguments])})"])


def typed(program: str, words: Sequence[str]) -> str:
    """A command as it was typed, quoted for a shell, without the passwords in it."""
    return " ".join([program, *map(shell_word, map(without_passwords, words))])


def without_passwords(word: str) -> str:
    """A word of a command; of an address it keeps what may be shown, and of an option of a reader
    what is no secret."""
    return SECRET.sub(r"\1***", ADDRESS.sub(lambda match: shown(match[0]), word))


def _reading(history: History) -> str:
    if history.source == EXAMPLE:
        return "history = rf.example_history()"
    columns = _columns(history)
    columns |= {} if _tells_direction(history) else {"direction": history.roles.direction}
    read = [literal(_runs(history)), *(f"{name}={literal(c)}" for name, c in columns.items())]
    return "\n".join(
        [
            f"history = rf.read_history({', '.join(read)})",
            *(f"history = history.{mend.call}" for mend in history.mends if _is_read(history)),
        ]
    )


def _is_read(history: History) -> bool:
    """Whether the recipe reads the source itself, and not what was made of it."""
    return _runs(history) == history.source


def _columns(history: History) -> dict[str, str]:
    roles = history.roles
    columns = {"task": roles.task, "objective": roles.objective}
    columns |= {"budget": roles.budget} if roles.budget is not None else {}
    columns |= {"status": roles.status} if roles.status is not None else {}
    columns |= {"cost": roles.cost} if roles.cost is not None else {}
    return columns | ({"failures": history.failures} if history.failures != "keep" else {})


def _tells_direction(history: History) -> bool:
    """Whether the name of the objective alone gives the direction."""
    return guess_direction(history.roles.objective) == history.roles.direction


def _command(verb: str, runs: str, history: History, options: Mapping[str, Any]) -> str:
    words = ["ringfence", verb, f"./{runs}" if runs.startswith("-") else runs]
    words += [f"--{name}={column}" for name, column in _columns(history).items()]
    words += [] if _tells_direction(history) else [f"--direction={history.roles.direction}"]
    words += [word for m in history.mends if _is_read(history) for word in m.options]
    words.append(f"--space={SPACE_FILE}")
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        words.append(option if value is True else f"{option}={value}")
    outputs = {"learn": ["-o", "learned.json"], "report": ["-o", "report.html"]}
    return " ".join(map(shell_word, [*words, *outputs.get(verb, [])]))


def _python(
    history: History, options: Mapping[str, Any], check_options: Mapping[str, Any]
) -> list[str]:
    return [
        "import ringfence as rf",
        "",
        _reading(history),
        f"space = rf.read_space({literal(SPACE_FILE)})",
        f"learned = rf.learn({_call(options)})",
        f"print(rf.check({_call(check_options)}))",
        f"rf.report({_call(check_options)}, path='report.html')",
    ]


def _call(options: Mapping[str, Any]) -> str:
    return ", ".join(
        ["history", "space", *(f"{name}={literal(value)}" for name, value in options.items())]
    )
