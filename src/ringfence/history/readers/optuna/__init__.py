"""Optuna: studies in a database, in a journal file, or at hand as an object."""

from ringfence.history.readers.optuna.reader import read, recognizes

__all__ = ["read", "recognizes"]
