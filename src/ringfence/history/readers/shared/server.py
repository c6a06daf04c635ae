"""Database servers by SQLAlchemy: read-only, soon given up, and no password in any message."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ringfence.errors import HistoryError, MissingExtraError
from ringfence.errors.addresses import hidden, shown
from ringfence.history.readers.shared.database import Database

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine

SECONDS = 10
"""How long a server may take to answer at all."""
REFUSED = "its driver does not take an option or a name in the address"
EXTRAS = {"postgresql": "postgresql", "mysql": "mysql", "mariadb": "mysql"}
DRIVERS = {
    "postgresql": ("psycopg2", "psycopg"),
    "mysql": ("pymysql",),
    "mariadb": ("pymysql",),
}
"""The packages that are used if the URL names none, the faster first."""


@dataclass(frozen=True)
class _Server:
    connection: Connection

    def tables(self) -> set[str]:
        import sqlalchemy as sa

        return set(sa.inspect(self.connection).get_table_names())

    def rows(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        import sqlalchemy as sa

        cursor = self.connection.execute(sa.text(statement), values).cursor
        return list(cursor.fetchall()) if cursor is not None else []

    def csv(self, statement: str, **values: Any) -> bytes | None:
        """PostgreSQL's stream of text, which is several times faster than its rows."""
        if self.connection.dialect.driver not in ("psycopg2", "psycopg"):
            return None
        import sqlalchemy as sa

        select = sa.text(statement).bindparams(**values)
        compiled = select.compile(self.connection, compile_kwargs={"literal_binds": True})
        copy = f"COPY ({str(compiled).replace('%%', '%')}) TO STDOUT WITH (FORMAT csv)"
        raw: Any = self.connection.connection.driver_connection
        with raw.cursor() as cursor:
            if self.connection.dialect.driver == "psycopg2":
                stream = io.BytesIO()
                cursor.copy_expert(copy, stream)
                return stream.getvalue()
            with cursor.copy(copy) as chunks:
                return b"".join(bytes(chunk) for chunk in chunks)


@contextmanager
def reached(url: str) -> Iterator[Database]:
    """The database of a server, within one transaction."""
    parsed, name = _parsed(url), shown(url)
    import sqlalchemy as sa

    dialect = parsed.get_backend_name()
    try:
        engine = sa.create_engine(parsed, connect_args=_patience(parsed), poolclass=sa.NullPool)
    except ModuleNotFoundError as error:
        if error.name in DRIVERS.get(dialect, ()):
            raise MissingExtraError(error.name, EXTRAS[dialect]) from None
        raise HistoryError(
            f"cannot read {name}: the package {error.name!r} is not installed; install it, "
            f"or write {dialect}://… for the usual one"
        ) from None
    except sa.exc.SQLAlchemyError:
        raise HistoryError(f"cannot read {name}: no such kind of database") from None
    except (TypeError, ValueError):
        raise HistoryError(f"cannot read {name}: {REFUSED}") from None
    try:
        with _connection(engine, name) as connection:
            if dialect == "postgresql":
                options: dict[str, Any] = {"isolation_level": "REPEATABLE READ"}
                connection.execution_options(postgresql_readonly=True, **options)
                connection.execute(sa.text("SET extra_float_digits = 3"))
            else:
                connection.exec_driver_sql("SET TRANSACTION READ ONLY")
            yield _Server(connection)
    except (sa.exc.SQLAlchemyError, engine.dialect.loaded_dbapi.Error) as error:
        raise HistoryError(f"cannot read {name}: {_reason(error, url)}") from None
    finally:
        engine.dispose()


def _connection(engine: Engine, name: str) -> Connection:
    """Drivers have no error of their own for options and names that cannot be, and some repeat
    them."""
    try:
        return engine.connect()
    except (TypeError, ValueError, AttributeError, OSError):
        raise HistoryError(f"cannot read {name}: {REFUSED}") from None


def _parsed(url: str) -> URL:
    try:
        import sqlalchemy as sa
    except ModuleNotFoundError as error:
        kind = url.partition(":")[0].partition("+")[0].lower()
        raise MissingExtraError("sqlalchemy", EXTRAS.get(kind, "postgresql")) from error
    try:
        parsed = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        kind = url.partition(":")[0]
        raise HistoryError(
            f"the {kind} URL cannot be read as one; it should look like "
            "postgresql://user:password@host:5432/database"
        ) from None
    return parsed.set(drivername=_with_driver(parsed.drivername.lower()))


def _with_driver(name: str) -> str:
    name = "postgresql" if name == "postgres" else name
    usual = DRIVERS.get(name)
    if usual is None:
        return name
    return f"{name}+{next((d for d in usual if find_spec(d) is not None), usual[0])}"


def _patience(url: URL) -> dict[str, Any]:
    """Arguments of the connection that give up soon."""
    timeout = "timeout" if url.get_driver_name() == "pg8000" else "connect_timeout"
    return {} if timeout in url.query else {timeout: SECONDS}


def _reason(error: Exception, url: str) -> str:
    """The driver's first line, without the secrets of the address in case it repeats them."""
    cause = getattr(error, "orig", None) or error
    text = str(cause.args[-1] if cause.args else cause).strip().partition("\n")[0]
    return hidden(text, url)
