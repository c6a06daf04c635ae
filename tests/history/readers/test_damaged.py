"""Damaged stores of other tools: each is one clear line, or read without what is damaged."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import sys
import zipfile
from contextlib import closing

import pytest

import ringfence as rf
from ringfence.history.example import EXAMPLES, unpack_example
from ringfence.history.readers.shared import sqlite
from ringfence.history.readers.shared.header import column_names
from ringfence.history.readers.shared.sqlite import opened

DEEP = "[" * 5000
RANGE = '{"name": "IntDistribution", "attributes": {"low": 0, "high": %s}}'


def refused(source, **options) -> str:
    """The one line that says why the source cannot be read."""
    with pytest.raises(rf.HistoryError) as caught:
        rf.read_history(source, **options)
    line = str(caught.value)
    assert line and "\n" not in line and len(line) < 1000
    return line


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples")
    return {name: unpack_example(name, folder / name) for name in EXAMPLES}


@pytest.fixture
def changed(examples, tmp_path):
    """A database of an example, without its constraints, after a statement of SQL."""

    def change(name, statement, *values):
        path = tmp_path / examples[name].name
        shutil.copy(examples[name], path)
        table = re.findall(r"(?:UPDATE|INTO) (\w+)", statement)[0]
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"CREATE TABLE free AS SELECT * FROM {table}")
            connection.execute(f"DROP TABLE {table}")
            connection.execute(f"ALTER TABLE free RENAME TO {table}")
            connection.execute(statement, values)
        return path

    return change


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE latest_metrics SET value = 'high'",
        "UPDATE latest_metrics SET value = x'ff00', is_nan = 'x'",
        "UPDATE runs SET status = 5, start_time = 'yesterday'",
        "UPDATE runs SET status = NULL",
        "UPDATE experiments SET name = 7",
        "UPDATE experiments SET name = NULL",
        "UPDATE tags SET value = NULL",
        "UPDATE params SET value = x'ff00'",
    ],
)
def test_other_types_in_tables_of_mlflow(statement, changed):
    path = changed("mlflow", statement)
    for task in (None, "tags.mlflow.runName"):
        try:
            str(rf.read_history(path, task=task))
        except rf.HistoryError as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("UPDATE study_user_attributes SET value_json = ?", '{"a":'),
        ("UPDATE study_user_attributes SET value_json = ?", DEEP),
        ("INSERT INTO study_user_attributes VALUES (99, 1, 'dataset', ?)", '{"a":'),
        ("INSERT INTO trial_user_attributes VALUES (99, 1, 'dataset', ?)", '{"a":'),
        ("INSERT INTO study_system_attributes VALUES (99, 1, 'study:metric_names', ?)", "7"),
        ("INSERT INTO study_system_attributes VALUES (99, 1, 'study:metric_names', ?)", "{"),
        ("UPDATE trial_params SET distribution_json = ?", DEEP),
        ("UPDATE trial_params SET distribution_json = ?", RANGE % '1, "step": "int"'),
        ("UPDATE trial_params SET distribution_json = ?", RANGE % "NaN"),
        ("UPDATE trial_params SET distribution_json = ?", RANGE % "Infinity"),
        ("UPDATE trial_params SET distribution_json = ?", "[1]"),
        ("UPDATE trial_params SET distribution_json = ?", None),
        ("UPDATE trial_params SET param_name = ?", None),
        ("UPDATE trial_params SET param_name = ? WHERE param_name = 'C'", "^.*$"),
        ("UPDATE trial_params SET param_value = ?", "high"),
        ("UPDATE trials SET state = ?", None),
        ("UPDATE trials SET number = ?", "first"),
        ("UPDATE trials SET number = ?", -1),
        ("UPDATE trial_values SET value = ?, value_type = 'x'", "low"),
        ("UPDATE study_directions SET direction = ?", "UP"),
    ],
)
def test_other_types_in_tables_of_optuna(statement, value, changed):
    path = changed("optuna", statement, value)
    for task in (None, "dataset"):
        try:
            str(rf.read_history(path, task=task))
        except rf.HistoryError as error:
            assert "\n" not in str(error) and len(str(error)) < 1000


@pytest.mark.parametrize("number", [None, -1, 2**40])
def test_a_trial_without_a_usable_number_has_a_place(number, changed):
    history = rf.read_history(changed("optuna", "UPDATE trials SET number = ?", number))
    kept = history.only(history.tasks[:1])
    assert kept.places.of(0).startswith("trial None")


@pytest.mark.parametrize("names", ['["loss", "speed"]', "[]"])
def test_names_of_objectives_that_are_too_many_or_too_few(names, changed):
    statement = "INSERT INTO study_system_attributes VALUES (99, 1, 'study:metric_names', ?)"
    path = changed("optuna", statement, names)
    assert rf.read_history(path).roles.objective == "value"
    with pytest.raises(rf.HistoryError, match="no objective 'speed'"):
        rf.read_history(path, objective="speed")


def test_one_bad_category_fails_its_trial_and_not_the_parameter(examples, changed):
    good = rf.read_history(examples["optuna"])
    name = "kernel"
    assert name in good.roles.parameters
    path = changed(
        "optuna",
        "UPDATE trial_params SET param_value = 99 WHERE param_id = "
        "(SELECT MIN(param_id) FROM trial_params WHERE param_name = ?)",
        name,
    )
    history = rf.read_history(path)
    assert history.roles.parameters == good.roles.parameters
    assert any("1 of" in note and "none of its choices" in note for note in history.notes)
    learned = rf.learn(history, starts=0)
    assert learned.provenance.rows_used == rf.learn(good, starts=0).provenance.rows_used - 1


@pytest.fixture
def mlruns(tmp_path):
    """A store with one experiment and two runs."""
    store = tmp_path / "mlruns"
    for run, value in (("r1", "0.5"), ("r2", "0.7")):
        for kind in ("params", "metrics", "tags"):
            (store / "1" / run / kind).mkdir(parents=True)
        (store / "1" / run / "meta.yaml").write_text(f"run_id: {run}\nstatus: 3\nstart_time: 1\n")
        (store / "1" / run / "params" / "x").write_text(value)
        (store / "1" / run / "metrics" / "loss").write_text("1 0.25 0\n")
    (store / "1" / "meta.yaml").write_text("name: digits\n")
    return store


def test_a_link_out_of_a_store_is_not_followed(mlruns, tmp_path):
    assert rf.read_history(mlruns).frame["x"].to_list() == [0.5, 0.7]
    secret = tmp_path / "secret"
    secret.write_text("0.9")
    param = mlruns / "1" / "r1" / "params" / "x"
    param.unlink()
    param.symlink_to(secret)
    assert "is a link" in refused(mlruns)
    shutil.rmtree(param.parent)
    param.parent.symlink_to(tmp_path)
    assert "is a link" in refused(mlruns)


@pytest.mark.parametrize(
    "meta",
    [
        "run_id: r1\nstart_time: 2020-13-45\n",
        "run_id: r1\nstart_time: 2020-01-01\nstatus: [3]\n",
        "run_id: r1\nstart_time: yesterday\n",
        "run_id: r1\nstart_time: .nan\n",
        f"run_id: r1\nstart_time: {'9' * 310}\n",
        "run_id: !!python/object/apply:os.getcwd []\n",
        "run_id: !strange r1\n",
        "run_id: !!int x\n",
        "run_id: &a [*a]\n",
        f"run_id: {DEEP}\n",
    ],
)
def test_odd_descriptions_of_runs_of_mlflow(meta, mlruns):
    (mlruns / "1" / "r1" / "meta.yaml").write_text(meta)
    try:
        assert rf.read_history(mlruns).frame["x"].len()
    except rf.HistoryError as error:
        assert "meta.yaml" in str(error) and "\n" not in str(error)


def test_ids_of_ray_trials_may_be_numbers(tmp_path):
    trials = []
    for number in (2, 1):
        folder = tmp_path / f"t{number}"
        folder.mkdir()
        (folder / "params.json").write_text(f'{{"x": {number}}}')
        (folder / "result.json").write_text('{"loss": 1}\n')
        trials.append([json.dumps({"relative_logdir": f"t{number}", "trial_id": number}), "{}"])
    trials.append([json.dumps({"relative_logdir": ["t"], "trial_id": None}), "{}"])
    (tmp_path / "experiment_state-1.json").write_text(json.dumps({"trial_data": trials}))
    assert rf.read_history(tmp_path).frame["x"].to_list() == [1, 2]


@pytest.mark.parametrize("digits", [310, 5000])
@pytest.mark.parametrize("name", ["smac", "raytune", "hpob", "synetune"])
def test_integers_beyond_all_floats(name, digits, examples, tmp_path):
    base = examples[name] if examples[name].is_dir() else examples[name].parent
    shutil.copytree(base, tmp_path / name)
    for path in (tmp_path / name).rglob("*.json"):
        text = path.read_text()
        place = next((i for i, letter in enumerate(text) if letter.isdigit()), 0)
        path.write_text(text[:place] + "9" * digits + text[place:])
    try:
        source = (tmp_path / name) / EXAMPLES[name].source
        str(rf.read_history(source, format=EXAMPLES[name].format))
    except rf.HistoryError as error:
        assert "\n" not in str(error)


def test_numbers_too_large_for_a_column_leave_the_table_readable(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text(f"task,x,loss\na,1,1\na,{'9' * 400},2\nb,2,3\n")
    assert rf.learn(rf.read_history(path), starts=0).provenance.rows_used == 2


@pytest.mark.parametrize(
    "text",
    ["task,x,loss\ra,1,2\rb,2,3\r", "task,x,loss\ra,1,2\rb,2,3\n",
     "task,x,loss\na,1,2\nb,2\r,3,4\n", f"task,{'x' * 140_000},loss\na,1,2\nb,2,3\n",
     f"task,{'x' * 140_000},loss\na,1,2,3\nb,2,3\n"],
)  # fmt: skip
def test_line_ends_and_headers_of_any_length(text, tmp_path):
    path = tmp_path / "r.csv"
    path.write_bytes(text.encode())
    try:
        assert rf.read_history(path).tasks == ("a", "b")
    except rf.HistoryError as error:
        assert "more values than the header has names" in str(error)


def test_a_zip_with_a_password_and_one_that_is_damaged(tmp_path):
    path = tmp_path / "results.csv.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("results.csv", "trial_id,loss,config_x\n0,1.0,0.5\n" * 50)
    good = path.read_bytes()
    central = good.index(b"PK\1\2")
    for damage in ({6: 1, central + 8: 1}, {8: 99, central + 10: 99}, {45: 255, 46: 255}):
        bad = bytearray(good)
        for place, byte in damage.items():
            bad[place] = byte
        path.write_bytes(bad)
        assert "results.csv.zip cannot be read as zip" in refused(tmp_path)


def test_looking_names_up_does_not_take_longer_for_each():
    compared = []

    class Name(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other):
            compared.append(1)
            return str.__eq__(self, other)

        def strip(self):
            return self

    names = column_names([Name(f"x{i}") for i in range(1000)], "r.csv")
    assert len(names) == 1000 and len(compared) < 2000


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text elsewhere")
def test_names_of_files_that_are_no_text(tmp_path, examples):
    odd = tmp_path / os.fsdecode(b"odd\xff.csv")
    shutil.copy(examples["csv"], odd)
    learned = rf.learn(odd, starts=0)
    learned.save(tmp_path / "learned.json")
    assert rf.load(tmp_path / "learned.json").provenance.source == "odd?.csv"
    shutil.copytree(examples["smac"], tmp_path / "smac")
    first = next(path for path in (tmp_path / "smac").iterdir() if path.is_dir())
    first.rename(first.parent / os.fsdecode(b"odd\xff"))
    rf.learn(tmp_path / "smac", starts=0).save(tmp_path / "learned.json")
    assert "odd?" in {task.name for task in rf.load(tmp_path / "learned.json").tasks}


def test_damaged_pages_of_a_database(examples, tmp_path):
    good = examples["mlflow"].read_bytes()
    for place in range(0, len(good), len(good) // 40):
        (tmp_path / "x.db").write_bytes(good[:place] + b"\xaa" * 64 + good[place + 64 :])
        try:
            rf.read_history(tmp_path / "x.db", format="mlflow")
        except rf.HistoryError as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize("row", [5, 605])  # the first one comes with the query, others later
def test_a_record_that_states_a_size_beyond_all_files_is_damage(row, tmp_path):
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA page_size = 512")  # so that the text would go on elsewhere
        database.execute("CREATE TABLE t (a TEXT, b TEXT)")
        rows = [(f"{i:04d}" + "x" * 200, "") for i in range(700)]
        database.executemany("INSERT INTO t VALUES (?, ?)", rows)
        database.commit()
    content = path.read_bytes()
    text = content.index(f"{row:04d}xxx".encode())
    start = content.rindex(b"\x81\x50", 0, text)  # the record's size, 208
    wrong = b"\x8f\xff\xff\xff\x7f" + content[start + 2 : text]  # 2**32 - 1
    path.write_bytes(content[:start] + wrong + content[start + len(wrong) :])
    said = r"x\.db: a record of it states a size that cannot be"
    with pytest.raises(rf.HistoryError, match=said), opened(path) as database:
        database.rows("SELECT a FROM t WHERE rowid > 5")


def test_a_lack_of_memory_is_not_called_damage(monkeypatch, tmp_path):
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE t (a TEXT)")

    class Full:
        def execute(self, statement, values):
            raise MemoryError

    monkeypatch.setattr(sqlite, "CHUNK", sys.maxsize // 2**20 // 4)  # more than any machine has
    with pytest.raises(MemoryError):
        sqlite._File(Full(), path).rows("SELECT a FROM t")
