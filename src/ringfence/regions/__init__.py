"""Geometry as frozen values in unit coordinates; no names, no units."""

from ringfence.regions.box import Box
from ringfence.regions.clipped import VOLUME_DRAWS, Clipped, Draws, sample
from ringfence.regions.ellipsoid import Ellipsoid

__all__ = ["VOLUME_DRAWS", "Box", "Clipped", "Draws", "Ellipsoid", "sample"]
