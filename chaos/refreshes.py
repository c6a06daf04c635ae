"""A learned space that is refreshed while workers write to its storage, and killed again and
again: in the end it is the file that one run at the end would have written."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from chaos.commands import ringfence
from chaos.database import _server
from chaos.kills import NEAR, PATIENCE, _wait_for_writing, start
from chaos.tally import Tally

OPTIONS = ("--no-check", "--starts", "0")
BUSY = 4
FINE = (0, 3)
"""Exit codes of a refresh that did its work: nothing that matters, or something."""
WORK = """
import random, sys, time
import optuna

url, worker, end = sys.argv[1], int(sys.argv[2]), time.time() + float(sys.argv[3])
optuna.logging.set_verbosity(optuna.logging.CRITICAL)
rng, names, left, made = random.Random(worker), [], [], 0
storage = optuna.storages.RDBStorage(url, engine_kwargs={"pool_size": 1})

def step(study):
    trial = study.ask()
    kind = trial.suggest_categorical("kind", ["a", "b"])
    value = (trial.suggest_float("C", 1e-3, 1e3, log=True) - worker) ** 2
    if kind == "a":
        value += trial.suggest_int("depth", 1, 9)
    luck = rng.random()
    if luck < 0.1:
        left.append((study, trial))
    elif luck < 0.2:
        study.tell(trial, state=optuna.trial.TrialState.FAIL)
    else:
        study.tell(trial, value)

while time.time() < end:
    if not names or rng.random() < 0.1:
        names.append(f"worker-{worker}-{made}")
        made += 1
        optuna.create_study(storage=storage, study_name=names[-1])
    if len(names) > 3 and rng.random() < 0.02:
        gone = names.pop(rng.randrange(len(names)))
        left = [(study, trial) for study, trial in left if study.study_name != gone]
        optuna.delete_study(storage=storage, study_name=gone)
    name = rng.choice([*names, "shared"])
    sampler = optuna.samplers.RandomSampler(seed=rng.randrange(2**31))
    step(optuna.load_study(storage=storage, study_name=name, sampler=sampler))
    if left and rng.random() < 0.1:
        study, trial = left.pop(rng.randrange(len(left)))
        study.tell(trial, rng.random())
"""


def soak(
    home: Path, minutes: float, workers: int, kills: int, rng: random.Random, tally: Tally
) -> None:
    """`soak_storage` with a server of its own."""
    with tempfile.TemporaryDirectory(prefix="rf-pg-", ignore_cleanup_errors=True) as folder:
        server = _server(folder)
        soak_storage(server.get_uri(), home, 60 * minutes, workers, kills, rng, tally)
        server.cleanup()


def soak_storage(
    url: str,
    home: Path,
    seconds: float,
    workers: int,
    kills: int,
    rng: random.Random,
    tally: Tally,
) -> None:
    """Workers write for so long; meanwhile refreshes, of which so many are killed."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    study = optuna.create_study(storage=url, study_name="shared")
    study.optimize(lambda trial: trial.suggest_float("C", 1e-3, 1e3, log=True), n_trials=2)
    folder = home / "soak"
    folder.mkdir()
    running = [
        subprocess.Popen([sys.executable, "-c", WORK, url, str(worker), str(seconds)])
        for worker in range(workers)
    ]
    try:
        _refresh_and_kill(url, folder, seconds, kills, running, rng, tally)
        for process in running:
            process.wait(PATIENCE)
    finally:
        for process in running:
            process.kill()
            process.wait()
    ended = [process.returncode for process in running]
    tally.require(not any(ended), f"refresh: workers end with {ended}")
    _judge(url, folder, tally)


def _refresh_and_kill(
    url: str,
    folder: Path,
    seconds: float,
    kills: int,
    running: list[subprocess.Popen[bytes]],
    rng: random.Random,
    tally: Tally,
) -> None:
    end = time.monotonic() + seconds
    pause, done = seconds / max(kills, 1) / 4, 0  # so that most kills come while workers write
    took = 1.0
    while any(process.poll() is None for process in running) or done < kills:
        begun = time.monotonic()
        process = start(ringfence("refresh", url, "-o", "live.json", *OPTIONS), folder)
        if done < kills and rng.random() < 0.7:
            if rng.random() < 0.5:
                _wait_for_writing(folder, process)
                time.sleep(rng.uniform(0, NEAR))
            else:
                time.sleep(rng.uniform(0, took))
            process.kill()
        process.join(PATIENCE)
        if process.exitcode == -signal.SIGKILL:
            done += 1
            tally.count("refresh: killed")
        else:
            took = time.monotonic() - begun
            tally.count("refresh: done")
            tally.require(process.exitcode in FINE, f"refresh: ends with {process.exitcode}")
        tally.require(_is_whole(folder / "live.json"), "refresh: the file is not whole")
        time.sleep(max(0.0, min(rng.uniform(0, pause), end - time.monotonic())))


def _is_whole(path: Path) -> bool:
    """Whether there is no file, or one that can be loaded."""
    import ringfence as rf

    try:
        return not path.exists() or bool(rf.load(path).tasks)
    except rf.RingfenceError:
        return False


def _judge(url: str, folder: Path, tally: Tally) -> None:
    """The last refresh of the one, the only one of another, and `learn`: the same bytes."""
    from ringfence.refreshing.log import folder_of, read_log
    from ringfence.refreshing.versions import digest_of

    for words in (
        ("refresh", url, "-o", "live.json", *OPTIONS),
        ("refresh", url, "-o", "once.json", *OPTIONS),
        ("learn", url, "-o", "learned.json", "--starts", "0"),
    ):
        process = start(ringfence(*words), folder)
        process.join(PATIENCE)
        tally.require(process.exitcode in FINE, f"{words[0]} at the end: {process.exitcode}")
    live = folder / "live.json"
    for other in ("once.json", "learned.json"):
        same = live.read_bytes() == (folder / other).read_bytes()
        tally.require(same, f"refresh: the file is another one than {other}")
    log = read_log(live)
    tally.count("refresh: runs that count in the end", log.entries[-1].rows)
    tally.count("refresh: tasks in the end", log.entries[-1].tasks)
    tally.count("refresh: versions", len(log.entries))
    numbers = [entry.number for entry in log.entries]
    tally.require(numbers == [*range(1, len(numbers) + 1)], "refresh: versions are missing")
    for entry in log.entries:
        kept = folder_of(live) / f"{entry.number:04}.json"
        same = kept.exists() and digest_of(kept.read_bytes()) == entry.digest
        tally.require(same, f"refresh: version {entry.number} is not as it was")
