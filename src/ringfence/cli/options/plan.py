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

from pathlib import Path
from typing import Any

PATHS = ("output", "space")
COMMAS = ("parameters", "ignore", "studies")
"""Options that take several names at once; other lists are options that are given again."""


def entries_of(path: Path) -> list[tuple[str, list[str]]]:
    """The output of each entry and the words of its command."""
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
        plan.append((options["output"], _words(options, path.parent)))
    twice = [output for output, _ in plan if [o for o, _ in plan].count(output) > 1]
    if twice:
        raise FileError(f"{path} writes {twice[0]} twice")
    return plan


def _words(options: dict[str, Any], folder: Path) -> list[str]:
    """The words of a command; the source stands last, behind --, whatever it looks like."""
    from os.path import expandvars

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
    source = expandvars(options["source"])
    is_local = "://" not in source and not Path(source).is_absolute()
    return [*words, "--", str(folder / source) if is_local else source]
