"""A history for people."""
