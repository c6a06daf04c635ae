"""Optuna's tables as far as they are read, and the selects over them, in any SQL dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy import Select, TableClause

COLUMNS = {
    "studies": "study_id study_name",
    "study_directions": "study_id direction objective",
    "study_user_attributes": "study_id key value_json",
    "study_system_attributes": "study_id key value_json",
    "trials": "trial_id study_id number state",
    "trial_values": "trial_id objective value value_type",
    "trial_params": "param_id trial_id param_name param_value distribution_json",
    "trial_user_attributes": "trial_id key value_json",
}


class Selects:
    """The queries for some studies; for all of them without `keys`."""

    def __init__(self, keys: tuple[int, ...] | None = None) -> None:
        self._keys = keys

    def studies(self) -> Select[Any]:
        """study, name; in the order in which they were made."""
        import sqlalchemy as sa

        studies = _table("studies")
        return sa.select(studies.c.study_id, studies.c.study_name).order_by(studies.c.study_id)

    def directions(self) -> Select[Any]:
        """study, direction; objective by objective."""
        import sqlalchemy as sa

        d = _table("study_directions")
        return sa.select(d.c.study_id, d.c.direction).order_by(d.c.study_id, d.c.objective)

    def study_attributes(self) -> Select[Any]:
        """study, key, JSON."""
        import sqlalchemy as sa

        a = _table("study_user_attributes")
        return sa.select(a.c.study_id, a.c.key, a.c.value_json)

    def metrics(self, key: str) -> Select[Any]:
        """study, names of its objectives in JSON."""
        import sqlalchemy as sa

        a = _table("study_system_attributes")
        return sa.select(a.c.study_id, a.c.value_json).where(a.c.key == key)

    def trials(self) -> Select[Any]:
        """trial, study, number, state."""
        import sqlalchemy as sa

        t = _table("trials")
        query = sa.select(t.c.trial_id, t.c.study_id, t.c.number, t.c.state)
        return self._chosen(query, t).order_by(t.c.study_id, t.c.number)

    def values(self) -> Select[Any]:
        """trial, objective, value, kind of value (finite or which infinity)."""
        import sqlalchemy as sa

        v = _table("trial_values")
        return self._of(v, sa.select(v.c.trial_id, v.c.objective, v.c.value, v.c.value_type))

    def params(self) -> Select[Any]:
        """trial, name, value."""
        import sqlalchemy as sa

        p = _table("trial_params")
        return self._of(p, sa.select(p.c.trial_id, p.c.param_name, p.c.param_value))

    def distributions(self) -> Select[Any]:
        """study, name, distribution in JSON: each once, in the order of first use."""
        import sqlalchemy as sa

        t, p = _table("trials"), _table("trial_params")
        each = (t.c.study_id, p.c.param_name, p.c.distribution_json)
        query = sa.select(*each).join_from(p, t, t.c.trial_id == p.c.trial_id)
        return self._chosen(query, t).group_by(*each).order_by(sa.func.min(p.c.param_id))

    def attributes(self, key: str) -> Select[Any]:
        """trial, value of one user attribute in JSON."""
        import sqlalchemy as sa

        a = _table("trial_user_attributes")
        return self._of(a, sa.select(a.c.trial_id, a.c.value_json).where(a.c.key == key))

    def _of(self, table: TableClause, query: Select[Any]) -> Select[Any]:
        """The rows of a table that belong to the trials of the studies; no join for all of them."""
        if self._keys is None:
            return query
        trials = _table("trials")
        joined = query.join_from(table, trials, trials.c.trial_id == table.c.trial_id)
        return self._chosen(joined, trials)

    def _chosen(self, query: Select[Any], trials: TableClause) -> Select[Any]:
        return query if self._keys is None else query.where(trials.c.study_id.in_(self._keys))


def _table(name: str) -> TableClause:
    import sqlalchemy as sa

    return sa.table(name, *(sa.column(column) for column in COLUMNS[name].split()))
