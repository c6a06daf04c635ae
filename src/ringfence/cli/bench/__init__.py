"""`ringfence bench`: the paper's experiments."""

from ringfence.cli.bench.commands import bench

__all__ = ["bench"]
