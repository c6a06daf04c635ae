"""HPO-B: JSON files of search space → data set → configurations X and accuracies y."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.history import History, history_from
from ringfence.history.readers.shared.folders import local_name, read_json, written_by
from ringfence.history.readers.shared.runs import chosen
from ringfence.history.roles import NamedColumns
from ringfence.incoming.limits import CELLS, COLUMNS


def read(
    source: str | PathLike[str],
    columns: NamedColumns,
    *,
    search_space: str | int | None = None,
    descriptors: str | PathLike[str] | None = None,
) -> History:
    """The evaluations of one search space; a task is a data set, the objective its accuracy.

    `search_space` is the id, needed if the file holds several. Columns are called x0, x1, …
    unless `descriptors` names HPO-B's file of descriptors, which knows their names; values stay as
    HPO-B scaled them.
    """
    if columns.task is not None or columns.objective not in (None, "accuracy"):
        raise HistoryError("in HPO-B a task is a data set and the objective is 'accuracy'")
    columns.refuse("missing", "decimal", "cost", reader="hpob")
    path = Path(local_name(source, "HPO-B's evaluations"))
    content = read_json(path)
    wanted = None if search_space is None else str(search_space)
    space = chosen(wanted, content, "search_space", str(path))
    table = evaluations(content, space, path)
    if descriptors is not None:
        names = parameter_names(Path(descriptors), space, table.width - 2)
        table.columns = [*table.columns[:2], *names]
    columns = replace(
        columns,
        task="task",
        objective="accuracy",
        direction=columns.direction or "maximize",
        parameters=table.columns[2:] if columns.parameters is None else columns.parameters,
    )
    history = history_from(table, columns, typed=True)
    return replace(history, source=f"{path.name}, search space {space}")


def evaluations(content: Mapping[str, Any], space: str, path: Path) -> pl.DataFrame:
    """Task, accuracy and x0, x1, … of one search space in the content of the file `path`."""
    where = f"{path}, search space {space}"
    frames: list[pl.DataFrame] = []
    with written_by("HPO-B", path):
        for name, entry in content[space].items():
            frames.append(_frame(f"{where}, data set {name}", name, entry))
            CELLS.allow(sum(frame.height * frame.width for frame in frames), where)
    if not frames:
        raise HistoryError(f"{where} has no data sets")
    if len({frame.width for frame in frames}) > 1:
        raise HistoryError(f"{where}: the data sets have different numbers of parameters")
    return pl.concat(frames)


def _frame(where: str, task: str, entry: Any) -> pl.DataFrame:
    try:
        x = np.asarray(entry["X"], dtype=float)
        y = np.asarray(entry["y"], dtype=float).reshape(-1)
        if x.ndim != 2 or len(x) != len(y):
            raise ValueError(f"X has the shape {x.shape} and y {len(y)} values")
    except (KeyError, TypeError, ValueError) as error:
        raise HistoryError(f"{where}: no X and y as HPO-B has them: {error}") from error
    COLUMNS.allow(x.shape[1], where)
    columns = {f"x{i}": x[:, i] for i in range(x.shape[1])}
    return pl.DataFrame({"task": pl.Series([task] * len(y)), "accuracy": y, **columns})


def parameter_names(path: Path, space: str, count: int) -> list[str]:
    """What HPO-B's descriptors call the `count` columns of a search space."""
    content = read_json(path)
    with written_by("HPO-B", path):
        spaces = content.get("search_spaces", content)
        if space not in spaces or "variables_order" not in spaces[space]:
            raise HistoryError(f"{path} does not describe the search space {space}")
        names = [str(name) for name in spaces[space]["variables_order"]]
    if len({*names, "task", "accuracy"}) < len(names) + 2:
        raise HistoryError(f"{path}: two parameters of {space} have one name, or a column's")
    if len(names) != count:
        raise HistoryError(
            f"{path} names {len(names)} parameters of {space}; the data have {count}"
        )
    return names
