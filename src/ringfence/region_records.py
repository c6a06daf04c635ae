"""Regions as records of a file, checked when they are read."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
import numpy as np

from ringfence.errors import FileError
from ringfence.regions import MOST_PARTS, Box, Clipped, Ellipsoid, Region, Union


class BoxRecord(
    msgspec.Struct, frozen=True, tag_field="type", tag="box", forbid_unknown_fields=True
):
    """A box in unit coordinates."""

    lower: tuple[float, ...]
    upper: tuple[float, ...]


class EllipsoidRecord(
    msgspec.Struct, frozen=True, tag_field="type", tag="ellipsoid", forbid_unknown_fields=True
):
    """The ellipsoid {c + F z : |z| <= 1} in unit coordinates, by the rows of F."""

    center: tuple[float, ...]
    factor: tuple[tuple[float, ...], ...]


class UnionRecord(
    msgspec.Struct, frozen=True, tag_field="type", tag="union", forbid_unknown_fields=True
):
    """All points of at least one part."""

    parts: Annotated[
        tuple[BoxRecord | EllipsoidRecord, ...], msgspec.Meta(min_length=2, max_length=MOST_PARTS)
    ]


RegionRecord: TypeAlias = BoxRecord | EllipsoidRecord | UnionRecord


def region_record(region: Region) -> RegionRecord:
    """The record of a region."""
    if isinstance(region, Union):
        return UnionRecord(tuple(_part_record(part) for part in region.parts))
    return _part_record(region)


def _part_record(part: Box | Clipped) -> BoxRecord | EllipsoidRecord:
    if isinstance(part, Box):
        return BoxRecord(tuple(part.lower.tolist()), tuple(part.upper.tolist()))
    rows = [tuple(row[: i + 1]) for i, row in enumerate(part.ellipsoid.factor.tolist())]
    return EllipsoidRecord(tuple(part.ellipsoid.center.tolist()), tuple(rows))


def region_of(record: RegionRecord, dim: int) -> Region:
    """The region behind a record; FileError where it is none of `dim` coordinates in the cube."""
    if not isinstance(record, UnionRecord):
        return _part(record, dim)
    parts = tuple(_part(part, dim) for part in record.parts)
    if len({type(part) for part in parts}) > 1:
        raise FileError("a union mixes boxes and ellipsoids")
    return Union(parts)


def _part(record: BoxRecord | EllipsoidRecord, dim: int) -> Box | Clipped:
    if isinstance(record, BoxRecord):
        lower, upper = np.array(record.lower), np.array(record.upper)
        if len(lower) != dim or len(upper) != dim:
            raise FileError(f"a box has {len(lower)} and {len(upper)} bounds for {dim} parameters")
        if not ((lower >= 0) & (lower < upper) & (upper <= 1)).all():
            raise FileError("a box leaves the unit cube or has lower bounds above upper ones")
        return Box(lower, upper)
    center = np.array(record.center)
    if len(center) != dim or [len(row) for row in record.factor] != [*range(1, dim + 1)]:
        raise FileError(f"an ellipsoid does not have {dim} coordinates")
    factor = np.zeros((dim, dim))
    for i, row in enumerate(record.factor):
        factor[i, : i + 1] = row
    if not ((center >= 0) & (center <= 1)).all():
        raise FileError("an ellipsoid has its center outside the unit cube")
    if not (np.diag(factor) > 1e-12).all() or np.abs(factor).max() > 1e6:
        raise FileError("an ellipsoid is flat, or far larger than the unit cube")
    return Clipped(Ellipsoid(center, factor))
