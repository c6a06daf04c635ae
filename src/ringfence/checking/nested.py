"""The choice of a setting, made again without each task, so that no task judges its own choice.

The tasks are divided into at most ten groups (with ten tasks or fewer, one task each). For group g
the setting is chosen by the other groups alone: each of those, h, is left out in turn, the space
is learned from all tasks that are neither in g nor in h, and held against the tasks in h. The task
that is then judged by the setting chosen for its group took no part in the choice. (Its rows still
help to say what unseen configurations would give on the others, as those of all tasks do.)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from ringfence.checking.belief.beliefs import FEWER_POINTS
from ringfence.checking.leave_one_out import LeaveOneOut
from ringfence.checking.left_out.tasks import TaskEvidence, check_tasks, full_evidence
from ringfence.checking.result import Check
from ringfence.checking.verdict import best_of, judged
from ringfence.learned.records import Settings
from ringfence.learned.settings import without_region

MOST_GROUPS = 10  # 45 pairs of groups to fit for each setting; leave-one-out up to ten tasks


def nested_check(left_out: LeaveOneOut, checks: Sequence[Check], step: Callable[[], None]) -> Check:
    """The check of the choice among the settings of `checks`, which were checked one by one;
    `step` is called `n_steps` times."""
    settings = [check.settings for check in checks]
    groups = groups_of(len(left_out.tasks))
    choices = _choices(left_out, settings, groups, step)
    evidence = full_evidence(left_out.tasks, left_out.beliefs)
    for group, choice in zip(groups, choices):
        if choice is not None:
            chosen = left_out.evidence(settings[choice])
            for number in group:
                evidence[number] = chosen[number]
    best = best_of([(check.speed_ups, check.judgement) for check in checks])
    final = without_region(settings[0]) if best is None else settings[best]
    volume = 1.0 if best is None else checks[best].volume_kept
    check = left_out.summarize(final, evidence, volume, len(checks))
    if best is not None:
        check = msgspec.structs.replace(check, volume_error=checks[best].volume_error)
    if best is not None and not any(choice is not None for choice in choices):
        reason = "the tasks are too few to make the choice again without each of them"
        return msgspec.structs.replace(check, verdict="cannot tell", reason=reason)
    return check


def groups_of(n_tasks: int) -> list[list[int]]:
    """The numbers of the tasks in groups of nearly equal size, divided by a fixed shuffle."""
    n_groups = min(MOST_GROUPS, n_tasks)
    order = np.random.default_rng(0).permutation(n_tasks).tolist()
    return [sorted(order[first::n_groups]) for first in range(n_groups)]


def n_steps(n_tasks: int, n_settings: int) -> int:
    """The number of fits that a nested check takes at most."""
    n_groups = min(MOST_GROUPS, n_tasks)
    return n_settings * n_groups * (n_groups - 1) // 2


def _choices(
    left_out: LeaveOneOut,
    settings: Sequence[Settings],
    groups: Sequence[Sequence[int]],
    step: Callable[[], None],
) -> list[int | None]:
    """The setting chosen for each group by the others; None if the full space should stay."""
    outcomes = []
    for setting in settings:
        without: list[list[TaskEvidence | None]] = [[] for _ in groups]
        for g, h in itertools.combinations(range(len(groups)), 2):
            others = left_out.everyone
            others[groups[g]] = False
            if others.sum() > len(groups[h]):
                pair = [left_out.tasks[number] for number in (*groups[g], *groups[h])]
                sources = left_out.sources(setting)
                evidence = check_tasks(
                    pair, left_out.beliefs, sources, setting, others, groups[h], FEWER_POINTS
                )
                without[h] += evidence[: len(groups[g])]
                without[g] += evidence[len(groups[g]) :]
            step()
        outcomes.append(
            [
                judged(evidence, left_out.scale, left_out.unsearched, left_out.scarce)
                for evidence in without
            ]
        )
    return [best_of([outcome[g] for outcome in outcomes]) for g in range(len(groups))]
