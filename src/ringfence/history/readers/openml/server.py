"""What OpenML's server answers, through the `openml` package; the only module that asks it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from xml.parsers.expat import ExpatError

from ringfence.errors import HistoryError, MissingExtraError


def evaluations(objective: str, **filters: Any) -> list[dict[str, Any]]:
    """Run_id, task_id, data_id, data_name, value and parameters of each run."""
    with _asked("or ask for fewer runs with size=…"):
        import openml

        # A data frame without asking: 0.15 has `output_format`, with that default, 0.16 has not.
        table: Any = openml.evaluations.list_evaluations_setups(objective, **filters)
    records: list[dict[str, Any]] = table.to_dict("records")
    return records


def qualities(data: int) -> dict[str, float]:
    """What OpenML has computed of a data set, such as NumberOfInstances; NaN if it could not."""
    with _asked("or try again later"):
        import openml

        computed: Any = openml.datasets.get_dataset(
            data, download_data=False, download_qualities=True
        ).qualities
    return dict(computed or {})


@contextmanager
def _asked(otherwise: str) -> Iterator[None]:
    """One clear error for whatever can go wrong on the way; `otherwise` is what else to do."""
    try:
        from openml.exceptions import PyOpenMLError
    except ImportError as error:
        raise MissingExtraError("openml", "openml") from error
    try:
        yield
    except (PyOpenMLError, OSError, ValueError, ExpatError) as error:
        reason = str(error).strip().split("\n")[0] or type(error).__name__
        raise HistoryError(
            f"OpenML did not answer: {reason}; check the network and the numbers, {otherwise}"
        ) from error
