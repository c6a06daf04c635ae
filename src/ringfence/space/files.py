"""Spaces in files: JSON, YAML or TOML, one layout for all three.

parameters:
  C:      {type: float, low: 1e-3, high: 1e3, log: true}
  kernel: {type: categorical, choices: [linear, rbf]}
  gamma:  {type: float, low: 1e-4, high: 10, log: true}
conditions:
  - {child: gamma, parent: kernel, values: [rbf]}
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from os import PathLike
from typing import Any

import msgspec

from ringfence.errors import FileError, SpaceError
from ringfence.incoming.content import local_file, read_text
from ringfence.incoming.parsing import json_of, toml_of, yaml_of
from ringfence.quoting import quoted
from ringfence.space.conditions import Condition
from ringfence.space.parameters import Parameter
from ringfence.space.space import Space
from ringfence.words import brief


def read_space(path: str | PathLike[str]) -> Space:
    """Read a space from a .json, .yaml, .yml or .toml file.

    Args:
        path: the file. It has `parameters` by name, each with its `type` (float, int, categorical,
            constant) and ranges, and perhaps `conditions`.

    Raises:
        FileError: a file that cannot be read, or is none of these.
        SpaceError: a file that holds no space; the message names the place.

    Examples:
        >>> from pathlib import Path
        >>> import ringfence as rf
        >>> text = "parameters: {lr: {type: float, low: 0.001, high: 1.0, log: true}}"
        >>> _ = Path("space.yaml").write_text(text)
        >>> rf.read_space("space.yaml")["lr"]
        Float(low=0.001, high=1.0, log=True)
    """
    path = local_file(path, "a space")
    return _parse(read_text(path), path.suffix.lower(), str(path))


def _parse(text: str, suffix: str, name: str) -> Space:
    """A space from the text of a file with this suffix; `name` is for the error message."""
    loaders: dict[str, Callable[[str, str], Any]] = {
        ".json": json_of,
        ".toml": toml_of,
        ".yaml": partial(yaml_of, version="1.2"),
        ".yml": partial(yaml_of, version="1.2"),
    }
    if suffix not in loaders:
        raise FileError(f"{name}: a space is written in .json, .yaml or .toml, not {suffix!r}")
    return space_from(loaders[suffix](text, name), name)


def space_from(content: Any, name: str = "the space") -> Space:
    """A space from the plain tables and lists of a parsed file."""
    if not isinstance(content, dict):
        raise FileError(f"{name} must hold a table of parameters, not {type(content).__name__}")
    if str(content.get("format", "")).startswith("ringfence."):
        raise FileError(
            f"{name} is a learned space; a space holds 'parameters' and 'conditions', as "
            "`ringfence infer` writes it, or pass rf.load(…).space"
        )
    if "parameters" not in content:
        content = {"parameters": content}
    unknown = sorted(content.keys() - {"parameters", "conditions"})
    if unknown:
        raise FileError(f"{name}: {unknown[0]!r} is neither 'parameters' nor 'conditions'")
    try:
        return _space(content["parameters"], content.get("conditions", ()))
    except SpaceError as error:
        raise FileError(f"{name}: {error}") from error


def _space(parameters: Any, conditions: Any) -> Space:
    if not isinstance(parameters, dict):
        raise SpaceError(f"'parameters' must be a table of parameters, not {brief(parameters)}")
    converted = {name: _parameter(name, content) for name, content in parameters.items()}
    return Space(converted, _convert(conditions, tuple[Condition, ...], "conditions"))


def _parameter(name: str, content: Any) -> Parameter:
    kinds = ("float", "int", "categorical", "constant")
    if not isinstance(content, dict) or content.get("type") not in kinds:
        raise SpaceError(f"parameter {name!r} needs a type: one of {', '.join(kinds)}")
    if content["type"] == "int":  # YAML and spreadsheets write 1e3 and 5.0 for integers
        floats = {k: v for k, v in content.items() if isinstance(v, float)}
        content = {**content, **{k: int(v) for k, v in floats.items() if v.is_integer()}}
    parameter: Parameter = _convert(content, Parameter, f"parameter {name!r}")
    return parameter


def _convert(content: Any, kind: Any, where: str) -> Any:
    try:
        return msgspec.convert(content, kind)
    except msgspec.ValidationError as error:
        raise SpaceError(f"{where}: {error}") from error


def write_space(space: Space, suffix: str = ".json") -> str:
    """The space as the text of a .json, .yaml or .toml file, readable by `read_space`."""
    if suffix == ".json":
        return msgspec.json.format(msgspec.json.encode(space), indent=2).decode() + "\n"
    parameters = {name: _fields(parameter) for name, parameter in space.parameters.items()}
    conditions = [_fields(condition) for condition in space.conditions]
    if suffix in (".yaml", ".yml"):
        lines = ["parameters:", *(f"  {quoted(n)}: {quoted(p)}" for n, p in parameters.items())]
        if conditions:
            lines += ["conditions:", *(f"  - {quoted(condition)}" for condition in conditions)]
        return "\n".join(lines) + "\n"
    if suffix != ".toml":
        raise FileError(f"a space is written in .json, .yaml or .toml, not {suffix!r}")
    if _holds_none([parameters, conditions]):
        raise FileError("TOML has no word for None; write the space in .json or .yaml")
    lines = ["[parameters]", *(f"{quoted(n)} = {_inline_table(p)}" for n, p in parameters.items())]
    for condition in conditions:
        lines += ["", "[[conditions]]", *(f"{k} = {quoted(v)}" for k, v in condition.items())]
    return "\n".join(lines) + "\n"


def _fields(struct: Parameter | Condition) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(struct)
    return {name: value for name, value in fields.items() if value is not False or name == "value"}


def _holds_none(content: Any) -> bool:
    if isinstance(content, dict):
        content = list(content.values())
    if isinstance(content, (list, tuple)):
        return any(_holds_none(item) for item in content)
    return content is None


def _inline_table(content: dict[str, Any]) -> str:
    return "{" + ", ".join(f"{name} = {quoted(value)}" for name, value in content.items()) + "}"
