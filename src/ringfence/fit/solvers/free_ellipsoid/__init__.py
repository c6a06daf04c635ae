"""The least ellipsoid around points that lack coordinates."""
