"""The choice of a setting, made again without each task, so that no task judges its own choice.

The tasks are divided into at most ten groups (with ten tasks or fewer, one task each). For group g
the setting is chosen by the other groups alone: each of those, h, is left out in turn, the space
is learned from all tasks that are neither in g nor in h, and held against the tasks in h. The task
that is then judged by the setting chosen for its group took no part in the choice.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from ringfence.checking.leave_one_out import LeaveOneOut
from ringfence.checking.left_out.tasks import TaskCheck, check_tasks, task_check
from ringfence.checking.result import Check, summarize
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
    by_number: dict[int, TaskCheck | None] = {}
    for group, choice in zip(groups, choices):
        known = {} if choice is None else {task.name: task for task in checks[choice].tasks}
        for number in group:
            task = left_out.tasks[number]
            by_number[number] = task_check(task) if choice is None else known.get(task.name)
    by_name = {task.name: by_number[number] for number, task in enumerate(left_out.tasks)}
    best = best_of([(check.speed_ups, check.verdict) for check in checks])
    final = without_region(settings[0]) if best is None else settings[best]
    volume = 1.0 if best is None else checks[best].volume_kept
    return summarize(final, by_name, volume, left_out.warnings, len(checks))


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
        without: list[list[TaskCheck | None]] = [[] for _ in groups]
        for g, h in itertools.combinations(range(len(groups)), 2):
            others = np.ones(len(left_out.tasks), dtype=bool)
            others[groups[g]] = False
            if others.sum() > len(groups[h]):
                pair = [left_out.tasks[number] for number in (*groups[g], *groups[h])]
                sources = left_out.sources(setting.top)
                checks = check_tasks(pair, sources, setting, others, groups[h])
                without[h] += checks[: len(groups[g])]
                without[g] += checks[len(groups[g]) :]
            step()
        outcomes.append([judged(checks) for checks in without])
    return [best_of([outcome[g] for outcome in outcomes]) for g in range(len(groups))]
