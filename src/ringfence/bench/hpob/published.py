"""What others reached on HPO-B: their curves from its repository, and the means of these curves.

The repository machinelearningnuremberg/HPO-B (MIT) has a file for each method in `results/`: search
space → data set → seed → 101 accuracies, scaled to 0 for the task's worst row and 1 for its best,
after the given configurations and after each of 100 trials. Files that end in -C are of another
benchmark, on surrogates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from ringfence.bench.hpob.scores import SCHEMA
from ringfence.bench.hpob.tables import SEEDS
from ringfence.errors import FileError
from ringfence.history.readers.shared.folders import read_json, written_by

METHODS = ("Random", "GP", "DGP", "DNGO", "BOHAMIANN", "RGPE", "TST", "TAF", "FSBO")
"""The nine of the paper (Pineda Arango et al., 2021, arXiv 2106.06257)."""
PUBLISHED: Mapping[str, Mapping[int, tuple[float, float]]] = {
    "Random": {25: (0.086, 0.015), 50: (0.072, 0.013), 100: (0.054, 0.011)},
    "GP": {25: (0.051, 0.010), 50: (0.035, 0.007), 100: (0.026, 0.007)},
    "DGP": {25: (0.048, 0.008), 50: (0.028, 0.005), 100: (0.017, 0.003)},
    "DNGO": {25: (0.045, 0.008), 50: (0.028, 0.005), 100: (0.022, 0.005)},
    "BOHAMIANN": {25: (0.046, 0.008), 50: (0.028, 0.005), 100: (0.016, 0.004)},
    "RGPE": {25: (0.056, 0.015), 50: (0.046, 0.014), 100: (0.028, 0.010)},
    "TST": {25: (0.051, 0.008), 50: (0.039, 0.008), 100: (0.028, 0.006)},
    "TAF": {25: (0.047, 0.008), 50: (0.036, 0.007), 100: (0.025, 0.006)},
    "FSBO": {25: (0.036, 0.006), 50: (0.021, 0.004), 100: (0.012, 0.003)},
}
"""Mean regret and its standard error over the 86 test tasks after so many trials: the means of the
curves in `results/`, as of the commit of 2025-07-28, to three digits. They were computed once,
and not by a program of this repository; `published_curves` reads the curves themselves, which give
these means anew, and the ranks."""
TASKS, SPACES = 86, 16
"""What those means are over: they are shown beside runs on all of it, and on nothing less."""


def label(method: str) -> str:
    """The name of a published method, apart from ours."""
    return f"{method} (published)"


def published_curves(folder: Path, ours: pl.DataFrame) -> pl.DataFrame:
    """The published curves of the nine methods, those that the folder has, on the tasks, seeds and
    trials of `ours`."""
    paths = {method: folder / f"{method}.json" for method in METHODS}
    there = {method: path for method, path in paths.items() if path.is_file()}
    if not there:
        raise FileError(
            f"{folder} holds no results of HPO-B, such as FSBO.json: name the folder 'results' of "
            "a clone of machinelearningnuremberg/HPO-B"
        )
    places = ours.select("space", "task", "replication").unique(maintain_order=True).rows()
    trials = int(ours["trial"].to_numpy().max())
    first = int(ours["order"].to_numpy().max()) + 1
    frames = [
        _curves(method, path, places, trials, first + number)
        for number, (method, path) in enumerate(there.items())
    ]
    return pl.concat(frames)


def _curves(
    method: str, path: Path, places: Sequence[tuple[str, str, int]], trials: int, order: int
) -> pl.DataFrame:
    content = read_json(path)
    frames = []
    with written_by("HPO-B", path):
        for space, task, replication in places:
            curve = content.get(space, {}).get(task, {}).get(SEEDS[replication])
            if curve is None:
                continue
            accuracies = np.asarray(curve, dtype=float)
            if accuracies.ndim != 1 or len(accuracies) <= trials:
                raise FileError(
                    f"{path}: {SEEDS[replication]} of data set {task} of search space {space} has "
                    f"{accuracies.size} values, not one more than {trials} trials"
                )
            place = (label(method), order, space, task, replication)
            rows = [
                (*place, trial, 1.0 - float(accuracies[trial])) for trial in range(1, trials + 1)
            ]
            frames.append(pl.DataFrame(rows, schema=SCHEMA, orient="row"))
    return pl.concat(frames) if frames else pl.DataFrame(schema=SCHEMA)
