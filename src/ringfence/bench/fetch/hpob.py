"""Search spaces of HPO-B's download as tables, with all its data sets together.

HPO-B scales every column to [0, 1] and has columns of their own for choices and missing values, and
so do the tables. A search space that the package does not describe gets a description beside its
table.
"""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ringfence.bench.fetch.writing import make_folder, write_table
from ringfence.bench.suites.description import read_description
from ringfence.bench.suites.loading import DESCRIPTIONS
from ringfence.errors import FileError, HistoryError
from ringfence.files import write_atomically
from ringfence.history.readers.hpob import evaluations, parameter_names
from ringfence.history.readers.shared.folders import read_json
from ringfence.incoming.limits import BYTES
from ringfence.incoming.parsing import guarded
from ringfence.quoting import quoted

PAPER_SPACES = ("5891", "6767", "6794")
PARTS = ("meta-train-dataset.json", "meta-validation-dataset.json", "meta-test-dataset.json")
DESCRIPTORS = "meta-dataset-descriptors.json"
COLUMN = '{type = "float", low = 0.0, high = 1.0}'


@dataclass(frozen=True)
class HpobTable:
    """A table, and the file that describes it as a suite."""

    table: Path
    description: Path
    tasks: int
    rows: int
    outside: int
    """Rows with a value beyond [0, 1], which the suite leaves out."""


def make_tables(source: Path, spaces: Sequence[str], folder: Path) -> list[HpobTable]:
    """Write the table of each search space into `folder`; `source` is HPO-B's folder or zip."""
    make_folder(folder)
    with files_of(source, (*PARTS, DESCRIPTORS), needed=PARTS) as files:
        frames: dict[str, list[pl.DataFrame]] = {space: [] for space in spaces}
        known: set[str] = set()
        for path in (files[name] for name in PARTS if name in files):
            content = read_json(path)
            known |= set(content)
            for space in set(spaces) & set(content):
                frames[space].append(evaluations(content, space, path))
        for space in spaces:
            if not frames[space]:
                raise HistoryError(
                    f"{source} has no search space {space!r}; it has {', '.join(sorted(known))}"
                )
        return [
            _make_table(space, pl.concat(frames[space]), folder, files.get(DESCRIPTORS))
            for space in spaces
        ]


@contextmanager
def files_of(
    source: Path, names: Sequence[str], needed: Sequence[str]
) -> Iterator[dict[str, Path]]:
    """HPO-B's files by name, wherever in the folder or the zip they are; FileError if there is none
    of those needed."""
    with tempfile.TemporaryDirectory() as unpacked:
        home = source
        if source.is_file():
            home = Path(unpacked)
            with guarded(source, "zip"), zipfile.ZipFile(source) as archive:
                wanted = [e for e in archive.infolist() if Path(e.filename).name in names]
                BYTES.allow(sum(entry.file_size for entry in wanted), source)
                for entry in wanted:
                    archive.extract(entry, home)
        files = {path.name: path for path in sorted(home.rglob("*.json")) if path.name in names}
        if not set(files) & set(needed):
            raise FileError(f"{source} holds none of HPO-B's files: {', '.join(needed)}")
        yield files


def _make_table(
    space: str, table: pl.DataFrame, folder: Path, descriptors: Path | None
) -> HpobTable:
    name = f"hpob_{space}"
    count = table.width - 2
    description = DESCRIPTIONS / f"{name}.toml"
    if description.exists():
        names = list(read_description(description)[1])
        if len(names) != count:
            raise HistoryError(f"search space {space} has {count} columns, not {len(names)}")
    else:
        names = table.columns[2:]
        if descriptors is not None:
            names = parameter_names(descriptors, space, count)
        description = folder / f"{name}.toml"
        write_atomically(description, _description(space, names).encode())
    table.columns = [*table.columns[:2], *names]
    write_table(folder / f"{name}.parquet", table)
    values = table[:, 2:]  # by place: '*' and '^x$' mean other columns to polars
    inside = values.filter(pl.all_horizontal(pl.all().is_between(0.0, 1.0))).height
    return HpobTable(
        folder / f"{name}.parquet",
        description,
        table["task"].n_unique(),
        table.height,
        table.height - inside,
    )


def _description(space: str, names: Sequence[str]) -> str:
    lines = [
        f"file = {quoted(f'hpob_{space}.parquet')}",
        f"origin = {quoted(f'HPO-B search space {space}')}",
        'objective = ["accuracy"]',
        'direction = "maximize"',
        "most_tasks = 30",
        "",
        "[space.parameters]",
        *(f"{quoted(name)} = {COLUMN}" for name in names),
    ]
    return "\n".join(lines) + "\n"
