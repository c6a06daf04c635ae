"""Eq. 8: the smallest ellipsoid with outliers."""
