"""What fails: the chance of failure at a configuration, learned over tasks."""
