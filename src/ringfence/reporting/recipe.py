"""How to make a learned space, its check and its report again: commands and Python lines."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from ringfence.history import History
from ringfence.history.readers.table import recognizes as is_table
from ringfence.learned.records import Settings
from ringfence.learned.space import LearnedSpace
from ringfence.space import write_space

SPACE_FILE = "space.json"
ROWS = ("n_evaluations", "seed", "average_repeats")
"""The settings that say which rows count, whatever the shape."""
PYTHON_ONLY = {"n_evaluations", "seed"}
"""Settings for which only `learn` has an option on the command line."""


@dataclass(frozen=True)
class Recipe:
    """Lines to run, beside the files they need."""

    commands: tuple[str, ...]
    python: tuple[str, ...]
    space: str
    """The content of SPACE_FILE."""
    note: str
    """Where the runs come from, if the lines cannot say."""


def recipe(history: History, learned: LearnedSpace, *, auto: bool) -> Recipe:
    """The lines that give the same space from the same runs; `auto` if the check judged the choice
    of the settings."""
    is_file = is_table(history.source)
    runs = history.source if is_file else "runs.parquet"
    note = f"The runs were {history.source}; history.frame.write_parquet({runs!r}) writes them."
    note = "" if is_file else note
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
        tuple(commands),
        tuple(_python(runs, history, options, check_options)),
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


def _columns(history: History) -> dict[str, str]:
    roles = history.roles
    columns = {"task": roles.task, "objective": roles.objective}
    columns |= {"budget": roles.budget} if roles.budget is not None else {}
    return columns | ({"status": roles.status} if roles.status is not None else {})


def _command(verb: str, runs: str, history: History, options: Mapping[str, Any]) -> str:
    words = ["ringfence", verb, f"./{runs}" if runs.startswith("-") else runs]
    words += [f"--{name}={column}" for name, column in _columns(history).items()]
    words += ["--maximize"] if history.roles.direction == "maximize" else []
    words.append(f"--space={SPACE_FILE}")
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        words.append(option if value is True else f"{option}={value}")
    outputs = {"learn": ["-o", "learned.json"], "report": ["-o", "report.html"]}
    return shlex.join([*words, *outputs.get(verb, [])])


def _python(
    runs: str, history: History, options: Mapping[str, Any], check_options: Mapping[str, Any]
) -> list[str]:
    read = [repr(runs), *(f"{name}={column!r}" for name, column in _columns(history).items())]
    if history.roles.direction == "maximize":
        read.append('direction="maximize"')
    return [
        "import ringfence as rf",
        "",
        f"history = rf.read_history({', '.join(read)})",
        f"space = rf.read_space({SPACE_FILE!r})",
        f"learned = rf.learn({_call(options)})",
        f"print(rf.check({_call(check_options)}))",
        f"rf.report({_call(check_options)}, path='report.html')",
    ]


def _call(options: Mapping[str, Any]) -> str:
    return ", ".join(
        ["history", "space", *(f"{name}={value!r}" for name, value in options.items())]
    )
