"""A progress bar with the best value so far, on the error output."""

from __future__ import annotations

import sys

from ringfence.optimize.trial import Trial


class Bar:
    """Counts settled trials, if `visible`; None: if the error output is a terminal."""

    def __init__(self, total: int | None, visible: bool | None, max_cost: float | None) -> None:
        self.visible = sys.stderr.isatty() if visible is None else visible
        self.total = total
        self.max_cost = max_cost

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

    def advance(self, best: Trial | None, spent: float = 0.0) -> None:
        """Another trial is settled; the trials have cost so much."""
        if self.visible:
            text = "no result yet" if best is None else f"best {best.value:g} (trial {best.number})"
            if self.max_cost is not None:
                left = max(self.max_cost - spent, 0.0)
                text += f"; cost {spent:.3g}, {left:.3g} left"
            self._bar.update(self._task, advance=1, description=text)
