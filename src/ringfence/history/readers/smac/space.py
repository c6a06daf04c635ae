"""ConfigSpace's JSON as a space, read without ConfigSpace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ringfence.errors import HistoryError, SpaceError
from ringfence.history.readers.shared.folders import read_json, written_by
from ringfence.space import Categorical, Condition, Constant, Float, Int, Parameter, Space


def declared_space(path: Path) -> tuple[Space | None, list[str]]:
    """The space that a file describes, and what it leaves out; None if there is no file."""
    if not path.exists():
        return None, []
    content = read_json(path)
    forbids = bool(content.get("forbiddens"))
    return _space(path, content), ["forbidden combinations are left out of the space"] * forbids


def _space(path: Path, content: Mapping[str, Any]) -> Space:
    """The space in a configspace.json; HistoryError for what a space here cannot say."""
    try:
        with written_by("ConfigSpace", path):
            parameters = {entry["name"]: _parameter(entry) for entry in content["hyperparameters"]}
            conditions = [c for entry in content["conditions"] for c in _conditions(entry)]
            return Space(parameters, tuple(conditions))
    except SpaceError as error:
        raise HistoryError(f"{path}: {error}") from error


def _parameter(entry: Mapping[str, Any]) -> Parameter:
    kind = str(entry["type"])
    if kind in ("constant", "unparametrized"):
        return Constant(entry["value"])
    if kind == "categorical":
        return _choices(entry["choices"])
    if kind == "ordinal":
        return _choices(entry["sequence"], ordered=True)
    if kind.endswith("_float"):
        return Float(entry["lower"], entry["upper"], entry.get("log", False))
    if kind.endswith("_int"):
        return Int(entry["lower"], entry["upper"], entry.get("log", False))
    raise SpaceError(f"the parameter {entry['name']!r} is of the unknown type {kind!r}")


def _choices(values: Sequence[Any], ordered: bool = False) -> Parameter:
    return Categorical(values, ordered) if len(values) > 1 else Constant(values[0])


def _conditions(entry: Mapping[str, Any]) -> list[Condition]:
    kind = entry["type"]
    if kind == "AND":
        return [condition for part in entry["conditions"] for condition in _conditions(part)]
    if kind == "EQ":
        return [Condition(entry["child"], entry["parent"], [entry["value"]])]
    if kind == "IN":
        return [Condition(entry["child"], entry["parent"], entry["values"])]
    raise SpaceError(
        f"{entry['child']!r} depends on {kind} conditions; only EQ, IN and AND can be read"
    )
