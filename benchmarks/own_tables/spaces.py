"""Seeded draws from the declared spaces, which are the TOML tables of spaces and suites."""

from __future__ import annotations

import math
import tomllib
import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

Config = dict[str, Any]
DESCRIPTIONS = Path(__file__).parents[2] / "src/ringfence/bench/suites/descriptions"
PAPER = {"svm": "openml_5891_svm", "xgboost": "openml_6767_xgboost", "forest": "openml_6794_rf"}
OFF_SHARE = 0.25
"""How often a parameter that can be off is off."""
DIGITS = 6
"""Significant digits of a drawn number: what the table shows is what was run."""


@cache
def space_of(learner: str, classification: bool) -> Mapping[str, Any]:
    """'parameters' and perhaps 'conditions', as in a file of a space."""
    if learner in PAPER:
        text = (DESCRIPTIONS / f"{PAPER[learner]}.toml").read_text(encoding="utf-8")
        space: Mapping[str, Any] = tomllib.loads(text)["space"]
        return space
    spaces = tomllib.loads(Path(__file__).with_name("spaces.toml").read_text(encoding="utf-8"))
    ours: Mapping[str, Any] = spaces.get(f"{learner}_regression", spaces[learner])
    return spaces[learner] if classification else ours


def shared_config(learner: str, classification: bool, number: int) -> Config:
    """Number n of the list that all tasks have in common."""
    return _draw(learner, classification, f"{learner} shared {classification}", number)


def own_config(learner: str, classification: bool, task: str, number: int) -> Config:
    """Number n of a task's own list."""
    return _draw(learner, classification, f"{learner} own {task}", number)


def _draw(learner: str, classification: bool, stream: str, number: int) -> Config:
    space = space_of(learner, classification)
    rng = np.random.default_rng([zlib.crc32(stream.encode()), number])
    config = {name: _value(what, rng) for name, what in space["parameters"].items()}
    for condition in space.get("conditions", ()):
        if config.get(condition["parent"]) not in condition["values"]:
            config[condition["child"]] = None
    return {name: value for name, value in config.items() if value is not None}


def _value(what: Mapping[str, Any], rng: np.random.Generator) -> Any:
    """One value; each takes two numbers of the stream, whatever its kind."""
    at, switch = rng.random(2)
    if what["type"] == "categorical":
        return what["choices"][int(at * len(what["choices"]))]
    if "off" in what and switch < OFF_SHARE:
        return what["off"]
    low, high, whole = what["low"], what["high"], what["type"] == "int"
    if whole:
        low, high = low - 0.5, high + 0.5
    if what.get("log"):
        value = math.exp(math.log(low) + at * (math.log(high) - math.log(low)))
    else:
        value = low + at * (high - low)
    if whole:
        return min(max(round(value), what["low"]), what["high"])
    rounded = float(f"{value:.{DIGITS}g}")
    return min(max(rounded, what["low"]), what["high"])
