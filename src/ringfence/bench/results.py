"""The finished cells of a plan as one tidy table: a row for each cell and trial."""

from __future__ import annotations

import io
import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import msgspec
import polars as pl

from ringfence.bench.cell import Cell, Result
from ringfence.bench.plan import Plan, planned
from ringfence.bench.store import Store
from ringfence.bench.suites import load_suite
from ringfence.errors import FileError, SettingError
from ringfence.history.readers.table import read_parquet
from ringfence.incoming.limits import CELLS

BEFORE = 2
"""The protocol of results that do not say theirs."""


@dataclass(frozen=True)
class Progress:
    """How much of a figure is finished."""

    figure: str
    suite: str
    done: int
    planned: int


def results(plan: Plan, store: Store) -> pl.DataFrame:
    """Every finished cell of every figure, in the plan's order.

    columns                    meaning
    figure, title              as in the plan
    order                      position of the method in the legend
    suite, origin              the tasks, and where their losses come from
    log_loss                   whether losses are logarithms
    scale, sources,            as in the cell
    n_evaluations, task,
    method, replication,
    data, protocol
    evaluation                 as in the cell, or "computed" if nothing is looked up
    volume, best, median,      as in `Result`
    exhausted
    trial, loss                full evaluations spent, and the smallest loss by then; infinite if
                               the space held nothing that could be evaluated
    """
    columns: dict[str, list[object]] = {name: [] for name in SCHEMA}
    for item in planned(plan):
        result = store.get(item.cell)
        if result is None:
            continue
        suite = load_suite(item.source)
        row = {
            "figure": item.experiment.figure,
            "title": item.experiment.title,
            "order": item.experiment.methods.index(item.cell.method),
            "origin": suite.origin,
            "log_loss": suite.log_loss,
            **_facts(item.cell, result),
        }
        if suite.computed:
            row["evaluation"] = "computed"
        for name, value in row.items():
            columns[name].append(value)
        curve = list(result.curve or [math.inf] * item.cell.trials)
        if len(curve) != item.cell.trials:
            raise FileError(
                f"a cell of {item.cell.suite} in the store has {len(curve)} trials, not "
                f"{item.cell.trials}: it is damaged; delete it and run the plan again"
            )
        columns["trial"].append(list(range(1, item.cell.trials + 1)))
        columns["loss"].append(curve)
    return pl.DataFrame(columns, schema=SCHEMA).explode("trial", "loss")


def put_known(results: pl.DataFrame, store: Store) -> int:
    """Put every cell of a table of results into a store that lacks it; their number. FileError for
    a cell that is not whole."""
    facts = [pl.col(name).first() for name in ("volume", "best", "median", "exhausted")]
    curve, trials = pl.col("loss").sort_by("trial"), pl.col("trial").sort()
    whole = (trials == pl.int_range(1, pl.len() + 1)).all()
    cells = results.group_by("figure", *DESCRIPTION, maintain_order=True).agg(
        *facts, curve=curve, whole=whole
    )
    if not cells["whole"].all():
        of = cells.filter(~pl.col("whole")).row(0, named=True)
        raise FileError(
            f"the results of {of['method']} on {of['suite']}, {of['task']}, lack trials or have "
            "some twice: pass a table as ringfence bench table wrote it"
        )
    count = 0
    for row in cells.iter_rows(named=True):
        row["trials"] = len(row["curve"])
        if row["evaluation"] == "computed":
            row["evaluation"] = "rows"
        if math.isinf(row["curve"][-1]):
            row["curve"] = ()
        cell = msgspec.convert({name: row[name] for name in Cell.__struct_fields__}, Cell)
        result = msgspec.convert({name: row[name] for name in Result.__struct_fields__}, Result)
        if cell not in store:
            store.put(cell, result)
            count += 1
    return count


def packed(results: pl.DataFrame) -> bytes:
    """The content of a Parquet file: a row for each cell and trial, or, of more than would be read,
    for each cell, with its losses as a list."""
    if results.height * results.width > CELLS.most:
        cell = [name for name in results.columns if name not in ("trial", "loss")]
        curve = pl.col("loss").sort_by("trial")
        results = results.group_by(cell, maintain_order=True).agg(loss=curve)
    buffer = io.BytesIO()
    results.write_parquet(buffer, compression="zstd", compression_level=19)
    return buffer.getvalue()


def read_results(path: Path) -> pl.DataFrame:
    """The table of `results` from a Parquet file in either form."""
    frame = read_parquet(path)
    if "trial" not in frame.columns and frame.schema.get("loss") == pl.List(pl.Float64):
        trials = pl.int_ranges(1, pl.col("loss").list.len() + 1, dtype=pl.Int32)
        frame = frame.with_columns(trial=trials).explode("trial", "loss")
    if "protocol" not in frame.columns:
        frame = frame.with_columns(data=pl.lit(""), protocol=pl.lit(BEFORE))
    missing = [name for name in SCHEMA if name not in frame.columns]
    if missing:
        raise FileError(f"{path} has no column {missing[0]!r}: ringfence bench table writes one")
    if frame.is_empty():
        raise FileError(f"{path} holds no results")
    types = pl.DataFrame(schema=SCHEMA).explode("trial", "loss").schema
    return frame.with_columns(_as_written(frame[n], wanted, path) for n, wanted in types.items())


def _as_written(column: pl.Series, wanted: pl.DataType, path: Path) -> pl.Series:
    """The column in the type in which `results` has it; other programs write integers wider."""
    if column.dtype.is_integer() and wanted == pl.Int32:
        column = column.cast(wanted, strict=False)
    if column.dtype != wanted or column.has_nulls():
        raise FileError(
            f"{path}: the column {column.name!r} does not hold {wanted} in every row; write it "
            "again with: ringfence bench table"
        )
    return column


def of_suite(results: pl.DataFrame, suite: str) -> pl.DataFrame:
    """The results on one suite."""
    rows = results.filter(pl.col("suite") == suite)
    if rows.is_empty():
        names = results["suite"].unique().sort().to_list()
        raise SettingError(f"the results have no suite {suite!r}; they have {', '.join(names)}")
    return rows


def progress_of(plan: Plan, store: Store) -> list[Progress]:
    """Finished and planned cells of each figure and suite."""
    n_done: Counter[tuple[str, str]] = Counter()
    n_planned: Counter[tuple[str, str]] = Counter()
    for item in planned(plan):
        key = (item.experiment.figure, item.cell.suite)
        n_planned[key] += 1
        n_done[key] += item.cell in store
    return [Progress(*key, n_done[key], count) for key, count in n_planned.items()]


def _facts(cell: Cell, result: Result) -> dict[str, object]:
    return {
        "suite": cell.suite,
        "scale": cell.scale,
        "evaluation": cell.evaluation,
        "sources": cell.sources,
        "n_evaluations": cell.n_evaluations,
        "task": cell.task,
        "method": cell.method,
        "replication": cell.replication,
        "data": cell.data,
        "protocol": cell.protocol,
        "volume": result.volume,
        "best": result.best,
        "median": result.median,
        "exhausted": result.exhausted,
    }


DESCRIPTION = (
    "suite",
    "data",
    "task",
    "method",
    "replication",
    "n_evaluations",
    "scale",
    "evaluation",
    "sources",
    "protocol",
)
"""The columns that describe a cell, with the number of its trials."""

SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "figure": pl.String,
    "title": pl.String,
    "order": pl.Int32,
    "suite": pl.String,
    "origin": pl.String,
    "log_loss": pl.Boolean,
    "scale": pl.String,
    "evaluation": pl.String,
    "sources": pl.String,
    "n_evaluations": pl.Int32,
    "task": pl.String,
    "method": pl.String,
    "replication": pl.Int32,
    "data": pl.String,
    "protocol": pl.Int32,
    "volume": pl.Float64,
    "best": pl.Float64,
    "median": pl.Float64,
    "exhausted": pl.Boolean,
    "trial": pl.List(pl.Int32),
    "loss": pl.List(pl.Float64),
}
