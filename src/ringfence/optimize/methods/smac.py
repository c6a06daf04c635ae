"""SMAC (Hutter et al., LION 2011; Lindauer et al., JMLR 2022): a random forest as the model.

The parts are those of the `smac` package, with the settings of its facade for hyperparameter
optimization: a forest of the scaled logarithm of the values, expected improvement, local search
from the best of many random points, now and then a random configuration. They are built again for
each proposal. Three things differ: the first design is ours; the forest is trained after every
trial instead of every eighth; and the random configurations are uniform in the region.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import msgspec
import numpy as np

from ringfence.arrays import FloatArray
from ringfence.errors import MissingExtraError
from ringfence.optimize.domain.design import Design
from ringfence.optimize.guard import USUAL
from ringfence.optimize.log import TrialLog
from ringfence.optimize.method import BaseMethod, Options, Proposal, Setup
from ringfence.optimize.smac_cube import SmacCube

try:
    from ConfigSpace import Categorical, Configuration, ConfigurationSpace, Float
    from smac.acquisition.function import EI
    from smac.acquisition.maximizer import LocalAndSortedRandomSearch, LocalSearch
    from smac.model.random_forest import RandomForest
except ModuleNotFoundError as error:
    raise MissingExtraError("smac", "smac") from error

INITIAL = 10  # points of the first design for each parameter, as in SMAC
MOST_INITIAL = 12  # SMAC's quarter of the trials, of which `minimize` runs 50 by default
LOWEST = 1e-10  # share of the values' range that keeps the best one's logarithm finite


class SmacOptions(Options, frozen=True, forbid_unknown_fields=True):
    """How the search begins, and how hard it looks."""

    n_initial: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """Points of a Sobol design before the forest is used; None: ten for each parameter that varies,
    at most 12."""
    challengers: Annotated[int, msgspec.Meta(ge=2, le=1_000_000)] = 10_000
    """Random points that are scored for local searches to start from."""
    local_searches: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 10
    """Number that start from the best random points, and again from the best trials."""
    random_share: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.2
    """Share of the trials after the design that are random."""


class Method(BaseMethod):
    """A Sobol design, then the largest expected improvement under a random forest."""

    Options: ClassVar[type[Options]] = SmacOptions
    usual_guard: ClassVar[float] = USUAL
    options: SmacOptions

    def __init__(self, setup: Setup, options: Any) -> None:
        super().__init__(setup, options)
        varying = len(setup.domain.layout.names)
        self.n_initial = options.n_initial or min(INITIAL * varying, MOST_INITIAL)
        self.design = Design(setup.domain, setup.seed)
        self.cube = SmacCube(setup.domain)
        self.space = _space(self.cube)

    def propose(self, log: TrialLog, rng: np.random.Generator) -> Proposal:
        """A point of the design, a random one, or the one that promises most."""
        if len(log) < self.n_initial or np.isnan(self._seen(log)[1]).all():
            row = self.design.next(log.tried, rng)
        elif rng.random() < self.options.random_share:
            row = self.domain.fresh(log.tried, rng)
        elif self.domain.pool is not None:
            row = self._best_candidate(log, rng)
        else:
            row = self._best_by_search(log, rng)
        return Proposal(self.domain.config(row))

    def _best_candidate(self, log: TrialLog, rng: np.random.Generator) -> FloatArray:
        """The untried row with the largest expected improvement, ties broken at random."""
        rows = rng.permutation(self.domain.untried(log.tried))
        acquisition = self._acquisition(log, _seed(rng))
        return rows[[np.argmax(acquisition(self._configurations(self.cube.vectors(rows))))]]

    def _best_by_search(self, log: TrialLog, rng: np.random.Generator) -> FloatArray:
        """The first of SMAC's ranked proposals that is inside and untried; else a random row."""
        seed = _seed(rng)
        self.space.seed(seed)
        acquisition = self._acquisition(log, seed)
        search = OrderedSearch(self.space, acquisition, self.options, seed)
        rows, _ = self._seen(log)
        ranking = search.maximize(self._configurations(self.cube.vectors(rows)))
        rows = self.cube.rows(np.array([configuration.get_array() for configuration in ranking]))
        layout = self.domain.layout
        for i in np.flatnonzero(layout.inside(rows)):
            if layout.keys(rows[[i]])[0] not in log.tried:
                return rows[[i]]
        return self.domain.fresh(log.tried, rng)

    def _acquisition(self, log: TrialLog, seed: int) -> EI:
        """Expected improvement over the lowest value that the forest predicts at a trial; running
        trials count as the worst value seen, as failed ones do."""
        rows, values = self._seen(log)
        vectors = self.cube.vectors(rows)
        filled = np.where(np.isnan(values), np.nanmax(values), values)
        forest = Forest(self.cube, self.space, len(values), seed)
        forest.train(vectors, scaled_log(filled)[:, None])
        acquisition = EI(log=True)
        acquisition.update(model=forest, eta=forest.predict_marginalized(vectors)[0].min())
        return acquisition

    def _seen(self, log: TrialLog) -> tuple[FloatArray, FloatArray]:
        """Rows and values of the trials inside the region: the others are not in its cube."""
        inside = self.domain.layout.inside(log.rows)
        return log.rows[inside], log.values[inside]

    def _configurations(self, vectors: FloatArray) -> list[Configuration]:
        return [Configuration(self.space, vector=vector) for vector in vectors]


class Forest(RandomForest):  # type: ignore[misc]
    """SMAC's forest over the inputs of a cube."""

    def __init__(self, cube: SmacCube, space: ConfigurationSpace, n_rows: int, seed: int) -> None:
        super().__init__(
            space,
            log_y=True,
            n_trees=10,
            ratio_features=1.0,
            min_samples_split=2,
            min_samples_leaf=1,
            max_leaf_nodes=max(n_rows, 2),  # no tree has more; SMAC's 2**20 take a second to make
            n_jobs=1,
            seed=seed,
        )
        self._cube = cube

    def _impute_inactive(self, X: FloatArray) -> FloatArray:
        return self._cube.inputs(X)


class OrderedSearch(LocalAndSortedRandomSearch):  # type: ignore[misc]
    """SMAC's search with its local part in a fixed order."""

    def __init__(
        self, space: ConfigurationSpace, acquisition: EI, options: SmacOptions, seed: int
    ) -> None:
        super().__init__(
            space,
            acquisition,
            challengers=options.challengers,
            local_search_iterations=options.local_searches,
            seed=seed,
        )
        self._local_search = OrderedLocalSearch(space, acquisition, seed=seed)


class OrderedLocalSearch(LocalSearch):  # type: ignore[misc]
    """SMAC's local search. It takes its starting points from a set of hashed text, whose order
    changes from one process to the next."""

    def _get_init_points_from_previous_configs(self, *args: Any) -> list[Configuration]:
        points = super()._get_init_points_from_previous_configs(*args)
        return sorted(points, key=lambda configuration: configuration.get_array().tobytes())


def scaled_log(values: FloatArray) -> FloatArray:
    """Logarithms of the values stretched onto (0, 1], with zero as far below the least as the
    fifth percentile is above it; zeros if all are equal."""
    least, most = values.min(), values.max()
    if least == most:
        return np.zeros(len(values))
    shares = np.interp(values, [least, most], [0.0, 1.0])
    below = np.percentile(shares, 5) + LOWEST
    logs: FloatArray = np.log((shares + below) / (1.0 + below))
    return logs


def _space(cube: SmacCube) -> ConfigurationSpace:
    """A float in [0, 1] for each numeric parameter, a category for each other; named by column,
    since ConfigSpace sorts by name."""
    space = ConfigurationSpace()
    for j in range(len(cube.domain.layout.names)):
        name = f"{j:06d}"
        choices = cube.kept_choices.get(j)
        unit = Float(name, (0, 1))
        space.add(unit if choices is None else Categorical(name, range(len(choices))))
    return space


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))
