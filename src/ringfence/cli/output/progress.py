"""A progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

from ringfence.cli.output.streams import Guarded, raw
from ringfence.words import plain


@contextmanager
def progress_bar(what: str = "checking") -> Iterator[Callable[[int, int], None] | None]:
    """A function to report steps to, which moves a bar on standard error; None if that is not a
    terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    # The bar moves the cursor, so it goes past the guard. What others print meanwhile goes through
    # it again, to the bar, which makes room.
    console = Console(file=raw(sys.stderr))
    with (
        Progress(*columns, console=console, transient=True) as bar,
        redirect_stdout(Guarded(sys.stdout)),
        redirect_stderr(Guarded(sys.stderr)),
    ):
        work = bar.add_task(plain(what), total=None)
        yield lambda done, total: bar.update(work, completed=done, total=total)
