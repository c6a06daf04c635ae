"""Ray as the engine of joblib: this machine, or the cluster that RAY_ADDRESS names."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ringfence.errors import MissingExtraError


@contextmanager
def ray_backend() -> Iterator[None]:
    """Calls of joblib inside go to Ray; a Ray that was started here is shut down afterwards."""
    try:
        import ray
        from joblib import parallel_backend
        from ray.util.joblib import register_ray
    except ImportError as error:
        raise MissingExtraError("ray", "ray") from error
    started = not ray.is_initialized()
    if started:
        address = os.environ.get("RAY_ADDRESS")
        with _same_end():
            ray.init(address=address, log_to_driver=False, include_dashboard=False)
    register_ray()
    try:
        with parallel_backend("ray"):
            yield
    finally:
        if started:
            ray.shutdown()


@contextmanager
def _same_end() -> Iterator[None]:
    """Keep what SIGTERM does: Ray would crash with a stack trace instead."""
    if threading.current_thread() is not threading.main_thread():  # others may not handle signals
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)
