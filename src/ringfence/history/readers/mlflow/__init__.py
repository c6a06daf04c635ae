"""MLflow: a tracking server, a database or an `mlruns` folder."""

from ringfence.history.readers.mlflow.reader import read, recognizes

__all__ = ["read", "recognizes"]
