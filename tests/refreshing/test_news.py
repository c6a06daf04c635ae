"""What is new in an Optuna storage: read once, and in the end as if all had been read at once."""

from __future__ import annotations

import sqlite3

import optuna
import pytest
from storages import Busy

import ringfence as rf
from ringfence.history.readers.optuna import news
from ringfence.history.readers.shared.memory import Memory, Unchanged
from ringfence.learned.file_format import encode


class Reader:
    """Reads a storage again and again, from memory, and holds each read against a full one."""

    def __init__(self, url: str, **reading: object) -> None:
        self.url, self.reading = url, reading
        self.content: bytes | None = None
        self.known: str | None = None
        self.last = ""

    def read(self) -> str:
        """How much was read; '' if nothing is new."""
        full = self._learned()
        memory = Memory(self.content, self.known)
        try:
            new = self._learned(memory=memory)
        except Unchanged:
            assert self.last == full
            return ""
        assert new == full
        self.content, self.known, self.last = memory.content(), memory.digest, full
        return memory.note

    def _learned(self, **more: object) -> str:
        history = rf.read_history(self.url, direction="minimize", **self.reading, **more)
        learned = encode(rf.learn(history, starts=0)).decode()
        return f"{learned} {history.notes} {history.frame.write_csv()}"


@pytest.fixture
def storage(tmp_path):
    return Busy(f"sqlite:///{tmp_path}/studies.db", 0)


def everything_happens(storage: Busy, reader: Reader, times: int) -> None:
    storage.create()
    for _ in range(times):
        for _ in range(storage.rng.randrange(4)):
            storage.happen()
        reader.read()


@pytest.mark.parametrize("seed", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_whatever_happens_between_two_reads(tmp_path, seed):
    storage = Busy(f"sqlite:///{tmp_path}/studies.db", seed)
    everything_happens(storage, Reader(storage.url), 8)


def test_the_same_on_a_server(postgres):
    storage = Busy(postgres, 5)
    everything_happens(storage, Reader(storage.url), 4)


def test_trials_are_read_once(storage):
    storage.create()
    storage.try_some("task-0", 20)
    while storage.running:
        storage.finish()
    reader = Reader(storage.url)
    assert reader.read() == "22 trials were read"
    assert reader.read() == ""
    study = optuna.load_study(storage=storage.url, study_name="task-0")
    study.tell(study.ask({"x": optuna.distributions.FloatDistribution(0, 1)}), 0.5)
    assert reader.read() == "1 of 23 trials were read, the others are known"
    storage.create()
    while storage.running:
        storage.finish()
    assert reader.read().startswith("2 of 25 ")


def test_a_running_trial_is_read_until_it_is_finished(storage):
    storage.create()
    while storage.running:
        storage.finish()
    study = optuna.load_study(storage=storage.url, study_name="task-0")
    trial = study.ask()
    reader = Reader(storage.url)
    reader.read()
    assert reader.read() == ""
    trial.suggest_float("x", 0, 1)  # changes nothing that the storage counts
    assert reader.read().startswith("1 of 3 ")
    study.tell(trial, -1.0)
    assert reader.read().startswith("1 of 3 ")
    assert "-1.0" in reader.last
    assert reader.read() == ""


def test_a_trial_that_was_deleted_by_hand_is_gone(storage, tmp_path):
    storage.create()
    storage.try_some("task-0", 8)
    reader = Reader(storage.url)
    reader.read()
    with sqlite3.connect(tmp_path / "studies.db") as connection:
        for table in ("trial_params", "trial_values", "trials"):
            connection.execute(f"DELETE FROM {table} WHERE trial_id = 1")
    assert reader.read() == "9 trials were read; gone or others since the last time: 1"


def test_another_storage_at_the_same_place_is_another_one(tmp_path):
    """Its ids and numbers are the same; when the trials ended is not."""
    path = tmp_path / "studies.db"
    reader = Reader(f"sqlite:///{path}")
    for seed in (1, 2):
        path.unlink(missing_ok=True)
        storage = Busy(reader.url, seed)
        storage.create()
        storage.try_some("task-0", 6)
        reader.read()


def test_a_study_made_anew_under_its_old_ids_is_read_again(storage):
    storage.create()
    storage.try_some("task-0", 8)
    while storage.running:
        storage.finish()
    reader = Reader(storage.url)
    reader.read()
    trials = optuna.load_study(storage=storage.url, study_name="task-0").trials
    optuna.delete_study(storage=storage.url, study_name="task-0")
    anew = optuna.create_study(storage=storage.url, study_name="task-0")
    for trial in trials:
        if trial.values:
            trial.values = [1.0 - trial.value]  # all else, the times included, is as it was
        anew.add_trial(trial)
    finished = sum(bool(trial.values) for trial in trials)
    note = f"10 trials were read; gone or others since the last time: {finished}"
    assert reader.read() == note
    assert reader.read() == ""


def test_late_commits_are_named_one_by_one_or_the_study_is_read_again(storage, monkeypatch):
    monkeypatch.setattr(news, "MOST_NAMED", 1)
    everything_happens(storage, Reader(storage.url), 6)


def test_tasks_may_be_named_by_attributes_of_trials(storage):
    storage.create()
    study = optuna.load_study(storage=storage.url, study_name="task-0")
    reader = Reader(storage.url, task="data")
    for name in ("iris", "wine"):
        for value in (0.1, 0.2):
            trial = study.ask({"x": optuna.distributions.FloatDistribution(0, 1)})
            trial.set_user_attr("data", name)
            study.tell(trial, value)
        reader.read()


def test_a_damaged_memory_is_no_memory(storage):
    storage.create()
    reader = Reader(storage.url)
    reader.read()
    whole = reader.content
    for content in (whole[:-1], whole[:80], b"", b"\0" * 200, whole[:70] + b"x" + whole[71:]):
        assert Memory(content).tables == {}
    assert Memory(whole).tables


def test_memory_is_not_for_users(storage):
    storage.create()
    with pytest.raises(rf.HistoryError, match="leave it out"):
        rf.read_history(storage.url, memory="yes")
