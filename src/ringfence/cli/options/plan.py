"""A plan of refreshes: entries of a TOML file as the words of a command.

    shape = "ellipsoid"                       for every entry that does not say otherwise

    [[space]]
    source = "postgresql://tuner:${PASSWORD}@db/studies"
    output = "spaces/xgboost.json"
    studies = ["xgb-*"]

Keys are the names of the options of `ringfence refresh`. Paths of outputs, files and folders are
relative to the plan.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATHS = ("output", "space")
COMMAS = ("parameters", "ignore", "studies")
"""Options that take several names at once; other lists are options that are given again."""
WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*([-_][A-Za-z0-9]+)*")
"""What an option can be called; a key such as "output=x" would be an option and its value."""

SHORT = 4
"""A value of fewer letters is hidden only where it stands alone: it may be part of a word."""


@dataclass(frozen=True)
class Entry:
    """One space of a plan: where it is written, the words of its command, the variables of the
    environment that its source was made of, by their values, and those that are not set."""

    output: str
    words: list[str]
    variables: dict[str, str]
    unset: tuple[str, ...] = ()

    def without_values(self, text: str) -> str:
        """The text with the names of the variables where their values stand: they may be secret."""
        for value, name in sorted(self.variables.items(), key=lambda pair: -len(pair[0])):
            for form in {value, repr(value)[1:-1]}:
                edge = r"\b" if len(value) < SHORT else ""
                shown = name.replace("\\", r"\\")  # a name is no pattern
                text = re.sub(f"{edge}{re.escape(form)}{edge}", shown, text)
        return text


def entries_of(path: Path) -> list[Entry]:
    """The spaces of a plan."""
    from ringfence.errors import FileError
    from ringfence.incoming.content import read_text
    from ringfence.incoming.parsing import toml_of

    content = toml_of(read_text(path), path)
    entries = content.pop("space", None)
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise FileError(f"{path} names no spaces; each is a [[space]] with a source and an output")
    plan = []
    for number, entry in enumerate(entries, 1):
        options = {**content, **entry}
        for name in ("source", "output"):
            if not isinstance(options.get(name), str):
                raise FileError(f"{path}: the space {number} has no {name}")
        if (key := next((key for key in options if not WORD.fullmatch(key)), None)) is not None:
            raise FileError(
                f"{path}: the space {number} has a key {key!r}, and keys are the names of options "
                "of ringfence refresh, such as task or no_check"
            )
        words = _words(options, path.parent)
        source = options["source"]
        plan.append(Entry(options["output"], words, _variables(source), _unset(source, words[-1])))
    written = [_written(path.parent / entry.output) for entry in plan]
    for number, entry in enumerate(plan):
        if written[number] in written[:number]:
            raise FileError(f"{path} writes {entry.output} twice")
    return plan


def _written(output: Path) -> str:
    """Where a space and its history are, however the plan spells it: x and x.json have one folder
    for their histories."""
    return str(output.resolve()).removesuffix(".json")


def _words(options: dict[str, Any], folder: Path) -> list[str]:
    """The words of a command; the source stands last, behind --, whatever it looks like."""
    words: list[str] = []
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        if name == "source" or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, list) and name not in COMMAS:
            words += [word for each in value for word in (option, str(each))]
        else:
            text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
            words += [option, str(folder / text) if name in PATHS and text != "latest" else text]
    source = os.path.expandvars(options["source"])
    is_local = "://" not in source and not Path(source).is_absolute()
    return [*words, "--", str(folder / source) if is_local else source]


def _variables(source: str) -> dict[str, str]:
    """The variables in a source by their values; none of an address, whose secrets have a rule."""
    if "://" in os.path.expandvars(source):
        return {}
    named = [name for _, name in _named(source)]
    return {os.environ[name]: f"${{{name}}}" for name in named if os.environ.get(name)}


def _unset(source: str, local: str) -> tuple[str, ...]:
    """The variables in a source that are not set; none if it is a path with a $ in it."""
    missing = dict.fromkeys(text for text, name in _named(source) if name not in os.environ)
    is_there = bool(missing) and "://" not in source and os.path.lexists(local)
    return () if is_there else tuple(missing)


def _named(source: str) -> list[tuple[str, str]]:
    """The variables in a source, as they are written and by their names."""
    found = re.finditer(r"\$(?:\{([^}]*)\}|(\w+))", source, re.ASCII)
    return [(one[0], one[1] if one[2] is None else one[2]) for one in found]
