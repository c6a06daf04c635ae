"""MLflow: a tracking server, a database or an `mlruns` folder."""

from ringfence.history.readers.mlflow.reader import FOLDERS_OF, read, recognizes

__all__ = ["FOLDERS_OF", "read", "recognizes"]
