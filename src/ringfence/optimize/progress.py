"""A progress bar with the best value so far, on the error output."""

from __future__ import annotations

import sys

from ringfence.optimize.trial import Trial


class Bar:
    """Shown where it is wanted, or, with None, where the error output is a terminal."""

    def __init__(self, total: int, wanted: bool | None) -> None:
        self.shown = sys.stderr.isatty() if wanted is None else wanted
        self.total = total

    def __enter__(self) -> Bar:
        if self.shown:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

            self._bar = Progress(
                MofNCompleteColumn(),
                BarColumn(),
                TimeRemainingColumn(),
                "{task.description}",
                console=Console(stderr=True),
            )
            self._bar.start()
            self._task = self._bar.add_task("", total=self.total)
        return self

    def __exit__(self, *exit: object) -> None:
        if self.shown:
            self._bar.stop()

    def advance(self, best: Trial | None) -> None:
        """One trial more is settled."""
        if self.shown:
            text = "no result yet" if best is None else f"best {best.value:g} (trial {best.number})"
            self._bar.update(self._task, advance=1, description=text)
