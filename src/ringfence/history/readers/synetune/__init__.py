"""Syne Tune: its experiment folders."""

from ringfence.history.readers.synetune.reader import FOLDERS_OF, read, recognizes

__all__ = ["FOLDERS_OF", "read", "recognizes"]
