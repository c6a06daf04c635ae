"""The learned space as one JSON file: strict to read, complete or absent when written."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from ringfence.blocks import Block
from ringfence.errors import FileError, RingfenceError
from ringfence.files import write_atomically
from ringfence.learned import LearnedSpace
from ringfence.learned_records import Count, Provenance, Settings, Start, Task
from ringfence.regions import Box, Clipped, Ellipsoid
from ringfence.space import Choice, Condition, Encoding, Space, choice_key

FORMAT = "ringfence.learned-space"
VERSION = 1


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


class BlockRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters that are active together and their region."""

    parameters: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    region: BoxRecord | EllipsoidRecord
    tasks: Count
    penalty: float | None
    gap: float
    widened: Count


class LearnedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The whole file."""

    format: Literal["ringfence.learned-space"]
    version: Literal[1]
    space: Space
    blocks: tuple[BlockRecord, ...]
    choices: dict[str, tuple[Choice, ...]]
    settings: Settings
    tasks: tuple[Task, ...]
    provenance: Provenance
    starts: tuple[Start, ...] = ()


class _Header(msgspec.Struct):
    format: Any = None
    version: Any = None


def schema() -> dict[str, Any]:
    """The JSON Schema of the file."""
    return msgspec.json.schema(LearnedFile)


def encode(learned: LearnedSpace) -> bytes:
    """The learned space as JSON text in UTF-8."""
    record = LearnedFile(
        format="ringfence.learned-space",
        version=1,
        space=learned.space,
        blocks=tuple(_block_record(block) for block in learned.blocks),
        choices=learned.choices,
        settings=learned.settings,
        tasks=learned.tasks,
        provenance=learned.provenance,
        starts=learned.portfolio,
    )
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"


def encode_regions(learned: LearnedSpace) -> bytes:
    """The regions alone as JSON, to tell whether two learned spaces have the same."""
    return msgspec.json.encode([_block_record(block).region for block in learned.blocks])


def decode(content: bytes, name: str = "the file") -> LearnedSpace:
    """The learned space behind the content of a file; `name` is for the error message."""
    try:
        header = msgspec.json.decode(content, type=_Header)
    except msgspec.ValidationError as error:
        raise FileError(f"{name} is no learned space: {error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FileError(f"{name} is cut off or not JSON: {error}") from error
    if header.format != FORMAT:
        raise FileError(f"{name} is no learned space (its format is {header.format!r})")
    if header.version != VERSION:
        raise FileError(
            f"{name} has version {header.version!r}; this ringfence reads version {VERSION}: "
            "upgrade ringfence, or learn the space again"
        )
    try:
        record = msgspec.json.decode(content, type=LearnedFile)
        return _restore(record)
    except (msgspec.ValidationError, RingfenceError) as error:
        raise FileError(f"{name} is damaged: {error}") from error


def load(path: str | PathLike[str]) -> LearnedSpace:
    """Read a learned space from a file."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}") from error
    return decode(content, str(path))


def save(learned: LearnedSpace, path: str | PathLike[str]) -> None:
    """Write a learned space to a file."""
    write_atomically(Path(path), encode(learned))


def _block_record(block: Block) -> BlockRecord:
    region: BoxRecord | EllipsoidRecord
    if isinstance(block.region, Box):
        region = BoxRecord(tuple(block.region.lower.tolist()), tuple(block.region.upper.tolist()))
    else:
        ellipsoid = block.region.ellipsoid
        rows = [tuple(row[: i + 1]) for i, row in enumerate(ellipsoid.factor.tolist())]
        region = EllipsoidRecord(tuple(ellipsoid.center.tolist()), tuple(rows))
    return BlockRecord(block.names, region, block.tasks, block.penalty, block.gap, block.widened)


def _restore(record: LearnedFile) -> LearnedSpace:
    blocks = tuple(_block(record.space, block) for block in record.blocks)
    placed = [name for block in blocks for name in block.names]
    expected = Encoding.of(record.space).names
    if sorted(placed) != sorted(expected):
        raise FileError(f"the blocks hold {placed}, the space's numeric parameters are {expected}")
    choices = record.space.unordered_choices()
    if record.choices.keys() != choices.keys():
        raise FileError(f"choices are given for {[*record.choices]}, not for {[*choices]}")
    for name, kept in record.choices.items():
        allowed = [choice_key(choice) for choice in choices[name]]
        if not kept or [k for k in allowed if k in map(choice_key, kept)] != [
            *map(choice_key, kept)
        ]:
            raise FileError(f"the choices {list(kept)} of {name!r} are not among the space's")
    for task in record.tasks:
        if not record.space.contains(task.incumbent):
            raise FileError(f"the incumbent of task {task.name!r} is not in the space")
    learned = LearnedSpace(
        record.space,
        blocks,
        record.choices,
        record.tasks,
        record.settings,
        record.provenance,
        record.starts,
    )
    for place, start in enumerate(record.starts, 1):
        if not learned.contains(start.config):
            raise FileError(f"starting point {place} is not in the learned space")
    return learned


def _block(space: Space, record: BlockRecord) -> Block:
    for name in record.parameters:
        if name not in space:
            raise FileError(f"a block names {name!r}, which is no parameter of the space")
        if {(c.parent, c.values) for c in space.conditions_of(name)} != {
            (c.parent, c.values) for c in space.conditions_of(record.parameters[0])
        }:
            raise FileError(f"{name!r} is in a block with other conditions than its own")
    encoding = Encoding.of(space, record.parameters)
    conditions: tuple[Condition, ...] = space.conditions_of(record.parameters[0])
    region = _region(record.region, encoding.dim)
    return Block(
        encoding, conditions, region, record.tasks, record.penalty, record.gap, record.widened
    )


def _region(record: BoxRecord | EllipsoidRecord, dim: int) -> Box | Clipped:
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
