"""Geometry as frozen values in unit coordinates; no names, no units."""

from ringfence.regions.box import Box
from ringfence.regions.clipped import VOLUME_DRAWS, Clipped
from ringfence.regions.ellipsoid import Ellipsoid
from ringfence.regions.sampling import Draws, sample
from ringfence.regions.union import MOST_PARTS, Region, Union

__all__ = [
    "MOST_PARTS",
    "VOLUME_DRAWS",
    "Box",
    "Clipped",
    "Draws",
    "Ellipsoid",
    "Region",
    "Union",
    "sample",
]
