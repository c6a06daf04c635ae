"""The file: there and back, strict, atomic, and as its schema says."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import jsonschema
import polars as pl
import pytest

import ringfence as rf
from conftest import MIXED
from ringfence.learned.diff import describe
from ringfence.learned.file import decode, schema
from ringfence.learned.file_format import encode

SCHEMA = Path(__file__).parent.parent / "docs" / "learned-space.schema.json"


@pytest.fixture(scope="module", params=["box", "ellipsoid"])
def learned(request, mixed_history):
    return rf.learn(mixed_history, MIXED, shape=request.param, outliers=0.1)


def test_there_and_back(learned, tmp_path):
    learned.save(tmp_path / "l.json")
    again = rf.load(tmp_path / "l.json")
    assert again == learned and hash(again) == hash(learned)
    assert str(again) == str(learned)
    assert again.sample(20, seed=0) == learned.sample(20, seed=0)
    assert again.volume_fraction == learned.volume_fraction
    assert encode(again) == encode(learned)


def test_a_file_from_before_top_was_known_still_loads(learned):
    tree = json.loads(encode(learned))
    assert tree["settings"].pop("top") == 0.0
    assert decode(json.dumps(tree).encode()) == learned


def test_a_file_that_calls_the_full_space_whole_still_loads(mixed_history):
    full = rf.learn(mixed_history, MIXED, shape="full", starts=0)
    tree = json.loads(encode(full))
    tree["settings"]["shape"] = "whole"
    assert decode(json.dumps(tree).encode()) == full


def test_learning_twice_writes_the_same_bytes(learned, mixed_history):
    again = rf.learn(mixed_history, MIXED, shape=learned.shape, outliers=0.1)
    assert encode(again) == encode(learned)


def test_the_schema_in_the_docs_is_the_schema_of_the_code(learned):
    written = json.loads(SCHEMA.read_text())
    assert written == json.loads(json.dumps(schema())), "make schema"
    jsonschema.Draft202012Validator.check_schema(written)
    jsonschema.validate(json.loads(encode(learned)), written)


def test_the_schema_rejects_what_the_reader_rejects(learned):
    content = json.loads(encode(learned))
    content["blocks"][0]["region"]["type"] = "circle"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(content, schema())


def damage(content, change):
    tree = json.loads(content)
    change(tree)
    return json.dumps(tree).encode()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda t: t.update(version=2), "version 2"),
        (lambda t: t.update(version="1"), "version '1'"),
        (lambda t: t.update(format="other"), "not a learned space"),
        (lambda t: t.pop("format"), "not a learned space"),
        (lambda t: t.pop("space"), "space"),
        (lambda t: t.update(extra=1), "extra"),
        (lambda t: t["blocks"][0].update(gap="x"), "gap"),
        (lambda t: t["blocks"][0].update(gap=float("nan")), "not JSON"),
        (lambda t: t["blocks"][0].update(gap=None), "gap"),
        (lambda t: t["blocks"][0].update(parameters=["lr"]), "damaged"),
        (lambda t: t["blocks"][0].update(parameters=["lr", "nope"]), "nope"),
        (lambda t: t["blocks"].pop(), "blocks hold"),
        (lambda t: t["choices"].update(booster=["xgb"]), "'booster'"),
        (lambda t: t["choices"].update(booster=[]), "'booster'"),
        (lambda t: t["choices"].pop("booster"), "choices are given"),
        (lambda t: t["space"]["parameters"]["lr"].update(low=2), "above"),
        (lambda t: t["space"]["parameters"].pop("lr"), "lr"),
        (lambda t: t["settings"].update(shape="sphere"), "sphere"),
        (lambda t: t["provenance"].update(direction="up"), "up"),
        (lambda t: t["provenance"].update(rows=-1), "rows"),
        (lambda t: t["choices"].update(booster=["dart", "dart"]), "'booster'"),
        (lambda t: t["tasks"][0].update(incumbent={"lr": 5}), "incumbent of task"),
        (lambda t: t["blocks"][0].update(parameters=[]), "damaged"),
        (lambda t: t["blocks"][0]["parameters"].append("rate"), "other conditions"),
        (lambda t: t["space"]["parameters"]["depth"].update(high=10**400), "JSON|fit"),
    ],
)
def test_a_damaged_file_is_one_clear_line(learned, tmp_path, change, says):
    path = tmp_path / "l.json"
    path.write_bytes(damage(encode(learned), change))
    with pytest.raises(rf.FileError, match=says) as caught:
        rf.load(path)
    assert "\n" not in str(caught.value) and "l.json" in str(caught.value)


@pytest.mark.parametrize("change", ["lower", "center"])
def test_a_region_outside_the_cube_is_damage(mixed_history, tmp_path, change):
    shape = "box" if change == "lower" else "ellipsoid"
    learned = rf.learn(mixed_history, MIXED, shape=shape)
    tree = json.loads(encode(learned))
    tree["blocks"][0]["region"][change][0] = -0.5
    (tmp_path / "l.json").write_text(json.dumps(tree))
    with pytest.raises(rf.FileError, match="cube"):
        rf.load(tmp_path / "l.json")


def test_a_file_cut_anywhere_is_refused(learned, tmp_path):
    content = encode(learned)
    for length in range(0, len(content) - 2, 997):
        (tmp_path / "l.json").write_bytes(content[:length])
        with pytest.raises(rf.FileError, match=r"cut off or not JSON|not a learned space"):
            rf.load(tmp_path / "l.json")


def test_a_failed_write_leaves_the_old_file(learned, tmp_path, monkeypatch):
    path = tmp_path / "l.json"
    path.write_text("old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(rf.FileError, match="No space left"):
        learned.save(path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["l.json"]


def test_a_missing_folder_is_one_clear_line(learned, tmp_path):
    with pytest.raises(rf.FileError, match="cannot write"):
        learned.save(tmp_path / "none" / "l.json")


def test_the_table_names_every_parameter_and_what_is_kept(learned):
    text = str(learned)
    for name in MIXED:
        assert f"\n{name} " in text
    assert "1e-05 … 1 (log)" in text and "volume kept: " in text
    assert "where booster is dart" in text
    assert learned.outliers[0] in text


def test_a_picture_shows_every_parameter(learned):
    figure = learned.plot()
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == [name for name in MIXED if name != "seed"]  # which is constant
    assert len(figure.axes) == 2  # the ranges, and lr against batch


def test_a_diff_says_what_changed(mixed_history):
    old = rf.learn(mixed_history, MIXED)
    new = rf.learn(mixed_history.only(mixed_history.tasks[:15]), MIXED, outliers=0.2)
    assert describe(old, old) == ["nothing changed"]
    text = "\n".join(describe(old, new))
    assert "outliers: 0.0 → 0.2" in text
    assert "tasks gone: task15, task16, task17, task18, task19" in text
    assert "now outside: " in text and "volume kept: " in text
    assert "lr " in text
    turned = json.loads(encode(old))
    for block in turned["blocks"]:
        block["region"]["upper"] = [value - 1e-9 for value in block["region"]["upper"]]
    assert "another shape" in "\n".join(describe(old, decode(json.dumps(turned).encode())))


def test_an_absurd_ellipsoid_is_damage(mixed_history, tmp_path):
    learned = rf.learn(mixed_history, MIXED, shape="ellipsoid")
    for entry in (1e150, 1e-320, 0.0, -1.0):
        tree = json.loads(encode(learned))
        tree["blocks"][0]["region"]["factor"][0][0] = entry
        (tmp_path / "l.json").write_text(json.dumps(tree))
        with pytest.raises(rf.FileError, match="flat, or far larger"):
            rf.load(tmp_path / "l.json")


def test_nesting_without_end_is_refused(tmp_path):
    (tmp_path / "l.json").write_text("[" * 100_000)
    with pytest.raises(rf.FileError):
        rf.load(tmp_path / "l.json")


def test_pipes_and_links_are_written_through(learned, tmp_path):
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    learned.save(tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert rf.load(tmp_path / "real.json") == learned
    os.mkfifo(tmp_path / "pipe")
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    read: list[bytes] = []
    reader.start()
    learned.save(tmp_path / "pipe")
    reader.join()
    assert read == [encode(learned)]
    assert (tmp_path / "pipe").is_fifo()


def test_names_that_would_move_the_cursor_are_shown_as_text():
    frame = pl.DataFrame(
        {"task": ["a\nb", "c\x1b[31m", "d"], "error": [0.0] * 3, "x": [0.1, 0.9, 0.5]}
    )
    learned = rf.learn(rf.History.from_frame(frame, task="task", objective="error"), outliers=0.5)
    assert "\x1b" not in str(learned) and "a\nb" not in str(learned)
