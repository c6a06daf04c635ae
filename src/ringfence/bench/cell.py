"""Cell: one run of one method on one left-out task. Its description is all that it depends on."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Literal, TypeAlias

import msgspec

PROTOCOL = 3
"""Raised whenever the same description would give another result. 2: the penalty of a slack box
comes from another search, within 1 % of the former one. 3: linear algebra on one thread and with
triangles; a cell whose region holds no recorded row has a result. (Within 3, before there were any
results of so many trials, Gaussian processes began to search for hyperparameters less often beyond
256 evaluations.)"""

Scale: TypeAlias = Literal["raw", "log"]
Evaluation: TypeAlias = Literal["rows", "neighbors"]
Relation: TypeAlias = Literal["mixed", "similar"]


class Cell(msgspec.Struct, frozen=True, dict=True, forbid_unknown_fields=True):
    """What is run. Two cells with the same description have the same result, on any machine."""

    suite: str
    data: str
    """Digest of the suite's data: other data, other cells."""
    task: str
    """The task left out."""
    method: str
    replication: int
    trials: int
    """Budget in full evaluations."""
    n_evaluations: int = 256
    """n_t: known evaluations of each source task."""
    scale: Scale = "raw"
    evaluation: Evaluation = "rows"
    sources: Relation = "mixed"
    """Which source tasks come first if a method takes few: any, or the most similar."""
    protocol: int = PROTOCOL

    @cached_property
    def key(self) -> str:
        """The name of the cell's file: a hash of its description."""
        text = msgspec.json.encode(self, order="deterministic")
        return hashlib.sha256(text).hexdigest()[:32]

    def seed(self, purpose: str, *, every_task: bool = False) -> int:
        """A seed that all methods share on this task (or on all) and replication."""
        task = "" if every_task else self.task
        text = f"{purpose}\0{self.suite}\0{task}\0{self.replication}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The outcome of a cell. Smaller losses are better."""

    curve: tuple[float, ...]
    """Smallest loss after 1, 2, …, `trials` full evaluations; empty if the space held nothing that
    could be evaluated."""
    volume: float
    """Share of the numeric space that was searched."""
    best: float
    """Smallest known loss of the task before any cell was run."""
    median: float
    """Loss of the median configuration of the task."""
    exhausted: bool = False
    """Whether the space ran out of configurations; the curve is then flat to its end."""
