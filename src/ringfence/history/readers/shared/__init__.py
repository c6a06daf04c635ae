"""What several readers need: records of runs, folders on disk, read-only databases."""
