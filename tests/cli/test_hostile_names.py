"""Names from files reach a terminal as text: whatever a command prints, nothing of it is obeyed."""

from __future__ import annotations

import ast
import csv
import io
import json
import logging
import os
import re
import subprocess
import sys
import unicodedata
from contextlib import redirect_stderr
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ringfence as rf
import ringfence.cli as ringfence_cli
from processes import Terminal, ringfence
from ringfence.adapters import TOOLS
from ringfence.cli.output import layouts
from ringfence.cli.output.progress import progress_bar
from ringfence.cli.output.streams import Guarded
from ringfence.words import shown

# Color, title, bell, clear (of 8 bits), delete, back, return, a turned line, other line ends.
EVIL = "\x1b[7;31m\x1b]0;owned\x07\x9b2J\x7f\x08\r\n\t\u202e\u2066\u200f\u2028\u2029\x85\x0c."
OWN_COLORS = re.compile(r"\x1b\[(?:0|1|31|32|33|36)m")


def unsafe(text: str) -> set[str]:
    """What a terminal would obey in a text, but for line ends and the colors that are ours."""
    text = OWN_COLORS.sub("", text).replace("\n", "")
    return {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}


def hostile_runs() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    tasks, runs = 4, 40
    x = rng.random((tasks * runs, 2))
    return pl.DataFrame(
        {
            f"task{EVIL}": np.repeat([f"t{i}{EVIL}" for i in range(tasks)], runs),
            f"x{EVIL}": x[:, 0],
            f"y{EVIL}": x[:, 1],
            f"kind{EVIL}": rng.choice([f"a{EVIL}", f"b{EVIL}"], tasks * runs),
            f"error{EVIL}": ((x - 0.4) ** 2).sum(axis=1),
        }
    )


COLUMNS = (f"--task=task{EVIL}", f"--objective=error{EVIL}", "--direction=minimize")
RUNS = f"runs{EVIL}.parquet"
LEARNED = f"learned{EVIL}.json"
PLAN = f"""
name = {json.dumps(EVIL)}
[[experiment]]
figure = {json.dumps("3a" + EVIL)}
title = {json.dumps("made up" + EVIL)}
suites = ["example"]
methods = ["Random", "Box Random"]
tasks = 1
replications = 1
trials = 3
""".replace("\x7f", "\\u007f")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("hostile")
    hostile_runs().write_parquet(path / RUNS)
    (path / f"plan{EVIL}.toml").write_text(PLAN)
    (path / f"broken{EVIL}.json").write_text(json.dumps({"format": EVIL}))
    (path / f"list{EVIL}.json").write_text(f'["{EVIL.encode("unicode_escape").decode()}"]')
    made = ringfence("learn", RUNS, *COLUMNS, "--starts=2", "-o", LEARNED, cwd=path)
    assert made.returncode == 0, made.stderr
    odd = json.loads((path / LEARNED).read_text())
    odd[f"odd{EVIL}"] = 1
    (path / f"odd{EVIL}.json").write_text(json.dumps(odd))
    return path


STORE = ("--store", f"store{EVIL}")
WORKS = [
    ("learn", RUNS, *COLUMNS, "--starts=0"),
    ("learn", RUNS, *COLUMNS, "--starts=2", "-o", f"other{EVIL}.json"),
    ("learn", RUNS, *COLUMNS, "--starts=0", "-o", "-"),
    ("infer", RUNS, *COLUMNS[:2]),
    ("infer", RUNS, *COLUMNS[:2], "-o", f"space{EVIL}.json"),
    ("check", RUNS, *COLUMNS, "--starts=0"),
    ("check", RUNS, *COLUMNS, "--starts=0", "--format=json"),
    ("report", RUNS, *COLUMNS, "--starts=0", "-o", f"report{EVIL}.html"),
    ("show", LEARNED, "--tasks"),
    ("show", LEARNED, "--diff", LEARNED),
    *(("sample", LEARNED, "-n2", f"--format={layout}") for layout in ("jsonl", "table")),
    *(("starts", LEARNED, f"--format={layout}") for layout in ("jsonl", "table")),
    *(("export", LEARNED, f"--to={tool}") for tool in TOOLS if tool not in ("cmaes", "neps")),
    ("export", LEARNED, "--to=optuna", "-o", f"tune{EVIL}.py"),
    ("example", "optuna", "-o", f"example{EVIL}"),
    ("bench", "run", f"plan{EVIL}.toml", *STORE),
    ("bench", "status", f"plan{EVIL}.toml", *STORE),
    ("bench", "table", f"plan{EVIL}.toml", *STORE, "-o", f"table{EVIL}.parquet"),
]
FAILS = [
    *((command, f"nowhere{EVIL}") for command in ("learn", "check", "report", "infer", "show")),
    *((command, f"nowhere{EVIL}.json") for command in ("sample", "starts")),
    *(("show", f"{name}{EVIL}.json") for name in ("broken", "list", "odd")),
    ("learn", RUNS, f"--task={EVIL}"),
    ("learn", RUNS, *COLUMNS, f"--shape={EVIL}"),
    ("learn", RUNS, *COLUMNS, f"--parameters=no{EVIL}"),
    ("learn", RUNS, *COLUMNS, f"--space=nowhere{EVIL}.json"),
    ("learn", RUNS, *COLUMNS, f"--option={EVIL}"),
    ("learn", RUNS, f"--format={EVIL}"),
    ("learn", RUNS, *COLUMNS, "-o", f"nowhere{EVIL}/learned.json"),
    ("learn", f"postgresql://user{EVIL}@127.0.0.1:1/{EVIL}"),
    ("export", LEARNED, f"--to={EVIL}"),
    ("example", EVIL),
    ("demo", "-o", f"{RUNS}/demo{EVIL}"),
    ("show", LEARNED, "--plot", f"picture.{EVIL}"),
    ("bench", "run", f"nowhere{EVIL}.toml"),
    ("bench", "status", f"plan{EVIL}.toml", f"--suite={EVIL}"),
    ("bench", "table", f"plan{EVIL}.toml", "--store", f"nothing{EVIL}"),
    ("bench", "plot", f"plan{EVIL}.toml", *STORE, f"--metric={EVIL}"),
    ("bench", "fetch", "openml", EVIL),
    ("bench", "fetch", "hpob", f"nowhere{EVIL}"),
    (EVIL,),
    ("show", f"--{EVIL}"),
    ("sample", LEARNED, f"-n{EVIL}"),
]


WIDE = {"FORCE_COLOR": "1", "COLUMNS": "200"}


def called(words):
    return re.sub(r"[^\w-]+", " ", " ".join(words))[:80]


@pytest.mark.parametrize("terminal", [False, True], ids=["pipe", "terminal"])
@pytest.mark.parametrize("words", WORKS, ids=called)
def test_what_works_prints_nothing_that_a_terminal_obeys(folder, words, terminal):
    made = ringfence(*words, cwd=folder, env=WIDE, real=False, terminal=terminal)
    assert made.returncode == 0, made.stderr
    assert unsafe(made.stdout + made.stderr) == set()


@pytest.mark.parametrize("words", FAILS, ids=called)
def test_what_fails_is_a_line_of_which_a_terminal_obeys_nothing(folder, words):
    made = ringfence(*words, cwd=folder, env=WIDE)
    assert made.returncode in (1, 2) and "Traceback" not in made.stderr, made.stderr
    assert unsafe(made.stdout + made.stderr) == set()
    if made.returncode == 1:
        assert made.stderr.startswith("ringfence: ") and made.stderr.count("\n") == 1


def test_csv_is_true_in_a_pipe_and_safe_in_a_terminal(folder):
    words = ("sample", LEARNED, "-n2", "--seed=0", "--format=csv")
    piped, seen = (
        ringfence(*words, cwd=folder, real=False, terminal=terminal).stdout
        for terminal in (False, True)
    )
    assert next(csv.reader(io.StringIO(piped, newline=""))) == [*rf.load(folder / LEARNED).space]
    assert unsafe(seen) <= {"\t"} and seen == shown(piped)


def test_json_has_the_true_names(folder):
    learned = ringfence("learn", RUNS, *COLUMNS, "--starts=0", "-o", "-", cwd=folder).stdout
    space = ringfence("infer", RUNS, *COLUMNS[:2], cwd=folder).stdout
    names = [f"x{EVIL}", f"y{EVIL}", f"kind{EVIL}"]
    assert [*json.loads(space)["parameters"]] == names
    assert [*json.loads(learned)["space"]["parameters"]] == names


def test_the_exported_program_has_the_true_names(folder):
    program = ringfence("export", LEARNED, "--to=optuna", cwd=folder).stdout
    texts = {n.value for n in ast.walk(ast.parse(program)) if isinstance(n, ast.Constant)}
    assert {LEARNED, f"x{EVIL}", f"a{EVIL}"} <= texts


def test_tracebacks_logs_and_others_print_through_the_guard():
    stream = io.StringIO()
    guarded = Guarded(stream)
    with redirect_stderr(guarded):
        try:
            raise KeyError(EVIL) from ValueError(EVIL)
        except KeyError:
            sys.excepthook(*sys.exc_info())
        logging.StreamHandler().emit(logging.makeLogRecord({"msg": EVIL}))
        sys.stderr.write(EVIL)
    assert "owned" in stream.getvalue() and unsafe(stream.getvalue()) == {"\t"}
    assert not hasattr(guarded, "buffer")


def test_a_progress_bar_shows_its_name_and_lets_others_print(monkeypatch):
    stream = Terminal(io.BytesIO(), "utf-8", write_through=True)
    monkeypatch.setattr(sys, "stderr", Guarded(stream))
    monkeypatch.setattr(sys, "stdout", Guarded(io.StringIO()))
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar(f"tasks of [red]{EVIL}") as progress:
        progress(1, 2)
        sys.stderr.write(f"{EVIL}\n")
    written = stream.buffer.getvalue().decode()
    assert "[red]" in written and written.count("owned") >= 2
    cursor = re.compile(r"\x1b\[(?:\?25[hl]|2K|1A|[0-9;]*m)|\r")
    assert "\x1b[7;31m" not in written and unsafe(cursor.sub("", written)) == set()


def test_ascii_streams_and_names_that_are_no_text(tmp_path):
    name = os.fsdecode(b"nowhere\xff\x9b.json")
    for encoding in ("ascii", "latin-1"):
        environment = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
        made = ringfence("show", name, cwd=tmp_path, env=environment, real=True)
        assert made.returncode == 1 and made.stderr.count("\n") == 1, made.stderr
        assert unsafe(made.stderr) == set()


def test_values_and_errors_are_safe_to_print_in_python(folder):
    learned = rf.load(folder / LEARNED)
    history = rf.read_history(
        folder / RUNS, task=f"task{EVIL}", objective=f"error{EVIL}", direction="minimize"
    )
    check = rf.check(history, starts=0)
    for value in (learned, history, check, learned.space, learned.provenance, learned.tasks[0]):
        for text in (str(value), repr(value)):
            assert unsafe(text) == set()
    for path in (f"nowhere{EVIL}", f"odd{EVIL}.json", f"list{EVIL}.json"):
        with pytest.raises(rf.RingfenceError) as caught:
            rf.load(folder / path)
        assert unsafe(str(caught.value)) == set() and "\n" not in str(caught.value)


def test_nothing_in_the_commands_prints_in_another_way():
    """`say` for sentences and tables, `put` and `put_json` for data."""
    folder = Path(ringfence_cli.__file__).parent
    for path in folder.rglob("*.py"):
        source = path.read_text("utf-8")
        assert not re.search(r"\b(?:echo|secho|print|rprint)\(", source), path
        if path.name not in ("streams.py", "terminal.py", "progress.py"):
            assert "stdout.write" not in source and " raw(" not in source, path


FORMULAS = ("=1+1", "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "＝1")
HARMLESS = ("a=b", "-1", "+2.5e-3", "'quoted'", "x@y", "")


def test_csv_cannot_be_read_in_another_way():
    """Neither by who separates by semicolons or tabs, nor by who ends lines elsewhere."""
    choices = ["a;b", "b\tc", "c\rd", "d\ne", "e\u2028f", 'f"', "g,=1", "", "plain", "a;-1;+2.5"]
    text = layouts._csv(["n"], [{"n": choice} for choice in choices] + [{}])
    assert [row[0] for row in csv.reader(io.StringIO(text, newline="")) if row] == ["n", *choices]
    assert pl.read_csv(text.encode())["n"].to_list() == [*choices, None]
    assert text.endswith('"a;-1;+2.5"\n\n')


@pytest.mark.parametrize("mark", [";", "\t", "|", "\r", "\n", "\u2028"])
@pytest.mark.parametrize("formula", ["=1+1", "+1+1", "-2+3", "@SUM(A1)", ' ="x"', '"=1', "＝1"])
def test_no_formula_begins_after_another_separator(mark, formula):
    """Excel in German separates by semicolons, and then takes no notice of our quotes: they do not
    stand where its cell begins."""
    for name in (f"a{mark}{formula}", f"{mark}{formula}", f"a{mark}{mark}{formula}{mark}"):
        text = layouts._csv(["x", "y"], [{"x": 1, "y": name}])
        for cell in text.partition("\n")[2].split(mark):
            assert cell.strip(' "')[:1] not in ("=", "+", "-", "@", "＝"), text


def test_csv_hands_no_formula_to_a_spreadsheet(tmp_path):
    names = ["=name", "-kind"]
    space = rf.Space({n: rf.Categorical([*FORMULAS, *HARMLESS]) for n in names})
    frame = pl.DataFrame({"task": ["a"], "error": [0.5], **{n: ["a=b"] for n in names}})
    history = rf.History.from_frame(frame, task="task", objective="error")
    rf.learn(history, space, starts=0).save(tmp_path / "learned.json")
    words = ("sample", "learned.json", "-n300", "--seed=0", "--format=csv")
    text = ringfence(*words, cwd=tmp_path).stdout
    head, *rows = csv.reader(io.StringIO(text, newline=""))
    assert head == ["'=name", "'-kind"]
    safe = {f"'{f}" for f in FORMULAS if f.strip() == f} | {"'\t'=1", "'\r'=1"}
    assert {cell for row in rows for cell in row} == {*safe, *HARMLESS}


@pytest.mark.skipif(os.name != "posix", reason="a shell of POSIX")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", ">/dev/full"])
def test_closed_and_full_streams_make_no_traceback(closed, folder):
    command = f"{sys.executable} -m ringfence show learned*.json {closed}"
    made = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)
    full = closed == ">/dev/full"
    assert made.returncode == full
    assert made.stderr == "ringfence: No space left on device: output\n" * full


@pytest.mark.skipif(sys.platform != "linux", reason="names of files that are bytes")
def test_a_table_whose_name_is_no_text_is_learned_and_reported(tmp_path):
    source = os.fsdecode(b"runs\xff.csv")
    table = hostile_runs().select(pl.all().name.map(lambda name: name[:4]))
    (tmp_path / source).write_text(table.write_csv(), "utf-8")
    words = (source, "--task=task", "--objective=erro", "--direction=minimize", "--starts=0")
    for command, made in (("learn", "learned.json"), ("report", "report.html")):
        done = ringfence(command, *words, "-o", made, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "runs?.csv" in (tmp_path / made).read_text("utf-8")
    assert "$&#x27;runs\\xff.csv&#x27;" in (tmp_path / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    "words",
    [
        ("learn", "x", "--shape", "{}"),
        ("learn", "x", "--shape={}"),
        ("{}",),
        ("sample", "x", "{}"),
        ("show", "{}"),
        ("learn", "x", "--{}"),
        ("export", "x", "--to", "{}"),
        ("learn", "x", "--seed", "{}"),
        ("learn", "x", "--option", "storage={}"),
        ("learn", "nowhere.csv", "-o", "{}"),
    ],
)
@pytest.mark.parametrize(
    "address",
    [
        "postgresql://u:SECRET@h/db",
        "postgres//u:SECRET:h/db",
        "https://h/x?token=SECRET",
        "postgresql://u:a b' SECRET@h/db",
        "a\n\x1b[31m\u202epostgresql://u:SECRET@h/db",
    ],
)
def test_what_was_typed_wrong_is_shown_as_carefully_as_anything(
    words, address, tmp_path, monkeypatch
):
    """The messages of click, which repeats what it does not understand."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["ringfence", *(w.replace("{}", address) for w in words)])
    monkeypatch.setattr("signal.signal", lambda *_: None)
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(f"sys.{name}", io.StringIO())
    with pytest.raises(SystemExit) as caught:
        ringfence_cli.main()
    said = sys.stderr.raw.getvalue() + sys.stdout.raw.getvalue()
    assert caught.value.code in (1, 2) and 0 < said.count("\n") <= 4
    assert "SECRET" not in said and "\x1b" not in said and "\u202e" not in said
