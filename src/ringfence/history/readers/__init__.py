"""One module or package per format; each turns a source into a History."""

from ringfence.history.readers.dispatch import read_history

__all__ = ["read_history"]
