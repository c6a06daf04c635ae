"""Eq. 7: the smallest box with outliers."""
