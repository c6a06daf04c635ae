"""The selects over Optuna's tables, in words that every SQL dialect has.

A column named by a word that some dialect keeps for itself (`key`) is safe after its table's name.
`:name` stands for a value.
"""

from __future__ import annotations


class Selects:
    """The queries for some studies; for all of them without `keys`."""

    STUDIES = "SELECT s.study_id, s.study_name FROM studies s ORDER BY s.study_id"
    """study, name; in the order in which they were made."""
    DIRECTIONS = (
        "SELECT d.study_id, d.direction FROM study_directions d ORDER BY d.study_id, d.objective"
    )
    """study, direction; objective by objective."""
    STUDY_ATTRIBUTES = "SELECT a.study_id, a.key, a.value_json FROM study_user_attributes a"
    """study, key, JSON."""
    METRICS = "SELECT a.study_id, a.value_json FROM study_system_attributes a WHERE a.key = :key"
    """study, names of its objectives in JSON."""

    def __init__(self, keys: tuple[int, ...] | None = None) -> None:
        self._keys = keys

    def trials(self) -> str:
        """trial, study, number, state, when it began and when it ended."""
        ends = "t.datetime_start, t.datetime_complete"
        select = f"SELECT t.trial_id, t.study_id, t.number, t.state, {ends} FROM trials t"
        return f"{select} WHERE {self._chosen()} ORDER BY t.study_id, t.number"

    def times(self) -> str:
        """study, when a trial was the last to begin, when one was the last to end."""
        ends = "MAX(t.datetime_start), MAX(t.datetime_complete)"
        select = f"SELECT t.study_id, {ends} FROM trials t"
        return f"{select} WHERE {self._chosen()} GROUP BY t.study_id"

    def counts(self) -> str:
        """study, number of trials, sum of their ids, number of those that are not finished."""
        open_ones = "SUM(CASE WHEN t.state IN ('RUNNING', 'WAITING') THEN 1 ELSE 0 END)"
        select = f"SELECT t.study_id, COUNT(*), SUM(t.trial_id), {open_ones} FROM trials t"
        return f"{select} WHERE {self._chosen()} GROUP BY t.study_id"

    def sums(self) -> str:
        """study, sum of the values of its trials; without those so large that a sum may be none."""
        value = "CASE WHEN x.value BETWEEN -1e100 AND 1e100 THEN x.value END"
        joined = "FROM trial_values x JOIN trials t ON t.trial_id = x.trial_id"
        return (
            f"SELECT t.study_id, SUM({value}) {joined} WHERE {self._chosen()} GROUP BY t.study_id"
        )

    def listed(self) -> str:
        """trial, study, number, state, when it ended, its first value."""
        each = "t.trial_id, t.study_id, t.number, t.state, t.datetime_complete, x.value"
        first = "LEFT JOIN trial_values x ON x.trial_id = t.trial_id AND x.objective = 0"
        return f"SELECT {each} FROM trials t {first} WHERE {self._chosen()}"

    def values(self) -> str:
        """trial, objective, value, kind of value (finite or which infinity)."""
        return self._of("SELECT x.trial_id, x.objective, x.value, x.value_type FROM trial_values x")

    def params(self) -> str:
        """trial, name, value."""
        return self._of("SELECT x.trial_id, x.param_name, x.param_value FROM trial_params x")

    def distributions(self) -> str:
        """study, name, distribution in JSON, id of its first use: each once, in that order."""
        each = "t.study_id, p.param_name, p.distribution_json"
        joined = "FROM trial_params p JOIN trials t ON t.trial_id = p.trial_id"
        grouped = f"{joined} WHERE {self._chosen()} GROUP BY {each}"
        return f"SELECT {each}, MIN(p.param_id) {grouped} ORDER BY MIN(p.param_id)"

    def attributes(self) -> str:
        """trial, value of the user attribute `:key` in JSON."""
        return self._attribute("trial_user_attributes")

    def reasons(self) -> str:
        """trial, value of the system attribute `:key` in JSON."""
        return self._attribute("trial_system_attributes")

    def _attribute(self, table: str) -> str:
        select = self._of(f"SELECT x.trial_id, x.value_json FROM {table} x")
        return f"{select} {'WHERE' if self._keys is None else 'AND'} x.key = :key"

    def _of(self, select: str) -> str:
        """The rows of the table x that belong to the trials of the studies; no join for all."""
        if self._keys is None:
            return select
        return f"{select} JOIN trials t ON t.trial_id = x.trial_id WHERE {self._chosen()}"

    def _chosen(self) -> str:
        """The condition for the studies of the trials t; none is a study of no number."""
        if self._keys is None:
            return "1 = 1"
        return f"t.study_id IN ({', '.join(str(int(key)) for key in self._keys) or 'NULL'})"
