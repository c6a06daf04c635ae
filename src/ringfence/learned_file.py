"""The learned space as one JSON file: strict to read, complete or absent when written."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from ringfence.blocks import Block
from ringfence.errors import FileError, RingfenceError
from ringfence.files import write_atomically
from ringfence.learned import LearnedSpace
from ringfence.learned_records import Count, Provenance, Settings, Start, Task
from ringfence.region_records import RegionRecord, region_of, region_record
from ringfence.space import Choice, Condition, Encoding, Space, choice_key

FORMAT = "ringfence.learned-space"
VERSION = 1


class BlockRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters that are active together and their region."""

    parameters: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    region: RegionRecord
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
    region = region_record(block.region)
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
    region = region_of(record.region, encoding.dim)
    return Block(
        encoding, conditions, region, record.tasks, record.penalty, record.gap, record.widened
    )
