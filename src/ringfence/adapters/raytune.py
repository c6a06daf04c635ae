"""Ray Tune: a search-space dict for a box, and a Searcher for every region.

    Tuner(train, param_space=raytune.param_space(learned), ...)
    inside = raytune.searcher(learned, "loss", "min")
    Tuner(train, tune_config=TuneConfig(search_alg=inside, ...))

A name with a / is nested, as Ray has it: model/lr is config["model"]["lr"].
"""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ringfence.adapters.view import ToolView, as_learned, refuse_off, require_box
from ringfence.checks import integer
from ringfence.errors import FileError, MissingExtraError, SettingError
from ringfence.files import write_atomically
from ringfence.history.readers.shared.runs import flat
from ringfence.learned.space import LearnedSpace
from ringfence.space import Categorical, Config, Constant, Int, Parameter, Space

try:
    from ray import tune
    from ray.tune.search import Searcher
except ModuleNotFoundError as error:
    raise MissingExtraError("ray[tune]", "ray") from error

Mode = Literal["min", "max"]
DIVIDER = "/"
DRAWS = 32  # of which one lies outside a no-go zone, which is at most a quarter of the space


def param_space(learned: LearnedSpace | Space) -> dict[str, Any]:
    """A box as Ray's own `param_space`.

    Args:
        learned: the learned space, a box without conditions, or a plain space.

    Raises:
        SettingError: another region, or a space with conditions: those need `searcher`.

    Examples:
        >>> import ringfence as rf
        >>> from ringfence.adapters import raytune
        >>> space = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True), "depth": rf.Int(1, 12)})
        >>> sorted(raytune.param_space(space))
        ['depth', 'lr']
    """
    given = as_learned(learned)
    way = "ringfence.adapters.raytune.searcher(learned)"
    require_box(given, "Ray's param_space", way)
    if given.as_space().conditions:
        raise SettingError(
            f"Ray's param_space has no conditions: use {way}, which leaves inactive parameters out"
        )
    space = given.as_space()
    refuse_off(space, "Ray's param_space", way)
    return _nested({name: _domain(p) for name, p in space.parameters.items()})


def searcher(
    learned: LearnedSpace | Space,
    metric: str | None = None,
    mode: Mode | None = None,
    seed: int | None = None,
    base: Searcher | None = None,
    *,
    starts: int = 0,
) -> RegionSearcher:
    """A Searcher whose every suggestion lies in the learned space.

    Args:
        learned: the learned space, or a plain one.
        metric: what the training function reports.
        mode: 'min' or 'max'.
        seed: of the draws.
        base: None draws uniformly; a Searcher of Ray without a space of its own, such as
            `OptunaSearch(seed=0)`, searches the box or the region's cube, and needs `metric` and
            `mode`.
        starts: so many starting points of the learned space come first of all; they are not
            reported to `base`.

    Examples:
        >>> import ringfence as rf
        >>> from ringfence.adapters import raytune
        >>> learned = rf.learn(rf.example_history(), shape="ellipsoid", starts=0)
        >>> learned.contains(raytune.searcher(learned, "error", "min", seed=0).suggest("1"))
        True
    """
    given = as_learned(learned)
    points = given.starts(integer(starts, "starts", 0) or 0)
    return RegionSearcher(given, metric, mode, seed, base, starting_points=points)


class RegionSearcher(Searcher):  # type: ignore[misc]
    """Suggestions inside a learned space; `searcher` makes it. Its state is the seed, the number of
    draws so far, and whatever the base keeps; Ray saves it with the experiment.

    Examples:
        >>> import ringfence as rf
        >>> from ringfence.adapters import raytune
        >>> learned = rf.learn(rf.example_history(), shape="ellipsoid", starts=0)
        >>> type(raytune.searcher(learned)).__name__
        'RegionSearcher'
    """

    def __init__(
        self,
        learned: LearnedSpace,
        metric: str | None,
        mode: Mode | None,
        seed: int | None,
        base: Searcher | None,
        *,
        starting_points: Sequence[Config] = (),
    ) -> None:
        if mode not in (None, "min", "max"):
            raise SettingError(f"mode must be 'min' or 'max', not {mode!r}")
        super().__init__(metric=metric, mode=mode)
        seed = integer(seed, "seed", 0)
        self._seed = int(np.random.default_rng().integers(2**53)) if seed is None else seed
        self._n_draws = 0
        self._view = ToolView(learned, flat=True)
        _nested(dict.fromkeys(learned.space))  # raises now if the names cannot be nested
        self._base = base
        self._starting_points = tuple(starting_points)
        self._started: list[str] = []  # trials that have a starting point
        if base is not None:
            self._set_space(base)

    def suggest(self, trial_id: str) -> dict[str, Any] | str | None:
        """The next configuration; inactive parameters are left out."""
        if len(self._started) < len(self._starting_points):
            self._started.append(trial_id)
            return _nested(self._starting_points[len(self._started) - 1])
        if self._base is None:
            rng = np.random.default_rng([self._seed, self._n_draws])
            self._n_draws += 1
            return _nested(self._drawn(rng))
        values = self._base.suggest(trial_id)
        if values is None or values == Searcher.FINISHED:
            return values  # type: ignore[no-any-return]
        return _nested(self._view.decode(flat(values, DIVIDER)))

    def _drawn(self, rng: np.random.Generator) -> Config:
        """A uniform draw, outside the no-go zone unless that is nearly all there is."""
        learned = self._view.learned
        draws = learned.sample(1 if learned.zone is None else DRAWS, seed=rng)
        return next((config for config in draws if not learned.in_zone(config)), draws[0])

    def on_trial_result(self, trial_id: str, result: dict[str, Any]) -> None:
        """Pass an intermediate result on to the base."""
        if self._base is not None and trial_id not in self._started:
            self._base.on_trial_result(trial_id, result)

    def on_trial_complete(
        self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False
    ) -> None:
        """Pass the outcome on to the base."""
        if self._base is not None and trial_id not in self._started:
            self._base.on_trial_complete(trial_id, result=result, error=error)

    def save(self, checkpoint_path: str) -> None:
        """Write the state as JSON; what the base saves is kept inside as it is."""
        state: dict[str, Any] = {"seed": self._seed, "drawn": self._n_draws, "begun": self._started}
        if self._base is not None:
            with tempfile.TemporaryDirectory() as folder:
                self._base.save(str(Path(folder, "base")))
                state["base"] = base64.b64encode(Path(folder, "base").read_bytes()).decode()
        write_atomically(Path(checkpoint_path), json.dumps(state).encode())

    def restore(self, checkpoint_path: str) -> None:
        """Continue where `save` left off."""
        try:
            state = json.loads(Path(checkpoint_path).read_bytes())
            self._seed, self._n_draws, base = state["seed"], state["drawn"], state.get("base")
            self._started = list(state.get("begun", []))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FileError(f"{checkpoint_path} is not the state of a searcher: {error}") from error
        if (base is None) != (self._base is None):
            raise FileError(f"{checkpoint_path} was saved {'with' if base else 'without'} a base")
        if self._base is not None:
            with tempfile.TemporaryDirectory() as folder:
                Path(folder, "base").write_bytes(base64.b64decode(base))
                self._base.restore(str(Path(folder, "base")))

    def _set_space(self, base: Searcher) -> None:
        if not self._metric or not self._mode:
            raise SettingError("a base searcher needs metric and mode, as in 'loss', 'min'")
        space = _nested({name: _domain(p) for name, p in self._view.space.parameters.items()})
        if not base.set_search_properties(self._metric, self._mode, space):
            raise SettingError("the base searcher has a space of its own: make it without one")


def _nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """A dict within a dict for each divider in a name; SettingError if one name is needed both for
    a value and for a dict."""
    nested: dict[str, Any] = {}
    for name, value in values.items():
        *folders, last = name.split(DIVIDER)
        inner: Any = nested
        for folder in folders:
            inner = inner.setdefault(folder, {})
            if not isinstance(inner, dict):
                raise SettingError(f"Ray cannot nest {name!r} under a parameter: rename one")
        if last in inner:
            raise SettingError(f"Ray cannot nest parameters under {name!r}: rename one")
        inner[last] = value
    return nested


def _domain(parameter: Parameter) -> Any:
    if isinstance(parameter, Constant):
        return parameter.value
    if isinstance(parameter, Categorical):
        return tune.choice(list(parameter.choices))
    low, high = parameter.low, parameter.high
    if isinstance(parameter, Int):  # Ray leaves the upper end out
        return (tune.lograndint if parameter.log else tune.randint)(low, high + 1)
    return (tune.loguniform if parameter.log else tune.uniform)(low, high)
