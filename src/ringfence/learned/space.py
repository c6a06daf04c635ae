"""LearnedSpace: the search space learned from past runs, a frozen value.

It is a product of blocks. Every numeric parameter belongs to the block of those that are active
under the same conditions, or with `one_cloud` to one block with all others; each block has its own
region in unit coordinates. Categorical parameters keep their choices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.checks import generator, integer
from ringfence.errors import SettingError, SpaceError
from ringfence.files import write_atomically
from ringfence.learned.blocks import Block, expected_share, rows_inside, share_error
from ringfence.learned.file_format import encode
from ringfence.learned.html import learned_html
from ringfence.learned.narrowing import narrowed, restricted
from ringfence.learned.records import CostUnit, Provenance, Settings, Start, Task
from ringfence.learned.settings import NO_STARTS, By, unit_of
from ringfence.learned.text import summary
from ringfence.learned.zone.odds import Odds
from ringfence.learned.zone.rule import Zone
from ringfence.regions import Draws, sample
from ringfence.space import (
    Categorical,
    Choice,
    Config,
    Constant,
    Parameter,
    Space,
    choice_key,
)
from ringfence.threads import one_thread


@dataclass(frozen=True, eq=False)
class LearnedSpace:
    """A search space learned from past runs, by `rf.learn`; `rf.load` reads one from a file.

    `print` shows it as a table, a notebook as HTML. Two are equal if their files are.

    Examples:
        >>> import ringfence as rf
        >>> learned = rf.learn(rf.example_history(), starts=0)
        >>> learned
        LearnedSpace(box around 20 of 20 tasks, 6 parameters, volume_fraction=0.3...)
        >>> learned.bounds["degree"]
        (2, 5)
        >>> learned.outliers
        ()
    """

    space: Space
    """The full space; the learned one never leaves it."""
    blocks: tuple[Block, ...]
    """The regions of the numeric parameters, in unit coordinates."""
    choices: dict[str, tuple[Choice, ...]]
    """The kept choices of each unordered categorical parameter."""
    tasks: tuple[Task, ...]
    """The past tasks, each with its best configuration and where that lies."""
    settings: Settings
    """How the space was learned."""
    provenance: Provenance
    """From what it was learned: source, digest, rows used and dropped, notes."""
    portfolio: tuple[Start, ...] = ()
    """Starting points in the order in which to try them, if few trials are to be enough."""
    portfolio_by_cost: tuple[Start, ...] = ()
    """The same if little is to be spent; empty if the past runs have no costs."""
    costs: CostUnit | None = None
    """What the past runs cost, if that is known."""
    zone: Zone | None = None
    """Where runs of every task failed, if failures depend on the configuration."""
    odds: Odds | None = None
    """How likely a run fails, likewise."""
    hub: str = ""
    """The entry of the hub that it comes from and which part of it; empty if it is none."""

    @property
    def shape(self) -> str:
        """The name of a shape, such as 'box', or 'full' for the full space itself."""
        return self.settings.shape

    @property
    def outliers(self) -> tuple[str, ...]:
        """Names of the tasks whose best configuration lies outside."""
        return tuple(task.name for task in self.tasks if task.outside)

    @property
    def bounds(self) -> dict[str, tuple[Choice, Choice]]:
        """Smallest and largest value of each numeric or ordered parameter, in its own units."""
        ranges: dict[str, tuple[Choice, Choice]] = {}
        for block in self.blocks:
            ranges |= block.ranges(block.region)
        return {name: ranges[name] for name in self.space if name in ranges}

    @cached_property
    @one_thread
    def volume_fraction(self) -> float:
        """Share of the full numeric space that is kept.

        If some blocks are active only sometimes: the mean over the uniform law of the original
        space of the product of the active blocks' shares.
        """
        return expected_share(self.space, self.blocks)

    @property
    @one_thread
    def volume_error(self) -> float:
        """The standard error of `volume_fraction`: 0 if that is exact. Infinite if the region is so
        small that its share was measured before integers are rounded.

        Examples:
            >>> import ringfence as rf
            >>> rf.learn(rf.example_history(), starts=0).volume_error
            0.0
        """
        return self.volume_fraction * share_error(self.blocks)

    def contains(self, config: Mapping[str, Any]) -> bool:
        """Whether the configuration lies in the learned space; values of inactive parameters do not
        matter.

        Args:
            config: values by name.

        Raises:
            SpaceError: a name that is missing or unknown.

        Examples:
            >>> import ringfence as rf
            >>> learned = rf.learn(rf.example_history(), starts=0)
            >>> learned.contains({"kernel": "rbf", "C": 10.0, "gamma": 0.01, "components": 0.9})
            True
        """
        if not isinstance(config, Mapping):
            raise SpaceError(f"a configuration is a dict, not a {type(config).__name__}")
        unknown = [name for name in config if name not in self.space]
        if unknown:
            raise SpaceError(f"{unknown[0]!r} is not a parameter of this space")
        active = self.space.active(config)
        for name in active:
            if name not in config and not isinstance(self.space[name], Constant):
                raise SpaceError(f"the configuration has no value of {name!r}")
        known = {n: v for n, v in config.items() if n in active}
        if not self.space.contains(known):
            return False
        choices_kept = all(
            choice_key(config[name]) in {choice_key(choice) for choice in choices}
            for name, choices in self.choices.items()
            if name in active
        )
        return choices_kept and all(
            bool(block.inside(block.encoding.point(known))[0])
            for block in self.blocks
            if block.has_some(active)
        )

    def in_zone(self, config: Mapping[str, Any]) -> bool:
        """Whether the configuration lies in the no-go zone, where runs of every task failed; False
        if there is none.

        Args:
            config: values by name.

        Raises:
            SpaceError: no number where the zone bounds one.

        Examples:
            >>> import ringfence as rf
            >>> learned = rf.learn(rf.example_history(), starts=0)
            >>> learned.in_zone(learned.sample(1, seed=0)[0])
            False
        """
        return self.zone is not None and self.zone.contains(self.space, config)

    def inside(self, columns: Mapping[str, FloatArray]) -> BoolArray:
        """Which of many configurations lie inside.

        Args:
            columns: by name, numbers, or positions among the choices of categorical parameters;
                NaN if inactive (the layout of `ringfence.history.usable_rows`).

        Returns:
            True or False for each row.

        Examples:
            >>> import numpy as np
            >>> import polars as pl
            >>> import ringfence as rf
            >>> runs = {"task": ["a", "b", "c"], "lr": [0.2, 0.4, 0.3], "error": [0.1, 0.1, 0.1]}
            >>> history = rf.History.from_frame(pl.DataFrame(runs), task="task", objective="error")
            >>> learned = rf.learn(history, rf.Space({"lr": rf.Float(0.0, 1.0)}))
            >>> learned.inside({"lr": np.array([0.1, 0.25, 0.9])}).tolist()
            [False, True, False]
        """
        return rows_inside(self.space, self.blocks, self.choices, columns)

    @one_thread
    def sample(self, n: int = 1, *, seed: int | np.random.Generator | None = None) -> list[Config]:
        """Draw configurations uniformly from the learned space.

        With `one_cloud`, points are uniform over the whole region, and then lose the values of
        parameters that are inactive (Algorithm 1 of the paper).

        Args:
            n: how many.
            seed: a number or a numpy Generator; None draws others each time.

        Returns:
            Plain dicts in the user's units and types; inactive parameters are left out.

        Examples:
            >>> import ringfence as rf
            >>> learned = rf.learn(rf.example_history(), starts=0)
            >>> configs = learned.sample(3, seed=0)
            >>> all(learned.contains(config) for config in configs)
            True
        """
        rng = generator(seed)
        n = integer(n, "n", 0) or 0
        if n == 0:
            return []
        columns: dict[str, list[Choice]] = {}
        for name, choices in self.choices.items():
            columns[name] = [choices[i] for i in rng.integers(len(choices), size=n)]
        for name, parameter in self.space.parameters.items():
            if isinstance(parameter, Constant):
                columns[name] = [parameter.value] * n
        for block in self.blocks:
            columns |= block.encoding.values(self.draw(block, n, rng).points)
        ordered = {name: columns[name] for name in self.space}
        rows = [dict(zip(ordered, row)) for row in zip(*ordered.values())]
        return [self._without_inactive(row) for row in rows] if self.space.conditions else rows

    def starts(self, n: int | None = None, by: By = "auto") -> list[Config]:
        """The starting points: what to try first, in this order.

        Args:
            n: only the first so many; None for all.
            by: 'cost' for those that bring most for what they cost, 'trials' for those that bring
                most in so many trials; 'auto' is 'cost' if the past runs have costs.

        Raises:
            SettingError: more than there are; `rf.learn(…, starts=20)` finds more. Or by='cost',
                and the past runs have no costs.

        Examples:
            >>> import ringfence as rf
            >>> history = rf.example_history()
            >>> learned = rf.learn(history.only(history.tasks[:5]))
            >>> len(learned.starts()), len(learned.starts(3))
            (10, 3)
        """
        n, points = integer(n, "n", 0), self.starting_points(by)
        if n is not None and n > len(points):
            notes = self.provenance.notes
            why = "".join(f" ({note})" for note in notes if note.startswith(NO_STARTS))
            raise SettingError(
                f"{n} starting points are wanted and this space has {len(points)}{why}; "
                f"learn it with starts={n} (--starts {n})"
            )
        return [dict(start.config) for start in points[:n]]

    def starting_points(self, by: By = "auto") -> tuple[Start, ...]:
        """The starting points with what they are expected to bring and to cost.

        Args:
            by: as in `starts`.

        Examples:
            >>> import ringfence as rf
            >>> history = rf.example_history()
            >>> learned = rf.learn(history.only(history.tasks[:5]), starts=3)
            >>> [point.regret is not None for point in learned.starting_points()]
            [True, True, True]
        """
        known = bool(self.portfolio_by_cost)
        if unit_of(by, costs=known) == "trials":
            return self.portfolio
        if self.portfolio and not known:
            raise SettingError(
                "by='cost' needs to know what the past runs cost: learn the space from a history "
                "with cost=… (--cost)"
            )
        return self.portfolio_by_cost

    @one_thread
    def draw(self, block: Block, n: int, rng: np.random.Generator) -> Draws:
        """Points of one block's region, with how they were found.

        Args:
            block: one of `blocks`.
            n: how many points.
            rng: a numpy Generator.

        Returns:
            Points in unit coordinates, on the grid of the block's integers; the share of proposals
            that were accepted; and the method that gave them.

        Examples:
            >>> import numpy as np
            >>> import ringfence as rf
            >>> learned = rf.learn(rf.example_history(), shape="ellipsoid", starts=0)
            >>> draws = learned.draw(learned.blocks[0], 5, np.random.default_rng(0))
            >>> draws.points.shape
            (5, 3)
        """
        known = self.known_inside(block)
        return sample(block.region, n, rng, snap=block.encoding.snap, known=known)

    def as_space(self) -> Space:
        """The ranges and choices as a space of their own: the box, or the box around any other
        region. A range that shrank to one value is a constant.

        Examples:
            >>> import ringfence as rf
            >>> rf.learn(rf.example_history(), starts=0).as_space()["degree"]
            Int(low=2, high=5, log=False)
        """
        bounds = self.bounds
        parameters: dict[str, Parameter] = {}
        for name, parameter in self.space.parameters.items():
            kept = self.choices.get(name)
            if name in bounds:
                parameters[name] = narrowed(parameter, *bounds[name])
            elif kept is not None and len(kept) > 1:
                parameters[name] = Categorical(kept)
            else:
                parameters[name] = Constant(kept[0]) if kept else parameter
        return restricted(self.space, parameters)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the learned space to a JSON file; the file is complete or not there at all.

        Args:
            path: of the file; `rf.load` reads it.

        Examples:
            >>> import ringfence as rf
            >>> learned = rf.learn(rf.example_history(), starts=0)
            >>> learned.save("learned.json")
            >>> rf.load("learned.json") == learned
            True
        """
        write_atomically(Path(path), encode(self))

    def plot(self) -> Any:
        """A matplotlib figure: ranges before and after, and pairs of parameters.

        Raises:
            MissingExtraError: matplotlib is not installed; it comes with `ringfence[plot]`.

        Examples:
            >>> import ringfence as rf
            >>> rf.learn(rf.example_history(), starts=0).plot().savefig("learned.png")
        """
        from ringfence.learned.picture import figure  # brings matplotlib

        return figure(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LearnedSpace):
            return NotImplemented
        return encode(self) == encode(other)

    def __hash__(self) -> int:
        return hash((self.provenance.digest, self.settings))

    def __str__(self) -> str:
        return summary(self)

    def _repr_html_(self) -> str:
        return learned_html(self)

    def __repr__(self) -> str:
        share, error = self.volume_fraction, 3 * self.volume_error
        known = f"{share - error:.3g}" == f"{share + error:.3g}"
        return (
            f"LearnedSpace({self.shape} around {len(self.tasks) - len(self.outliers)} of "
            f"{len(self.tasks)} tasks, {len(self.space)} parameters, "
            f"volume_fraction{'=' if known else '≈'}{share:.3g})"
        )

    def _without_inactive(self, row: Config) -> Config:
        key = tuple(choice_key(row[parent]) for parent in self.space.parents)
        if key not in self._active_by_parents:
            self._active_by_parents[key] = self.space.active(row)
        return {name: row[name] for name in self._active_by_parents[key]}

    @cached_property
    def _active_by_parents(self) -> dict[tuple[object, ...], tuple[str, ...]]:
        """The active parameters for values of the parents met so far."""
        return {}

    def known_inside(self, block: Block) -> FloatArray | None:
        """Coordinates of the incumbents inside a block's region; None if there are none.

        Args:
            block: one of `blocks`.

        Examples:
            >>> import ringfence as rf
            >>> learned = rf.learn(rf.example_history(), starts=0)
            >>> learned.known_inside(learned.blocks[0]).shape
            (20, 3)
        """
        return self._incumbents_inside[block.names]

    @cached_property
    def _incumbents_inside(self) -> dict[tuple[str, ...], FloatArray | None]:
        by_block: dict[tuple[str, ...], FloatArray | None] = {}
        for block in self.blocks:
            points = [
                block.point(task.found)
                for task in self.tasks
                if not task.outside and block.has_some(task.found)
            ]
            by_block[block.names] = np.concatenate(points) if points else None
        return by_block
