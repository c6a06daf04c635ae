"""What a database is to the readers, whichever package reaches it."""

from __future__ import annotations

from typing import Any, Protocol


class Database(Protocol):
    """What the readers of other tools' tables need of a database."""

    def tables(self) -> set[str]:
        """The names of its tables."""

    def rows(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        """The rows of a select in which `:name` stands for a value."""

    def csv(self, statement: str, **values: Any) -> bytes | None:
        """The same as text, if the database streams that faster than rows; else None."""
