"""Geometry as frozen values in unit coordinates; no names, no units."""

from ringfence.regions.box import Box
from ringfence.regions.clipped import FEW_DRAWS, VOLUME_DRAWS, Clipped
from ringfence.regions.ellipsoid import Ellipsoid
from ringfence.regions.region import Body, Fitted, PartRecord, Region, RegionRecord
from ringfence.regions.sampling import Draws, sample
from ringfence.regions.union import MOST_PARTS, Union, UnionRecord

__all__ = [
    "FEW_DRAWS",
    "MOST_PARTS",
    "VOLUME_DRAWS",
    "Body",
    "Box",
    "Clipped",
    "Draws",
    "Ellipsoid",
    "Fitted",
    "PartRecord",
    "Region",
    "RegionRecord",
    "Union",
    "UnionRecord",
    "sample",
]
