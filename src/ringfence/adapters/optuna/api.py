"""Optuna: any sampler kept inside a learned space, and distributions there and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ringfence.adapters.view import as_learned, require_box
from ringfence.checks import integer
from ringfence.errors import MissingExtraError, SettingError, SpaceError
from ringfence.history import Runs
from ringfence.history.runs import read_with_hint
from ringfence.learned.full import full_space
from ringfence.learned.hub.joining import with_past
from ringfence.learned.settings import By
from ringfence.learned.space import LearnedSpace
from ringfence.optimize.guard import USUAL, GuardShare, guard_share
from ringfence.space import Categorical, Config, Constant, Float, Int, Parameter, Space
from ringfence.space.pairs import paired, to_pairs

try:
    from optuna.distributions import (
        BaseDistribution,
        CategoricalDistribution,
        FloatDistribution,
        IntDistribution,
    )
    from optuna.samplers import (
        BaseSampler,
        BruteForceSampler,
        GridSampler,
        QMCSampler,
        RandomSampler,
        TPESampler,
    )
    from optuna.study import Study
except ModuleNotFoundError as error:
    raise MissingExtraError("optuna", "optuna") from error

if TYPE_CHECKING:
    from ringfence.adapters.optuna.region_sampler import RegionSampler

NO_MODEL = (RandomSampler, QMCSampler)
"""Samplers without a model, which have no guard by default; genetic ones have none either."""


def sampler(
    learned: LearnedSpace | Space,
    base: BaseSampler | None = None,
    seed: int | None = 0,
    *,
    steps: Mapping[str, float] | None = None,
    guard: GuardShare = "auto",
) -> BaseSampler:
    """An Optuna sampler that searches the learned space the way `base` (default: TPE) searches a
    box. The objective keeps its own, wider `suggest_*` calls.

    Args:
        learned: the space to search.
        base: any sampler except those that go through a grid. It is copied and stays as it is.
        seed: of everything random, whatever the base's own seed. A trial's randomness depends on
            the seed and the trial's number, so that a study resumed after a crash continues as it
            would have, and workers may share a seed. None keeps the base's own randomness.
        steps: for `suggest_*` calls with a `step` in any region but a box, the steps by name,
            counted from the low end of the original range. In a box they need not be named.
        guard: this share of the trials searches the full space instead, and half of them while
            the best one lies outside the learned space. 'auto' is 0.1, and 0 for random, QMC and
            genetic samplers; with None or 0 nothing outside is ever proposed.

    Examples:
        >>> import optuna
        >>> import ringfence as rf
        >>> from ringfence.adapters.optuna import sampler
        >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
        >>> learned = rf.learn(rf.example_history(), shape="ellipsoid", starts=0)
        >>> study = optuna.create_study(sampler=sampler(learned, guard=None))
        >>> def objective(trial):
        ...     kernel = trial.suggest_categorical("kernel", ["poly", "rbf", "sigmoid"])
        ...     C = trial.suggest_float("C", 1e-3, 1e3, log=True)
        ...     gamma = trial.suggest_float("gamma", 1e-4, 10, log=True)
        ...     components = trial.suggest_float("components", 0.1, 1.0)
        ...     if kernel == "poly":
        ...         trial.suggest_int("degree", 2, 5)
        ...     if kernel != "rbf":
        ...         trial.suggest_float("coef0", 0.0, 1.0)
        ...     return (components - 0.7) ** 2
        >>> study.optimize(objective, n_trials=3)
        >>> all(learned.contains(trial.params) for trial in study.trials)
        True
    """
    from ringfence.adapters.optuna.region_sampler import GENETIC, RegionSampler
    from ringfence.adapters.optuna.trials import GUARD_NOTES

    if base is not None and not isinstance(base, BaseSampler):
        raise SettingError(f"base must be an Optuna sampler, not {base!r}")
    if isinstance(base, (GridSampler, BruteForceSampler)):
        raise SettingError(
            f"{type(base).__name__} goes through a grid of its own and cannot be kept inside a "
            "learned space; use RandomSampler or QMCSampler"
        )
    seed = integer(seed, "seed", 0)
    given, base = as_learned(learned), base or TPESampler()
    inside = RegionSampler(given, base, seed, steps or {})
    share = guard_share(guard, 0.0 if isinstance(base, (NO_MODEL, GENETIC)) else USUAL)
    if share == 0.0 or given.shape == "full":
        return inside
    everywhere = RegionSampler(full_space(given.space), base, seed, steps or {}, GUARD_NOTES)
    return _guarded(given, inside, everywhere, share)


def transfer_sampler(
    learned: LearnedSpace | Space,
    history: Runs | None = None,
    seed: int = 0,
    *,
    guard: GuardShare = "auto",
    by: By = "auto",
    cost: str | None = None,
) -> BaseSampler:
    """An Optuna sampler that knows the runs of earlier tasks: `optimizer="transfer"` behind a
    study. The objective keeps its own, wider `suggest_*` calls.

    Args:
        learned: the space to search.
        history: the earlier tasks, a History or a source that is read without options; their models
            are fitted when the first trial begins. Those of the hub join them, or stand for them,
            if the space comes from there.
        seed: of everything random, together with a trial's number.
        guard: as in `sampler`.
        by: 'cost' if what the trials cost is to be small, 'trials' if their number is; 'auto' is
            'cost' if the history has costs. By cost, proposals follow what the study's own trials
            cost, too.
        cost: the user attribute in which the objective notes what a trial cost. None takes the
            trial's duration, if the history's costs are times. A warning says so if finished trials
            lack the attribute.

    Examples:
        >>> import optuna
        >>> import ringfence as rf
        >>> from ringfence.adapters.optuna import transfer_sampler
        >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
        >>> history = rf.example_history()
        >>> few = history.only(history.tasks[:3])
        >>> study = optuna.create_study(sampler=transfer_sampler(rf.learn(few, starts=0), few))
        >>> study.ask().suggest_categorical("kernel", ["poly", "rbf", "sigmoid"]) is not None
        True
    """
    from ringfence.adapters.optuna.transfer import TransferSampler

    given, seed = as_learned(learned), integer(seed, "seed", 0) or 0
    history = with_past(given, history)
    if history is None:
        raise SettingError("this space brings no runs of earlier tasks: pass history=")
    history = read_with_hint(history, "history")
    inside = TransferSampler(given, history, seed, by, cost)
    share = guard_share(guard)
    if share == 0.0 or given.shape == "full":
        return inside
    everywhere = TransferSampler(full_space(given.space), history, seed, by, cost)
    return _guarded(given, inside, everywhere, share)


def distributions(
    learned: LearnedSpace | Space, *, bounding_box: bool = False
) -> dict[str, BaseDistribution]:
    """The ranges and choices that are kept as Optuna's distributions, for `study.ask` and the like.

    Distributions have no conditions. A parameter that a value switches off comes with a flag,
    `use_NAME`, and counts only if that is True. Any region but a box is refused.

    Args:
        learned: the learned space, or a plain one.
        bounding_box: allow the box around any other region.

    Examples:
        >>> import ringfence as rf
        >>> from ringfence.adapters.optuna import distributions
        >>> distributions(rf.Space({"depth": rf.Int(1, 12)}))
        {'depth': IntDistribution(high=12, log=False, low=1, step=1)}
    """
    learned = as_learned(learned)
    if not bounding_box:
        require_box(learned, "a set of distributions", "sampler(learned) or bounding_box=True")
    return {
        name: _distribution(parameter, learned.space.parameters.get(name, parameter))
        for name, parameter in paired(learned.as_space()).parameters.items()
    }


def space_from_distributions(distributions: Mapping[str, BaseDistribution]) -> Space:
    """The space that Optuna's distributions describe; steps are left out.

    Args:
        distributions: by name.

    Raises:
        SpaceError: a distribution that ringfence does not know.

    Examples:
        >>> from optuna.distributions import FloatDistribution
        >>> from ringfence.adapters.optuna import space_from_distributions
        >>> space_from_distributions({"lr": FloatDistribution(0.001, 1.0, log=True)})["lr"]
        Float(low=0.001, high=1.0, log=True)
    """
    return Space({name: _parameter(name, given) for name, given in distributions.items()})


def enqueue(
    study: Study,
    configs: Iterable[Config],
    learned: LearnedSpace | Space | None = None,
    *,
    skip_if_exists: bool = True,
) -> None:
    """Let the study try these configurations first, in this order.

    Args:
        study: an Optuna study.
        configs: `learned.starts(5)`, or draws from the learned space.
        learned: the space, if a value switches one of its parameters off: the study has a flag for
            it, `use_NAME`, and asks for the parameter only if that is True.
        skip_if_exists: leave out those that the study has already.

    Examples:
        >>> import optuna
        >>> import ringfence as rf
        >>> from ringfence.adapters.optuna import enqueue
        >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
        >>> study = optuna.create_study()
        >>> enqueue(study, [{"lr": 0.1}, {"lr": 0.2}])
        >>> study.ask().suggest_float("lr", 0.0, 1.0)
        0.1
    """
    if isinstance(configs, Mapping):
        raise SettingError("enqueue takes a list of configurations, not a single one")
    space = None if learned is None else as_learned(learned).space
    for config in list(configs):
        asked = dict(config) if space is None else to_pairs(space, config)
        study.enqueue_trial(asked, skip_if_exists=skip_if_exists)


def _guarded(
    learned: LearnedSpace, inside: RegionSampler, everywhere: RegionSampler, share: float
) -> BaseSampler:
    from ringfence.adapters.optuna.guard import GuardedSampler

    everywhere.past = inside.past  # whichever has the first trial says it, and only one
    return GuardedSampler(learned, inside, everywhere, share)


def _distribution(parameter: Parameter, original: Parameter) -> BaseDistribution:
    """A range that shrank to one value stays a range, as the objective's call will ask for one."""
    if isinstance(parameter, Categorical):
        return CategoricalDistribution(parameter.choices)
    if isinstance(parameter, Constant):
        value: Any = parameter.value
        if isinstance(original, Float):
            return FloatDistribution(value, value, log=original.log)
        if isinstance(original, Int):
            return IntDistribution(value, value, log=original.log)
        return CategoricalDistribution([value])
    kind = FloatDistribution if isinstance(parameter, Float) else IntDistribution
    return kind(parameter.low, parameter.high, log=parameter.log)  # type: ignore[arg-type]


def _parameter(name: str, given: BaseDistribution) -> Parameter:
    if isinstance(given, CategoricalDistribution):
        choices = given.choices
        return Categorical(choices) if len(choices) > 1 else Constant(choices[0])
    if not isinstance(given, (FloatDistribution, IntDistribution)):
        raise SpaceError(f"parameter {name!r}: ringfence does not know the distribution {given!r}")
    if given.single():
        return Constant(given.low)
    kind = Float if isinstance(given, FloatDistribution) else Int
    return kind(given.low, given.high, given.log)  # type: ignore[arg-type]
