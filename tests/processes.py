"""Programs and the command line, run without the seconds that an interpreter takes to start.

What a test needs of a program is its exit code and what it printed. Both are the same in this
process, where the packages are loaded already. `make test-all` sets RINGFENCE_TEST_PROCESSES=1 and
starts real processes instead; `real=True` does so always.
"""

from __future__ import annotations

import os
import runpy
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from unittest.mock import patch

REAL = os.environ.get("RINGFENCE_TEST_PROCESSES") == "1"


def ringfence(*words: object, real: bool = REAL, **how: Any) -> CompletedProcess[str]:
    """The command `ringfence` with these words; `how` is that of `_here`."""
    arguments = [str(word) for word in words]
    if real:
        return _there([sys.executable, "-m", "ringfence", *arguments], **how)

    def call() -> None:
        from ringfence.cli import main

        main()

    return _here(call, ["ringfence", *arguments], **how)


def python(path: Path, *options: str, real: bool = REAL, **how: Any) -> CompletedProcess[str]:
    """A program; `options` are those of a real interpreter."""
    if real:
        return _there([sys.executable, *options, str(path)], **how)
    with patch.object(sys, "path", [str(path.parent), *sys.path]):
        return _here(lambda: runpy.run_path(str(path), run_name="__main__"), [str(path)], **how)


def _there(
    command: list[str],
    *,
    cwd: Path | None = None,
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
) -> CompletedProcess[str]:
    environment = {**os.environ, **(env or {})}
    finished = subprocess.run(
        command, cwd=cwd, input=stdin, env=environment, capture_output=True, check=False
    )
    out, err = finished.stdout.decode(), finished.stderr.decode()
    return CompletedProcess(command, finished.returncode, out, err)


def _here(
    call: Callable[[], object],
    arguments: list[str],
    *,
    cwd: Path | None = None,
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
    terminal: bool = False,
) -> CompletedProcess[str]:
    """Exit code, output and errors of a call in this process, in a folder, with bytes for standard
    input, further variables of the environment, and perhaps a terminal for standard output."""
    out = (Terminal if terminal else TextIOWrapper)(BytesIO(), "utf-8", write_through=True)
    err = TextIOWrapper(BytesIO(), "utf-8", write_through=True)
    entered = TextIOWrapper(BytesIO(stdin or b""), "utf-8")
    with (
        chdir(cwd or Path.cwd()),
        patch.dict(os.environ, env or {}),
        patch.object(sys, "argv", arguments),
        patch.object(sys, "stdin", entered),
        redirect_stdout(out),
        redirect_stderr(err),
        _same_interrupts(),
    ):
        code = _exit_code(call)
    shown = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return CompletedProcess(arguments, code, *shown)


class Terminal(TextIOWrapper):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        """So it says."""
        return True


def _exit_code(call: Callable[[], object]) -> int:
    """That of a program which does nothing but the call."""
    try:
        call()
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
            return 1
        return end.code or 0
    except Exception:
        traceback.print_exc()
        return 1
    return 0


@contextmanager
def _same_interrupts() -> Iterator[None]:
    """The command line handles signals in its own way; here pytest's way comes back."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
