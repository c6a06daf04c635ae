"""The command line, the only part that prints."""

from __future__ import annotations

import os
import signal
import sys

from ringfence.errors import RingfenceError


def main() -> None:
    """Run the command line; an error of ringfence's own is one line and exit code 1."""
    signal.signal(signal.SIGINT, _interrupted)
    from ringfence.cli.app import app

    try:
        app()
    except RingfenceError as error:
        sys.stderr.write(f"ringfence: {error}\n")
        sys.exit(1)
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except OSError as error:  # a full disk, a folder that cannot be made
        sys.stderr.write(f"ringfence: {error.strerror or error}: {error.filename or 'output'}\n")
        sys.exit(1)


def _interrupted(*_: object) -> None:
    """Ctrl-C: one line, and the exit code that shells expect."""
    sys.stderr.write("ringfence: interrupted\n")
    raise SystemExit(130)
