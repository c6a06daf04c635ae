"""kill -9 at random moments. A file is the old one or the new one, whole; the next run goes on."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

from chaos.commands import WRITERS, Writer, ringfence
from chaos.tally import Tally

FORKS = get_context("forkserver")
FORKS.set_forkserver_preload(
    ["chaos.commands", "ringfence.cli.app", "ringfence.bench.methods", "ringfence.bench.runner",
     "ringfence.learning", "ringfence.optimize.ask_tell", "ringfence.reporting.report", "joblib",
     "matplotlib.figure"]
)  # fmt: skip
OLD = b"what was there before\n"
PATIENCE = 120.0
"""Seconds for one command, on a busy machine."""
NEAR = 0.004
"""Seconds, about as long as writing takes, in which a kill follows the first sign of it."""


def kill_writers(
    inputs: Path, home: Path, seconds: float, rng: random.Random, tally: Tally
) -> None:
    """Every writer in turn, until the time is over."""
    known = {writer.name: _uninterrupted(writer, inputs, home / "whole") for writer in WRITERS}
    end = time.monotonic() + seconds
    first = True
    while first or time.monotonic() < end:
        first = False
        for writer in WRITERS:
            folder = home / "kill"
            new, took = known[writer.name]
            _kill_once(writer, _fresh(inputs, folder), new, took, rng, tally)


def _fresh(inputs: Path, folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(inputs, folder)
    return folder


def _uninterrupted(writer: Writer, inputs: Path, folder: Path) -> tuple[dict[str, bytes], float]:
    """What the writer writes if nobody kills it, and the seconds that it takes."""
    _fresh(inputs, folder)
    if writer.again:
        return {}, 0.05  # it has begun to write by then
    begun = time.monotonic()
    process = start(writer.run, folder)
    process.join(PATIENCE)
    assert process.exitcode == 0, f"{writer.name} ends with {process.exitcode}"
    return {name: (folder / name).read_bytes() for name in writer.outputs}, time.monotonic() - begun


def _kill_once(
    writer: Writer,
    folder: Path,
    new: dict[str, bytes],
    took: float,
    rng: random.Random,
    tally: Tally,
) -> None:
    planted = rng.random() < 0.5 and not writer.again
    for name in writer.outputs if planted else ():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(OLD)
    process = start(writer.run, folder)
    if writer.again or rng.random() < 0.5:
        _wait_for_writing(folder, process)
        time.sleep(rng.uniform(0, NEAR))
    else:
        time.sleep(rng.uniform(0, took))
    process.kill()
    process.join()
    was_killed = process.exitcode == -signal.SIGKILL
    tally.count(f"{writer.name}: killed" if was_killed else f"{writer.name}: done before the kill")
    for name in writer.outputs:
        tally.require(
            _whole(folder / name, new.get(name), planted),
            f"{writer.name}: {name} is neither the old file nor the new one",
        )
    tally.count("temporary files left by kills", len(list(folder.rglob(".*"))))
    if rng.random() < 0.2 and not writer.again:
        again = start(writer.run, folder)
        again.join(PATIENCE)
        same = (
            all((folder / n).read_bytes() == c for n, c in new.items())
            if not again.exitcode
            else False
        )
        tally.count("runs after a kill")
        tally.require(same, f"{writer.name}: the run after a kill is not as without one")


def start(run: Callable[[], None], folder: Path) -> FORKS.Process:  # type: ignore[name-defined]
    """Call `run` in a process of its own, in the folder."""
    process = FORKS.Process(target=_in_folder, args=(run, str(folder)))
    process.start()
    return process


def _in_folder(run: Callable[[], None], folder: str) -> None:
    os.chdir(folder)
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    run()


def _wait_for_writing(folder: Path, process: FORKS.Process) -> None:  # type: ignore[name-defined]
    """Until something new is in the folder, or the process is over."""
    before = _names(folder)
    end = time.monotonic() + PATIENCE
    while process.is_alive() and _names(folder) == before and time.monotonic() < end:
        time.sleep(0.0005)


def _names(folder: Path) -> int:
    return sum(len(files) for _, _, files in os.walk(folder))


def _whole(path: Path, new: bytes | None, planted: bool) -> bool:
    """Whether the file is what may be there."""
    if not path.exists():
        return not planted
    content = path.read_bytes()
    if planted and content == OLD:
        return True
    return _loads(path) if new is None else content == new


def _loads(path: Path) -> bool:
    """Whether a file that was written again and again is one of those."""
    import ringfence as rf

    try:
        if path.name == "run.json":
            return len(rf.load_optimizer(path).trials) > 0
        home = path.parent
        return path.read_bytes() in [(home / n).read_bytes() for n in ("box.json", "ball.json")]
    except rf.RingfenceError:
        return False


def kill_runs(inputs: Path, home: Path, kills: int, rng: random.Random, tally: Tally) -> None:
    """`bench run`, killed many times over one store: in the end it is as if nobody had."""
    from ringfence.bench.plan import planned, read_plan
    from ringfence.bench.store import Store

    whole, broken = _fresh(inputs, home / "whole"), _fresh(inputs, home / "broken")
    run = ringfence("bench", "run", "plan.toml", "--store", "store")
    start(run, whole).join(PATIENCE)
    for _ in range(kills):
        process = start(run, broken)
        _wait_for_writing(broken, process)
        time.sleep(rng.uniform(0, 0.05))
        process.kill()
        process.join()
        tally.count("bench run: killed" if process.exitcode else "bench run: done before the kill")
    start(run, broken).join(PATIENCE)
    plan = read_plan(whole / "plan.toml")
    for item in planned(plan):
        paths = [Store(folder / "store").path(item.cell) for folder in (whole, broken)]
        same = all(path.exists() for path in paths) and len({p.read_bytes() for p in paths}) == 1
        tally.count("cells compared")
        tally.require(same, f"bench run: the cell {paths[1].name} is lost or another one")
