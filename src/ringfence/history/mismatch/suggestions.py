"""Which parameter of the past is probably one of today under another name; never more than a hint.

Two names are alike if they are spelled alike, if one has the first letters of the other's words (lr
for learning_rate), or if both are usual names of one thing. Then most of the old values must be
values of today's parameter, or would be in other units. Names that differ in a digit or in a whole
word are two things (beta1 and beta2). Names that are not alike are suggested only if the declared
ranges are the same, no other is, and it is not one that many have, such as 0 to 1.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping

from ringfence.history.mismatch.units import unit_ratio
from ringfence.space import Categorical, Float, Int, Parameter

SYNONYMS = (
    {"lr", "learning rate", "eta", "step size", "shrinkage"},
    {"c", "cost", "regularization"},
    {"n estimators", "num trees", "ntrees", "ntree", "nrounds", "num boost round", "iterations"},
    {"max depth", "depth", "tree depth"},
    {
        "reg lambda",
        "lambda",
        "lambda l2",
        "l2",
        "l2 reg",
        "weight decay",
        "wd",
        "l2 regularization",
    },
    {"reg alpha", "alpha", "lambda l1", "l1", "l1 reg", "l1 regularization"},
    {"colsample bytree", "feature fraction", "max features", "mtry", "rsm"},
    {"subsample", "bagging fraction", "sample fraction", "row sample"},
    {"min child weight", "min data in leaf", "min samples leaf", "min child samples"},
    {"batch size", "batch", "bs", "batchsize", "minibatch size"},
    {"dropout", "drop", "dropout rate", "drop rate", "p drop"},
    {"hidden size", "hidden dim", "d model", "width", "units", "n hidden", "layer size"},
    {"n layers", "num layers", "layers", "depth", "n blocks"},
    {"optimizer", "optim", "opt", "solver"},
    {"epochs", "n epochs", "num epochs", "max epochs"},
)
"""Usual names of one thing, in words."""
SPELLED_ALIKE = 0.75
"""Of difflib's ratio: below it, n_layers and n_players would be alike."""
MOST_INSIDE = 0.9
"""Share of the old values that are values of today's parameter."""
TWINS_INSIDE = 0.5
"""The same where today's range is only what was tried under the other name."""


def alike(old: str, new: str) -> bool:
    """Whether two names may mean the same."""
    one, two = _words(old), _words(new)
    if one == two or any(one in group and two in group for group in SYNONYMS):
        return True
    if _initials(one) == two.replace(" ", "") or _initials(two) == one.replace(" ", ""):
        return True
    if _differ_in_a_word(one.split(), two.split()) or _digits(one) != _digits(two):
        return False
    return difflib.SequenceMatcher(None, one, two).ratio() >= SPELLED_ALIKE


def _differ_in_a_word(one: list[str], two: list[str]) -> bool:
    """Whether a whole word is another, as in min_samples_leaf and min_samples_split; a word that
    was cut short, as in num_layers and n_layers, is not."""
    if len(one) != len(two) or len(one) == 1:
        return False
    return any(not (a.startswith(b) or b.startswith(a)) for a, b in zip(one, two))


def _digits(words: str) -> str:
    return "".join(letter for letter in words if letter.isdigit())


def _words(name: str) -> str:
    """The words of a name in lower case: learningRate, learning-rate and LEARNING_RATE alike."""
    last = re.split(r"[/.]", name)[-1] or name
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", last)
    return " ".join(re.findall(r"[^\W_]+", spaced.lower()))


def _initials(words: str) -> str:
    letters = "".join(word[0] for word in words.split())
    return letters if len(letters) > 1 else ""


def probable_names(
    extras: Mapping[str, Mapping[str, float]],
    missing: Iterable[str],
    declared: Mapping[str, Parameter],
    ends: Mapping[str, tuple[float, float]],
    space: Mapping[str, Parameter],
) -> dict[str, str]:
    """Which of the `extras` is which of the `missing` parameters. `extras` has, for each of these,
    the share of its values that would be theirs; `declared` and `ends` what is known of it."""
    pairs: dict[str, str] = {}
    free = list(extras)
    for new in missing:
        candidates = [old for old in free if _fits(old, new, extras, ends, space[new])]
        named = [old for old in candidates if alike(old, new)]
        same = [old for old in free if declared.get(old) == space[new]]
        best = max(named, key=lambda old: _closeness(old, new), default=None)
        only = len(same) == 1 and list(space.values()).count(space[new]) == 1
        if best is None and only and not _is_common(space[new]):
            best = same[0]
        if best is not None:
            pairs[best] = new
            free.remove(best)
    return pairs


def _is_common(parameter: Parameter) -> bool:
    """Whether a range tells little: yes or no, or linear between 0, 1, 10, 100 and the like."""
    if isinstance(parameter, (Float, Int)):
        ends = float(parameter.low), float(parameter.high)
        round_ends = all(end == 0 or (end > 0 and math.log10(end).is_integer()) for end in ends)
        return round_ends and not parameter.log
    return not isinstance(parameter, Categorical) or len(parameter.choices) == 2


def twins(
    tuned: Iterable[Collection[str]],
    share: Callable[[str, str], float],
    space: Mapping[str, Parameter],
) -> dict[str, str]:
    """Which parameters of one space, the union of what was tuned, are probably one: their names are
    alike, no task has both, and `share` of the values of one would be the other's. From the one
    that fewer tasks have to the other."""
    tasks = [frozenset(names) for names in tuned]
    counts = {name: sum(name in names for names in tasks) for name in space}
    pairs: dict[str, str] = {}
    for old in sorted(space, key=lambda name: counts[name]):
        others = [
            new
            for new in space
            if new != old
            and new not in pairs
            and old not in pairs.values()
            and counts[new] >= counts[old]
            and alike(old, new)
            and not any(old in names and new in names for names in tasks)
            and share(old, new) >= TWINS_INSIDE
        ]
        if others:
            pairs[old] = max(others, key=lambda name: counts[name])
    return pairs


def _fits(
    old: str,
    new: str,
    extras: Mapping[str, Mapping[str, float]],
    ends: Mapping[str, tuple[float, float]],
    today: Parameter,
) -> bool:
    if extras[old].get(new, 0.0) >= MOST_INSIDE:
        return True
    if not isinstance(today, (Float, Int)) or old not in ends:
        return False
    return unit_ratio(ends[old], (float(today.low), float(today.high)), log=today.log) is not None


def _closeness(old: str, new: str) -> float:
    return difflib.SequenceMatcher(None, _words(old), _words(new)).ratio()
