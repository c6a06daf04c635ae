"""The learned space as one JSON file: strict to read, complete or absent when written."""

from __future__ import annotations

from os import PathLike
from typing import Any, Union

import msgspec

from ringfence.errors import FileError
from ringfence.fit.shapes import SHAPES, shape_names
from ringfence.incoming.content import local_file, read_bytes
from ringfence.incoming.parsing import reason
from ringfence.learned.blocks import Block
from ringfence.learned.consistency import check_learned
from ringfence.learned.file_format import FORMAT, VERSION, BlockRecord, LearnedFile
from ringfence.learned.records import Settings
from ringfence.learned.space import LearnedSpace
from ringfence.regions import PartRecord, RegionRecord, UnionRecord
from ringfence.space import Encoding, Space

FULL_BEFORE = "whole"
"""What version 0.1 called the shape 'full' in its files."""


class _Header(msgspec.Struct):
    format: Any = None
    version: Any = None


def schema() -> dict[str, Any]:
    """The JSON Schema of the file; shapes and their records are those of fit/shapes.py."""
    schema: dict[str, Any] = msgspec.json.schema(LearnedFile, schema_hook=_record_schema)
    records = (_record_type(RegionRecord),)
    _, regions = msgspec.json.schema_components(
        records, schema_hook=_record_schema, ref_template="#/$defs/{name}"
    )
    schema["$defs"] |= regions
    shapes = sorted([*shape_names(), "full"])
    schema["$defs"]["Settings"]["properties"]["shape"] = {"enum": shapes}
    for record in schema["$defs"].values():
        if "description" in record:  # a docstring, of which Args and Examples are for Python
            record["description"] = " ".join(record["description"].split("\n\n")[0].split())
    return schema


def _record_type(base: type) -> Any:
    """The records that may stand for a region, or for a part of one, as a type for msgspec."""
    parts = [shape.record for shape in SHAPES]
    return Union[tuple(parts if base is PartRecord else [*parts, UnionRecord])]  # noqa: UP007


def _record_schema(base: type) -> dict[str, Any]:
    ((schema,), _) = msgspec.json.schema_components(
        (_record_type(base),), schema_hook=_record_schema, ref_template="#/$defs/{name}"
    )
    return schema


def _record(base: type, value: Any) -> Any:
    """The record of a region behind plain values; ValidationError if it is none."""
    return msgspec.convert(value, _record_type(base), dec_hook=_record)


def decode(content: bytes, name: str = "the file") -> LearnedSpace:
    """The learned space behind the content of a file; `name` is for the error message."""
    try:
        header = msgspec.json.decode(content, type=_Header)
    except msgspec.ValidationError as error:
        raise FileError(f"{name} is not a learned space: {error}") from error
    except (ValueError, RecursionError) as error:
        raise FileError(f"{name} is cut off or not JSON: {reason(error)}") from error
    if header.format != FORMAT:
        raise FileError(f"{name} is not a learned space (its format is {header.format!r})")
    if header.version != VERSION:
        raise FileError(
            f"{name} has version {header.version!r}; this ringfence reads version {VERSION}: "
            "upgrade ringfence, or learn the space again"
        )
    try:
        record = msgspec.json.decode(content, type=LearnedFile, dec_hook=_record)
        return _restore(record)
    except (ArithmeticError, ValueError, RecursionError) as error:
        raise FileError(f"{name} is damaged: {reason(error)}") from error


def load(path: str | PathLike[str]) -> LearnedSpace:
    """Read a learned space from a file.

    Args:
        path: what `LearnedSpace.save` or `ringfence learn -o` wrote.

    Raises:
        FileError: a file that is not there, cut off, of another format, or damaged.

    Examples:
        >>> import ringfence as rf
        >>> rf.learn(rf.example_history(), starts=0).save("learned.json")
        >>> rf.load("learned.json").shape
        'box'
    """
    return decode(read_bytes(local_file(path, "a learned space")), str(path))


def _restore(record: LearnedFile) -> LearnedSpace:
    if record.settings.shape == FULL_BEFORE:
        settings = msgspec.structs.replace(record.settings, shape="full")
        record = msgspec.structs.replace(record, settings=settings)
    blocks = tuple(_block(record.space, block, record.settings) for block in record.blocks)
    learned = LearnedSpace(
        record.space,
        blocks,
        record.choices,
        record.tasks,
        record.settings,
        record.provenance,
        record.starts,
        record.starts_by_cost,
        record.costs,
        record.zone,
        record.odds,
        record.hub,
    )
    check_learned(learned)
    return learned


def _block(space: Space, record: BlockRecord, settings: Settings) -> Block:
    for name in record.parameters:
        if name not in space:
            raise FileError(f"a block names {name!r}, which is not a parameter of the space")
    conditions = [
        frozenset((c.parent, c.values) for c in space.conditions_of(name))
        for name in record.parameters
    ]
    mixed = len(set(conditions)) > 1
    if mixed and not (settings.literal or settings.one_cloud):
        other = next(n for n, c in zip(record.parameters, conditions) if c != conditions[0])
        raise FileError(f"{other!r} is in a block with other conditions than its own")
    encoding = Encoding.of(space, record.parameters)
    region = record.region.region(encoding.dim)
    return Block(
        encoding,
        () if mixed else space.conditions_of(record.parameters[0]),
        region,
        record.tasks,
        record.penalty,
        record.gap,
        record.widened,
        mixed,
    )
