"""Spaces in JSON, YAML and TOML say the same; a bad file is one clear line."""

from __future__ import annotations

import pytest

from ringfence import Categorical, Condition, Constant, FileError, Float, Int, Space, read_space
from ringfence.space import write_space

SPACE = Space(
    {
        "C": Float(1e-3, 1e3, log=True),
        "kernel": Categorical(["linear", "rbf"]),
        "gamma": Float(1e-4, 10, log=True),
        "size": Categorical([8, 16, 32], ordered=True),
        "layers": Int(1, 5),
        "shrinking": Constant(True),
    },
    [Condition("gamma", "kernel", ["rbf"])],
)

YAML = """
parameters:
  C: {type: float, low: 1e-3, high: 1e3, log: true}
  kernel: {type: categorical, choices: [linear, rbf]}
  gamma: {type: float, low: 1e-4, high: 10, log: true}
  size: {type: categorical, choices: [8, 16, 32], ordered: true}
  layers: {type: int, low: 1, high: 5}
  shrinking: {type: constant, value: true}
conditions:
  - {child: gamma, parent: kernel, values: [rbf]}
"""

TOML = """
[parameters]
C = {type = "float", low = 1e-3, high = 1e3, log = true}
kernel = {type = "categorical", choices = ["linear", "rbf"]}
gamma = {type = "float", low = 1e-4, high = 10, log = true}
size = {type = "categorical", choices = [8, 16, 32], ordered = true}
layers = {type = "int", low = 1, high = 5}
shrinking = {type = "constant", value = true}

[[conditions]]
child = "gamma"
parent = "kernel"
values = ["rbf"]
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.json", write_space(SPACE)),
        ("s.yaml", YAML),
        ("s.toml", TOML),
        ("s.yaml", write_space(SPACE, ".yaml")),
        ("s.toml", write_space(SPACE, ".toml")),
    ],
)
def test_three_ways_to_write_one_space(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert read_space(tmp_path / name) == SPACE


def test_yaml_words_stay_words(tmp_path):
    """`on` and `no` are words, 1e-5 is a number: the rules of YAML 1.2."""
    (tmp_path / "s.yml").write_text(
        "x: {type: float, low: 1e-5, high: 1, log: true}\n"
        "mode: {type: categorical, choices: [on, no, true, 1, '1']}\n"
    )
    space = read_space(tmp_path / "s.yml")
    assert space["x"] == Float(1e-5, 1.0, log=True)
    assert space["mode"].choices == ("on", "no", True, 1, "1")


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("s.json", "{", "is cut off or not JSON"),
        ("s.json", "[1]", "table of parameters"),
        ("s.json", '{"parameters": 3}', "'parameters' must be a table"),
        ("s.json", '{"parameters": {}}', "at least one"),
        ("s.json", '{"a": {"type": "flot", "low": 1, "high": 2}}', "'a'"),
        ("s.json", '{"a": {"type": "float", "low": 3, "high": 2}}', "'a'.*above"),
        ("s.json", '{"a": {"type": "float", "low": 1, "hi": 2}}', "'a'.*"),
        ("s.json", '{"parameters": {"a": {"type": "int", "low": 1, "high": 2}}, "x": 1}', "'x'"),
        ("s.yaml", "a: [", "is cut off or not YAML"),
        ("s.toml", "a = ", "is cut off or not TOML"),
        ("s.ini", "a", "json"),
    ],
)
def test_a_bad_file_is_one_clear_line(tmp_path, name, text, says):
    (tmp_path / name).write_text(text)
    with pytest.raises(FileError, match=says) as caught:
        read_space(tmp_path / name)
    assert "\n" not in str(caught.value) and name in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileError, match="No such file"):
        read_space(tmp_path / "none.json")


ODD = ("a\x7f", "b\x9b", "c\x85", "d\u2028\u202e", "\ufeff", "\ufffe", "\U000e0001", "\U0001f680",
       "\x00\x1b\t\n", "#: ' \" \\ [{", "=", "~", "null", "1", "é")  # fmt: skip


@pytest.mark.parametrize("suffix", [".json", ".yaml", ".toml"])
def test_names_and_choices_of_any_letters_come_back(suffix, tmp_path):
    """YAML and TOML forbid control characters that JSON lets through."""
    space = Space(
        {name: Float(0, 1) for name in ODD} | {"kind": Categorical(ODD)},
        [Condition(ODD[0], "kind", ODD[1:3])],
    )
    path = tmp_path / f"space{suffix}"
    path.write_text(write_space(space, suffix), "utf-8", newline="\n")
    assert read_space(path) == space
