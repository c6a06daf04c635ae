"""What arrives damaged, endless or far too large is one clear line of ours."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import subprocess
import sys
import threading
import time
import zipfile

import polars as pl
import pytest

import ringfence as rf
from ringfence.errors import FileError, SettingError
from ringfence.incoming import content
from ringfence.incoming.content import read_bytes
from ringfence.incoming.limits import BYTES
from ringfence.incoming.parquet import require_sound
from ringfence.incoming.parsing import guarded, json_of, toml_of, yaml_of

DEEP = 5000
RUNS = pl.DataFrame({"task": ["a", "b"] * 40, "x": [1.0, None] * 40, "loss": [0.1, 0.2] * 40})


def refused(call, *arguments, **options) -> str:
    """The one line that says what is wrong."""
    with pytest.raises(rf.RingfenceError) as caught:
        call(*arguments, **options)
    line = str(caught.value)
    assert line and "\n" not in line and len(line) < 1000
    return line


def packed(table, **options) -> bytes:
    buffer = io.BytesIO()
    table.write_parquet(buffer, **options)
    return buffer.getvalue()


class PanicException(BaseException):
    """As polars raises it: no Exception to Python."""


def test_a_panic_is_an_error_of_ours_and_is_not_printed(capfd):
    damaged = pytest.raises(FileError, match="x cannot be read as parquet: it is damaged")
    with damaged, guarded("x", "parquet"):
        os.write(2, b"thread 'async-executor-1' panicked at ...")
        raise PanicException("index out of bounds")
    assert capfd.readouterr().err == ""
    with guarded("x", "parquet"):
        os.write(2, b"a warning")
    assert capfd.readouterr().err == "a warning"


def test_an_interrupt_is_none():
    with pytest.raises(KeyboardInterrupt), guarded("x", "parquet"):
        raise KeyboardInterrupt


def test_parquet_with_flipped_bytes_never_breaks_the_process(tmp_path):
    """In another process, which polars ends without an error for a count below zero."""
    (tmp_path / "good.parquet").write_bytes(packed(RUNS))
    flips = """
import random, ringfence as rf
good = open("good.parquet", "rb").read()
random.seed(0)
for _ in range(150):
    bad = bytearray(good)
    for _ in range(random.randint(1, 3)):
        bad[random.randrange(len(bad))] = random.randrange(256)
    open("bad.parquet", "wb").write(bad)
    try:
        rf.read_history("bad.parquet")
    except rf.RingfenceError:
        pass
"""
    done = subprocess.run(
        [sys.executable, "-c", flips], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("compression", ["zstd", "snappy", "uncompressed"])
def test_parquet_as_it_is_written_is_sound(compression):
    require_sound(packed(RUNS, compression=compression, row_group_size=30), "x")
    require_sound(packed(RUNS.clear()), "x")
    require_sound(packed(pl.DataFrame({"curve": [[1.0, 2.0], [3.0]]})), "x")


def test_a_page_with_a_count_below_zero_is_refused():
    good = packed(RUNS.select("loss"), compression="uncompressed", statistics=False)
    place = good.index(b"\x15\xa0\x01")  # 80 values, as Thrift writes it
    bad = good[: place + 1] + b"\x9f\x01" + good[place + 3 :]
    assert "there are -80 values" in refused(require_sound, bad, "x")


@pytest.mark.parametrize(
    ("load", "text"),
    [
        (json_of, "[" * DEEP + "]" * DEEP),
        (json_of, '{"a":' * DEEP + "1" + "}" * DEEP),
        (json_of, "[" * 200 + "]" * 200),
        (yaml_of, "[" * DEEP + "]" * DEEP),
        (yaml_of, "&a [*a]"),
        (toml_of, "a = " + "[" * DEEP + "]" * DEEP),
        (toml_of, ".".join(["a"] * DEEP) + " = 1"),
    ],
)
def test_nesting_has_a_limit_that_can_be_raised(load, text, monkeypatch):
    line = refused(load, text, "f")
    assert "f has more than 100 levels of nesting" in line and "RINGFENCE_MAX_DEPTH" in line
    if len(text) < DEEP and "&" not in text:
        monkeypatch.setenv("RINGFENCE_MAX_DEPTH", "300")
        load(text, "f")


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(["a0: &a0 [x, x]", *(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]"
                                       for i in range(1, 12))]),
        "\n".join(["a0: &a0 {x: 1}", *(f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 9)}]}}"
                                       for i in range(1, 12))]),
        "\n".join(["a0: &a0 [x, x]", *(f"a{i}: &a{i} !!pairs [{', '.join([f'k: *a{i - 1}'] * 9)}]"
                                       for i in range(1, 12))]),
        "\n".join([f"a: &a {{{', '.join(f'k{i}: 1' for i in range(300))}}}",
                   *(f"b{i}: {{<<: *a}}" for i in range(300))]),
        "\n".join([f"a: &a {{{', '.join(f'k{i}: 1' for i in range(300))}}}",
                   f"b: {{<<: [{', '.join(['*a'] * 300)}]}}"]),
    ],
)  # fmt: skip
def test_aliases_that_unfold_without_end(text, tmp_path, monkeypatch):
    monkeypatch.setenv("RINGFENCE_MAX_VALUES", "20000")
    assert "f has more than 20,000 values" in refused(yaml_of, text, "f")
    (tmp_path / "space.yaml").write_text(text)
    refused(rf.read_space, tmp_path / "space.yaml")


@pytest.mark.parametrize(
    ("load", "text"),
    [
        (json_of, "1" * 5000),
        (json_of, '{"a": "\\ud800"}'),
        (json_of, b"\xff\xfe\x00"),
        (yaml_of, '"\\ud800"'),
        (yaml_of, "2020-13-45"),
        (yaml_of, "2020-01-01 25:61:61"),
        (yaml_of, "!!int abc"),
        (yaml_of, "!!python/object:os.system {}"),
        (yaml_of, "!!timestamp x"),
        (yaml_of, "? [a]\n: 1"),
        (toml_of, "a = 1979-13-45"),
        (toml_of, "a = " + "1" * 5000),
    ],
)
def test_values_that_cannot_be(load, text):
    assert refused(load, text, "f").startswith("f ")


def test_a_pair_of_halves_is_a_character():
    assert json_of('"\\ud83d\\ude00"', "f") == "😀"


def test_packed_files_have_a_size_once_unpacked(tmp_path, monkeypatch):
    monkeypatch.setenv("RINGFENCE_MAX_BYTES", "100_000")
    zeros = b"task,x,loss\n" + b"0" * 1_000_000
    (tmp_path / "r.csv.gz").write_bytes(gzip.compress(zeros))
    (tmp_path / "r.csv").write_bytes(zeros)
    (tmp_path / "r.parquet").write_bytes(packed(pl.select(x=pl.zeros(10**6))))
    with zipfile.ZipFile(tmp_path / "results.csv.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("results.csv", zeros)
    with zipfile.ZipFile(tmp_path / "r.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/sheet.xml", zeros)
    for name in ("r.csv.gz", "r.csv", "r.parquet", "r.xlsx", "."):
        line = refused(rf.read_history, tmp_path / name)
        assert "more than 100,000 bytes once unpacked" in line and "RINGFENCE_MAX_BYTES" in line


def test_a_limit_that_is_none_is_said(monkeypatch):
    monkeypatch.setenv("RINGFENCE_MAX_BYTES", "lots")
    with pytest.raises(SettingError, match="RINGFENCE_MAX_BYTES must be a whole number"):
        BYTES.allow(1, "x")


def test_columns_have_a_limit(tmp_path, monkeypatch):
    monkeypatch.setenv("RINGFENCE_MAX_COLUMNS", "10")
    table = RUNS.with_columns(pl.lit(i).alias(f"x{i}") for i in range(20))
    table.write_csv(tmp_path / "r.csv")
    table.write_ndjson(tmp_path / "r.jsonl")
    table.write_parquet(tmp_path / "r.parquet")
    for name in ("r.csv", "r.jsonl", "r.parquet"):
        line = refused(rf.read_history, tmp_path / name)
        assert "more than 10 columns" in line and "RINGFENCE_MAX_COLUMNS" in line


def test_messages_have_a_length(monkeypatch):
    message = "begins " + "x" * 10**6 + " ends"
    line = str(rf.HistoryError(message))
    assert len(line) < 4100 and line.startswith("begins") and line.endswith("ends")
    monkeypatch.setenv("RINGFENCE_MAX_MESSAGE", str(10**7))
    assert str(rf.HistoryError(message)) == message


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs devices")  # noqa: PTH110
@pytest.mark.parametrize("reader", [None, "csv", "hpob", "optuna", "mlflow", "wandb"])
def test_devices_and_silent_pipes_do_not_hang(reader, tmp_path, monkeypatch):
    monkeypatch.setattr(content, "SECONDS", 0.05)
    os.mkfifo(tmp_path / "p.csv")
    for source in ("/dev/zero", tmp_path / "p.csv"):
        refused(rf.read_history, source, format=reader)
    assert "it is a device" in refused(rf.load, "/dev/zero")
    assert "nobody writes" in refused(rf.load, tmp_path / "p.csv")


def test_a_pipe_with_a_slow_writer_is_read(tmp_path):
    os.mkfifo(tmp_path / "p")

    def write():
        with (tmp_path / "p").open("wb", buffering=0) as pipe:
            time.sleep(0.05)
            pipe.write(b"one ")
            time.sleep(0.05)
            pipe.write(b"two")

    writer = threading.Thread(target=write)
    writer.start()
    assert read_bytes(tmp_path / "p") == b"one two"
    writer.join()


def test_folders_and_names_that_are_none(tmp_path):
    assert "it is a folder" in refused(read_bytes, tmp_path)
    assert "No such file" in refused(read_bytes, tmp_path / "nowhere")
    for path in ("a\0b", "y" * 300):
        refused(rf.load, path)
        refused(rf.read_space, path)


@pytest.mark.parametrize("suffix", ["json", "yaml", "toml"])
def test_spaces_of_random_bytes(suffix, tmp_path):
    random.seed(0)
    for _ in range(20):
        (tmp_path / f"s.{suffix}").write_bytes(random.randbytes(40))
        refused(rf.read_space, tmp_path / f"s.{suffix}")


@pytest.mark.parametrize("damage", [b"\xff", b"\\ud800", b"[" * DEEP, b"1" * 310, b"1" * 5000])
def test_a_learned_space_with_something_else_in_it(damage, tmp_path):
    path = tmp_path / "learned.json"
    rf.learn(rf.example_history(), starts=0).save(path)
    good = path.read_bytes()
    for place in (good.index(b"tasks") + 1, good.index(b"0.0"), good.index(b'"source": "') + 12):
        path.write_bytes(good[:place] + damage + good[place:])
        try:
            rf.load(path).save(tmp_path / "again.json")
        except FileError as error:
            assert "\n" not in str(error)


def test_results_of_json_lines_say_which_line(tmp_path):
    (tmp_path / "r.jsonl").write_text(json.dumps({"task": "a", "x": 1, "loss": 2}) + "\n[NaN]\n")
    assert "line 2 is not a JSON object" in refused(rf.read_history, tmp_path / "r.jsonl")


def test_columns_of_parquet_that_share_pages_are_refused():
    """Thousands of columns, each with the same thousands of pages, would be looked at for hours."""
    table = RUNS.select(a="loss", b="loss", c="loss")
    good = packed(table, compression="uncompressed", statistics=False)
    size = b"\x16\xb6\x0a"  # 667 bytes of a column, as Thrift writes it; unpacked, then packed
    assert 1023 * good.count(2 * size) > len(good)
    bad = good.replace(2 * size, size + b"\x16\xfe\x0f")  # 1023
    assert "its columns overlap" in refused(require_sound, bad, "x")
