"""Guards to choose from: ways to search outside a region that may miss the optimum.

The package's guard (optimize/guard.py) gives a share of the trials to the same method over the full
space, and half of them while the best trial lies outside the region ('rising'). Its rivals are
here: the share alone ('model'), uniform draws instead of the method's ('uniform'), and a region
that grows while the best trial is on its edge ('growth').
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ringfence.learned.space import LearnedSpace
from ringfence.optimize.ask_tell import Optimizer
from ringfence.optimize.domain.domain import domain_of
from ringfence.optimize.guard import Guard, guard_of, n_guarded
from ringfence.optimize.log import TrialLog
from ringfence.optimize.method import Options, Setup
from ringfence.optimize.methods.random import Method as Random
from ringfence.optimize.registry import method_class
from ringfence.optimize.trial import Trial
from ringfence.regions import Box, Clipped, Ellipsoid
from ringfence.space import Config

EDGE = 0.05  # of a box's width, or of an ellipsoid's norm: this near is on the edge
GROWTH = 1.5  # of the width
WAIT = 5  # trials before the region may grow again

Candidates = Sequence[Config] | None


@dataclass(frozen=True, eq=False)
class Constant(Guard):
    """The share alone, wherever the best trial lies."""

    def is_due(self, log: TrialLog) -> bool:
        return sum(trial.guard for trial in log.trials) < n_guarded(self.share, len(log) + 1)


class Growing(Optimizer):
    """The region grows around its center while the best trial is on its edge."""

    def __init__(self, name: str, learned: LearnedSpace, candidates: Candidates, seed: int) -> None:
        super().__init__(name, Setup(domain_of(learned, candidates), seed), {})
        self.candidates = candidates
        self.last_growth = 0

    def ask(self) -> Trial:
        best, learned = self.best, self.setup.domain.learned
        if best is not None and len(self.log) >= self.last_growth + WAIT:
            larger = grow(learned, best.config)
            if larger is not None:
                self.last_growth = len(self.log)
                self.setup = replace(self.setup, domain=domain_of(larger, self.candidates))
                memory = self.method.memory
                self.method = method_class(self.name)(self.setup, self.method.options)
                self.method.memory.update(memory)
        return super().ask()


def grow(learned: LearnedSpace, best: Mapping[str, object]) -> LearnedSpace | None:
    """The learned space with every block larger that has `best` on its edge; None if none has."""
    blocks, grew = [], False
    active = learned.space.active(best)
    for block in learned.blocks:
        region = block.region
        if block.names[0] in active:
            point = block.encoding.point(best)[0]
            enlarge = _larger_box if isinstance(region, Box) else _larger_ellipsoid
            larger = enlarge(region, point)
            grew |= larger is not None
            region = larger or region
        blocks.append(replace(block, region=region))
    return replace(learned, blocks=tuple(blocks)) if grew else None


def _larger_box(box: Box, point: np.ndarray) -> Box | None:
    width = box.upper - box.lower
    low = (point < box.lower + EDGE * width) & (box.lower > 1e-9)
    high = (point > box.upper - EDGE * width) & (box.upper < 1.0 - 1e-9)
    if not (low | high).any():
        return None
    margin = np.where(low | high, (GROWTH - 1.0) / 2.0 * np.maximum(width, 0.02), 0.0)
    return Box(np.maximum(box.lower - margin, 0.0), np.minimum(box.upper + margin, 1.0))


def _larger_ellipsoid(region: Clipped, point: np.ndarray) -> Clipped | None:
    ellipsoid = region.body
    if ellipsoid.norm(point[None])[0] < 1.0 - EDGE:
        return None
    return Clipped(Ellipsoid(ellipsoid.center, GROWTH * ellipsoid.factor))


def engine(
    name: str, learned: LearnedSpace, guard: str, candidates: Candidates, seed: int
) -> Optimizer:
    """An optimizer with a guard by its name: 'none', 'growth', or a kind and its share."""
    if guard == "growth":
        return Growing(name, learned, candidates, seed)
    kind, share = guard.split() if " " in guard else (guard, "0")
    rule = guard_of(learned, candidates, float(share))
    if rule is not None and kind != "rising":
        rule = Constant(rule.share, rule.domain, rule.region)
    optimizer = Optimizer(name, Setup(domain_of(learned, candidates), seed, guard=rule), {})
    if rule is not None and kind == "uniform":
        optimizer.guard_method = Random(Setup(rule.domain, seed), Options())
    return optimizer
