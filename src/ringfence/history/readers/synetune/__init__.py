"""Syne Tune: its experiment folders."""

from ringfence.history.readers.synetune.reader import read, recognizes

__all__ = ["read", "recognizes"]
