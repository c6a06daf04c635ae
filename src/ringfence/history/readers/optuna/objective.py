"""Which of a study's objectives counts, and which way is better, for many studies at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from ringfence.errors import HistoryError, UnusedError
from ringfence.history.directions import Direction
from ringfence.history.readers.optuna.rows import Rows, StudyInfo
from ringfence.history.roles import require_direction
from ringfence.words import some

LEFT_OUT = ("left out study ", "left out studies ")
"""How notes on studies without a run in the history begin."""


@dataclass(frozen=True)
class Objectives:
    """The studies that have the objective, where in each, and the direction of the history."""

    studies: tuple[StudyInfo, ...]
    index: Mapping[int, int]
    label: str
    direction: Direction
    notes: tuple[str, ...]

    def trials(self, rows: Rows) -> pl.DataFrame:
        """The trials of these studies."""
        return rows.trials.filter(pl.col("study").is_in([study.key for study in self.studies]))

    def values(self, rows: Rows) -> pl.DataFrame:
        """`trial` and `value`, negated for studies that go the other way."""
        picked = pl.DataFrame(
            {
                "study": [study.key for study in self.studies],
                "objective": [self.index[study.key] for study in self.studies],
                "sign": [
                    1.0 if study.directions[self.index[study.key]] == self.direction else -1.0
                    for study in self.studies
                ],
            },
            schema={"study": pl.Int64, "objective": pl.Int64, "sign": pl.Float64},
        )
        return (
            rows.values.join(rows.trials.select("trial", "study"), on="trial")
            .join(picked, on=["study", "objective"])
            .select("trial", (pl.col("value") * pl.col("sign")).alias("value"))
        )


def objectives(rows: Rows, wanted: str | int | None, direction: str | None) -> Objectives:
    """Find the wanted objective in every study; those that lack it are left out and named."""
    require_direction(direction)
    if wanted is not None and (isinstance(wanted, bool) or not isinstance(wanted, (str, int))):
        raise HistoryError(f"objective must be a name or an integer, not {wanted!r}")
    indices = {study.key: _index(study, wanted) for study in rows.studies}
    index = {key: i for key, i in indices.items() if i is not None}
    studies = tuple(study for study in rows.studies if study.key in index)
    if not studies and wanted is not None:
        raise UnusedError(_why_none(rows.studies, wanted), wanted)
    if not studies:
        raise HistoryError(_why_none(rows.studies, wanted))
    without = [study.name for study in rows.studies if study.key not in index]
    directions = {study.key: study.directions[index[study.key]] for study in studies}
    common = _common_direction(list(directions.values()), direction)
    other_way = [study for study in studies if directions[study.key] != common]
    stray: list[StudyInfo] = []
    is_minority = 2 * len(other_way) < len(studies)  # of two halves, neither is stray
    if direction is None and is_minority and not _is_mirrored(rows, directions, index, common):
        stray = other_way
        studies = tuple(study for study in studies if study not in stray)
        index = {study.key: index[study.key] for study in studies}
    negated = [study.name for study in other_way if study not in stray]
    labels = {study.metrics[index[study.key]] for study in studies if study.metrics}
    label = labels.pop() if len(labels) == 1 else "value"
    notes = [*_left_out(without, wanted), *_negated(negated, common), *_stray(stray, common)]
    return Objectives(studies, index, label, common, tuple(notes))


def _common_direction(directions: Sequence[str], wanted: str | None) -> Direction:
    """The direction of the history: the wanted one if studies differ, else that of most."""
    if wanted is not None:
        if len(set(directions)) == 1 and wanted not in directions:
            raise HistoryError(
                f"the studies {directions[0]} their objective; leave direction={wanted!r} "
                f"(--direction {wanted}) out"
            )
        return "maximize" if wanted == "maximize" else "minimize"
    up = sum(direction == "maximize" for direction in directions)
    return "maximize" if 2 * up > len(directions) else "minimize"


def _is_mirrored(
    rows: Rows, directions: Mapping[int, str], index: Mapping[int, int], common: Direction
) -> bool:
    """Whether studies that go the other way have the same metric with the other sign: all of their
    values are on one side of zero, and all those of the rest on the other."""
    values = rows.values.join(rows.trials.select("trial", "study"), on="trial").filter(
        pl.col("value").is_finite()
    )
    sides: dict[bool, set[bool]] = {True: set(), False: set()}
    for key, number in index.items():
        own = values.filter((pl.col("study") == key) & (pl.col("objective") == number))["value"]
        sides[directions[key] == common] |= set((own.filter(own != 0) > 0).to_list())
    return len(sides[True]) == len(sides[False]) == 1 and sides[True] != sides[False]


def _stray(studies: Sequence[StudyInfo], common: Direction) -> list[str]:
    if not studies:
        return []
    go, them = ("goes", "it") if len(studies) == 1 else ("go", "them")
    return [
        f"left out {_studies([study.name for study in studies])}, which {go} the other way: most "
        f"{common}; direction={common!r} (--direction {common}) takes {them} too, with the values "
        "negated"
    ]


def _left_out(studies: Sequence[str], wanted: str | int | None) -> list[str]:
    if not studies:
        return []
    have = "has" if len(studies) == 1 else "have"
    why = "several objectives" if wanted is None else f"no objective {wanted!r}"
    return [f"left out {_studies(studies)}, which {have} {why}"]


def _negated(studies: Sequence[str], common: Direction) -> list[str]:
    if not studies:
        return []
    go = "goes" if len(studies) == 1 else "go"
    return [f"{common}: the values of {_studies(studies)}, which {go} the other way, are negated"]


def _index(study: StudyInfo, wanted: str | int | None) -> int | None:
    if wanted is None:
        return 0 if len(study.directions) == 1 else None
    if isinstance(wanted, str) and wanted in study.metrics:
        return study.metrics.index(wanted)
    if isinstance(wanted, str) and not wanted.isdecimal():
        return None
    return int(wanted) if 0 <= int(wanted) < len(study.directions) else None


def _why_none(studies: Sequence[StudyInfo], wanted: str | int | None) -> str:
    study = studies[0]
    names = f" or its name ({', '.join(study.metrics)})" if study.metrics else ""
    last = len(study.directions) - 1
    if wanted is None:
        return (
            f"study {study.name!r} has {last + 1} objectives; say which with objective=… "
            f"(--objective …), its number from 0 to {last}{names}"
        )
    return f"study {study.name!r} has no objective {wanted!r}; name its number, 0 to {last}{names}"


def _studies(names: Sequence[str]) -> str:
    return f"{'study' if len(names) == 1 else 'studies'} {some(names, 5)}"
