"""Several tables of runs as one: under the same names, in the same direction, in one space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.roles import Roles
from ringfence.history.tables import free_name
from ringfence.history.values import WRITTEN, as_number
from ringfence.space import Categorical, Constant, Float, Int, Parameter, Space, choice_key

FINISHED = "complete"
"""The status of runs whose table has no column for it."""


def common_roles(roles: Sequence[Roles]) -> Roles:
    """The roles of the first, with a status if one of the others has it; HistoryError if the
    parameters or budgets of one are missing in another."""
    first = roles[0]
    for other in roles[1:]:
        if set(other.parameters) != set(first.parameters):
            unmatched = sorted(set(other.parameters) ^ set(first.parameters))[0]
            raise HistoryError(
                f"only one of the histories has the parameter {unmatched!r}; read them with those "
                "that all have: parameters=[…]"
            )
        if (other.budget is None) != (first.budget is None):
            raise HistoryError("only one of the histories has a column for the budget")
    status = next((one.status for one in roles if one.status is not None), None)
    if status is None or first.status is not None:
        return first
    taken = [*first.parameters, first.task, first.objective, str(first.budget)]
    return replace(first, status=free_name(status, taken))


def aligned(frame: pl.DataFrame, own: Roles, common: Roles) -> pl.DataFrame:
    """The columns that play a part, under the names that `common` has for them; the objective is
    negated if it goes the other way."""
    columns = [frame[name] for name in own.parameters]
    columns.append(frame[own.task].alias(common.task))
    objective = frame[own.objective]
    if own.direction != common.direction:
        objective = -as_number(objective)
    columns.append(objective.alias(common.objective))
    if f"{WRITTEN}{own.objective}" in frame.columns:
        written = frame[f"{WRITTEN}{own.objective}"]
        columns.append(written.alias(f"{WRITTEN}{common.objective}"))
    if own.budget is not None and common.budget is not None:
        columns.append(frame[own.budget].alias(common.budget))
    if common.status is not None:
        status = pl.Series([FINISHED]).new_from_index(0, frame.height)
        column = status if own.status is None else frame[own.status].cast(pl.String)
        columns.append(column.alias(common.status))
    return pl.DataFrame(columns)


def widest(spaces: Sequence[Space | None]) -> Space | None:
    """The smallest space that holds all of these; None if one is not known, or if they differ in
    more than their bounds and choices."""
    known = [space for space in spaces if space is not None]
    if len(known) < len(spaces):
        return None
    first = known[0]
    if any(set(space) != set(first) or space.conditions != first.conditions for space in known):
        return None
    parameters: dict[str, Parameter] = {}
    for name in first:
        parameter = _widest([space[name] for space in known])
        if parameter is None:
            return None
        parameters[name] = parameter
    return Space(parameters, first.conditions)


def _widest(parameters: Sequence[Parameter]) -> Parameter | None:
    first = parameters[0]
    if all(parameter == first for parameter in parameters):
        return first
    floats = [p for p in parameters if isinstance(p, Float)]
    if len(floats) == len(parameters) and len({p.log for p in floats}) == 1:
        return Float(min(p.low for p in floats), max(p.high for p in floats), floats[0].log)
    ints = [p for p in parameters if isinstance(p, Int)]
    if len(ints) == len(parameters) and len({p.log for p in ints}) == 1:
        return Int(min(p.low for p in ints), max(p.high for p in ints), ints[0].log)
    choices = [p for p in parameters if isinstance(p, Categorical) and not p.ordered]
    constants = [p for p in parameters if isinstance(p, Constant)]
    if choices and len(choices) + len(constants) == len(parameters):
        values = [
            value
            for p in parameters
            for value in ([p.value] if isinstance(p, Constant) else getattr(p, "choices", ()))
        ]
        return Categorical(list({choice_key(value): value for value in values}.values()))
    return None
