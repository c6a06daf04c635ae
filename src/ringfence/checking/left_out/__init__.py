"""One task left out at a time: what is learned from the others, judged by its own rows."""
