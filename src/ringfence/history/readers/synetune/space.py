"""Syne Tune's JSON of a configuration space as a space, read without Syne Tune."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringfence.incoming.parsing import json_of, reason
from ringfence.space import Categorical, Constant, Float, Int, Parameter, Space


def declared_space(content: Any) -> tuple[Space | None, list[str]]:
    """The space that the metadata describe, or None and a note that says why not."""
    if content is None:
        return None, []
    try:
        return _space(json_of(content, "it") if isinstance(content, str) else content), []
    except (AttributeError, LookupError, ArithmeticError, TypeError, ValueError) as error:
        return None, [f"the tuner's space was not taken: {reason(error)}"]


def _space(content: Mapping[str, Any]) -> Space:
    return Space({name: _parameter(entry) for name, entry in content.items()})


def _parameter(entry: Any) -> Parameter:
    if not isinstance(entry, Mapping):
        return Constant(entry)
    kind, arguments = entry["domain_cls"], entry["domain_kwargs"]
    if "categories" in arguments:
        if len(arguments["categories"]) == 1:
            return Constant(arguments["categories"][0])
        return Categorical(arguments["categories"], ordered=kind != "Categorical")
    low, high = arguments["lower"], arguments["upper"]
    if low == high:
        return Constant(low)
    log = arguments.get("log_scale", entry.get("sampler_cls") == "LogUniform")
    if kind == "Integer" or arguments.get("cast_int"):
        return Int(low, high, log)
    return Float(low, high, log)
