"""One BLAS thread inside ringfence, the user's number outside, and the same bytes whatever."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg  # noqa: F401 - brings the second BLAS library
from threadpoolctl import threadpool_info, threadpool_limits

import ringfence as rf
from ringfence.optimize import BaseMethod, Proposal
from ringfence.threads import OneThread, one_thread

PLANE = rf.Space({"x": rf.Float(0, 1), "y": rf.Float(0, 1)})

PROGRAM = '''
import inspect, os, sys

SOLVERS = tuple(f"ringfence{os.sep}{folder}{os.sep}" for folder in (
    f"fit{os.sep}solvers", f"optimize{os.sep}surrogates", f"checking{os.sep}belief"))
seen, numbers = set(), set()

def profile(frame, event, argument):
    """Note how many threads there are when a function of the solvers is called first."""
    code = frame.f_code
    if event == "call" and code not in seen:
        seen.add(code)
        named = code.co_flags & inspect.CO_OPTIMIZED and code.co_name[0] != "<"  # no import
        if named and any(folder in code.co_filename for folder in SOLVERS):
            numbers.update(threads())

def threads():
    from threadpoolctl import threadpool_info
    return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]

import ringfence as rf
sys.setprofile(profile)
history = rf.example_history()
learned = rf.learn(history, shape="ellipsoid", outliers=0.1, starts=3)
assert "scipy.linalg" in sys.modules  # it came after the call had begun
print(learned.starts(), learned.volume_fraction)
for name, options in (("gp", {"starts": 3}), ("transfer", {"history": history})):
    engine = rf.optimizer(name, learned, **options)
    for value in (0.3, 0.1, 0.2, 0.4, 0.15, 0.25):
        trial = engine.ask()
        engine.tell(trial, value)
        print(trial.config)
print(rf.check(history, starts=0).speed_ups)
sys.setprofile(None)
assert numbers == {1}, numbers
print(set(threads()), file=sys.stderr)
'''


def user_numbers() -> set[int]:
    """The threads of numpy's and scipy's BLAS. Other tests load packages that bring one of their
    own, some of which take no other number than 1."""
    return {
        one["num_threads"]
        for one in threadpool_info()
        if one["user_api"] == "blas" and ("numpy" in one["filepath"] or "scipy" in one["filepath"])
    }


@pytest.fixture
def three_threads():
    """A user who has set a number of threads."""
    with threadpool_limits(3, user_api="blas"):
        assert user_numbers() == {3}
        yield
        assert user_numbers() == {3}


def output(threads: str) -> tuple[str, str]:
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    source = str(Path(rf.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **dict.fromkeys(names, threads), "PYTHONPATH": source},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_the_same_bytes_with_one_thread_and_with_eight():
    """In each process all solvers saw one thread, those of libraries that were loaded late too."""
    (alone, one), (together, several) = output("1"), output("8")
    assert alone == together
    assert one.strip() == "{1}"
    assert several.strip() != "{1}" or os.cpu_count() == 1


@pytest.mark.usefixtures("three_threads")
def test_the_number_comes_back_after_an_error_and_from_within():
    @one_thread
    def fail(depth: int) -> None:
        assert user_numbers() == {1}
        if depth:
            fail(depth - 1)
        raise KeyError(depth)

    with pytest.raises(KeyError):
        fail(2)
    assert user_numbers() == {3}
    with one_thread:
        with one_thread:
            assert user_numbers() == {1}
        assert user_numbers() == {1}


@pytest.mark.usefixtures("three_threads")
def test_another_number_of_the_users_is_kept_from_call_to_call():
    for number in (2, 4, 1):
        with threadpool_limits(number, user_api="blas"):
            with one_thread:
                assert user_numbers() == {1}
            assert user_numbers() == {number}


@pytest.mark.usefixtures("three_threads")
def test_the_last_of_several_python_threads_sets_the_number_back():
    first_is_in, second_is_out = threading.Event(), threading.Event()

    def first() -> set[int]:
        with one_thread:
            first_is_in.set()
            assert second_is_out.wait(60)
            return user_numbers()

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(first)
        assert first_is_in.wait(60)
        with one_thread:
            assert user_numbers() == {1}
        assert user_numbers() == {1}  # the first one is still inside
        second_is_out.set()
        assert future.result() == {1}
    assert user_numbers() == {3}


class Library:
    """A BLAS library as threadpoolctl sees it."""

    filepath = "libblas.so"

    def __init__(self, threading_layer: str) -> None:
        self.threading_layer = threading_layer
        self._own = threading.local()
        self._shared = 3

    @property
    def num_threads(self) -> int:
        by_thread = self.threading_layer == "openmp"
        return getattr(self._own, "number", 3) if by_thread else self._shared

    def set_num_threads(self, number: int) -> None:
        self._own.number = self._shared = number


@pytest.mark.parametrize("layer", ["openmp", "pthreads"])
def test_openmp_has_a_number_for_each_python_thread(layer, monkeypatch):
    library, door = Library(layer), OneThread()
    monkeypatch.setattr(door, "_find_libraries", lambda: False)
    monkeypatch.setattr(door, "_libraries", [library])

    def another() -> tuple[int, int]:
        with door:
            inside = library.num_threads
        return inside, library.num_threads

    with ThreadPoolExecutor(1) as pool, door:
        assert pool.submit(another).result() == (1, 3 if layer == "openmp" else 1)
        assert library.num_threads == 1
    assert library.num_threads == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_does_not_wait_for_threads_it_does_not_have(monkeypatch):
    library, door = Library("pthreads"), OneThread()
    monkeypatch.setattr(door, "_find_libraries", lambda: False)
    monkeypatch.setattr(door, "_libraries", [library])
    inside, done = threading.Event(), threading.Event()

    def stay() -> None:
        with door:
            inside.set()
            done.wait(60)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(stay)
        assert inside.wait(60)
        child = os.fork()
        if child == 0:
            os._exit(library.num_threads)
        done.set()
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3


@pytest.mark.usefixtures("three_threads")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_objective_has_the_users_threads(n_jobs):
    proposed = []

    class Method(BaseMethod):
        def propose(self, log, rng):
            proposed.append(user_numbers())
            return Proposal({"x": rng.random(), "y": rng.random()})

    started = threading.Barrier(n_jobs)

    def objective(config):
        started.wait(60)  # all proposals are made, and ask is left
        seen.append(user_numbers())
        return config["x"]

    seen: list[set[int]] = []
    rf.minimize(objective, PLANE, Method, n_trials=2, n_jobs=n_jobs, progress=False, guard=0)
    assert proposed == [{1}] * 2
    assert seen == [{3}] * 2


@pytest.mark.usefixtures("three_threads")
def test_what_users_call_has_one_thread(tmp_path):
    """Each of them reports its steps, or draws its numbers, with one thread."""
    numbers: list[set[int]] = []

    def step(*_: object) -> None:
        numbers.append(user_numbers())

    history = rf.example_history()
    tasks = history.tasks[:3]
    small = history.only(tasks)
    for call, options in (
        (rf.check, {}),
        (rf.compare, {"settings": [{"shape": "box"}], "nested": False}),
        (rf.report, {"path": tmp_path / "report.html"}),
    ):
        numbers.clear()
        call(small, starts=0, progress=step, **options)
        assert set.union(*numbers) == {1}, call

    class Generator(np.random.Generator):
        def random(self, *args, **how):
            step()
            return super().random(*args, **how)

    numbers.clear()
    rf.learn(small, starts=0).sample(3, seed=Generator(np.random.PCG64(0)))
    assert numbers and set.union(*numbers) == {1}


@pytest.mark.usefixtures("three_threads")
def test_checks_in_several_python_threads_at_once_end_alike():
    small = rf.example_history().only(rf.example_history().tasks[:4])
    alone = rf.check(small, shape="ellipsoid", starts=0)
    with ThreadPoolExecutor(3) as pool:
        jobs = [pool.submit(rf.check, small, shape="ellipsoid", starts=0) for _ in range(3)]
        assert [job.result(timeout=120).speed_ups for job in jobs] == [alone.speed_ups] * 3
    assert user_numbers() == {3}


@pytest.mark.usefixtures("three_threads")
def test_the_number_comes_back_after_errors_in_several_python_threads():
    def fail(_: int) -> None:
        with pytest.raises(rf.SettingError):
            rf.learn(rf.example_history(), shape="sphere")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(fail, range(20)))
    assert user_numbers() == {3}


LEARNED = rf.learn(rf.example_history(), shape="ellipsoid", outliers=0.1, starts=0)


def digest(_: int) -> str:
    """What a worker process draws and asks, and how many threads it has left."""
    engine = rf.optimizer("gp", LEARNED, direction="minimize", n_initial=2)
    for value in (0.3, 0.1, 0.2):
        engine.tell(engine.ask(), value)
    return f"{LEARNED.sample(3, seed=0)} {engine.ask().config} {user_numbers()}"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.usefixtures("three_threads")
def test_forked_workers_ask_alike_while_another_thread_is_inside():
    inside, done = threading.Event(), threading.Event()

    def stay() -> None:
        with one_thread:
            inside.set()
            done.wait(120)

    here = digest(0)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(stay)
        assert inside.wait(60)
        try:
            with multiprocessing.get_context("fork").Pool(2) as workers:
                found = workers.map_async(digest, range(2)).get(timeout=120)
        finally:
            done.set()
    assert found == [here] * 2
    assert user_numbers() == {3}


FORKED = """
import os, signal, sys
import polars as pl
import ringfence as rf

columns = {"task": ["a", "a", "b", "b"], "x": [0.1, 0.2, 0.3, 0.4], "loss": [1.0, 2.0, 3.0, 4.0]}
history = None
if sys.argv[1] == "used":  # the pool of polars has been started
    history = rf.read_history(pl.DataFrame(columns))
    rf.learn(history, starts=0)
for generation in range(2):  # a child of a child is no better off
    child = os.fork()
    if child:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    signal.alarm(60)  # ends what hangs
    if sys.argv[1] == "unused":
        break
frame = pl.DataFrame(columns) if history is None else history.frame
for call in (
    lambda: rf.learn(history or frame, starts=0), lambda: rf.check(history or frame, starts=0),
    lambda: rf.read_history(frame), lambda: rf.History.from_frame(frame),
    lambda: rf.optimizer("transfer", rf.Space({"x": rf.Float(0, 1)}), history=history or frame),
):
    try:
        call()
        print("done")
    except rf.RingfenceError as error:
        print(error)
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads have no names here")
@pytest.mark.parametrize(("before", "said"), [("used", "'spawn'"), ("unused", "done")])
def test_a_forked_process_says_that_polars_would_wait_for_ever(before, said):
    """And learns if the pool of polars was not started before it was forked."""
    source = str(Path(rf.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED, before],
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert [said in line for line in done.stdout.splitlines()] == [True] * 5, done.stdout


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.usefixtures("three_threads")
@pytest.mark.parametrize("backend", ["threading", "multiprocessing"])
def test_joblib_workers_ask_alike(backend):
    joblib = pytest.importorskip("joblib")
    jobs = (joblib.delayed(digest)(number) for number in range(2))
    found = joblib.Parallel(2, backend=backend, timeout=120)(jobs)
    assert {text.rpartition("{")[0] for text in found} == {digest(0).rpartition("{")[0]}
