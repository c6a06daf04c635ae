"""Learn the search space of the next tuning job from the jobs already run."""

__version__ = "0.1.0"
