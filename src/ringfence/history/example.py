"""What ships with the package, so that everything can be tried with no data at hand: a history, and
parts of it as other tools store their runs."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from ringfence.errors import FileError, SettingError
from ringfence.files import write_atomically
from ringfence.history.history import History
from ringfence.history.readers import read_history
from ringfence.space import space_from
from ringfence.words import did_you_mean


def example_history() -> History:
    """A support vector machine tuned on twenty small classification tasks: real cross-validated
    errors of 256 random configurations each, and the seconds that their fits took. It carries its
    space.

    Examples:
        >>> import ringfence as rf
        >>> len(rf.example_history())
        5120
    """
    folder = resources.files("ringfence") / "data"
    provenance = json.loads((folder / "svm_history.json").read_text("utf-8"))
    space = space_from(provenance["space"], "svm_history.json")
    with resources.as_file(folder / "svm_history.parquet") as path:
        history = read_history(
            path,
            task="task",
            objective="error",
            direction="minimize",
            parameters=list(space),
            cost="fit_seconds",
        )
    return replace(history, space=space)


@dataclass(frozen=True)
class Example:
    """Runs as one tool stores them."""

    what: str
    """In words."""
    source: str
    """What to read of it, within its folder; "." is the folder itself."""
    format: str | None = None
    """The reader, if the look of the source does not tell."""
    objective: str | None = None
    """The objective, if it must be named."""


EXAMPLES = {
    "csv": Example("a table, one row a run", "runs.csv"),
    "hpob": Example("a search space in HPO-B's JSON", "meta-train.json", "hpob"),
    "mlflow": Example("MLflow's tracking database, one experiment a data set", "mlflow.db"),
    "optuna": Example("Optuna studies in a SQLite file, one a data set", "studies.db"),
    "raytune": Example("Ray Tune's experiments, one a data set", "."),
    "smac": Example("SMAC3's run folders, one a data set", "."),
    "synetune": Example("Syne Tune's experiments, one a data set", "."),
    "wandb": Example("the exported runs of a W&B project", "wandb.csv", "wandb", "val_error"),
}
"""By the names of their readers. Made by scripts/make_examples.py, with the tools themselves but
for W&B, which needs a login, and HPO-B, which is a published file."""


def unpack_example(name: str, folder: Path) -> Path:
    """Write an example's files into a folder, and return what is to be read.

    A file that is there with other content is left as it is, and is an error.
    """
    if name not in EXAMPLES:
        hint = did_you_mean(name, EXAMPLES)
        raise SettingError(
            f"there is no example {name!r}; {hint or 'there are ' + ', '.join(EXAMPLES)}"
        )
    packed = (resources.files("ringfence") / "data" / "examples" / f"{name}.tar.gz").read_bytes()
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(packed))) as tar:
        contents = {folder / entry.name: _content(tar, entry) for entry in tar}
    for path, content in contents.items():
        if path.exists() and path.read_bytes() != content:
            raise FileError(f"{path} is there already and is another file; name another folder")
    for path, content in contents.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content)
    return folder / EXAMPLES[name].source


def _content(tar: tarfile.TarFile, entry: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(entry)
    assert file is not None, f"{entry.name} is packed as a file"
    return file.read()
