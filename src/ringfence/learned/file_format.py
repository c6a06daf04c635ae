"""The learned space as records of a JSON file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec

from ringfence.learned.blocks import Block
from ringfence.learned.records import CostUnit, Count, Provenance, Settings, Start, Task
from ringfence.learned.zone.odds import Odds
from ringfence.learned.zone.rule import Zone
from ringfence.regions import RegionRecord
from ringfence.space import Choice, Space

if TYPE_CHECKING:
    from ringfence.learned.space import LearnedSpace

FORMAT: Final = "ringfence.learned-space"
VERSION: Final = 1


class BlockRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters and their region."""

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
    starts_by_cost: tuple[Start, ...] = ()
    costs: CostUnit | None = None
    zone: Zone | None = None
    odds: Odds | None = None
    hub: str = ""


def encode(learned: LearnedSpace) -> bytes:
    """The learned space as JSON text in UTF-8."""
    record = LearnedFile(
        format=FORMAT,
        version=VERSION,
        space=learned.space,
        blocks=tuple(_block_record(block) for block in learned.blocks),
        choices=learned.choices,
        settings=learned.settings,
        tasks=learned.tasks,
        provenance=learned.provenance,
        starts=learned.portfolio,
        starts_by_cost=learned.portfolio_by_cost,
        costs=learned.costs,
        zone=learned.zone,
        odds=learned.odds,
        hub=learned.hub,
    )
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"


def encode_regions(learned: LearnedSpace) -> bytes:
    """The regions alone as JSON, to tell whether two learned spaces have the same."""
    return msgspec.json.encode([block.region.record() for block in learned.blocks])


def _block_record(block: Block) -> BlockRecord:
    region = block.region.record()
    return BlockRecord(block.names, region, block.tasks, block.penalty, block.gap, block.widened)
