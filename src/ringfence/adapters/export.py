"""Files for another tool: a program that searches a learned space with it, or its own format.

The programs are templates in `snippets/`, one for each tool, in which words in capitals stand for
the path of the learned space and for which way is better.
"""

from __future__ import annotations

import json
import re
from importlib.resources import files

from ringfence.adapters import TOOLS
from ringfence.adapters.view import require_box
from ringfence.errors import SettingError
from ringfence.learned.full import full_space
from ringfence.learned.space import LearnedSpace
from ringfence.quoting import literal
from ringfence.space import Categorical, Condition, Constant, Int, Parameter, Space
from ringfence.space.pairs import flag_of, paired, switched
from ringfence.words import shortened

LOAD = "rf.load(LEARNED)"
"""How a template loads the learned space."""
LONGEST_NAME = 40  # characters of an objective in a comment, which keeps to its line


def snippet(learned: LearnedSpace, path: str, to: str, call: str = "") -> str:
    """A Python program for the tool `to`, which loads the learned space from `path`, or has it from
    a `call`. SettingError for an unknown tool, and for a space that the tool cannot search."""
    if to not in TOOLS:
        raise SettingError(f"no export to {to!r}; there is {', '.join(TOOLS)}")
    _check(learned, to)
    text = files("ringfence.adapters").joinpath("snippets", f"{to}.txt").read_text("utf-8")
    return filled(text, learned, path, call)


def filled(text: str, learned: LearnedSpace, path: str, call: str = "") -> str:
    """A template with its words in capitals filled in. It is done in one pass, so that what is
    filled in is never looked into."""
    words = {LOAD: call or f"rf.load({literal(path)})", "LEARNED": literal(path)}
    words |= _goal_words(learned, text[3 : text.index(":")])
    words[", SPACE"] = ", learned" * bool(switched(learned.space))
    if "    SUGGEST" in text:
        words["    SUGGEST"] = "\n".join(f"    {line}" for line in _suggestions(learned.space))
    return re.sub("|".join(map(re.escape, words)), lambda word: words[word.group()], text)


def _goal_words(learned: LearnedSpace, tool: str) -> dict[str, str]:
    """The words of a template that say which way is better, and what stands for them."""
    past = learned.provenance
    more = past.direction == "maximize"
    # As a literal on one line: a name cannot leave the comment that it is in.
    name = literal(shortened(past.objective, LONGEST_NAME)) if past.objective else ""
    named = f"{name}, the value" if name else "the value"
    return {
        "RESULT": f"{named} to {past.direction}",
        "LOSS": f"minus {name}, since {tool} minimizes" if more else f"{named} to minimize",
        "DIRECTION": past.direction,
        "MINIMIZE": str(not more),
        "MINUS ": "" if more else "-",
        "METRIC": "score" if more else "loss",
        "SIGNED": "score" if more else "-loss",
        "MODE": "max" if more else "min",
    }


def configspace_file(learned: LearnedSpace, suffix: str) -> str:
    """A box in ConfigSpace's own format: ".json", or YAML."""
    from ringfence.adapters.configspace import to_configspace

    require_box(learned, "a file of ConfigSpace", "--to configspace without -o, a Python program")
    if switched(learned.space):  # the tool's own file has no way back to one coordinate
        learned = full_space(paired(learned.as_space()))
    record = to_configspace(learned).space.to_serialized_dict()
    if suffix == ".json":
        return json.dumps(record, indent=1) + "\n"
    import yaml

    return str(yaml.safe_dump(json.loads(json.dumps(record)), sort_keys=False))


def _suggestions(space: Space) -> list[str]:
    """The lines in which an objective for Optuna asks for each parameter of `space`."""
    lines: list[str] = []
    pairs = switched(space)
    for name in space.parents_first:
        line = f"config[{literal(name)}] = {_suggestion(name, space[name])}"
        asked = [line]
        if name in pairs:
            flag = literal(flag_of(space, name))
            asked = [
                f"config[{literal(name)}] = {literal(pairs[name].off)}",
                f"if trial.suggest_categorical({flag}, [True, False]):",
                f"    {line}",
            ]
        tests = [_test(condition, space) for condition in space.conditions_of(name)]
        if tests:
            asked = [f"if {' and '.join(tests)}:", *(f"    {line}" for line in asked)]
        lines += asked
    return lines


def _test(condition: Condition, space: Space) -> str:
    parent = literal(condition.parent)
    there = f"{parent} in config and " if space.conditions_of(condition.parent) else ""
    return f"{there}config[{parent}] in {literal(condition.values)}"


def _suggestion(name: str, parameter: Parameter) -> str:
    if isinstance(parameter, Constant):
        return literal(parameter.value)
    if isinstance(parameter, Categorical):
        return f"trial.suggest_categorical({literal(name)}, {literal(parameter.choices)})"
    kind = "int" if isinstance(parameter, Int) else "float"
    log = ", log=True" if parameter.log else ""
    ends = f"{literal(parameter.low)}, {literal(parameter.high)}"
    return f"trial.suggest_{kind}({literal(name)}, {ends}{log})"


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
