"""What an attacker tried by hand."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import subprocess
import tracemalloc
import zipfile
from itertools import pairwise

import msgspec
import numpy as np
import optuna
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ringfence as rf
from ringfence.bench.fetch.hpob import files_of
from ringfence.bench.hpob.tables import SEEDS, STARTS, TEST, TRAIN, official_suites
from ringfence.cli import main
from ringfence.cli.output.layouts import _cell
from ringfence.errors.addresses import is_address
from ringfence.history.readers.table import _count_keys
from ringfence.incoming.parsing import toml_of, yaml_of
from ringfence.quoting import shell_word
from ringfence.words import brief

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x study_id, 'n' study_name FROM c WHERE x < 0"  # noqa: E501


NAMES = (
    "a\u00a0'; touch PWN; #",
    "a\u00a0`touch PWN`",
    "\x07$(touch PWN)",
    'b\u00a0"; touch PWN',
)


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_pasted_word_ends_no_quote_in_any_shell(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    for name in (
        "a\u00a0'; touch PWN; #",
        "a\u00a0`touch PWN`",
        "\x07$(touch PWN)",
        'b\u00a0"; touch PWN',
    ):
        line = f"echo {shell_word(name)}"
        subprocess.run([shell, "-c", line], cwd=tmp_path, check=False, capture_output=True)
        assert not (tmp_path / "PWN").exists()


def test_a_view_is_no_table(tmp_path):
    """A few bytes of one stand for endless rows."""
    with sqlite3.connect(tmp_path / "o.db") as file:
        file.execute(f"CREATE VIEW studies AS {ENDLESS}")
    file.close()
    with pytest.raises(rf.RingfenceError):
        rf.read_history(tmp_path / "o.db", format="optuna")


def test_experiments_that_are_links_are_refused(tmp_path):
    elsewhere = tmp_path / "elsewhere" / "0"
    elsewhere.mkdir(parents=True)
    (elsewhere / "meta.yaml").write_text("name: other\nlifecycle_stage: active\n")
    (tmp_path / "mlruns").mkdir()
    (tmp_path / "mlruns" / "0").symlink_to(elsewhere)
    with pytest.raises(rf.HistoryError, match="link"):
        rf.read_history(tmp_path / "mlruns", objective="loss")


def test_many_choices_are_compared_in_no_time(tmp_path):
    """Twenty thousand, each looked for among the others, would be 4e8 comparisons: a minute."""
    space = rf.Space({"x": rf.Float(0, 1), "k": rf.Categorical([f"c{i}" for i in range(20_000)])})
    rows = [{"task": t, "x": 0.1 * t, "k": "c1", "loss": 1.0} for t in range(4)]
    rf.learn(rows, space, task="task", objective="loss", starts=0).save(tmp_path / "l.json")
    assert len(msgspec.json.decode((tmp_path / "l.json").read_bytes())["choices"]["k"]) == 20_000
    assert rf.load(tmp_path / "l.json").space == space


def test_integers_that_python_does_not_write_out_have_words():
    assert brief(10**5000) == "a number of more than 4,300 digits"
    assert brief([10**5000]) == "a number of more than 4,300 digits"


@pytest.mark.parametrize("option", ["charset=zz", "port=abc", "ssl_ca=/etc/hostname", "foo=x"])
def test_options_that_a_driver_does_not_know_are_one_line(option):
    pytest.importorskip("pymysql")
    with pytest.raises(rf.HistoryError, match="cannot read mysql"):
        rf.read_history(f"mysql://u@127.0.0.1:1/db?{option}")


ADDRESSES = ["https://u:TOKEN@h/x", "s3://TOKEN@b/x", "https://h/x?token=TOKEN"]


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_call_repeats_the_secret_of_an_address(address):
    for call in (rf.load, rf.load_optimizer, rf.read_space, rf.read_history):
        with pytest.raises(rf.RingfenceError) as caught:
            call(address)
        assert "TOKEN" not in str(caught.value)


def refused(source, **options) -> str:
    with pytest.raises(rf.HistoryError) as caught:
        rf.read_history(source, **options)
    return str(caught.value)


def column_file(path, column: pa.Array, **options) -> None:
    table = pa.table({"task": ["a"] * len(column), "x": column, "loss": [1.0] * len(column)})
    pq.write_table(table, path, compression="zstd", **options)


def test_cells_of_parquet_that_share_one_long_text_count_each(tmp_path, monkeypatch):
    """A few KB that polars has in 90 MB, until somebody looks at a cell: then they are 3 GB."""
    one = pa.DictionaryArray.from_arrays(pa.array(np.zeros(50_000, np.int32)), ["z" * 60_000])
    column_file(tmp_path / "r.parquet", one)
    assert (tmp_path / "r.parquet").stat().st_size < 10_000
    assert "RINGFENCE_MAX_BYTES" in refused(tmp_path / "r.parquet")
    monkeypatch.setenv("RINGFENCE_MAX_BYTES", "20_000_000")
    column_file(tmp_path / "l.parquet", pa.array([["z" * 10_000] * 20] * 120))
    assert (tmp_path / "l.parquet").stat().st_size < 10_000
    assert "RINGFENCE_MAX_BYTES" in refused(tmp_path / "l.parquet")


def test_texts_of_parquet_that_leave_out_what_they_share_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setenv("RINGFENCE_MAX_BYTES", "3_000_000")
    options = {"use_dictionary": False, "column_encoding": {"x": "DELTA_BYTE_ARRAY"}}
    column_file(tmp_path / "r.parquet", pa.array(["z" * 10_000] * 10_000), **options)
    assert "RINGFENCE_MAX_BYTES" in refused(tmp_path / "r.parquet")
    column_file(tmp_path / "ok.parquet", pa.array(["adam", "sgd"] * 300), **options)
    assert len(rf.read_history(tmp_path / "ok.parquet", task="task", objective="loss")) == 600


def test_empty_cells_of_parquet_count_as_what_they_become(tmp_path, monkeypatch):
    monkeypatch.setenv("RINGFENCE_MAX_CELLS", "1_000_000")
    pl.DataFrame({"x": pl.Series([None] * 100, dtype=pl.Array(pl.Float64, 20_000))}).write_parquet(
        tmp_path / "array.parquet"
    )
    column_file(tmp_path / "nulls.parquet", pa.nulls(400_000, pa.float64()))
    assert "RINGFENCE_MAX_CELLS" in refused(tmp_path / "array.parquet")
    assert "RINGFENCE_MAX_CELLS" in refused(tmp_path / "nulls.parquet")
    monkeypatch.setenv("RINGFENCE_MAX_BYTES", "10_000_000")
    column_file(tmp_path / "fixed.parquet", pa.nulls(1000, pa.binary(20_000)))
    assert "RINGFENCE_MAX_BYTES" in refused(tmp_path / "fixed.parquet")


def sparse(n: int) -> list[dict[str, object]]:
    """Runs that have a column each."""
    return [{"task": "a", "loss": 1.0, f"p{i}": i} for i in range(n)]


def test_tables_of_empty_cells_have_a_limit_that_can_be_raised(tmp_path, monkeypatch):
    """Rows × columns, whatever few bytes they are made of."""
    header = ",".join(["task", "loss", *(f"p{i}" for i in range(398))])
    (tmp_path / "r.csv").write_text(header + "\n" + "a,1\n" * 400)
    lines = [json.dumps(row) for row in sparse(400)]
    (tmp_path / "r.jsonl").write_text("\n".join(lines))
    (tmp_path / "nan.jsonl").write_text("\n".join(lines).replace("1.0", "NaN"))
    nested = [json.dumps({"task": "a", "loss": 1, "params": row}) for row in sparse(400)]
    (tmp_path / "nested.jsonl").write_text("\n".join(nested))
    for k in range(20):
        names = ",".join(f"p{k}_{j}" for j in range(20))
        (tmp_path / f"part{k}.csv").write_text(f"task,loss,{names}\n" + "a,1\n" * 20)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study()
    for i in range(30):
        drawn = {f"p{i}": 0.5}
        kinds = {f"p{i}": optuna.distributions.FloatDistribution(0, 1)}
        study.add_trial(optuna.create_trial(params=drawn, distributions=kinds, value=1.0))
    named = {"task": "task", "objective": "loss"}
    for name in ("r.csv", "r.jsonl", "nan.jsonl", "nested.jsonl", "part*.csv"):
        monkeypatch.setenv("RINGFENCE_MAX_CELLS", "100_000")
        message = refused(tmp_path / name, **named)
        assert "more than 100,000 cells" in message and "RINGFENCE_MAX_CELLS" in message
        monkeypatch.setenv("RINGFENCE_MAX_CELLS", "300_000")
        try:
            rf.read_history(tmp_path / name, **named)
        except rf.HistoryError as error:  # of a table that is empty
            assert "RINGFENCE" not in str(error)
    monkeypatch.setenv("RINGFENCE_MAX_CELLS", "800")
    assert "more than 800 cells" in refused(study)
    assert "more than 800 cells" in refused(sparse(30), **named)


def test_quoted_texts_with_many_lines_are_no_rows(tmp_path, monkeypatch):
    monkeypatch.setenv("RINGFENCE_MAX_CELLS", "100")
    text = '"' + "line\n" * 50 + '"'
    (tmp_path / "r.csv").write_text("task,note,x,loss\n" + f"a,{text},1,2\nb,{text},2,3\n")
    assert len(rf.read_history(tmp_path / "r.csv", ignore=["note"])) == 2


def test_a_header_of_several_lines_hides_no_columns(tmp_path):
    (tmp_path / "r.csv").write_text('"task\nname",loss' + ",x" * 30_000 + "\na,1\n")
    assert "RINGFENCE_MAX_COLUMNS" in refused(tmp_path / "r.csv")


def mlflow_tables(path, **changes: str) -> sqlite3.Connection:
    file = sqlite3.connect(path)
    tables = {
        "experiments": "experiment_id INT, name TEXT, lifecycle_stage TEXT",
        "runs": "run_uuid TEXT, experiment_id INT, status, lifecycle_stage, start_time, end_time",
        "params": "run_uuid TEXT, key TEXT, value TEXT",
        "tags": "run_uuid TEXT, key TEXT, value TEXT",
        "latest_metrics": "run_uuid TEXT, key TEXT, value REAL, is_nan INT",
    } | changes  # fmt: skip
    for name, columns in tables.items():
        file.execute(f"CREATE TABLE {name} ({columns})")
    return file


def test_texts_of_sqlite_that_a_file_holds_once_count_as_often_as_they_come(tmp_path, monkeypatch):
    monkeypatch.setenv("RINGFENCE_MAX_BYTES", "30_000_000")
    with mlflow_tables(tmp_path / "joined.db") as file:
        file.execute("INSERT INTO experiments VALUES (1, ?, 'active')", ["z" * 100_000])
        runs = [(f"r{i}", 1, "FINISHED", "active", i, i) for i in range(1000)]
        file.executemany("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?)", runs)
    default = f"run_uuid TEXT, key TEXT, value TEXT DEFAULT '{'x' * 900_000}'"
    with mlflow_tables(tmp_path / "default.db", params="run_uuid TEXT, key TEXT") as file:
        file.executemany("INSERT INTO params VALUES (?, 'x')", [(f"r{i}",) for i in range(100)])
        file.execute(f"ALTER TABLE params ADD COLUMN {default.rpartition(', ')[2]}")
    for name in ("joined.db", "default.db"):
        assert "RINGFENCE_MAX_BYTES" in refused(tmp_path / name, format="mlflow")


@pytest.mark.parametrize("kind", ["VIRTUAL", "STORED"])
def test_columns_that_are_computed_when_they_are_read_are_not_read(tmp_path, kind):
    """What computes them is in the file, and may take SQLite hours: instr of two long texts."""
    computed = f"run_uuid TEXT, key TEXT, value TEXT AS ('1') {kind}"
    with mlflow_tables(tmp_path / "m.db", params=computed) as file:
        file.execute("INSERT INTO params VALUES ('r', 'x')")
    assert "no table 'params'" in refused(tmp_path / "m.db", format="mlflow")


OPTUNA = {
    "studies": "study_id INTEGER, study_name TEXT",
    "study_directions": "study_id, direction, objective",
    "study_user_attributes": "study_id, key, value_json",
    "study_system_attributes": "study_id, key, value_json",
    "trials": "trial_id, study_id, number, state, datetime_start, datetime_complete",
    "trial_params": "param_id, trial_id, param_name, param_value, distribution_json",
    "trial_values": "trial_id, objective, value, value_type",
    "trial_user_attributes": "trial_id, key, value_json",
    "alembic_version": "version_num",
}
"""Without the keys that Optuna's own tables have."""


def optuna_tables(path, rows: dict[str, list[tuple]], without: str = "") -> sqlite3.Connection:
    kind = '{"name": "FloatDistribution", "attributes": {"low": 0.0, "high": 1.0}}'
    rows = {
        "studies": [(1, "s")],
        "study_directions": [(1, "MINIMIZE", 0)],
        "trials": [(i, 1, i, "COMPLETE", None, None) for i in (1, 2)],
        "trial_params": [(i, i, "x", 0.5, kind) for i in (1, 2)],
        "trial_values": [(i, 0, 1.0, "FINITE") for i in (1, 2)],
        "trial_user_attributes": [(i, "k", '"t"') for i in (1, 2)],
        "alembic_version": [("v3.2.0.a",)],
    } | rows
    file = sqlite3.connect(path)
    for name in OPTUNA.keys() - {without}:
        file.execute(f"CREATE TABLE {name} ({OPTUNA[name]})")
        marks = ", ".join("?" * (OPTUNA[name].count(",") + 1))
        file.executemany(f"INSERT INTO {name} VALUES ({marks})", rows.get(name, []))
    return file


def test_views_in_any_place_of_an_optuna_storage_are_refused(tmp_path):
    for name in OPTUNA.keys() - {"alembic_version"}:
        with optuna_tables(tmp_path / f"{name}.db", {}, without=name) as file:
            file.execute(f"CREATE VIEW {name} AS {ENDLESS}")
        file.close()
        assert "lacks Optuna's tables" in refused(tmp_path / f"{name}.db", format="optuna")


MANY = 30_000
"""Of which the square is 9e8: more than a minute, or more than the memory."""


def test_keys_that_are_not_unique_multiply_nothing(tmp_path):
    repeated = {
        "studies": [(1, "s")] * MANY,
        "trials": [(1, 1, i, "COMPLETE", None, None) for i in range(MANY)],
        "trial_values": [(1, 0, 1.0, "FINITE")] * MANY,
        "trial_user_attributes": [(1, "k", '"t"')] * MANY,
    }
    with optuna_tables(tmp_path / "ok.db", {}):
        pass
    assert len(rf.read_history(tmp_path / "ok.db", task="k")) == 2
    for name, rows in repeated.items():
        with optuna_tables(tmp_path / f"{name}.db", {name: rows}):
            pass
        assert "there twice" in refused(tmp_path / f"{name}.db", format="optuna", task="k")
    with optuna_tables(tmp_path / "nulls.db", {"trials": [(None, 1, 0, "COMPLETE", None, None)]}):
        pass
    assert "no number of its own" in refused(tmp_path / "nulls.db", format="optuna")
    with mlflow_tables(tmp_path / "e.db") as file:
        file.executemany("INSERT INTO experiments VALUES (1, ?, 'active')", [("e",)] * MANY)
        runs = [(f"r{i}", 1, "FINISHED", "active", 1, 2) for i in range(MANY)]
        file.executemany("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?)", runs)
        file.execute("INSERT INTO latest_metrics VALUES ('r0', 'loss', 1.0, 0)")
        file.execute("INSERT INTO params VALUES ('r0', 'x', '1')")
    assert len(rf.read_history(tmp_path / "e.db", format="mlflow")) == MANY
    with mlflow_tables(tmp_path / "r.db") as file:
        file.executemany("INSERT INTO runs VALUES ('r', 1, '', 'active', 1, 2)", [()] * 2)
    assert "there twice" in refused(tmp_path / "r.db", format="mlflow")


def test_pages_of_sqlite_that_are_linked_many_times_have_an_end(tmp_path, monkeypatch):
    """Twelve pages, each of which leads to the next one sixty times, are 1e21 rows."""
    path, size, links = tmp_path / "m.db", 1024, 60
    file = mlflow_tables(path)
    file.close()
    file = sqlite3.connect(path)
    file.execute(f"PRAGMA page_size = {size}")
    file.execute("VACUUM")
    file.execute("INSERT INTO params VALUES ('r', 'x', '1')")
    file.commit()
    ((root,),) = file.execute("SELECT rootpage FROM sqlite_master WHERE name = 'params'")
    file.execute("CREATE TABLE filling (x)")
    file.execute("INSERT INTO filling VALUES (zeroblob(20000))")
    file.commit()
    file.close()
    content = bytearray(path.read_bytes())
    leaf = content[(root - 1) * size : root * size]
    pages = [root, *range(len(content) // size - 11, len(content) // size + 1)]
    for page, child in pairwise(pages):
        cell = child.to_bytes(4, "big") + b"\x01"
        starts = [size - 5 * (k + 1) for k in range(links)]
        head = b"\x05\0\0" + links.to_bytes(2, "big") + starts[-1].to_bytes(2, "big") + b"\0"
        head += child.to_bytes(4, "big") + b"".join(start.to_bytes(2, "big") for start in starts)
        whole = head.ljust(size - 5 * links, b"\0") + cell * links
        content[(page - 1) * size : page * size] = whole
    content[(pages[-1] - 1) * size : pages[-1] * size] = leaf
    path.write_bytes(content)
    monkeypatch.setattr("ringfence.history.readers.shared.sqlite.FREE", 10**7)
    assert "it is damaged: its tables have no end" in refused(path, format="mlflow")


def test_keys_of_toml_have_no_more_parts_than_the_limit(tmp_path):
    """The standard library keeps the square of them: 3.6 GB for these."""
    long, quoted = "a" + ".a" * 30_000, "a" + " . 'a'. \"a\"" * 15_000
    hidden = (
        f"x = {{y = '''it's''', {long} = 1}}",
        f"# '''\n{long} = 1",
        f'x = """"a""""\n{long} = 1',
    )
    for text in (f"{long} = 1", f"[{quoted}]", *hidden):
        (tmp_path / "s.toml").write_text(text)
        with pytest.raises(rf.FileError, match="levels of nesting"):
            rf.read_space(tmp_path / "s.toml")
    points = f'note = "{long}"\n# {long}\nversions = [{"1.5, " * 200}]\n'
    assert len(toml_of(points, "s.toml")["versions"]) == 200


def test_numbers_of_yaml_to_the_base_of_sixty_have_an_end():
    with pytest.raises(rf.FileError, match="4,300 digits"):
        yaml_of("x: 1" + ":0" * 400_000, "s.yaml")
    assert yaml_of("x: 1:30", "s.yaml") == {"x": 90}


def test_a_digest_needs_no_copy_of_texts_that_cells_share(monkeypatch):
    texts = ["ab", None, "", "c\u00e9" * 9, "ab"]
    rows = [{"task": f"t{i}", "c": text, "loss": 1.0} for i, text in enumerate(texts)]
    history = rf.History.from_frame(rows, task="task", objective="loss")
    whole = history.digest()
    for piece in (1, 5, 20, 100):
        monkeypatch.setattr("ringfence.history.history.PIECE", piece)
        assert history.digest() == whole
    kept = history.frame["c"].to_list()
    joined = "\0".join(text or "" for text in kept).encode() + bytes(t is None for t in kept)
    tasks = "\0".join(f"t{i}" for i in range(5)).encode()
    losses = np.ones(5).tobytes()
    said = b"minimize" + tasks + b"loss\0" + losses + b"c\0" + joined
    assert whole == hashlib.sha256(said).hexdigest()
    monkeypatch.undo()
    shared = pl.Series(["z" * 1_000_000]).new_from_index(0, 60).to_list()
    rows = [{"task": "t", "c": text, "loss": 1.0} for text in shared]
    history = rf.History.from_frame(rows, task="task", objective="loss")
    tracemalloc.start()
    history.digest()
    assert tracemalloc.get_traced_memory()[1] < 90_000_000
    tracemalloc.stop()


def test_a_command_without_memory_says_so_in_a_line(monkeypatch, capsys):
    def spent(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("ringfence.cli.app.app", spent)
    monkeypatch.setattr("sys.argv", ["ringfence"])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 1
    assert capsys.readouterr().err == "ringfence: it does not fit into memory\n"


def test_words_of_a_command_line_that_are_no_text_are_refused():
    history = rf.example_history()
    for call in (
        lambda: history.rename({"C": "c\udcff"}),
        lambda: history.with_values({"d\udcff": 1}),
        lambda: history.with_values({"d": "\udcff"}),
        lambda: rf.Categorical(["a", "\ud800"]),
    ):
        with pytest.raises(rf.RingfenceError, match="text that a file can hold"):
            call()


def hpob_file(path, rows: int, columns: int, n_sets: int = 1):
    entry = {"X": [[0.5] * columns] * rows, "y": [[0.1]] * rows}
    path.write_text(json.dumps({"99": {f"d{i}": entry for i in range(n_sets)}}))
    return path


def test_tables_of_hpob_are_within_the_limits(tmp_path, monkeypatch):
    path = hpob_file(tmp_path / "meta.json", 2, 30_000)
    assert "RINGFENCE_MAX_COLUMNS" in refused(path, format="hpob")
    monkeypatch.setenv("RINGFENCE_MAX_CELLS", "100")
    path = hpob_file(tmp_path / "meta.json", 10, 3, n_sets=3)
    assert "RINGFENCE_MAX_CELLS" in refused(path, format="hpob")


def test_given_rows_of_hpob_are_there_once(tmp_path):
    data = hpob_file(tmp_path / TEST, 6, 2).read_text()
    (tmp_path / TRAIN).write_text(data.replace("d0", "d1"))
    given = {"99": {"d0": {seed: [0, 1, 0] for seed in SEEDS}}}
    (tmp_path / STARTS).write_text(json.dumps(given))
    with pytest.raises(rf.HistoryError, match="names a row twice"):
        official_suites(tmp_path, tmp_path / "out")


def test_a_zip_of_hpob_is_within_the_limit_as_a_whole(tmp_path, monkeypatch):
    monkeypatch.setenv("RINGFENCE_MAX_BYTES", "1_000_000")
    with zipfile.ZipFile(tmp_path / "h.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for i in range(4):
            archive.writestr(f"d{i}/meta-train-dataset.json", b" " * 300_000)
    with (
        pytest.raises(rf.FileError, match="RINGFENCE_MAX_BYTES"),
        files_of(tmp_path / "h.zip", (TRAIN,), needed=(TRAIN,)),
    ):
        pass


@pytest.mark.parametrize(
    "mark", ["\ufeff", "\u200b", "\u2060 ", "\xad", "\0", "\ufeff'", "\U000e0001"]
)
def test_a_formula_behind_what_cannot_be_seen_is_text(mark):
    assert _cell(f"{mark}=1+1").lstrip('"').startswith("'")


def test_keys_of_json_lines_count_however_they_are_written(tmp_path):
    for number, key in enumerate(("k\\u0041%d", '%d\\"b', "%d\\\\")):
        lines = [f'{{"task":"t","loss":1,"{key % i}":1}}' for i in range(30_000)]
        assert _count_keys("\n".join(lines).encode()) == 30_002
        if number == 0:
            (tmp_path / "r.jsonl").write_text("\n".join(lines))
            assert "RINGFENCE_MAX_COLUMNS" in refused(tmp_path / "r.jsonl")
    assert _count_keys(b'"' + b'\\"' * 200_000 + b'\n{"a": "b"}') == 1


@pytest.mark.parametrize(
    "source",
    [
        "api_key:TOKEN", "u/TOKEN@tnsname", "u/TOKEN@h:1521/x", "Authorization: Bearer TOKEN",
        "authorization: Basic TOKEN", "bearer:TOKEN", "--password TOKEN",
    ],
)  # fmt: skip
def test_secrets_are_known_by_their_names_and_places(source):
    for call in (rf.load, rf.read_space, rf.read_history):
        with pytest.raises(rf.RingfenceError) as caught:
            call(source)
        assert "TOKEN" not in str(caught.value)
    assert not is_address("runs/a@b.csv") and not is_address("max_tokens: 5")


def test_long_digits_and_marks_make_short_messages(tmp_path):
    (tmp_path / "l.json").write_text('{"format": ' + "1" * 60_000 + "}")
    for call in (rf.load, rf.load_optimizer, rf.read_space):
        with pytest.raises(rf.RingfenceError) as caught:
            call(tmp_path / "l.json")
        assert len(str(caught.value)) < 5000
    with pytest.raises(rf.RingfenceError) as caught:
        rf.read_history(":?" * 50_000)
    assert len(str(caught.value)) < 5000


def test_runs_of_mlflow_that_have_a_parameter_each_have_a_limit(tmp_path, monkeypatch):
    monkeypatch.setenv("RINGFENCE_MAX_CELLS", "800")
    with mlflow_tables(tmp_path / "m.db") as file:
        file.execute("INSERT INTO experiments VALUES (1, 'e', 'active')")
        for i in range(30):
            file.execute("INSERT INTO runs VALUES (?, 1, 'FINISHED', 'active', 1, 2)", [f"r{i}"])
            file.execute("INSERT INTO params VALUES (?, ?, '1')", [f"r{i}", f"p{i}"])
            file.execute("INSERT INTO latest_metrics VALUES (?, 'loss', 1.0, 0)", [f"r{i}"])
    assert "more than 800 cells" in refused(tmp_path / "m.db", format="mlflow")


def test_the_name_of_a_file_is_no_pattern(tmp_path):
    table = pl.DataFrame({"task": ["a", "b"], "x": [1.0, 2.0], "loss": [3.0, 4.0]})
    table.write_parquet(tmp_path / "r[1]*.parquet")
    assert len(rf.read_history(tmp_path / "r[1]*.parquet")) == 2
