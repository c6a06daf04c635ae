"""Histories that no one would tune, and that some one has: each a function of its number.

Up to 60 dimensions, every kind of parameter and shape, units from 1e-300 to 1e300, one row a task,
tasks that nearly agree or lie on a line, constants, thousands of choices, parameters that are there
only sometimes, and rows that do not belong to the space.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

import ringfence as rf
from ringfence.space import Axis, Choice, Parameter, axis_of, value_of

SHAPES = ("box", "ellipsoid", "boxes", "ellipsoids", "full")
CLOUDS = ("uniform", "duplicates", "line", "two", "corners", "point", "grid", "skewed")


@dataclass(frozen=True)
class Case:
    """A tortured history, and how to learn from it."""

    number: int
    space: rf.Space
    history: rf.History
    settings: dict[str, Any]
    cloud: str

    def __str__(self) -> str:
        return (
            f"case {self.number}: {len(self.space)} parameters, {len(self.history.tasks)} tasks, "
            f"{self.cloud}, {self.settings}"
        )


def case(number: int, seed: int = 0) -> Case:
    """The history with this number."""
    rng = np.random.default_rng([seed, number])
    space = _space(rng)
    cloud = str(rng.choice(CLOUDS))
    frame = _frame(space, cloud, rng)
    direction = "maximize" if rng.random() < 0.3 else "minimize"
    history = rf.History.from_frame(
        frame, task="task", objective="result", direction=direction, parameters=list(space)
    )
    return Case(number, space, history, _settings(rng), cloud)


def _settings(rng: np.random.Generator) -> dict[str, Any]:
    """A shape, and now and then outliers, refit, observed categories, the best rows."""
    shape = str(rng.choice(SHAPES, p=[0.25, 0.3, 0.2, 0.2, 0.05]))
    settings: dict[str, Any] = {"shape": shape}
    if shape == "full":
        return settings
    if rng.random() < 0.4:
        settings["outliers"] = float(rng.choice([0.05, 0.1, 0.3, 0.5, 0.9]))
        settings["refit"] = bool(rng.random() < 0.3)
    if rng.random() < 0.3:
        settings["categories"] = "observed"
    if rng.random() < 0.1:
        settings["top"] = float(rng.choice([0.1, 0.5]))
    if rng.random() < 0.1:
        settings |= {"n_evaluations": int(rng.integers(1, 4)), "seed": 0}
    return settings


def _space(rng: np.random.Generator) -> rf.Space:
    """Few parameters mostly, sixty now and then."""
    n = int(rng.choice([1, 2, 3, 5, 8, 15, 30, 60], p=[0.1, 0.2, 0.2, 0.2, 0.15, 0.08, 0.04, 0.03]))
    parameters = {f"p{i}": _parameter(rng, few=n > 8) for i in range(n)}
    return rf.Space(parameters, _conditions(parameters, rng))


def _parameter(rng: np.random.Generator, few: bool) -> Parameter:
    kinds = ("linear", "log", "int", "few", "log int", "ordered", "choices", "many", "constant")
    chances = np.array([6, 4, 2, 2, 1, 1, 2, 0.0 if few else 0.1, 0.5])
    kind = str(rng.choice(kinds, p=chances / chances.sum()))
    unit = 10.0 ** float(rng.choice([0, 0, 0, -3, 6, -300, 300, rng.integers(-290, 290)]))
    if kind == "linear":
        low = float(rng.choice([0.0, -1.0, 1.0, 1000.0])) * unit
        return rf.Float(low, low + float(rng.choice([1.0, 0.5, 1e-3])) * unit)
    if kind == "log":
        decades = float(rng.choice([1, 3, 6, 300]))
        middle = float(rng.uniform(-5, 5)) if decades > 100 else float(np.log10(unit)) / 1.1
        return rf.Float(10 ** (middle - decades / 2), 10 ** (middle + decades / 2), log=True)
    if kind in ("int", "few", "log int"):
        low = 1 if kind == "log int" else int(rng.choice([0, 1, -5, 10**6]))
        width = rng.choice([1, 2]) if kind == "few" else rng.choice([3, 10, 1000, 2**30])
        return rf.Int(low, low + int(width), log=kind == "log int")
    if kind in ("choices", "ordered"):
        names: list[Choice] = [f"c{i}" for i in range(int(rng.integers(1, 6)))]
        return rf.Categorical(names, ordered=kind == "ordered")
    if kind == "many":
        return rf.Categorical([f"c{i}" for i in range(int(rng.integers(1000, 4000)))])
    return rf.Constant(rng.choice([0, 1]).item())


def _conditions(parameters: dict[str, Parameter], rng: np.random.Generator) -> list[rf.Condition]:
    """Some parameters depend on an earlier one, which may itself depend on another."""
    if rng.random() < 0.6:
        return []
    conditions: list[rf.Condition] = []
    parents: dict[str, list[Choice]] = {}
    for name, parameter in parameters.items():
        if parents and rng.random() < 0.4:
            parent = str(rng.choice(list(parents)))
            values = parents[parent]
            kept = max(1, int(rng.integers(1, len(values) + 1)) - 1)
            conditions.append(rf.Condition(name, parent, values[:kept]))
        if isinstance(parameter, rf.Categorical) and len(parameter.choices) < 10:
            parents[name] = list(parameter.choices)
        elif isinstance(parameter, rf.Int) and parameter.high - parameter.low < 12:
            parents[name] = list(range(parameter.low, parameter.high + 1))
    return conditions


def _frame(space: rf.Space, cloud: str, rng: np.random.Generator) -> pl.DataFrame:
    """One to forty tasks of one to five rows: the first of each has its place in the cloud."""
    n_tasks = int(rng.choice([1, 2, 3, 6, 12, 25, 40]))
    n_rows = int(rng.choice([1, 1, 2, 5]))
    scaled = [name for name in space if axis_of(space[name])]
    best = _cloud(cloud, n_tasks, len(scaled), rng)
    unit = 10.0 ** float(rng.choice([0, 0, -300, 300, 100]))
    columns: dict[str, list[Any]] = {name: [] for name in ("task", *space, "result")}
    for task in range(n_tasks):
        rows = np.vstack([best[task : task + 1], rng.random((n_rows - 1, len(scaled)))])
        values = np.concatenate([[0.0], rng.integers(1, 4, n_rows - 1)]) * unit
        for row, value in zip(rows, values):
            columns["task"].append(f"t{task}")
            columns["result"].append(float(value))
            for name, item in _config(space, dict(zip(scaled, row)), rng).items():
                columns[name].append(item)
    if rng.random() < 0.2:
        _mismatch(space, columns, rng)
    return pl.DataFrame({n: pl.Series(n, column, strict=False) for n, column in columns.items()})


def _config(
    space: rf.Space, coordinates: dict[str, float], rng: np.random.Generator
) -> dict[str, Choice]:
    """A value or None for every parameter, inactive ones blank."""
    config: dict[str, Choice] = {}
    for name, parameter in space.parameters.items():
        axis = axis_of(parameter)
        if axis is not None:
            config[name] = value_of(parameter, _value(axis, coordinates[name]))
        elif isinstance(parameter, rf.Constant):
            config[name] = parameter.value
        else:
            assert isinstance(parameter, rf.Categorical)
            config[name] = parameter.choices[int(rng.integers(len(parameter.choices)))]
    active = space.active(config)
    return {name: config[name] if name in active else None for name in space}


def _value(axis: Axis, unit: float) -> float:
    return float(axis.decode(np.array([min(max(unit, 0.0), 1.0)]))[0])


def _cloud(kind: str, n: int, dim: int, rng: np.random.Generator) -> np.ndarray:
    """The best points of the tasks in unit coordinates, (n, dim)."""
    middle = rng.random(dim)
    if kind == "duplicates":
        return middle + 10.0 ** float(rng.uniform(-16, -3)) * rng.standard_normal((n, dim))
    if kind == "line":
        return middle + rng.uniform(-0.5, 0.5, (n, 1)) * rng.standard_normal(dim)
    if kind == "two":
        away = (np.arange(n) % 2)[:, None] * rng.uniform(-0.8, 0.8, dim)
        return middle + away + 0.03 * rng.standard_normal((n, dim))
    if kind == "corners":
        return rng.integers(0, 2, (n, dim)).astype(float)
    if kind == "point":
        return np.tile(middle, (n, 1))
    if kind == "grid":
        return rng.integers(0, 4, (n, dim)) / 3.0
    if kind == "skewed":
        spreads = 10.0 ** rng.uniform(-9, 0, dim)
        return middle + spreads * rng.standard_normal((n, dim))
    return rng.random((n, dim))


def _mismatch(space: rf.Space, columns: dict[str, list[Any]], rng: np.random.Generator) -> None:
    """Values that do not belong to the space: missing, out of range, or a word for a number."""
    names = list(space)
    for _ in range(int(rng.integers(1, 4))):
        name, row = str(rng.choice(names)), int(rng.integers(len(columns["task"])))
        number = axis_of(space[name]) is not None and not isinstance(space[name], rf.Categorical)
        columns[name][row] = [None, -1e300, 1e300][int(rng.integers(3))] if number else None
