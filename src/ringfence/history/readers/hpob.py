"""HPO-B: JSON files of search space → data set → configurations X and accuracies y."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.history import History
from ringfence.history.readers.folders import read_json
from ringfence.history.readers.runs import chosen


def read(
    source: str | PathLike[str],
    *,
    task: str | None = None,
    objective: str | None = None,
    direction: str | None = None,
    parameters: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    search_space: str | int | None = None,
    descriptors: str | PathLike[str] | None = None,
) -> History:
    """The evaluations of one search space; a task is a data set, the objective its accuracy.

    `search_space` is the id, needed where the file holds several. Columns are called x0, x1, …
    unless `descriptors` names HPO-B's file of descriptors, which knows their names; values stay as
    HPO-B scaled them.
    """
    if task is not None or objective not in (None, "accuracy"):
        raise HistoryError("in HPO-B a task is a data set and the objective is 'accuracy'")
    content = read_json(Path(source))
    if not isinstance(content, dict) or not content:
        raise HistoryError(f"{source} is no HPO-B file: it must map search spaces to data sets")
    wanted = None if search_space is None else str(search_space)
    space = chosen(wanted, content, "search_space", str(source))
    where = f"{source}, search space {space}"
    frames = [
        _frame(f"{where}, data set {name}", name, one) for name, one in content[space].items()
    ]
    if not frames:
        raise HistoryError(f"{where} has no data sets")
    if len({frame.width for frame in frames}) > 1:
        raise HistoryError(f"{where}: the data sets have different numbers of parameters")
    table = pl.concat(frames)
    if descriptors is not None:
        names = _names(Path(descriptors), space, table.width - 2)
        table.columns = [*table.columns[:2], *names]
    history = History.from_frame(
        table,
        task="task",
        objective="accuracy",
        direction=direction or "maximize",
        parameters=parameters if parameters is not None else table.columns[2:],
        ignore=ignore,
    )
    return replace(history, source=f"{Path(source).name}, search space {space}")


def _frame(where: str, task: str, entry: Any) -> pl.DataFrame:
    try:
        x = np.asarray(entry["X"], dtype=float)
        y = np.asarray(entry["y"], dtype=float).reshape(-1)
        if x.ndim != 2 or len(x) != len(y):
            raise ValueError(f"X has the shape {x.shape} and y {len(y)} values")
    except (KeyError, TypeError, ValueError) as error:
        raise HistoryError(f"{where}: no X and y as HPO-B has them: {error}") from error
    columns = {f"x{i}": x[:, i] for i in range(x.shape[1])}
    return pl.DataFrame({"task": pl.Series([task] * len(y)), "accuracy": y, **columns})


def _names(path: Path, space: str, count: int) -> list[str]:
    content: Mapping[str, Any] = read_json(path)
    spaces = content.get("search_spaces", content)
    if space not in spaces or "variables_order" not in spaces[space]:
        raise HistoryError(f"{path} does not describe the search space {space}")
    names = list(spaces[space]["variables_order"])
    if len(names) != count:
        raise HistoryError(
            f"{path} names {len(names)} parameters of {space}; the data have {count}"
        )
    return names
