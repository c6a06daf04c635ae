"""`ringfence export`: every program runs as it is written, and says inside what it prints."""

from __future__ import annotations

import ast
from dataclasses import replace

import msgspec
import pytest

import ringfence as rf
from problems import SPACES, region
from processes import python, ringfence
from ringfence.adapters.export import TOOLS, snippet
from ringfence.space.pairs import from_pairs

FREE = {"botorch", "cmaes", "neps"}
"""Tools that know no conditions at all."""


def export(*arguments, cwd, code=0):
    result = ringfence("export", *arguments, cwd=cwd, env={"COLUMNS": "100"})
    assert result.returncode == code, result.stdout + result.stderr
    return result.stdout, result.stderr


def scores(learned, objective="auc"):
    """The same space as if it had been learned from scores."""
    past = msgspec.structs.replace(
        learned.provenance, objective=objective, direction="maximize", guessed=False
    )
    return replace(learned, provenance=past)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("export")
    for kind in SPACES:
        for shape in ("box", "ellipsoid", "boxes"):
            region(kind, shape).save(path / f"{kind}-{shape}.json")
            scores(region(kind, shape)).save(path / f"{kind}-{shape}-auc.json")
    return path


@pytest.mark.parametrize("tool", TOOLS)
def test_every_program_is_python_and_loads_the_file(tool):
    learned = region("numeric" if tool == "cmaes" else "mixed", "box")
    name = 'it\'s "mine".json'
    calls = [
        n for n in ast.walk(ast.parse(snippet(learned, name, tool))) if isinstance(n, ast.Call)
    ]
    assert [c.args[0].value for c in calls if ast.unparse(c.func) == "rf.load"] == [name]


RUNS = [
    ("optuna", "conditional-ellipsoid"),
    ("optuna", "conditional-boxes-auc"),
    ("optuna", "off-box"),
    ("configspace", "conditional-ellipsoid"),
    ("configspace", "off-box"),
    ("sklearn", "conditional-box"),
    ("cmaes", "numeric-ellipsoid"),
    ("hyperopt", "mixed-ellipsoid"),
    ("smac", "mixed-ellipsoid"),
    ("botorch", "mixed-ellipsoid-auc"),
    ("synetune", "conditional-ellipsoid-auc"),
    ("ax", "numeric-box-auc"),
    ("ray", "conditional-ellipsoid-auc"),
]


@pytest.mark.filterwarnings("ignore")  # of the tools
@pytest.mark.parametrize("tool, name", RUNS)
def test_programs_run_and_print_configurations_inside(tool, name, folder):
    learned = rf.load(folder / f"{name}.json")
    program = snippet(learned, f"{name}.json", tool)
    for number in ("max_evals", "n_trials", "num_samples"):
        program = program.replace(f"{number}=20", f"{number}=4")
    (folder / f"with_{tool}.py").write_text(program)
    how = {"real": True} if tool == "ray" else {}  # Ray's servers would outlive the program here
    result = python(folder / f"with_{tool}.py", cwd=folder, env={"HOME": str(folder)}, **how)
    assert result.returncode == 0, result.stdout + result.stderr
    lines = result.stdout.splitlines()
    printed = [ast.literal_eval(line) for line in lines if line.startswith("{")]
    assert printed
    for config in printed:
        assert learned.contains(from_pairs(learned.space, config))


TURNED = {
    "optuna": ('direction="minimize"', 'direction="maximize"'),
    "ray": ('"loss", "min"', '"score", "max"'),
    "ax": ('objective="-loss"', 'objective="score"'),
    "synetune": ("do_minimize=True", "do_minimize=False"),
    "botorch": ("[[-objective(", "[[objective("),
    "hyperopt": ("# train with config, return 'error', the value to minimize",
                 "# train with config, return minus 'auc', since Hyperopt minimizes"),
    "cmaes": ("the value to minimize", "return minus 'auc', since CMA-ES minimizes"),
    "neps": ("the value to minimize", "return minus 'auc', since NePS minimizes"),
    "smac": ("the value to minimize", "return minus 'auc', since SMAC3 minimizes"),
}  # fmt: skip


@pytest.mark.parametrize("tool", TURNED)
def test_programs_go_the_way_of_the_past_runs(tool):
    learned = region("numeric", "box")
    less, more = TURNED[tool]
    losses = snippet(learned, "learned.json", tool)
    turned = snippet(scores(learned), "learned.json", tool)
    assert less in losses and "maximize" not in losses
    assert more in turned and less not in turned
    assert "'error'" in losses and "'auc'" in turned


@pytest.mark.parametrize("tool", TOOLS)
def test_the_name_of_an_objective_stays_in_its_comment(tool):
    learned = region("numeric", "box")
    name = "auc\nraise SystemExit\r\u2028x = 1 # LEARNED 'MODE' \""
    plain, strange = (
        ast.dump(ast.parse(snippet(scores(learned, n), "learned.json", tool)))
        for n in ("auc", name)
    )
    assert plain == strange


def test_the_program_is_printed_or_written(folder):
    out, _ = export("conditional-ellipsoid.json", "--to", "ray", cwd=folder)
    assert 'raytune.searcher(rf.load(\'conditional-ellipsoid.json\'), "loss", "min"' in out
    _, err = export("conditional-ellipsoid.json", "--to", "ray", "-o", "tune.py", cwd=folder)
    assert (folder / "tune.py").read_text() == out and err == "written to tune.py\n"


def test_optuna_gets_the_original_ranges_and_conditions():
    out = snippet(region("conditional", "box"), "box.json", "optuna")
    for line in (
        "config['C'] = trial.suggest_float('C', 0.001, 1000.0, log=True)",
        "if config['kernel'] in ['poly']:\n"
        "        config['degree'] = trial.suggest_int('degree', 2, 6)",
        "config['kernel'] = trial.suggest_categorical('kernel', ['linear', 'poly', 'rbf'])",
    ):
        assert line in out


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_configspace_reads_its_own_format(suffix, folder):
    from ConfigSpace import ConfigurationSpace

    from ringfence.adapters.configspace import to_configspace

    export("conditional-box.json", "--to", "configspace", "-o", f"cs.{suffix}", cwd=folder)
    read = getattr(ConfigurationSpace, f"from_{suffix}")(folder / f"cs.{suffix}")
    assert read == to_configspace(region("conditional", "box")).space


def test_mistakes_are_one_line(folder):
    def mistake(*arguments):
        out, err = export(*arguments, cwd=folder, code=1)
        assert out == "" and err.count("\n") == 1
        return err

    assert "no export to 'skopt'; there is optuna, configspace" in mistake(
        "numeric-box.json", "--to", "skopt"
    )
    for tool in FREE:
        with pytest.raises(rf.SettingError, match="use the adapter for Optuna"):
            snippet(region("conditional", "box"), "box.json", tool)
    wrong = mistake("mixed-ellipsoid.json", "--to", "configspace", "-o", "cs.json")
    assert "the shape 'ellipsoid'" in wrong and "learned.as_space()" in wrong
    wrong = mistake("mixed-boxes.json", "--to", "configspace", "-o", "cs.json")
    assert "the shape 'boxes'" in wrong and "learned.as_space()" in wrong
    assert "would hide the package" in mistake("numeric-box.json", "--to", "ax", "-o", "ax.py")
    assert "cannot read nowhere.json" in mistake("nowhere.json", "--to", "optuna")
