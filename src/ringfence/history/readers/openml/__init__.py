"""OpenML: the runs of a flow, from its server."""

from ringfence.history.readers.openml.reader import read, recognizes

__all__ = ["read", "recognizes"]
