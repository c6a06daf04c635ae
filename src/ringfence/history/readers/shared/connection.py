"""Connections to databases: read-only, soon given up, and no password in any message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ringfence.errors import HistoryError, MissingExtraError

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection

SECONDS = 10
"""How long a server may take to answer at all."""
EXTRAS = {"postgresql": "postgresql", "mysql": "mysql", "mariadb": "mysql"}
DRIVERS = {
    "postgresql": ("psycopg2", "psycopg"),
    "mysql": ("pymysql",),
    "mariadb": ("pymysql",),
}
"""The packages that are used if the URL names none, the faster first."""
DATABASE = re.compile(r"(sqlite|postgres|postgresql|mysql|mariadb)(\+\w+)?://", re.IGNORECASE)


def is_database_url(text: str) -> bool:
    """Whether this is the address of a kind of database that can be read."""
    return DATABASE.match(text) is not None


def shown(url: str | URL) -> str:
    """The URL without its password, wherever in it that is; of a file, the name."""
    parsed = _parsed(url)
    if parsed.get_backend_name() == "sqlite":
        return Path(parsed.database or "").name
    secret = [key for key in parsed.query if "pass" in key.lower() or "secret" in key.lower()]
    parsed = parsed.update_query_dict(dict.fromkeys(secret, "***")) if secret else parsed
    return parsed.render_as_string(hide_password=True)


def file_url(path: Path) -> URL:
    """The address of a SQLite file, whatever characters its name has."""
    return _parsed("sqlite://").set(database=str(path))


@contextmanager
def connected(url: str | URL) -> Iterator[Connection]:
    """A connection within a read-only transaction that sees one state of the database."""
    parsed, arguments = _careful(_parsed(url))
    import sqlalchemy as sa

    dialect = parsed.get_backend_name()
    try:
        engine = sa.create_engine(parsed, connect_args=arguments, poolclass=sa.NullPool)
    except ModuleNotFoundError as error:
        if error.name in DRIVERS.get(dialect, ()):
            raise MissingExtraError(error.name, EXTRAS[dialect]) from None
        raise HistoryError(
            f"cannot read {shown(url)}: the package {error.name!r} is not installed; install it, "
            f"or write {dialect}://… for the usual one"
        ) from None
    except sa.exc.SQLAlchemyError:
        raise HistoryError(f"cannot read {shown(url)}: no such kind of database") from None
    try:
        with engine.connect() as connection:
            if dialect == "postgresql":
                options: dict[str, Any] = {"isolation_level": "REPEATABLE READ"}
                connection.execution_options(postgresql_readonly=True, **options)
                connection.execute(sa.text("SET extra_float_digits = 3"))
            else:
                start = "BEGIN" if dialect == "sqlite" else "SET TRANSACTION READ ONLY"
                connection.exec_driver_sql(start)
            yield connection
    except (sa.exc.SQLAlchemyError, engine.dialect.loaded_dbapi.Error) as error:
        raise HistoryError(f"cannot read {shown(url)}: {_reason(error, parsed)}") from None
    finally:
        engine.dispose()


def _parsed(url: str | URL) -> URL:
    try:
        import sqlalchemy as sa
    except ModuleNotFoundError as error:
        kind = str(url).partition(":")[0].partition("+")[0].lower()
        raise MissingExtraError("sqlalchemy", EXTRAS.get(kind, "optuna")) from error
    try:
        parsed = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        kind = str(url).partition(":")[0]
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


def _careful(url: URL) -> tuple[URL, dict[str, Any]]:
    """The URL and connection arguments that give up soon, and open a file for reading only."""
    if url.get_backend_name() != "sqlite":
        timeout = "timeout" if url.get_driver_name() == "pg8000" else "connect_timeout"
        return url, {} if timeout in url.query else {timeout: SECONDS}
    path = url.database or ""
    if path.startswith("file:") or path in ("", ":memory:"):
        return url, {"timeout": SECONDS}
    if not Path(path).is_file():
        raise HistoryError(f"there is no file {path}")
    address = f"file:{quote(Path(path).resolve().as_posix())}"
    return url.set(database=address, query={"mode": "ro", "uri": "true"}), {"timeout": SECONDS}


def _reason(error: Exception, url: URL) -> str:
    """The driver's first line, without the password in case it repeats it."""
    cause = getattr(error, "orig", None) or error
    text = str(cause.args[-1] if cause.args else cause).strip().partition("\n")[0]
    return text.replace(str(url.password), "***") if url.password else text
