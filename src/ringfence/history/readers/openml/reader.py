"""OpenML: the runs of a flow on some tasks, through the `openml` package."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from ringfence.errors import HistoryError
from ringfence.history.history import History
from ringfence.history.readers.openml.server import evaluations
from ringfence.history.readers.shared.runs import Run, from_text, history_of
from ringfence.history.roles import NamedColumns

Number: TypeAlias = int | str
LOWER_IS_BETTER = ("error", "entropy", "time", "millis", "deviation")
"""Parts of the names of OpenML's measures of which less is better; of the others, more is."""


def recognizes(source: Any) -> bool:
    """Whether the source is openml:FLOW."""
    return isinstance(source, str) and re.fullmatch(r"openml:\d+", source) is not None


def read(
    source: str | int,
    columns: NamedColumns,
    *,
    tasks: Number | Sequence[Number] | None = None,
    uploaders: Number | Sequence[Number] | None = None,
    size: Number | None = None,
) -> History:
    """The runs of the flow `source` (5891 or "openml:5891") on the OpenML `tasks`. The objective is
    a measure of OpenML, predictive_accuracy unless named.

    A task is an OpenML task, or with task="data_id" or "data_name" a data set. `uploaders` are ids
    of users (OpenML's random bot is 2702), `size` is the largest number of runs to fetch. Numbers
    may be text, as the command line has them.
    """
    columns.refuse("cost", reader="openml")
    flow = str(source).removeprefix("openml:")
    if not flow.isdigit():
        raise HistoryError("a flow of OpenML is named by its number, such as openml:5891")
    task = columns.task or "task_id"
    if task not in ("task_id", "data_id", "data_name"):
        raise HistoryError(f"task must be 'task_id', 'data_id' or 'data_name', not {task!r}")
    objective = str(columns.objective or "predictive_accuracy")
    records = evaluations(
        objective,
        flows=[int(flow)],
        tasks=_ids(tasks, "tasks"),
        uploaders=_ids(uploaders, "uploaders"),
        size=None if size is None else _integer(size, "size"),
    )
    if not records:
        raise HistoryError(f"OpenML has no runs of flow {flow} with {objective} on these tasks")
    records = sorted(records, key=lambda record: int(record["run_id"]))
    configs = [own_names(record["parameters"]) for record in records]
    runs = [Run(str(r[task]), config, r["value"]) for r, config in zip(records, _typed(configs))]
    columns = replace(columns, direction=columns.direction or _direction(objective))
    return history_of(runs, f"OpenML flow {flow}", objective, columns)


def _ids(ids: Number | Sequence[Number] | None, name: str) -> list[int] | None:
    if ids is None:
        return None
    return [_integer(number, name) for number in ([ids] if isinstance(ids, (int, str)) else ids)]


def _integer(number: Number, name: str) -> int:
    try:
        return int(number)
    except (TypeError, ValueError):
        raise HistoryError(f"{name}: {number!r} is not an integer") from None


def _direction(objective: str) -> str:
    lower = any(part in objective.lower() for part in LOWER_IS_BETTER)
    return "minimize" if lower else "maximize"


def own_names(parameters: Any) -> dict[str, str | None]:
    """The setup's parameters by their own names: mlr.classif.svm(6)_cost is cost."""
    if not isinstance(parameters, Mapping):  # a setup without any
        return {}
    return {re.sub(r"^.*\(\d+\)_", "", name): _scalar(text) for name, text in parameters.items()}


def _scalar(text: str | None) -> str | None:
    """A value without the JSON that scikit-learn's extension wraps it in; null is missing."""
    if text is None:
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return None if value is None else value if isinstance(value, str) else text


def _typed(configs: list[dict[str, str | None]]) -> list[dict[str, Any]]:
    names = dict.fromkeys(name for config in configs for name in config)
    columns = {name: from_text([config.get(name) for config in configs]) for name in names}
    return [{name: columns[name][i] for name in names} for i in range(len(configs))]
