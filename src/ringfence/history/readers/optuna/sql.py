"""An Optuna storage in a database, by plain selects over its tables within one read-only
transaction. Optuna itself is not asked: it would build an object for every trial."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.readers.optuna.rows import (
    ATTRIBUTES,
    METRICS,
    PARAMS,
    TRIALS,
    VALUES,
    Choose,
    Rows,
    StudyInfo,
    long_table,
)
from ringfence.history.readers.optuna.tables import Selects
from ringfence.history.readers.shared.connection import connected, shown

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Select

SCHEMAS = ("v3.0.0.d", "v3.2.0.a")
"""Versions of Optuna's tables, by its own names; the second is that of Optuna 3.2 to 5."""


def read_storage(url: str | URL, choose: Choose, attribute: str | None) -> Rows:
    """The trials of the chosen studies, and of each the value of a user `attribute`."""
    with connected(url) as connection:
        _check_schema(connection, url)
        all_studies = _studies(connection)
        studies = choose(all_studies)
        keys = tuple(study.key for study in studies)
        selects = Selects(keys if len(studies) < len(all_studies) else None)
        states = pl.col("state").str.to_lowercase()
        values = _frame(connection, selects.values(), {**VALUES, "kind": pl.String})
        distributions = connection.execute(selects.distributions()).all()
        attributes = pl.DataFrame(schema=ATTRIBUTES)
        if attribute is not None:
            attributes = _frame(connection, selects.attributes(attribute), ATTRIBUTES)
        return Rows(
            studies,
            _frame(connection, selects.trials(), TRIALS).with_columns(states),
            values.with_columns(_with_infinities()).drop("kind"),
            _frame(connection, selects.params(), PARAMS),
            tuple((row[0], row[1], row[2]) for row in distributions),
            attributes,
        )


def _check_schema(connection: Connection, url: str | URL) -> None:
    import sqlalchemy as sa

    tables = set(sa.inspect(connection).get_table_names())
    if not {"studies", "trials", "trial_params", "trial_values"} <= tables:
        hint = "; MLflow's are read with format='mlflow'" if "latest_metrics" in tables else ""
        raise HistoryError(f"{shown(url)} is not an Optuna storage: it lacks Optuna's tables{hint}")
    version = None
    if "alembic_version" in tables:
        version = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    if version not in SCHEMAS:
        raise HistoryError(
            f"{shown(url)} has the tables of another Optuna version ({version or 'unknown'}, not "
            f"{SCHEMAS[-1]}); bring it up to date with: optuna storage upgrade --storage URL"
        )


def _studies(connection: Connection) -> list[StudyInfo]:
    selects = Selects()
    directions: dict[int, list[str]] = {}
    for key, direction in connection.execute(selects.directions()):
        directions.setdefault(key, []).append(str(direction).lower())
    attributes: dict[int, dict[str, Any]] = {}
    for key, name, value in connection.execute(selects.study_attributes()):
        attributes.setdefault(key, {})[name] = json.loads(value)
    metrics = {k: json.loads(value) for k, value in connection.execute(selects.metrics(METRICS))}
    return [
        StudyInfo(
            key,
            name,
            tuple(directions.get(key, ())),
            tuple(metrics.get(key) or ()),
            attributes.get(key, {}),
        )
        for key, name in connection.execute(selects.studies())
    ]


def _frame(connection: Connection, select: Select[Any], schema: Mapping[str, Any]) -> pl.DataFrame:
    """The rows of a query; from PostgreSQL as one stream of text, which is several times faster."""
    if connection.dialect.driver not in ("psycopg2", "psycopg"):
        cursor = connection.execute(select).cursor
        return long_table(cursor.fetchall() if cursor is not None else [], schema)
    text = _copied(connection, select)
    if not text:
        return pl.DataFrame(schema=dict(schema))
    return pl.read_csv(text, has_header=False, schema=dict(schema))


def _copied(connection: Connection, select: Select[Any]) -> bytes:
    compiled = select.compile(connection, compile_kwargs={"literal_binds": True})
    statement = f"COPY ({str(compiled).replace('%%', '%')}) TO STDOUT WITH (FORMAT csv)"
    raw: Any = connection.connection.driver_connection
    with raw.cursor() as cursor:
        if connection.dialect.driver == "psycopg2":
            stream = io.BytesIO()
            cursor.copy_expert(statement, stream)
            return stream.getvalue()
        with cursor.copy(statement) as chunks:
            return b"".join(bytes(chunk) for chunk in chunks)


def _with_infinities() -> pl.Expr:
    infinite = {"INF_POS": float("inf"), "INF_NEG": float("-inf")}
    kind = pl.col("kind").replace_strict(infinite, default=None, return_dtype=pl.Float64)
    return pl.coalesce(kind, pl.col("value")).alias("value")
