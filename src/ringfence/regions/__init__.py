"""Geometry as frozen values in unit coordinates; no names, no units."""

from ringfence.regions.box import Box
from ringfence.regions.clipped import Clipped, Draws, sample
from ringfence.regions.ellipsoid import Ellipsoid

__all__ = ["Box", "Clipped", "Draws", "Ellipsoid", "sample"]
