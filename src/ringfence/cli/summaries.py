"""Help that lists commands with the whole first sentence of each, and the names that shells
complete."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from typer.core import TyperGroup

LONGEST = 1000  # characters of a sentence: more than any summary has, so that none is cut


class Summaries(TyperGroup):
    """A group of commands whose help wraps their summaries, where typer's cuts them at the width of
    the terminal."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each command and its first sentence."""
        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [
            (name, command.get_short_help_str(LONGEST))
            for name, command in commands
            if command is not None and not command.hidden
        ]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


def completed(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """What a shell offers for a word that is begun; `names` is called when one asks."""

    def offered(incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return offered
