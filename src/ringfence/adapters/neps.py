"""NePS: the learned space as a prior over the original one.

    neps.run(evaluate, pipeline_space=neps_adapter.pipeline_space(learned), ...)

NePS searches the full space and looks first where the prior points: at the middle of the
learned region, with the more confidence, the less of a parameter's range the region keeps. This is
a hint, not a fence; for a fence, NePS also takes the ConfigurationSpace of a box. A parameter that
a value switches off comes with a flag, `use_NAME`, and counts only if that is True.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ringfence.adapters.values import middle, nearest
from ringfence.adapters.view import as_learned
from ringfence.errors import MissingExtraError, SettingError
from ringfence.learned.cube import UnitCube
from ringfence.learned.space import LearnedSpace
from ringfence.space import Categorical, Choice, Constant, Space, axis_of
from ringfence.space.pairs import flag_of, plain_range

CONFIDENCE = ((0.25, "high"), (0.5, "medium"), (1.0, "low"))
"""Confidence in a prior by the share of the parameter's range that is kept."""


def pipeline_space(learned: LearnedSpace | Space) -> Any:
    """A PipelineSpace of the original ranges with a prior on every parameter.

    Args:
        learned: the learned space, or a plain one.

    Raises:
        MissingExtraError: NePS is not installed; it comes with `ringfence[neps]`.

    Examples:
        >>> import ringfence as rf
        >>> from ringfence.adapters import neps
        >>> space = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True), "depth": rf.Int(1, 12)})
        >>> type(neps.pipeline_space(space)).__name__
        'LearnedPrior'
    """
    try:
        import neps
    except ModuleNotFoundError as error:
        raise MissingExtraError("neural-pipeline-search", "neps") from error
    attributes = {name: _domain(neps, prior) for name, prior in priors(learned).items()}
    for name, parameter in as_learned(learned).space.parameters.items():
        if isinstance(parameter, Constant):
            attributes[name] = parameter.value
    return type("LearnedPrior", (neps.PipelineSpace,), attributes)()


def priors(learned: LearnedSpace | Space) -> dict[str, dict[str, Any]]:
    """The priors by parameter: the arguments of `neps.Float`, `neps.Integer` or
    `neps.Categorical`.

    Args:
        learned: the learned space, or a plain one.

    Examples:
        >>> import ringfence as rf
        >>> from ringfence.adapters import neps
        >>> space = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True), "depth": rf.Int(1, 12)})
        >>> neps.priors(space)["depth"]
        {'lower': 1, 'upper': 12, 'log': False, 'prior': 6, 'prior_confidence': 'low'}
    """
    given = as_learned(learned)
    if given.space.conditions:
        raise SettingError(
            "a prior of NePS has no conditions: use the adapter for Optuna or SMAC, or one space "
            "for each choice"
        )
    cube = UnitCube(given)
    center = cube.decode(cube.center)
    shares = _kept_shares(given)
    arguments: dict[str, dict[str, Any]] = {}
    for name, parameter in given.space.parameters.items():
        if isinstance(parameter, Constant):
            continue
        if isinstance(parameter, Categorical):
            choice = center[name] if axis_of(parameter) else _usual(given, name)
            arguments[name] = {
                "choices": list(parameter.choices),
                "prior": parameter.choices.index(nearest(name, parameter, choice)),
            }
        else:
            prior = center[name]
            if parameter.off is not None:
                flag = {"choices": [True, False], "prior": int(prior == parameter.off)}
                arguments[flag_of(given.space, name)] = {**flag, "prior_confidence": "low"}
                prior = middle(plain_range(parameter)) if prior == parameter.off else prior
            arguments[name] = {
                "lower": parameter.low,
                "upper": parameter.high,
                "log": parameter.log,
                "prior": prior,
            }
        confidence = next(level for share, level in CONFIDENCE if shares[name] <= share)
        arguments[name]["prior_confidence"] = confidence
    return arguments


def _kept_shares(learned: LearnedSpace) -> dict[str, float]:
    """The share of each parameter's range or choices that is kept, between 0 and 1."""
    shares: dict[str, float] = {}
    for block in learned.blocks:
        for name, low, high in zip(block.names, *block.spans):
            shares[name] = min(float(high - low), 1.0)
    for name, choices in learned.space.unordered_choices().items():
        shares[name] = len(learned.choices[name]) / len(choices)
    return shares


def _usual(learned: LearnedSpace, name: str) -> Choice:
    """The kept choice that is best for most of the tasks inside; the first if several are."""
    inside = [task.incumbent for task in learned.tasks if not task.outside]
    votes = Counter(best[name] for best in inside if name in best)
    return max(learned.choices[name], key=lambda choice: votes[choice])


def _domain(neps: Any, arguments: dict[str, Any]) -> Any:
    if "choices" in arguments:
        return neps.Categorical(**arguments)
    kind = neps.Integer if isinstance(arguments["lower"], int) else neps.Float
    return kind(**arguments)
