"""SMAC3: its run folders."""

from ringfence.history.readers.smac.reader import read, recognizes

__all__ = ["read", "recognizes"]
