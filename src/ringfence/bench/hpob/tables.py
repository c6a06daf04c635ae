"""HPO-B's download as suites in its official form, one for each search space.

file of HPO-B              what it becomes
meta-test-dataset.json     the tasks that are left out; searched are their recorded rows
meta-train-dataset.json    the tasks to learn from, those of the same search space
bo-initializations.json    five rows of each test task and seed, which every search begins with

The validation split is for choosing settings, and not used. Columns are x0, x1, … as HPO-B has
them, scaled; every row counts, whatever its values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import index
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from ringfence.bench.fetch.hpob import files_of
from ringfence.bench.fetch.writing import make_folder, write_table
from ringfence.errors import FileError, HistoryError
from ringfence.files import write_atomically
from ringfence.history.readers.hpob import evaluations
from ringfence.history.readers.shared.folders import read_json, written_by
from ringfence.incoming.content import is_file, read_bytes
from ringfence.quoting import quoted
from ringfence.words import brief

TEST, TRAIN = "meta-test-dataset.json", "meta-train-dataset.json"
STARTS = "bo-initializations.json"
FILES = (TEST, TRAIN, STARTS)
SEEDS = ("test0", "test1", "test2", "test3", "test4")
"""HPO-B's five; the first is replication 0."""
MADE = "made-from.json"


class OfficialSuite(msgspec.Struct, frozen=True):
    """One search space as a suite."""

    space: str
    description: str
    """The name of its file."""
    tasks: int
    """Test tasks."""
    sources: int
    """Training tasks."""
    rows: int
    """Rows of the test tasks."""
    repeated: int
    """Rows of the test tasks that repeat a configuration of the same task."""


class Made(msgspec.Struct, frozen=True):
    """What a folder of suites was made from; the same again is not made again."""

    source: dict[str, tuple[int, int]]
    """Size and time of change of each file."""
    spaces: tuple[str, ...]
    suites: tuple[OfficialSuite, ...]


@dataclass(frozen=True)
class _Content:
    """What HPO-B's three files hold, and where they are."""

    files: Mapping[str, Path]
    test: Mapping[str, Any]
    train: Mapping[str, Any]
    starts: Mapping[str, Any]


def official_suites(
    source: Path, folder: Path, spaces: Sequence[str] = ()
) -> tuple[OfficialSuite, ...]:
    """Write a suite for each search space (all that have test tasks if none is named) into
    `folder`, unless they are there from the same files."""
    make_folder(folder)
    stamps = _stamps(source)
    record = folder / MADE
    made = _read(record)
    if made is not None and (made.source, made.spaces) == (stamps, tuple(spaces)):
        return made.suites
    record.unlink(missing_ok=True)
    with files_of(source, FILES, needed=(TEST,)) as files:
        for name in FILES:
            if name not in files:
                raise FileError(f"{source} has no {name}, which the official protocol needs")
        content = _Content(files, *(_object(files[name]) for name in FILES))
        for space in spaces:
            if space not in content.test:
                raise HistoryError(
                    f"{source} has no test tasks of search space {space!r}; it has "
                    f"{', '.join(sorted(content.test))}"
                )
        suites = tuple(_suite(s, content, folder) for s in spaces or sorted(content.test))
    write_atomically(record, msgspec.json.encode(Made(stamps, tuple(spaces), suites)))
    return suites


def _object(path: Path) -> Mapping[str, Any]:
    content = read_json(path)
    if not isinstance(content, dict):
        raise HistoryError(f"{path} is not as HPO-B writes it: it is no object of search spaces")
    return content


def _suite(space: str, content: _Content, folder: Path) -> OfficialSuite:
    if not re.fullmatch(r"[\w-]+", space):  # it names files
        raise HistoryError(f"{content.files[TEST]}: {space!r} cannot be a search space")
    if space not in content.train:
        raise HistoryError(f"{content.files[TRAIN]} has no search space {space}")
    test = evaluations(content.test, space, content.files[TEST])
    train = evaluations(content.train, space, content.files[TRAIN])
    common = sorted(set(test["task"]) & set(train["task"]))
    if test.width != train.width or common:
        raise HistoryError(
            f"search space {space}: test and training data "
            + (f"share data set {common[0]}" if common else "have different numbers of columns")
        )
    name = f"hpob_official_{space}"
    table = pl.concat([test, train])
    targets = test["task"].unique(maintain_order=True).to_list()
    write_table(folder / f"{name}.parquet", table)
    write_table(folder / f"{name}_starts.parquet", _starts(space, test, content))
    text = _description(name, space, table, targets)
    write_atomically(folder / f"{name}.toml", text.encode())
    distinct = test.drop("accuracy").unique().height
    n_sources = train["task"].n_unique()
    return OfficialSuite(
        space, f"{name}.toml", len(targets), n_sources, test.height, test.height - distinct
    )


def _starts(space: str, test: pl.DataFrame, content: _Content) -> pl.DataFrame:
    """Task, replication and row of the given configurations."""
    rows = []
    with written_by("HPO-B", content.files[STARTS]):
        for (task,), of_task in test.group_by("task", maintain_order=True):
            for replication, seed in enumerate(SEEDS):
                given = [index(row) for row in content.starts[space][task][seed]]
                if not given or not all(0 <= row < of_task.height for row in given):
                    raise HistoryError(
                        f"{content.files[STARTS]}: {seed} of data set {task} of search space "
                        f"{space} names rows that are not among its {of_task.height}: "
                        f"{brief(given)}"
                    )
                if len(set(given)) < len(given):
                    raise HistoryError(
                        f"{content.files[STARTS]}: {seed} of data set {task} of search space "
                        f"{space} names a row twice"
                    )
                rows += [(task, replication, row) for row in given]
    schema = {"task": pl.String, "replication": pl.Int32, "row": pl.Int32}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _description(name: str, space: str, table: pl.DataFrame, targets: Sequence[str]) -> str:
    values = table[:, 2:]
    lines = [
        f"file = {quoted(f'{name}.parquet')}",
        f"origin = {quoted(f'HPO-B search space {space}, official protocol')}",
        'objective = ["accuracy"]',
        'direction = "maximize"',
        "scaled = true",
        f"starts = {quoted(f'{name}_starts.parquet')}",
        f"targets = [{', '.join(quoted(task) for task in targets)}]",
        "",
        "[space.parameters]",
    ]
    for column in values.iter_columns():
        low, high = (float(column.min() or 0.0), float(column.max() or 0.0))  # type: ignore[arg-type]
        lines.append(
            f'{column.name} = {{type = "float", low = {min(low, 0.0)}, high = {max(high, 1.0)}}}'
        )
    return "\n".join(lines) + "\n"


def _stamps(source: Path) -> dict[str, tuple[int, int]]:
    """Size and time of change of the zip, or of the files in the folder."""
    names = [source]
    if not is_file(source):
        names = [path for path in sorted(source.rglob("*.json")) if path.name in FILES]
    stats = {str(path.resolve()): path.stat() for path in names}
    return {name: (stat.st_size, stat.st_mtime_ns) for name, stat in stats.items()}


def _read(record: Path) -> Made | None:
    if not is_file(record):
        return None
    try:
        return msgspec.json.decode(read_bytes(record), type=Made)
    except (ValueError, RecursionError):  # made again, then
        return None
