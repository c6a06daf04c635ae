"""The no-go zone: where runs of every task failed, as a rule that people can read."""
