"""The runs of all tasks as one table, and their meta-features as another."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ringfence.bench.fetch.parts import Part
from ringfence.bench.suites.description import Description
from ringfence.space import Float, Int, Space

META_FEATURES = (
    "NumberOfInstances",
    "NumberOfFeatures",
    "majority_class_fraction",
    "NaiveBayesErrRate",
)
"""The paper's four: size, number of features, class imbalance, naive Bayes landmark."""


def runs_table(parts: Sequence[Part], what: Description, space: Space) -> pl.DataFrame:
    """Task, run, objective and the parameters of every run, with defaults filled in and numbers as
    numbers. A value that OpenML left out is missing."""
    runs = [(part.task, run) for part in parts for run in part.runs]
    table = pl.DataFrame(
        {
            what.task: [task for task, _ in runs],
            "run": [run.run for _, run in runs],
            what.objective[0]: pl.Series([run.value for _, run in runs], dtype=pl.Float64),
            **{
                name: pl.Series([run.parameters.get(name) for _, run in runs], dtype=pl.String)
                for name in space
            },
        }
    )
    defaults = {} if what.openml is None else what.openml.defaults
    return table.with_columns(
        [pl.col(name).fill_null(pl.lit(value)) for name, value in defaults.items()]
    ).with_columns(
        [
            pl.col(name).cast(pl.Float64, strict=False)
            for name, parameter in space.parameters.items()
            if isinstance(parameter, (Float, Int))
        ]
    )


def complete_rows(table: pl.DataFrame, objective: str, space: Space) -> pl.DataFrame:
    """The rows with an objective and all active parameters; inactive ones are emptied."""
    for name in space.parents_first:
        active = pl.lit(value=True)
        for condition in space.conditions_of(name):
            holds = pl.col(condition.parent).is_in(list(condition.values))
            active &= holds.fill_null(value=False)
        table = table.with_columns(pl.when(active).then(pl.col(name)).alias(name))
        table = table.filter(pl.col(name).is_not_null() | ~active)
    return table.filter(pl.col(objective).is_not_null())


def meta_features(parts: Sequence[Part], task: str) -> pl.DataFrame:
    """The paper's four of each task, missing if OpenML does not know them; `task` is the name of
    the first column."""
    rows = []
    for part in parts:
        qualities = part.qualities
        size, majority = qualities.get("NumberOfInstances"), qualities.get("MajorityClassSize")
        share = None if not size or majority is None else majority / size
        values = {**qualities, "majority_class_fraction": share}
        rows.append(
            {task: part.task, "data": part.data}
            | {name: values.get(name) for name in META_FEATURES}
        )
    numbers = dict.fromkeys(META_FEATURES, pl.Float64)
    return pl.DataFrame(rows, schema={task: pl.String, "data": pl.Int64, **numbers})
