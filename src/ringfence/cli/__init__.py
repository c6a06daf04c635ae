"""The command line, the only part that prints."""

from __future__ import annotations

import os
import signal
import sys

from ringfence.cli.output.streams import guard
from ringfence.errors import RingfenceError
from ringfence.errors.addresses import hidden
from ringfence.words import plain


def main() -> None:
    """Run the command line; an error of ringfence's own is one line and exit code 1."""
    guard()
    signal.signal(signal.SIGINT, _interrupted)
    signal.signal(signal.SIGTERM, _terminated)
    from ringfence.cli.app import Aborted, Misuse, app

    try:
        sys.exit(app(standalone_mode=False))
    except Misuse as error:
        message = error.format_message()
        if not message.startswith("Usage:"):  # the help, for a group of commands alone
            line = _safe(" ".join(message.split()))
            error.format_message = lambda: line
        error.show(sys.stderr)
        sys.exit(error.exit_code)
    except Aborted:
        _tell("aborted")
        sys.exit(1)
    except RingfenceError as error:
        _tell(_safe(str(error)))
        sys.exit(getattr(error, "exit_code", 1))
    except MemoryError:
        _tell("it does not fit into memory")
        sys.exit(1)
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except OSError as error:  # a full disk, a folder that cannot be made
        _tell(_safe(f"{error.strerror or error}: {error.filename or 'output'}"))
        sys.exit(1)


def _interrupted(*_: object) -> None:
    """Ctrl-C: one line, and the exit code that shells expect."""
    _tell("interrupted")
    raise SystemExit(128 + signal.SIGINT)


def _terminated(*_: object) -> None:
    """Asked to end, as by a scheduler or by the machine that shuts down."""
    _tell("terminated")
    raise SystemExit(128 + signal.SIGTERM)


def _safe(message: str) -> str:
    """The message as an error of ours says it, without the secrets of any word that was typed."""
    for word in sys.argv[1:]:
        for part in {word, word.partition("=")[2]}:
            message = hidden(message, part)
    return str(RingfenceError(message))


def _tell(line: str) -> None:
    sys.stderr.write(f"ringfence: {plain(line)}\n")
