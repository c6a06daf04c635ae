"""An Ibis table expression: rows of a warehouse, judged inside its engine."""

from ringfence.history.readers.ibis.reader import read, recognizes

__all__ = ["read", "recognizes"]
