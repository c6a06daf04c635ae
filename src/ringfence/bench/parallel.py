"""The same call for many arguments, side by side: on this machine, or on a Ray cluster."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from threading import Thread
from typing import Any, TypeVar

from ringfence.errors import MissingExtraError

Result = TypeVar("Result")
ROUND = 8  # calls for each worker at a time, on a backend that cannot return results one by one
WATCH = 0.5  # seconds between two looks at whether the leader is there


def side_by_side(
    function: Callable[..., Result], arguments: Sequence[tuple[Any, ...]], jobs: int, ray: bool
) -> Iterator[Result]:
    """What the calls return, in the order in which they finish."""
    try:
        from joblib import Parallel, delayed
    except ImportError as error:
        raise MissingExtraError("joblib", "bench") from error
    calls = [delayed(function)(*each) for each in arguments]
    with _backend(ray), warnings.catch_warnings():
        # joblib replaces a worker that has grown by 300 MB, as one that reads a table does.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
        if not ray:
            yield from Parallel(
                n_jobs=jobs,
                return_as="generator_unordered",
                initializer=end_with,
                initargs=(os.getpid(),),
            )(calls)
            return
        for part in _rounds(calls, ROUND * jobs):
            yield from Parallel(n_jobs=jobs)(part)


def end_with(leader: int) -> None:
    """Make this worker end soon after the process that started it, however that one ended: killed
    it tells nobody, and joblib's workers would wait for its next call."""
    if os.name == "posix":  # elsewhere a process without its parent cannot tell
        Thread(target=_watch, args=(leader,), daemon=True).start()


def _watch(leader: int) -> None:
    while os.getppid() == leader:
        time.sleep(WATCH)
    os._exit(1)


def _rounds(calls: Sequence[Any], size: int) -> Iterable[Sequence[Any]]:
    return (calls[start : start + size] for start in range(0, len(calls), size))


def _backend(ray: bool) -> AbstractContextManager[object]:
    if not ray:
        return nullcontext()
    from ringfence.bench.ray_backend import ray_backend

    return ray_backend()
