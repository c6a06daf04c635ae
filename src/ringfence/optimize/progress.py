"""A progress bar with the best value so far, on the error output."""

from __future__ import annotations

import sys

from ringfence.optimize.trial import Trial


class Bar:
    """Counts settled trials, if `visible`; None: if the error output is a terminal."""

    def __init__(self, total: int, visible: bool | None) -> None:
        self.visible = sys.stderr.isatty() if visible is None else visible
        self.total = total

    def __enter__(self) -> Bar:
        if self.visible:
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
        if self.visible:
            self._bar.stop()

    def advance(self, best: Trial | None) -> None:
        """Another trial is settled."""
        if self.visible:
            text = "no result yet" if best is None else f"best {best.value:g} (trial {best.number})"
            self._bar.update(self._task, advance=1, description=text)
