"""An Optuna storage in a database, by plain selects over its tables within one read-only
transaction. Optuna itself is not asked: it would build an object for every trial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.readers.optuna.news import read_new
from ringfence.history.readers.optuna.rows import (
    ATTRIBUTES,
    METRICS,
    PARAMS,
    REASONS,
    REASONS_KEYS,
    TRIALS,
    VALUES,
    Choose,
    Rows,
    StudyInfo,
    from_json,
    last_times,
    long_table,
    metric_names,
)
from ringfence.history.readers.optuna.tables import Selects
from ringfence.history.readers.shared.connection import connected, database_name
from ringfence.history.readers.shared.database import Database
from ringfence.history.readers.shared.memory import Memory
from ringfence.version import __version__
from ringfence.words import plain, shortened

SCHEMAS = ("v3.0.0.d", "v3.2.0.a")
"""Versions of Optuna's tables, by its own names; the second is that of Optuna 3.2 to 5."""

TABLES = {
    "studies", "study_directions", "study_user_attributes", "study_system_attributes",
    "trials", "trial_params", "trial_values", "trial_user_attributes",
}  # fmt: skip
TWICE = "a study, a trial or a value is there twice"


SYSTEM_ATTRIBUTES = "trial_system_attributes"
MOMENT = "%Y-%m-%d %H:%M:%S%.f"


def read_storage(
    source: str | Path, choose: Choose, attributes: Sequence[str], memory: Memory | None = None
) -> Rows:
    """The trials of the chosen studies, and of each the values of some user `attributes`. With a
    `memory` of an earlier read only what is new is asked for."""
    with connected(source) as database:
        where = database_name(source)
        studies, others = _chosen(database, where, choose)
        selects = Selects(tuple(study.key for study in studies) if others else None)
        storage = _Storage(database, where, attributes)
        if memory is None:
            return storage.rows(studies, selects)
        asked = [__version__, where, *attributes]
        return read_new(memory, asked, studies, selects, storage)


@dataclass(frozen=True)
class _Storage:
    """The tables of a storage, within one transaction."""

    database: Database
    where: str
    attributes: Sequence[str]

    def table(self, select: str) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        return self.database.rows(select)

    def rows(self, studies: tuple[StudyInfo, ...], selects: Selects) -> Rows:
        """The trials that the queries ask for."""
        database, where = self.database, self.where
        trials = _trials(database, selects)
        _require_unique(trials.select("trial"), where)
        if trials["trial"].null_count():
            raise HistoryError(f"{where} is damaged: a trial has no number of its own")
        values = _frame(database, selects.values(), {**VALUES, "kind": pl.String})
        _require_unique(values.select("trial", "objective"), where)
        used = [row for row in database.rows(selects.distributions()) if isinstance(row[1], str)]
        values_of = {
            key: _frame(database, selects.attributes(), REASONS, key=key) for key in self.attributes
        }
        keys_told = REASONS_KEYS if SYSTEM_ATTRIBUTES in database.tables() else ()
        told = [_frame(database, selects.reasons(), REASONS, key=key) for key in keys_told]
        for one in (*values_of.values(), *told):
            _require_unique(one.select("trial"), where)
        return Rows(
            studies,
            trials,
            values.with_columns(_with_infinities()).drop("kind"),
            _frame(database, selects.params(), PARAMS),
            tuple((study, name, text) for study, name, text, _ in used),
            pl.concat(
                [
                    pl.DataFrame(schema=ATTRIBUTES),
                    *(
                        one.select("trial", pl.lit(key).alias("key"), "value")
                        for key, one in values_of.items()
                    ),
                ]
            ),
            times=last_times((s, t) for s, *ends in database.rows(selects.times()) for t in ends),
            reasons=pl.concat([pl.DataFrame(schema=REASONS), *told]).unique(
                "trial", maintain_order=True
            ),
            first_uses=tuple(first for *_, first in used),
        )


def _chosen(database: Database, where: str, choose: Choose) -> tuple[tuple[StudyInfo, ...], bool]:
    """The chosen studies, and whether there are others."""
    _check_schema(database, where)
    every = _studies(database)
    if len({study.key for study in every}) < len(every):
        raise HistoryError(f"{where} is damaged: {TWICE}")
    studies = choose(every)
    return studies, len(studies) < len(every)


def _trials(database: Database, selects: Selects) -> pl.DataFrame:
    """The trials with their states in lower case and their durations."""
    moments = {"start": pl.String, "complete": pl.String}
    schema = {name: kind for name, kind in TRIALS.items() if name != "seconds"}
    trials = _frame(database, selects.trials(), {**schema, **moments})
    start, complete = (
        pl.col(name).str.replace("T", " ").str.to_datetime(MOMENT, time_unit="us", strict=False)
        for name in moments
    )
    micros = trials.select((complete - start).dt.total_microseconds()).to_series()
    # By numpy, since polars divides one number alone otherwise than many, in the last digit.
    took = pl.Series(micros.to_numpy() / 1e6, nan_to_null=True, dtype=pl.Float64)
    seconds = pl.when(took > 0).then(took).alias("seconds")
    return trials.select("trial", "study", "number", pl.col("state").str.to_lowercase(), seconds)


def _check_schema(database: Database, where: str) -> None:
    tables = database.tables()
    if not tables >= TABLES:
        hint = "; MLflow's are read with format='mlflow'" if "latest_metrics" in tables else ""
        raise HistoryError(f"{where} is not an Optuna storage: it lacks Optuna's tables{hint}")
    version = None
    if "alembic_version" in tables:
        versions = database.rows("SELECT v.version_num FROM alembic_version v")
        version = versions[0][0] if versions else None
    if version not in SCHEMAS:
        raise HistoryError(
            f"{where} has the tables of another Optuna version "
            f"({shortened(plain(str(version or 'unknown')), 40)}, not {SCHEMAS[-1]}); bring it "
            "up to date with: optuna storage upgrade --storage URL"
        )


def _require_unique(keys: pl.DataFrame, where: str) -> None:
    """HistoryError for keys that are there twice. Tools make them unique; a file need not have kept
    that, and what is joined by them would have the square of its rows."""
    if keys.drop_nulls().is_duplicated().any():
        raise HistoryError(f"{where} is damaged: {TWICE}")


def _studies(database: Database) -> list[StudyInfo]:
    directions: dict[int, list[str]] = {}
    for key, direction in database.rows(Selects.DIRECTIONS):
        directions.setdefault(key, []).append(str(direction).lower())
    attributes: dict[int, dict[str, Any]] = {}
    for key, name, value in database.rows(Selects.STUDY_ATTRIBUTES):
        attributes.setdefault(key, {})[str(name)] = from_json(value)
    metrics = {k: from_json(value) for k, value in database.rows(Selects.METRICS, key=METRICS)}
    return [
        StudyInfo(
            key,
            str(name),
            tuple(directions.get(key, ())),
            metric_names(metrics.get(key), directions.get(key, ())),
            attributes.get(key, {}),
        )
        for key, name in database.rows(Selects.STUDIES)
    ]


def _frame(
    database: Database, select: str, schema: Mapping[str, Any], **values: Any
) -> pl.DataFrame:
    """The rows of a query, as text where that is faster."""
    text = database.csv(select, **values)
    if text is None:
        return long_table(database.rows(select, **values), schema)
    if not text:
        return pl.DataFrame(schema=dict(schema))
    return pl.read_csv(text, has_header=False, schema=dict(schema))


def _with_infinities() -> pl.Expr:
    infinite = {"INF_POS": float("inf"), "INF_NEG": float("-inf")}
    kind = pl.col("kind").replace_strict(infinite, default=None, return_dtype=pl.Float64)
    return pl.coalesce(kind, pl.col("value")).alias("value")
