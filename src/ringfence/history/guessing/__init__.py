"""Parts of columns that are guessed from their names and values."""
