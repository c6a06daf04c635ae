"""What an attacker tried by hand."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess

import msgspec
import pytest

import ringfence as rf
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
