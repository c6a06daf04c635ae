"""The history that ships with the package, so that everything can be tried with no data at hand."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources

from ringfence.history.history import History
from ringfence.history.readers import read_history
from ringfence.space import parse_space


def example_history() -> History:
    """A support vector machine tuned on small classification tasks: real cross-validated errors of
    random configurations, made by scripts/make_svm_history.py. It carries its space."""
    folder = resources.files("ringfence") / "data"
    space = parse_space((folder / "svm_space.json").read_text("utf-8"), ".json", "svm_space.json")
    with resources.as_file(folder / "svm_history.parquet") as path:
        history = read_history(path, task="task", objective="error", parameters=list(space))
    return replace(history, space=space)
