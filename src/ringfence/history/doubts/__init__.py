"""Objectives that cannot be, or that look like those of failed runs."""
