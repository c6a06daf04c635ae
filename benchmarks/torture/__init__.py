"""Learned spaces of tortured histories, and whether they keep their promises."""
