"""The command line as a person uses it: real processes, one clear line when something is wrong."""

from __future__ import annotations

import csv
import io
import json
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from conftest import MIXED, mixed_runs
from processes import ringfence
from ringfence.cli.app import app
from ringfence.space import write_space

COMMANDS = [
    "learn", "check", "report", "refresh", "show", "sample", "export", "infer", "demo", "example",
]  # fmt: skip


def run(*arguments, code=0, **how):
    """Run the command; `code` is the exit code that must come back."""
    result = ringfence(*arguments, env={"COLUMNS": "100"}, **how)
    assert result.returncode == code, result.stdout + result.stderr
    return result.stdout, result.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs")
    mixed_runs().write_parquet(path / "runs.parquet")
    mixed_runs().write_csv(path / "runs.csv")
    (path / "space.json").write_text(write_space(MIXED))
    options = ["--task", "task", "--objective", "error", "--space", path / "space.json"]
    run("learn", path / "runs.parquet", *options, "-o", path / "box.json")
    run(
        "learn", path / "runs.parquet", *options, "--shape", "ellipsoid", "--outliers", "0.1",
        "-o", path / "ring.json",
    )  # fmt: skip
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command):
    out, _ = run(command, "--help")
    assert f"Example: ringfence {command}" in " ".join(out.split())


def test_the_bare_command_and_the_version():
    out, _ = run("--help")
    assert all(command in out for command in COMMANDS)
    assert run("--version")[0].strip() == f"ringfence {rf.__version__}"


@pytest.mark.parametrize("words", ["", "bench", "bench fetch"])
@pytest.mark.parametrize("columns", [50, 80])
def test_summaries_of_commands_are_whole_sentences(words, columns):
    """Wrapped where the terminal ends, never cut."""
    shown = ringfence(*words.split(), "--help", env={"COLUMNS": str(columns)}).stdout
    assert max(map(len, shown.splitlines())) <= columns
    listed = re.split(r"\n  (?=\S)", shown.split("Commands:")[1])[1:]
    assert len(listed) >= 2
    for entry in listed:
        name, *sentence = entry.split()
        page = ringfence(*words.split(), name, "--help", env={"COLUMNS": "200"}).stdout
        first = " ".join(page.split("\n\n")[1].split())
        assert " ".join(sentence) == first, name


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("export learned.json --to s", {"smac", "sklearn", "synetune"}),
        ("learn runs --format w", {"wandb"}),
        ("check runs --input-format x", {"xlsx"}),
        ("example ml", {"mlflow"}),
    ],
)
def test_shells_complete_names(words, offered, capsys, monkeypatch):
    line = f"ringfence {words}"
    monkeypatch.setenv("_RINGFENCE_COMPLETE", "complete_bash")  # as bash's script does
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    with pytest.raises(SystemExit):
        app(args=[], prog_name="ringfence")
    assert set(capsys.readouterr().out.split()) == offered


def test_learn_says_what_it_did_and_writes_what_python_reads(folder):
    out, _ = run(
        "learn", folder / "runs.csv", "--task", "task", "--objective", "error",
        "--space", folder / "space.json", "--shape", "ellipsoid", "--outliers", "0.1",
        "-o", folder / "again.json",
    )  # fmt: skip
    assert "800 of 800 rows of runs.csv used" in out
    assert "volume kept: " in out and "left outside: " in out and "again.json" in out
    again, before = rf.load(folder / "again.json"), rf.load(folder / "ring.json")
    assert again.bounds == before.bounds
    assert again.provenance.digest == before.provenance.digest  # CSV or Parquet, the same data


def test_learn_guesses_and_says_so(folder):
    out, _ = run("learn", folder / "runs.parquet")
    assert "took the column 'task' as the task" in out
    assert "took the column 'error' as the objective" in out
    assert "rate is active only if booster is dart" in out
    assert "not written; add -o" in out
    few = mixed_runs(tasks=2, runs=30)
    few.write_csv(folder / "two.csv")
    out, _ = run("learn", folder / "two.csv")
    assert out.count("no starting points were looked for") == 1
    assert "starts=10 (--starts 10) does it" in out


def test_dropped_rows_are_shown(folder):
    frame = mixed_runs().with_columns(lr=pl.when(pl.int_range(800) < 3).then(9.0).otherwise("lr"))
    frame.write_csv(folder / "wild.csv")
    out, _ = run("learn", folder / "wild.csv", "--space", folder / "space.json")
    assert "3 dropped: lr is not a number from 1e-05 to 1 (row 2: lr = 9.0)" in out


def test_pipes_in_and_out(folder):
    content = (folder / "runs.csv").read_bytes()
    out, err = run("learn", "-", "--space", folder / "space.json", "-o", "-", stdin=content)
    assert json.loads(out)["format"] == "ringfence.learned-space"
    assert "rows of standard input used" in err


def test_show_and_diff(folder):
    out, _ = run("show", folder / "box.json")
    assert "1e-05 … 1 (log)" in out and "█" in out
    out, _ = run("show", folder / "box.json", "--tasks")
    assert "task19" in out and "inside" in out
    out, _ = run("show", folder / "box.json", "--plot", folder / "box.png")
    assert "box.png" in out and (folder / "box.png").read_bytes()[:4] == b"\x89PNG"
    out, _ = run("show", folder / "box.json", "--diff", folder / "ring.json")
    assert "shape: box → ellipsoid" in out
    out, _ = run("show", folder / "box.json", "--diff", folder / "box.json")
    assert out.strip() == "nothing changed"


def test_sample_in_three_layouts(folder):
    learned = rf.load(folder / "ring.json")
    expected = learned.sample(7, seed=3)
    arguments = ["sample", folder / "ring.json", "-n", "7", "--seed", "3"]
    lines, _ = run(*arguments)
    assert [json.loads(line) for line in lines.splitlines()] == expected
    table, _ = run(*arguments, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [float(row["lr"]) for row in rows] == [c["lr"] for c in expected]
    text, _ = run(*arguments, "--format", "table")
    assert text.split()[0] == "lr" and len(text.splitlines()) == 8


def test_infer_writes_a_space_that_learn_takes(folder):
    _, err = run("infer", folder / "runs.parquet", "-o", folder / "inferred.json")
    assert "lr is a number from" in err
    out, _ = run("learn", folder / "runs.parquet", "--space", folder / "inferred.json")
    assert "volume kept" in out
    for name in ("s.yaml", "s.toml"):
        run("infer", folder / "runs.parquet", "-o", folder / name)
        assert rf.read_space(folder / name) == rf.read_space(folder / "inferred.json")
    out, _ = run("infer", folder / "runs.parquet", "--ignore", "lr")
    assert "lr" not in json.loads(out)["parameters"]
    out, _ = run("infer", folder / "runs.parquet")
    assert set(json.loads(out)) == {"parameters", "conditions"}


def test_options_of_a_reader_reach_it(folder):
    entry = {"X": [[0.1, 0.2], [0.3, 0.4]], "y": [[0.5], [0.6]]}
    content = {"5891": {"3": entry, "31": entry}, "6767": {"3": {"X": [[0.5]], "y": [[1.0]]}}}
    (folder / "hpob.json").write_text(json.dumps(content))
    source = [folder / "hpob.json", "--format", "hpob"]
    _, err = run("infer", *source, code=1)
    assert "several search_spaces" in err
    out, _ = run("infer", *source, "--option", "search_space=5891", "--option", "parameters=x0,x1")
    assert set(json.loads(out)["parameters"]) == {"x0", "x1"}
    _, err = run("infer", *source, "--option", "search_space", code=1)
    assert "--option must be NAME=VALUE" in err
    _, err = run("learn", folder / "runs.csv", "--option", "at=best", code=1)
    assert "the reader 'table' has no option 'at'; its options are budget" in err


def test_the_gate_cannot_tell_only_if_the_lower_bound_is_too_low(folder):
    noise = pl.Series("error", np.random.default_rng(1).random(72))
    mixed_runs(tasks=6, runs=12).with_columns(noise).write_parquet(folder / "few.parquet")
    options = [folder / "few.parquet", "--space", folder / "space.json", "--starts", "0"]
    out, _ = run("check", *options, "--require-speedup", "0.01")
    assert "cannot tell" in out
    _, err = run("check", *options, "--require-speedup", "50", code=3)
    assert "cannot tell" in err
    _, err = run("check", *options, "--require-speedup", "nan", code=1)
    assert "must be a number" in err
    mixed_runs(tasks=4, runs=12).write_parquet(folder / "few.parquet")
    _, err = run("check", *options, "--require-speedup", "0.01", code=3)
    assert "4 tasks are too few" in err


def test_check_in_text_and_json_and_as_a_gate(folder):
    mixed_runs(tasks=8, runs=30).write_parquet(folder / "few.parquet")
    options = [folder / "few.parquet", "--space", folder / "space.json"]
    out, _ = run("check", *options)
    assert "10 trials inside are worth" in out and "90% interval" in out
    assert out.startswith("read off the table:\n") and "took the column 'task' as the task" in out
    out, _ = run("check", *options, "--format", "json", "--require-speedup", "0.1")
    result = json.loads(out)
    assert len(result["tasks"]) == 8 and result["verdict"]
    assert any("took the column 'error' as the objective" in note for note in result["notes"])
    _, err = run("check", *options, "--require-speedup", "1000", code=2)
    assert "is below 1000" in err
    out, _ = run("check", *options, "--compare")
    assert "took the column 'task' as the task" in out
    assert "ellipsoid, outliers 0.1, refit" in out and ("take: " in out or "keep the" in out)


def test_report_writes_a_page_about_the_space_that_was_asked_for(folder):
    out, _ = run(
        "report", folder / "runs.parquet", "--space", folder / "space.json", "--shape", "ellipsoid",
        "--outliers", "0.1", "--refit", "-o", folder / "report.html",
    )  # fmt: skip
    assert out.rstrip().endswith(f"written to {folder / 'report.html'}")
    text = (folder / "report.html").read_text("utf-8")
    assert "--shape=ellipsoid --outliers=0.1 --refit" in text and "ellipsoid around" in text.lower()


def test_the_demo_runs_and_leaves_a_space_a_picture_and_a_report(tmp_path):
    out, _ = run("demo", "-o", tmp_path / "demo")
    assert out.splitlines()[-1].endswith("demo/report.html")
    assert "<h1" in (tmp_path / "demo" / "report.html").read_text("utf-8")
    assert "volume kept" in out and "10 trials inside are worth" in out
    learned = rf.load(tmp_path / "demo" / "learned.json")
    assert len(learned.tasks) >= 15
    assert (tmp_path / "demo" / "learned.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["learn", "none.csv"], "cannot read none.csv: No such file"),
        (["learn", "empty.csv"], "empty.csv is empty"),
        (["learn", "runs.csv", "--task", "tsk"], "no column 'tsk'; did you mean 'task'"),
        (["learn", "runs.csv", "--space", "none.yaml"], "cannot read none.yaml"),
        (["learn", "runs.csv", "--outliers", "lots"], "--outliers must be a share"),
        (["learn", "runs.csv", "--outliers", "2"], "outliers must be a share"),
        (["learn", "runs.csv", "-o", "none/l.json"], "cannot write none/l.json"),
        (["learn", "runs.csv", "--format", "xls"], "format must be"),
        (
            ["learn", "runs.csv", "--space", "space.json", "--parameters", "lr"],
            "leave --parameters",
        ),
        (["show", "box.json", "--plot", "box.xyz"], "cannot write box.xyz"),
        (["report", "runs.csv", "-o", "none/r.html"], "cannot write none/r.html"),
        (["report", "runs.csv", "-o", "-"], "the report is a file"),
        (["learn", "runs.csv", "--seed", "-1"], "seed must be at least 0"),
        (["learn", "runs.csv", "--space", "box.json"], "is a learned space"),
        (["demo", "-o", "runs.csv"], "File exists"),
        (["show", "cut.json"], "cut off or not JSON"),
        (["show", "runs.csv"], "not JSON"),
        (["sample", "none.json"], "cannot read none.json"),
    ],
)
def test_an_error_is_one_clear_line_and_exit_code_1(folder, arguments, says):
    (folder / "empty.csv").write_bytes(b"")
    (folder / "cut.json").write_bytes((folder / "box.json").read_bytes()[:500])
    out, err = run(*arguments, cwd=folder, code=1)
    assert says in err and err.startswith("ringfence: ") and len(err.splitlines()) == 1
    assert "Traceback" not in out + err


def test_wrong_usage_is_exit_code_2(folder):
    _, err = run("learn", code=2)
    assert "RUNS" in err
    _, err = run("learn", folder / "runs.csv", "--shape", "circle", code=2)
    assert "circle" in err


def test_a_reader_that_goes_away_is_no_error(folder):
    program = f"{sys.executable} -c 'from ringfence.cli import main; main()'"
    result = subprocess.run(
        f"{program} sample {folder}/box.json -n 20000 | head -1",
        shell=True,
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.startswith("{") and result.stderr == ""


@pytest.mark.parametrize(
    ("sent", "said"), [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")]
)
def test_a_signal_to_end_is_one_line(sent, said):
    command = [sys.executable, "-m", "ringfence", "learn", "-"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stderr=pipe) as program:
        program.stdin.write(b"task,error\n" * 100_000)  # more than a pipe holds: it is reading
        time.sleep(0.5)
        try:
            assert ended(program, sent) == 128 + sent
        finally:
            program.kill()
        assert program.stderr.read().decode() == f"ringfence: {said}\n"


def ended(program: subprocess.Popen, sent: int, attempts: int = 10) -> int | None:
    """Its exit code; Python may miss a signal between two reads, so it is sent again."""
    for _ in range(attempts):
        program.send_signal(sent)
        with suppress(subprocess.TimeoutExpired):
            return program.wait(timeout=60)
    return None
