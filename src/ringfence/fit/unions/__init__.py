"""Unions of boxes or of ellipsoids: how a cloud is split, and into how many parts."""
