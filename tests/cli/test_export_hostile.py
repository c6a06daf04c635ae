"""Exported programs and lines to run hold names and values, never what they say."""

from __future__ import annotations

import ast
import enum
import math
import os
import subprocess
from dataclasses import replace

import msgspec
import numpy as np
import pytest

import ringfence as rf
from conftest import incumbent_history
from processes import python
from ringfence.adapters.export import TOOLS, snippet
from ringfence.learned.full import full_space
from ringfence.quoting import literal, shell_word
from ringfence.reporting.recipe import python_call, typed
from ringfence.reporting.use import OWN, filled

RUN = "open('owned', 'w')"
CODE = (
    f"'); {RUN}; ('", f'"); {RUN}; ("', f"x\n{RUN}\n", f"x\r{RUN}\r", f"x\u2028{RUN}\u2029",
    f"x\x85{RUN}\x0c{RUN}\x0b", f'"""\n{RUN}\n"""', f"{{{RUN}}}", f"f'{{{RUN}}}'", "\\", "\\'",
    "LEARNED", "SUGGEST", "    SUGGEST", "rf.load(LEARNED)", "RESULT LOSS MODE METRIC MINUS ",
    "# -*- coding: rot13 -*-", "\\N{DIGIT ONE}", "\\x41", "%s %(x)d", "$(touch owned)",
    "`touch owned`", "; touch owned #", "\u202etrap\u2066", "\ufeff", "é\U0001f680 ", "-", "--help",
    "__class__", "lambda", " ", "\x1b[31m\x07\x7f\x9b",
)  # fmt: skip
"""Names that would run, hide or break something where they are not quoted."""
LONE = ("\ud800", "x\udcff")  # no file holds them, but its name may
PLAIN = tuple(f"n{i}" for i in range(len(CODE)))
ASCII = {chr(code) for code in range(32, 127)}


def space_of(names, kind: str) -> rf.Space:
    """Of numbers; with choices and a constant; with conditions, too, and perhaps with choices that
    are all text. The names are also values."""
    names = list(names)
    numbers = {n: rf.Float(0, 1) if i % 2 else rf.Int(1, 9) for i, n in enumerate(names)}
    if kind == "numeric":
        return rf.Space(numbers)
    choices = names if kind == "text" else [*names, True, False, None, 3, -2.5, 1e300]
    more = {"kind": rf.Categorical(choices), "fixed": rf.Constant(names[0])}
    if kind == "mixed":
        return rf.Space(numbers | more)
    conditions = [rf.Condition(name, "kind", choices[1::30]) for name in names[2:6]]
    return rf.Space(numbers | more, conditions)


def learned_of(names, kind: str, objective: str = "error") -> rf.LearnedSpace:
    return named(full_space(space_of(names, kind)), objective)


def named(learned: rf.LearnedSpace, objective: str) -> rf.LearnedSpace:
    """The same, of runs that maximized this."""
    past = msgspec.structs.replace(learned.provenance, objective=objective, direction="maximize")
    return replace(learned, provenance=past)


def kind_for(tool: str) -> str:
    return {"cmaes": "numeric", "neps": "mixed", "botorch": "mixed", "synetune": "text"}.get(
        tool, "conditional"
    )


def skeleton(program: str) -> str:
    """The program with every text the same: what it does, whatever it does it with."""
    tree = ast.parse(program)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)


@pytest.mark.parametrize("tool", ["ringfence", *TOOLS])
def test_a_program_does_the_same_whatever_the_names_are(tool):
    kind = kind_for(tool)
    spaces = {names: learned_of(names, kind) for names in (CODE, PLAIN)}

    def program(names, path, objective):
        learned = named(spaces[names], objective)
        return filled(OWN, learned, path) if tool == "ringfence" else snippet(learned, path, tool)

    usual = program(PLAIN, "learned.json", "error")
    for evil in (*CODE, *LONE):
        made = program(CODE, f"{evil}.json", evil)
        assert skeleton(made) == skeleton(usual) and set(made) - set(usual) <= ASCII
        texts = {n.value for n in ast.walk(ast.parse(made)) if isinstance(n, ast.Constant)}
        assert f"{evil}.json" in texts and (tool != "optuna" or set(CODE) <= texts)


SLOW = ("smac", "synetune", "ax", "botorch", "ray")
QUICK = ("ringfence", "optuna", "configspace", "sklearn", "cmaes", "hyperopt")


@pytest.mark.filterwarnings("ignore")  # of the tools
@pytest.mark.parametrize(
    "tool",
    [
        *QUICK,
        *(pytest.param(t, marks=pytest.mark.slow) for t in SLOW),
    ],
)
def test_programs_run_and_nothing_else_does(tool, tmp_path):
    learned = learned_of(CODE, kind_for(tool), CODE[0])
    path = "x'\"); open('owned', 'w'); (\n# LEARNED.json"
    learned.save(tmp_path / path)
    program = filled(OWN, learned, path) if tool == "ringfence" else snippet(learned, path, tool)
    for number in ("max_evals", "n_trials", "num_samples"):
        program = program.replace(f"{number}=20", f"{number}=3")
    (tmp_path / "program.py").write_text(program, "utf-8")
    how = {"real": True} if tool == "ray" else {}  # Ray's servers would outlive the program here
    made = python(tmp_path / "program.py", cwd=tmp_path, env={"HOME": str(tmp_path)}, **how)
    assert made.returncode == 0, made.stdout + made.stderr
    assert not (tmp_path / "owned").exists()
    if tool == "ringfence":  # which prints a table
        return
    printed = [ast.literal_eval(li) for li in made.stdout.splitlines() if li.startswith("{")]
    assert printed and all(map(learned.contains, printed))


class Odd(str):
    """Text that shows itself as code."""

    __slots__ = ()

    def __repr__(self):
        return RUN


class Number(int):
    def __repr__(self):
        return RUN

    __str__ = __repr__


class Real(float):
    def __repr__(self):
        return RUN


class Color(enum.StrEnum):
    red = 'it\'s "red"\n'


def test_literals_are_literals():
    values = [None, True, False, 0, -3, 10**30, 0.1, -1e300, 5e-324, "", *CODE, *LONE, [1, "'"]]
    for value in values:
        text = literal(value)
        assert text.isascii() and text.isprintable() and ast.literal_eval(text) == value
        assert type(ast.literal_eval(text)) is type(value)
    for value, expected in (
        (Odd("a'"), '"a\'"'), (Number(3), "3"), (Real(0.5), "0.5"), (Color.red, literal(Color.red)),
        (np.float64(0.1), "0.1"), (np.int64(3), "3"), (np.bool_(True), "True"),
        (np.str_("x"), "'x'"), (np.float32(0.5), "0.5"), (np.array([1, 2]), "[1, 2]"),
        (math.inf, 'float("inf")'), (-math.inf, 'float("-inf")'), (math.nan, 'float("nan")'),
        (("a", ("b",)), "['a', ['b']]"), (object, "\"<class 'object'>\""),
    ):  # fmt: skip
        assert literal(value) == expected


def test_choices_of_odd_kinds_are_plain_in_a_program():
    space = rf.Space(
        {Odd("n"): rf.Categorical([Odd("a"), Number(3), Real(0.5), Color.red, np.str_("x")])}
    )
    program = snippet(full_space(space), "learned.json", "optuna")
    assert f"suggest_categorical('n', ['a', 3, 0.5, {literal(Color.red)}, 'x'])" in program


@pytest.mark.skipif(os.name != "posix", reason="a shell of POSIX")
def test_a_shell_hands_every_word_on_as_it_is(tmp_path):
    words = [*CODE, "x\udcff", "two words", "", "a'b", "*", "~", "!!", "&& touch owned"]
    line = typed("printf '%s\\0'", words)
    assert line.isprintable()  # a terminal obeys nothing of it when it is pasted
    made = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, check=True)
    assert made.stdout.split(b"\0")[:-1] == [os.fsencode(word) for word in words]
    assert not (tmp_path / "owned").exists()
    assert shell_word("plain/path-1.csv") == "plain/path-1.csv"


@pytest.mark.parametrize("evil", [*CODE, *LONE])
def test_the_report_s_own_lines_do_the_same_whatever_the_names_are(evil, tmp_path):
    history = incumbent_history(np.random.default_rng(0).random((3, 2)))
    roles = replace(history.roles, task=evil, objective=evil, status=evil)

    def lines(roles, source, path):
        past = replace(history, source=f"{source}.csv", roles=roles)
        given = {"shape": "box", "outliers": np.float64(0.1), "seed": np.int64(3)}
        return python_call(past, None, tmp_path / path, given)

    usual = replace(history.roles, task="task", objective="value", status="status")
    evil_lines = lines(roles, evil, f"{evil}.html".replace("/", ""))
    assert skeleton(evil_lines) == skeleton(lines(usual, "runs", "report.html"))
    assert "outliers=0.1, seed=3" in evil_lines
