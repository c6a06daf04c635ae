"""What columns are usually called, and by which signs their part in a history is guessed."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ringfence.history.guessing.results import name_words, was_measured

TASKS = (
    "task", "task_id", "task_name", "dataset", "dataset_id", "dataset_name", "data_set", "data_id",
    "study", "study_name", "experiment", "experiment_name", "problem",
    "datensatz", "aufgabe", "jeu de données", "tâche", "conjunto de datos", "tarea",
)  # fmt: skip
STUDIES = ("study", "study_name", "experiment", "experiment_name")
"""Of these, the ones that often name the run instead."""
LABELS = {
    "", "id", "ids", "uuid", "guid", "index", "idx", "no", "nr", "row", "run", "run_id", "run_name",
    "run_number", "trial", "trial_id", "trial_number", "trial_name", "number", "name", "config",
    "config_id", "iteration", "job", "job_id", "slurm_job_id", "pid", "worker", "node",
    "seed", "random_seed", "rng_seed", "random_state", "repeat", "repetition", "replicate", "fold",
    "cv_fold", "split", "timestamp", "date", "datetime", "day", "created", "created_at", "updated",
    "updated_at", "started", "started_at", "finished", "finished_at", "user", "author", "owner",
    "host", "hostname", "machine", "cluster", "gpu", "gpus", "gpu_type", "gpu_count", "gpu_name",
    "cpu_count", "os", "platform", "python", "python_version", "version", "code_version", "release",
    "git", "git_sha", "git_hash", "git_commit", "git_branch", "sha", "hash", "commit", "branch",
    "checkpoint_path", "path", "file", "filename", "folder", "url", "link", "notes",
    "note", "comment", "comments", "remark", "remarks", "description", "tag", "tags", "group",
    "sweep", "project", "entity",
    # German, French, Spanish and Italian
    "lauf", "lauf_nr", "laufnr", "laufnummer", "lauf_id", "nummer", "versuch", "versuch_nr",
    "zeile", "bemerkung", "bemerkungen", "kommentar", "kommentare", "notiz", "notizen",
    "anmerkung", "anmerkungen", "datum", "rechner", "benutzer", "autor", "numéro", "numero",
    "essai", "ligne", "commentaire", "commentaires", "remarque", "remarques", "auteur", "fecha",
    "nota", "notas", "comentario", "comentarios", "observaciones", "commento", "commenti",
    "osservazioni", "autore",
}  # fmt: skip
"""Columns that tell which run it was, where and when: never what was tuned, unless named."""
LABEL_ENDINGS = ("_uuid", "_sha", "_hash", "_path", "_dir", "_url", "_at", "_timestamp", "_date")
TIMES = {
    "time", "runtime", "duration", "elapsed", "walltime", "wallclock", "latency", "seconds",
    "secs", "timetrain", "timepredict",
    "zeit", "laufzeit", "rechenzeit", "trainingszeit", "dauer", "sekunden", "minuten", "stunden",
    "temps", "durée", "duree", "tiempo", "duración", "duracion", "tempo", "durata",
}  # fmt: skip
UNITS = {"s", "sec", "secs", "seconds", "ms", "min", "mins", "minutes", "h", "hours", "hrs"}
TIMED = {"train", "training", "fit", "predict", "eval", "total", "wall", "cpu", "run", "inference"}
"""With a unit behind it, such as train_s, this is a time."""
TIMED_SETTINGS = {"limit", "max", "budget", "decay", "delay", "half", "hold", "ramp"}
"""With one of these, such as time_limit or decay_time, it is a setting."""
LENGTHS = {
    "epochs", "n_epochs", "num_epochs", "train_epochs", "iterations", "n_iterations", "iters",
    "rounds", "n_rounds", "n_steps", "num_steps", "train_steps", "total_steps",
}  # fmt: skip
"""How long a run went, or was to go: a parameter, unless the values show that runs ended early."""

ATTRIBUTES = ("user_attrs_", "system_attrs_")
"""What Optuna writes in front of the names of facts about a trial."""
PARAMETER_PREFIXES = ("param_", "params_", "params.", "config/", "config.")
"""What scikit-learn, Optuna, MLflow and Ray Tune write in front of the names of parameters."""

STOPPED = 0.2
"""If at least this share of the runs has the largest of many lengths, it was a cap, and the others
ended before it; lengths drawn at random pile up nowhere."""
SHORT_TABLE = 50
"""Up to this many rows, texts that never repeat may still be choices."""
COUNTED = 12
"""A column that counts as many rows as this one by one was not tuned."""
COUNTER = "counts the rows"


def is_label(name: str) -> bool:
    """Whether a column of this name tells which run it was, where or when."""
    stem = "_".join(name_words(name))
    blank = not name.strip() or name.strip().lower().startswith("unnamed:")
    if blank or name.lower().startswith(ATTRIBUTES):
        return True
    return stem != "" and (stem in LABELS or stem.endswith(LABEL_ENDINGS))


_YEAR, _PART = r"[12][0-9]{3}", r"[0-9]{1,2}"
_SHORT = r"[0-3][0-9]\.[01][0-9]\.[0-9]{2}"
DATE = rf"^\s*({_YEAR}[-/.]{_PART}[-/.]{_PART}|{_PART}[-/.]{_PART}[-/.]{_YEAR}|{_SHORT})($|[^0-9])"
"""2024-01-05, 2024/1/5, 05.01.2024 and 05.01.24, with or without a time behind."""
MOSTLY = 0.9  # of the cells of a column


def why_no_parameter(column: pl.Series, finished: pl.Series | None = None) -> str | None:
    """What the column holds if it tells of the run rather than of what was tried, in a word or two;
    None if it may be a parameter. `finished` says which runs did, if that is known."""
    words = name_words(column.name)
    stem = "_".join(words)
    if not column.count():
        return "empty"
    if column.dtype.is_temporal():
        return "dates"
    if is_label(column.name):
        return "labels"
    if is_time(words):  # also as text: 12 min, 0:35:10
        return "times"
    if column.dtype.is_numeric():
        return _why_no_number(column, stem, finished)
    if are_dates(column):
        return "dates"
    is_long_text = column.dtype == pl.String and len(column) > SHORT_TABLE
    if is_long_text and column.n_unique() > 0.5 * len(column):
        return "texts that hardly repeat"
    return None


def are_dates(column: pl.Series) -> bool:
    """Whether this is a column of dates in text."""
    texts = column.drop_nulls()
    if column.dtype != pl.String or not len(texts):
        return False
    return int(texts.str.contains(DATE).sum()) >= MOSTLY * len(texts)


def _why_no_number(column: pl.Series, stem: str, finished: pl.Series | None) -> str | None:
    if was_measured(column):
        return "results"
    if stem in LENGTHS and _ended_early(column, finished):
        return "how far runs got"
    return COUNTER if _counts_rows(column) else None


def _counts_rows(column: pl.Series) -> bool:
    """Whether the values are 0, 1, 2, … or 1, 2, 3, … down the whole table."""
    if not column.dtype.is_integer() or len(column) < COUNTED or column.null_count():
        return False
    return column[0] in (0, 1) and bool((column.diff().drop_nulls() == 1).all())


def is_time(words: Sequence[str]) -> bool:
    """Whether words such as train, time, s name a time; a limit on it would be a setting."""
    if not words or TIMED_SETTINGS.intersection(words):
        return False
    last = words[-1]
    if last in TIMES or (
        words[0] in ("runtime", "duration", "elapsed", "walltime", "time")
        and (len(words) == 1 or last in UNITS)
    ):
        return True
    return last in UNITS and len(words) > 1 and bool((TIMES | TIMED).intersection(words[:-1]))


def _ended_early(column: pl.Series, finished: pl.Series | None) -> bool:
    """Whether lengths of runs are results: finished runs share one that failed ones do not reach,
    or many runs share the largest and the others scatter below it."""
    lengths = column.drop_nulls()
    if finished is not None and not finished.all() and finished.any():
        done, rest = column.filter(finished).drop_nulls(), column.filter(~finished).drop_nulls()
        if done.n_unique() == 1 and len(rest) and (rest < done[0]).all():
            return True
    at_cap = int((lengths == lengths.max()).sum())
    different = lengths.n_unique()
    return different > 10 and at_cap >= STOPPED * len(lengths) and at_cap < len(lengths)
