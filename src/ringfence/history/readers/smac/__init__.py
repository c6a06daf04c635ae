"""SMAC3: its run folders."""

from ringfence.history.readers.smac.reader import FOLDERS_OF, read, recognizes

__all__ = ["FOLDERS_OF", "read", "recognizes"]
