"""Methods by their names in the paper's legends: a search space, an optimizer, and numbers.

name                       meaning
Random                     in the full space
Box GP                     in a learned space
Slack Ellipsoid Random     in its slack variant, with the paper's ν
Literal Slack Box Random   the same with the equation as the paper prints it
One-cloud Ellipsoid GP     all numeric parameters in one cloud, those active only sometimes as well
GP warm start (k=5)        with five evaluations of the closest task
Box GP warm start (n=64)   64 evaluations of each task are for the box, the others for the model
Ellipsoid Random (T=3)     learned from three source tasks only
Transfer                   rf.optimizer("transfer"), with all evaluations of the source tasks
Starts GP                  five starting points that the source tasks suggest, then a GP
Slack Box Random (nu=0.3)  with this ν instead of the paper's

A new search space or optimizer is one entry below.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from ringfence.errors import SettingError


@dataclass(frozen=True)
class RegionSettings:
    """How the search space is learned."""

    shape: Literal["full", "box", "ellipsoid"]
    outliers: float | Literal["paper"] = 0.0
    refit: bool = False
    literal: bool = False
    one_cloud: bool = False

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `learn`."""
        return asdict(self) | {"starts": 0}


@dataclass(frozen=True)
class Engine:
    """The optimizer that searches it."""

    name: str
    transfers: bool = False
    """Whether its model takes the evaluations of the source tasks."""
    meta: bool = False
    """Whether it compares tasks by meta-features."""
    budgeted: bool = False
    starts: int = 0
    """Starting points from the source tasks that are tried first."""


REGIONS: Mapping[str, RegionSettings] = {
    "": RegionSettings("full"),
    "Box": RegionSettings("box"),
    "Slack Box": RegionSettings("box", "paper"),
    "Ellipsoid": RegionSettings("ellipsoid"),
    "Slack Ellipsoid": RegionSettings("ellipsoid", "paper"),
    "Literal Box": RegionSettings("box", literal=True),
    "Literal Slack Box": RegionSettings("box", "paper", literal=True),
    "Literal Ellipsoid": RegionSettings("ellipsoid", literal=True),
    "Literal Slack Ellipsoid": RegionSettings("ellipsoid", "paper", literal=True),
    "One-cloud Ellipsoid": RegionSettings("ellipsoid", one_cloud=True),
    "One-cloud Slack Ellipsoid": RegionSettings("ellipsoid", "paper", one_cloud=True),
    "One-cloud Slack Box": RegionSettings("box", "paper", one_cloud=True),
    "Refitted Box": RegionSettings("box", "paper", refit=True),
    "Refitted Ellipsoid": RegionSettings("ellipsoid", "paper", refit=True),
}

ENGINES: Mapping[str, Engine] = {
    "Random": Engine("random"),
    "HB": Engine("hyperband", budgeted=True),
    "GP": Engine("gp"),
    "GP warping": Engine("gp-warping"),
    "SMAC": Engine("smac"),
    "ABLR": Engine("ablr", transfers=True),
    "Transfer": Engine("transfer", transfers=True),
    "Starts GP": Engine("gp", starts=5),
    "GP warm start": Engine("gp-warm-start", transfers=True, meta=True),
    "GP warm start T=29": Engine("gp-warm-start-all", transfers=True, meta=True),
}

NAMED: Mapping[str, tuple[RegionSettings, Engine]] = {
    f"{space} {optimizer}".strip(): (region, engine)
    for space, region in REGIONS.items()
    for optimizer, engine in ENGINES.items()
}


@dataclass(frozen=True)
class BenchMethod:
    """One line of a figure."""

    name: str
    region: RegionSettings
    engine: Engine
    n: int | None = None
    """Evaluations of each source task that the region is learned from; None: all."""
    tasks: int | None = None
    """Number of source tasks to learn from; None: all."""
    options: Mapping[str, Any] = field(default_factory=dict)


def method(name: str) -> BenchMethod:
    """The method of this name, or SettingError with the names there are."""
    match = re.fullmatch(r"([^()]+?)(?: \(([^()]*)\))?", name)
    if match is not None and match[1] in NAMED:
        region, engine = NAMED[match[1]]
        numbers = _numbers(match[2] or "", name)
        return BenchMethod(
            name,
            _with_share(region, numbers.pop("nu", None), name),
            engine,
            n=numbers.pop("n", None),
            tasks=numbers.pop("T", None),
            options=numbers,
        )
    raise SettingError(
        f"no method is called {name!r}: name a search space ({', '.join(filter(None, REGIONS))}, "
        f"or none) and an optimizer ({', '.join(ENGINES)})"
    )


def _numbers(text: str, name: str) -> dict[str, Any]:
    """'k=5, n=64' as integers by name; 'nu=0.3' as a share."""
    numbers: dict[str, Any] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        if match := re.fullmatch(r"([nTk])=([1-9]\d*)", part):
            numbers[match[1]] = int(match[2])
        elif match := re.fullmatch(r"nu=(0\.\d+)", part):
            numbers["nu"] = float(match[1])
        else:
            raise SettingError(f"method {name!r}: {part!r} is none of n=…, T=…, k=… and nu=0.…")
    return numbers


def _with_share(region: RegionSettings, nu: float | None, name: str) -> RegionSettings:
    """The region with this share of outliers."""
    if nu is None:
        return region
    if not region.outliers:
        raise SettingError(f"method {name!r}: nu is a share of outliers, this space has none")
    return replace(region, outliers=nu)
