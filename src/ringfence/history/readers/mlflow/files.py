"""MLflow's `mlruns` folder: a folder for each experiment, in it one for each run."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from ringfence.errors import HistoryError
from ringfence.history.readers.mlflow.store import StoredRun, times
from ringfence.history.tables import as_float
from ringfence.incoming.content import read_text, readable
from ringfence.incoming.parsing import yaml_of

META = "meta.yaml"
STATUSES = {1: "RUNNING", 2: "SCHEDULED", 3: "FINISHED", 4: "FAILED", 5: "KILLED"}


def is_store(path: Path) -> bool:
    """Whether the folder holds folders of experiments."""
    return path.is_dir() and any(path.glob(f"*/{META}")) and not (path / META).exists()


def runs_in_folder(path: Path) -> list[StoredRun]:
    """The runs in the order of their start; not those of deleted experiments."""
    if not is_store(path):
        raise HistoryError(f"{path} is not a folder of MLflow's: no experiment with a {META} in it")
    started: list[tuple[tuple[float, str], StoredRun]] = []
    for experiment in sorted(path.glob(f"*/{META}")):
        _require_own(experiment.parent)
        facts = _meta(experiment)
        if facts.get("lifecycle_stage", "active") != "active":
            continue
        name = str(facts.get("name", readable(experiment.parent.name)))
        for meta in experiment.parent.glob(f"*/{META}"):
            _require_own(meta.parent)
            run = _meta(meta)
            if "run_id" in run:
                start = (_number(run.get("start_time")), meta.parent.name)
                started.append((start, _run(meta.parent, name, run)))
    return [run for _, run in sorted(started, key=lambda pair: pair[0])]


def _run(folder: Path, experiment: str, facts: dict[str, Any]) -> StoredRun:
    status = facts.get("status")
    return StoredRun(
        readable(folder.name),
        experiment,
        STATUSES.get(status, str(status)) if isinstance(status, int) else str(status),
        {key: _own_text(file) for key, file in _files(folder / "params")},
        {key: _last_value(file) for key, file in _files(folder / "metrics")},
        {key: _own_text(file) for key, file in _files(folder / "tags")},
        facts.get("lifecycle_stage", "active") != "active",
        *times(facts.get("start_time"), facts.get("end_time")),
    )


def _files(folder: Path) -> list[tuple[str, Path]]:
    """The files below a folder by name; a slash in a name made a folder of it."""
    _require_own(folder)
    files = sorted(path for path in folder.rglob("*") if path.is_symlink() or path.is_file())
    return [(readable(path.relative_to(folder).as_posix()), path) for path in files]


def _last_value(path: Path) -> float:
    """The value with the highest step, the latest of them: a line is time, value and step. A file
    without a line, which a crash may leave, has none: NaN."""
    last = (-math.inf, 0, math.nan)
    for number, line in enumerate(_own_text(path).splitlines(), 1):
        try:
            time, value, *step = line.split()
            last = max(last, (int(step[0]) if step else 0, int(time), float(value)))
        except (ValueError, IndexError) as error:
            raise HistoryError(f"{path}, line {number} is not time, value and step") from error
    return last[2]


def _own_text(path: Path) -> str:
    """The content of a file of the store; one elsewhere, to which a link leads, is none of it."""
    _require_own(path)
    return read_text(path)


def _require_own(path: Path) -> None:
    if path.is_symlink():
        raise _linked(path)


def _linked(path: Path) -> HistoryError:
    return HistoryError(
        f"{path} is a link to another place, which MLflow does not make; put the file itself there"
    )


def _number(start: Any) -> float:
    """When a run started; 0 if it does not say."""
    return start if isinstance(start, (int, float)) and math.isfinite(as_float(start)) else 0


def _meta(path: Path) -> dict[str, Any]:
    content = yaml_of(_own_text(path), path)
    return content if isinstance(content, dict) else {}
