"""A leader that is killed or asked to end takes its workers along."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

from chaos.tally import Tally

MARK = "RINGFENCE_CHAOS"
GRACE = 5.0
"""Seconds after which no process may be left."""


def end_leaders(inputs: Path, home: Path, times: int, tally: Tally) -> None:
    """`bench run -j 2`, ended by SIGKILL and by SIGTERM in turn once its first cell is there."""
    for number in range(times):
        for how in (signal.SIGKILL, signal.SIGTERM):
            _end(inputs, home / f"store-{how.name}-{number}", how, tally)


def _end(folder: Path, store: Path, how: signal.Signals, tally: Tally) -> None:
    mark = uuid.uuid4().hex
    words = ["bench", "run", "plan.toml", "--store", str(store), "-j", "2"]
    leader = subprocess.Popen(
        [sys.executable, "-m", "ringfence", *words],
        cwd=folder,
        env={**os.environ, MARK: mark},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    while leader.poll() is None and not any(store.glob("*/*.json")):
        time.sleep(0.02)
    if leader.poll() is not None:
        tally.count("bench run -j 2: done before its end was asked for")
        return
    leader.send_signal(how)
    tally.count(f"bench run -j 2: {how.name}")
    end = time.monotonic() + GRACE
    while alive(mark) and time.monotonic() < end:
        time.sleep(0.1)
    left = alive(mark)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    tally.require(not left, f"{len(left)} processes are left {GRACE:g} s after {how.name}")
    said = leader.communicate(timeout=60)[1]
    if how == signal.SIGTERM and leader.returncode != 0:
        lines = [line for line in said.splitlines() if line.strip()]
        tally.require(len(lines) <= 1, f"SIGTERM ends with {len(lines)} lines: {said[-200:]!r}")


def alive(mark: str) -> list[int]:
    """The processes with this mark in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if (
                entry.name.isdigit()
                and f"{MARK}={mark}".encode() in (entry / "environ").read_bytes()
            ):
                found.append(int(entry.name))
        except OSError:  # it has just ended, or is another user's
            continue
    return found
