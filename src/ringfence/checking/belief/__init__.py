"""What each task would give for configurations that nobody tried, and how sure that is."""
