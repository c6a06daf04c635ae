"""BoTorch: what `optimize_acqf` needs to stay inside a learned space.

    problem = botorch.problem(learned)
    X = problem.initial_points(8, seed=0)     # and Y = objective(problem.decode(x))
    x, _ = optimize_acqf(acquisition, q=1, num_restarts=4, raw_samples=64, **problem.arguments)
    problem.decode(x[0])

Points are tensors in unit coordinates. Choices are positions from 0 to 1: fit a MixedSingleTaskGP
with `problem.cat_dims`, and call `optimize_acqf_mixed`.
The constraint alone is not enough: its tolerance leaves points outside, and integers must be
rounded. `repair` moves a point towards the region's anchor until its rounded form is inside.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringfence.adapters.vectors import Vectors
from ringfence.adapters.view import as_learned
from ringfence.checks import generator
from ringfence.errors import MissingExtraError, SettingError
from ringfence.learned.space import LearnedSpace
from ringfence.space import Config, Space

try:
    import torch
except ModuleNotFoundError as error:
    raise MissingExtraError("botorch", "botorch") from error

MOST_COMBINATIONS = 1000  # of choices; BoTorch optimizes once for each


def problem(learned: LearnedSpace | Space) -> BotorchProblem:
    """The learned space in BoTorch's terms; its parameters must always be active.

    Args:
        learned: the learned space, or a plain one.

    Raises:
        SettingError: a space with conditions.

    Examples:
        >>> import ringfence as rf
        >>> from ringfence.adapters import botorch
        >>> space = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True), "depth": rf.Int(1, 12)})
        >>> problem = botorch.problem(space)
        >>> problem.bounds.shape
        torch.Size([2, 2])
    """
    return BotorchProblem(Vectors(as_learned(learned), "BoTorch"))


@dataclass(frozen=True, eq=False)
class BotorchProblem:
    """Bounds, constraint, starting points and repair, in double precision.

    Args:
        vectors: the learned space as rows of numbers.

    Examples:
        >>> import ringfence as rf
        >>> from ringfence.adapters import botorch
        >>> space = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True), "depth": rf.Int(1, 12)})
        >>> problem = botorch.problem(space)
        >>> sorted(problem.arguments)
        ['bounds', 'ic_generator', 'nonlinear_inequality_constraints', 'post_processing_func']
    """

    vectors: Vectors

    @property
    def bounds(self) -> torch.Tensor:
        """Lower and upper bounds, shape (2, d)."""
        return torch.as_tensor(self.vectors.bounds)

    @property
    def constraints(self) -> list[tuple[Callable[[torch.Tensor], torch.Tensor], bool]] | None:
        """For `nonlinear_inequality_constraints`: not negative inside the region; None for a box,
        whose bounds are enough."""
        region = self.vectors.blocks[0].region
        if region.is_box:
            return None

        def slack(x: torch.Tensor) -> torch.Tensor:
            inside: torch.Tensor = region.margin(x[..., : region.dim], torch)
            return inside

        return [(slack, True)]

    @property
    def cat_dims(self) -> list[int]:
        """The columns of choices, for `MixedSingleTaskGP`."""
        return [*range(len(self.vectors.numeric), len(self.vectors.names))]

    @property
    def fixed_features_list(self) -> list[dict[int, float]] | None:
        """For `optimize_acqf_mixed`: every combination of choices; None if there are none."""
        sizes = [len(choices) for choices in self.vectors.choices.values()]
        if not sizes:
            return None
        if np.prod(sizes) > MOST_COMBINATIONS:
            raise SettingError(
                f"{np.prod(sizes)} combinations of choices are too many to go through: keep fewer "
                "(categories='observed'), or use the adapter for Optuna or SMAC"
            )
        positions = [np.linspace(0.0, 1.0, size).tolist() for size in sizes]
        return [
            dict(zip(self.cat_dims, combination)) for combination in itertools.product(*positions)
        ]

    @property
    def arguments(self) -> dict[str, Any]:
        """Keyword arguments of `optimize_acqf`, or of `optimize_acqf_mixed` if there are choices;
        `q`, `num_restarts` and `raw_samples` are yours."""
        fixed = self.fixed_features_list
        return {
            "bounds": self.bounds,
            "nonlinear_inequality_constraints": self.constraints,
            "ic_generator": self.initial_conditions,
            "post_processing_func": self.repair,
            **({} if fixed is None else {"fixed_features_list": fixed}),
        }

    def initial_points(self, n: int, seed: int | np.random.Generator | None = None) -> torch.Tensor:
        """Points drawn uniformly from the learned space, shape (n, d).

        Args:
            n: how many.
            seed: a number or a numpy Generator.

        Examples:
            >>> import ringfence as rf
            >>> from ringfence.adapters import botorch
            >>> space = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True), "depth": rf.Int(1, 12)})
            >>> problem = botorch.problem(space)
            >>> problem.initial_points(8, seed=0).shape
            torch.Size([8, 2])
        """
        configs = self.vectors.learned.sample(n, seed=seed)
        rows = np.array([self.encode(config).numpy() for config in configs])
        return torch.as_tensor(rows.reshape(n, len(self.vectors.names)))

    def initial_conditions(
        self,
        acq_function: Any,
        bounds: Any,
        q: int,
        num_restarts: int,
        raw_samples: int,
        fixed_features: Mapping[int, float] | None = None,
        **options: Any,
    ) -> torch.Tensor:
        """BoTorch's `ic_generator`: of `raw_samples` draws from the learned space those with the
        largest acquisition, shape (num_restarts, q, d).

        Args:
            acq_function: what is maximized.
            bounds: not used; the learned space has its own.
            q: number of points that are proposed together.
            num_restarts: number of starts.
            raw_samples: number of draws.
            fixed_features: values by column, for choices.
            options: what else BoTorch passes; a seed in its `options` is used.

        Examples:
            >>> import ringfence as rf
            >>> from ringfence.adapters import botorch
            >>> space = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True), "depth": rf.Int(1, 12)})
            >>> problem = botorch.problem(space)
            >>> problem.initial_conditions(lambda x: x.sum(dim=(1, 2)), None, 1, 4, 16).shape
            torch.Size([4, 1, 2])
        """
        seed = (options.get("options") or {}).get("seed")
        n_draws = max(raw_samples or 0, num_restarts)
        rng = generator(int(torch.randint(2**31, (1,))) if seed is None else seed)
        points = self.initial_points(n_draws * q, seed=rng)
        for column, value in (fixed_features or {}).items():
            points[:, column] = value
        batches = points.reshape(n_draws, q, -1)
        with torch.no_grad():
            values = acq_function(batches)
        return batches[values.topk(num_restarts).indices]

    def repair(self, X: torch.Tensor) -> torch.Tensor:
        """Points of any batch shape (…, d) moved to the configurations that they stand for.

        Args:
            X: the points.

        Examples:
            >>> import ringfence as rf
            >>> from ringfence.adapters import botorch
            >>> space = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True), "depth": rf.Int(1, 12)})
            >>> problem = botorch.problem(space)
            >>> points = problem.initial_points(4, seed=0)
            >>> bool((problem.repair(points) - points).abs().max() < 1e-12)
            True
        """
        rows = X.detach().reshape(-1, X.shape[-1]).cpu().double().numpy()
        return torch.as_tensor(self.vectors.repair(rows)).reshape(X.shape).to(X)

    def decode(self, x: torch.Tensor) -> Config:
        """One point, shape (d,) → a configuration inside.

        Args:
            x: the point.

        Examples:
            >>> import ringfence as rf
            >>> from ringfence.adapters import botorch
            >>> space = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True), "depth": rf.Int(1, 12)})
            >>> problem = botorch.problem(space)
            >>> problem.decode(problem.encode({"lr": 1.0, "depth": 3}))
            {'lr': 1.0, 'depth': 3}
        """
        return self.vectors.decode(x.detach().cpu().double().numpy())

    def encode(self, config: Mapping[str, Any]) -> torch.Tensor:
        """A configuration → its point, shape (d,).

        Args:
            config: values by name.

        Examples:
            >>> import ringfence as rf
            >>> from ringfence.adapters import botorch
            >>> space = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True), "depth": rf.Int(1, 12)})
            >>> problem = botorch.problem(space)
            >>> problem.encode({"lr": 1.0, "depth": 3}).shape
            torch.Size([2])
        """
        return torch.as_tensor(self.vectors.encode(config))
