"""Files for another tool: a program that searches a learned space with it, or its own format.

The programs are templates in `snippets/`, one for each tool, in which the path of the learned space
is filled in.
"""

from __future__ import annotations

import json
from importlib.resources import files

from ringfence.adapters import TOOLS
from ringfence.adapters.view import require_box
from ringfence.errors import SettingError
from ringfence.learned.space import LearnedSpace
from ringfence.space import Categorical, Constant, Int, Parameter, Space


def snippet(learned: LearnedSpace, path: str, to: str) -> str:
    """A Python program for the tool `to`, which loads the learned space from `path`. SettingError
    for an unknown tool, and for a space that the tool cannot search."""
    if to not in TOOLS:
        raise SettingError(f"no export to {to!r}; there is {', '.join(TOOLS)}")
    _check(learned, to)
    text = files("ringfence.adapters").joinpath("snippets", f"{to}.txt").read_text("utf-8")
    suggestions = "\n".join(f"    {line}" for line in _suggestions(learned.space))
    return text.replace("    SUGGEST", suggestions).replace("LEARNED", repr(path))


def configspace_file(learned: LearnedSpace, suffix: str) -> str:
    """A box in ConfigSpace's own format: ".json", or YAML."""
    from ringfence.adapters.configspace import to_configspace

    require_box(learned, "a file of ConfigSpace", "--to configspace without -o, a Python program")
    record = to_configspace(learned).space.to_serialized_dict()
    if suffix == ".json":
        return json.dumps(record, indent=1) + "\n"
    import yaml

    return str(yaml.safe_dump(json.loads(json.dumps(record)), sort_keys=False))


def _suggestions(space: Space) -> list[str]:
    """The lines in which an objective for Optuna asks for each parameter of `space`."""
    lines: list[str] = []
    for name in space.parents_first:
        line = f"config[{name!r}] = {_suggestion(name, space[name])}"
        tests = [
            (f"{c.parent!r} in config and " if space.conditions_of(c.parent) else "")
            + f"config[{c.parent!r}] in {list(c.values)!r}"
            for c in space.conditions_of(name)
        ]
        lines += [f"if {' and '.join(tests)}:", f"    {line}"] if tests else [line]
    return lines


def _suggestion(name: str, parameter: Parameter) -> str:
    if isinstance(parameter, Constant):
        return repr(parameter.value)
    if isinstance(parameter, Categorical):
        return f"trial.suggest_categorical({name!r}, {list(parameter.choices)!r})"
    kind = "int" if isinstance(parameter, Int) else "float"
    log = ", log=True" if parameter.log else ""
    return f"trial.suggest_{kind}({name!r}, {parameter.low!r}, {parameter.high!r}{log})"


def _check(learned: LearnedSpace, to: str) -> None:
    """Raise now what the tool's adapter would raise later, if that is known without the tool."""
    if to == "botorch":
        from ringfence.adapters.vectors import Vectors

        Vectors(learned, "BoTorch")
    elif to == "cmaes":
        from ringfence.adapters.cmaes import start

        start(learned)
    elif to == "neps":
        from ringfence.adapters.neps import priors

        priors(learned)
