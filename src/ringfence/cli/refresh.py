"""`ringfence refresh`: a learned space that stays current."""

from __future__ import annotations

import io
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ringfence.cli.options import (
    FoundStarts,
    InputFormat,
    LearnOptions,
    OutcomeOptions,
    RunOptions,
    grouped,
    n_starts,
)
from ringfence.cli.options.plan import Entry, entries_of
from ringfence.cli.output.progress import progress_bar
from ringfence.cli.output.streams import put_json
from ringfence.cli.output.terminal import say
from ringfence.cli.typed import Misuse, Typed

if TYPE_CHECKING:
    from ringfence.refreshing.refresh import Outcome

FAILED, MISUSED, MATTERS, BUSY = 1, 2, 3, 4
"""Exit codes; 0 is a file that is current and changed little."""


@dataclass(frozen=True)
class RefreshedRuns(RunOptions):
    """Past runs, which a plan may name instead."""

    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="RUNS",
            help="Past runs, as for `learn`: one source, and not standard input.",
            show_default=False,
        ),
    ] = field(default_factory=list)

    @property
    def said(self) -> tuple[str, ...]:
        """What was said of the parameters, for the digest of the request."""
        lists = (self.rename or (), self.value or (), self.scale or ())
        off = (self.off,) if self.off else ()  # an older digest has three lists
        return tuple(repr(list(texts)) for texts in (*lists, *off))


@grouped
def refresh(
    runs: RefreshedRuns,
    outcome: OutcomeOptions,
    options: LearnOptions,
    format: InputFormat = None,
    starts: FoundStarts = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The learned space; its history is kept beside it."),
    ] = None,
    no_check: Annotated[
        bool, typer.Option("--no-check", help="Do not check a new version.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--everything", help="Read and learn again, whatever is known.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done, and write nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Say it in JSON.")] = False,
    plan: Annotated[
        Path | None, typer.Option("--all", help="Refresh every space of this plan (.toml).")
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=1, help="Spaces of a plan refreshed at once.")
    ] = 1,
    ray: Annotated[
        bool, typer.Option("--ray", help="On Ray: the cluster of RAY_ADDRESS, or here.")
    ] = False,
) -> None:
    """Bring a learned space up to date: read what is new, keep the old version, say what changed.

    Exit code 3: a new version that matters. 4: another refresh of the file is under way.

    Example: ringfence refresh studies.db -o spaces/svm.json
    """
    if plan is not None:
        if runs.sources or output is not None:
            raise typer.BadParameter("--all names sources and outputs in its plan; leave them out")
        extra = ["--dry-run"] * dry_run + ["--everything"] * everything + ["--json"] * as_json
        raise typer.Exit(_refresh_all(plan, extra, jobs, ray))
    if len(runs.sources) != 1 or output is None:
        raise typer.BadParameter(
            "say what to read, one source, and where to write: refresh RUNS -o FILE.json"
        )
    from ringfence.refreshing.refresh import refresh as bring_up_to_date
    from ringfence.refreshing.request import Request

    request = Request(
        runs.sources[0],
        runs.reading(format, outcome),
        lambda history: runs.mended([history]),
        runs.said,
        options.read_space(),
        options.settings(),
        n_starts(starts),
        check=not no_check,
    )
    with progress_bar("learning") as progress:
        done = bring_up_to_date(
            request, output, dry_run=dry_run, everything=everything, progress=progress
        )
    _tell(done, as_json=as_json)
    raise typer.Exit(MATTERS if done.matters else 0)


def _tell(done: Outcome, *, as_json: bool) -> None:
    if as_json:
        import msgspec

        content = {**msgspec.to_builtins(done), "matters": done.matters}
        put_json(msgspec.json.format(msgspec.json.encode(content), indent=1).decode() + "\n")
        return
    from ringfence.refreshing.text import outcome_parts

    say(*outcome_parts(done))


def _refresh_all(plan: Path, extra: list[str], jobs: int, ray: bool) -> int:
    """Every space of a plan, and the exit code for all: failures first, then what matters."""
    from ringfence.words import counted

    entries = entries_of(plan.resolve() if ray else plan)  # workers may be anywhere
    entries = [replace(entry, words=[*extra, *entry.words]) for entry in entries]
    if jobs > 1 or ray:
        from ringfence.bench.parallel import side_by_side

        results: Any = side_by_side(refresh_one, [(entry,) for entry in entries], jobs, ray)
    else:
        results = map(refresh_one, entries)
    counts: Counter[int] = Counter()
    for _, code, text in results:
        counts[code] += 1
        say(*text.rstrip("\n").split("\n"), "", err=code in (FAILED, MISUSED))
    n_failed = counts[FAILED] + counts[MISUSED]
    say(
        f"{counted(counts.total(), 'space')}: {counts[0] + counts[MATTERS]} current, of which "
        f"{counts[MATTERS]} changed in a way that matters; {counts[BUSY]} busy, {n_failed} failed",
        err=True,
    )
    if n_failed:
        return FAILED
    return next((code for code in (MATTERS, BUSY) if counts[code]), 0)


def refresh_one(entry: Entry) -> tuple[str, int, str]:
    """One space of a plan: its output, the exit code, and what there is to say. Whatever goes wrong
    with it, the others go on."""
    if entry.unset:
        are = "are variables of the environment that are"
        if len(entry.unset) == 1:
            are = "is a variable of the environment that is"
        names = " and ".join(entry.unset)
        why = f"{names} in the source {are} not set; nothing was read"
        return entry.output, FAILED, f"{entry.output}: {why}"
    code, text = _refreshed(entry.output, entry.words)
    if code in (0, MATTERS):  # a value such as "runs" is a word of what is said, too
        source = entry.words[-1]
        return entry.output, code, text.replace(source, entry.without_values(source))
    return entry.output, code, entry.without_values(text)


def _refreshed(output: str, words: list[str]) -> tuple[int, str]:
    from ringfence.errors import RingfenceError
    from ringfence.errors.addresses import hidden
    from ringfence.refreshing.lock import BusyError

    command = typer.Typer(add_completion=False)
    command.command(cls=Typed, add_help_option=False)(refresh)  # help = true would end it with 0
    stream = io.StringIO()
    try:
        with redirect_stdout(stream), redirect_stderr(stream):
            code = command(words, standalone_mode=False)
        return int(code or 0), stream.getvalue()
    except BusyError as error:
        return BUSY, f"{output}: {error}"
    except Misuse as error:
        return MISUSED, f"{output}: {hidden(error.format_message(), words[-1])}"
    except Exception as error:  # a driver, a disk, a lack of memory: none may end the others
        name = "" if isinstance(error, RingfenceError) else f"{type(error).__name__}: "
        return FAILED, f"{output}: {name}{hidden(str(error), words[-1])}"
