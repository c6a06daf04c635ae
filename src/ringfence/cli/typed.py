"""The words of a command as they were typed."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

import typer
from typer.core import TyperCommand

Misuse: Any = typer.BadParameter.__mro__[2]
"""What click raises for whatever was typed wrong; some versions of typer bring their own click."""
WORDS: ContextVar[tuple[str, ...]] = ContextVar("WORDS")


class Typed(TyperCommand):
    """A command that remembers its words."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Keep the words, then read them."""
        WORDS.set(tuple(args))
        return super().parse_args(ctx, args)


def words() -> tuple[str, ...]:
    """The words after the name of the command that is running."""
    return WORDS.get()
