"""The history that ships with the package, so that everything can be tried with no data at hand."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import resources

from ringfence.history.history import History
from ringfence.history.readers import read_history
from ringfence.space import space_from


def example_history() -> History:
    """A support vector machine tuned on twenty small classification tasks: real cross-validated
    errors of 256 random configurations each, by scripts/make_svm_history.py. It carries its space.
    """
    folder = resources.files("ringfence") / "data"
    provenance = json.loads((folder / "svm_history.json").read_text("utf-8"))
    space = space_from(provenance["space"], "svm_history.json")
    with resources.as_file(folder / "svm_history.parquet") as path:
        history = read_history(path, task="task", objective="error", parameters=list(space))
    return replace(history, space=space)
