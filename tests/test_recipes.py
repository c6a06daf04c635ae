"""The recipes of CONTRIBUTING.md, followed: the files that it shows are put where it says, beside
the package's own, and used. Nothing in the package is edited."""

from __future__ import annotations

import json
import re
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from tests.diamond import DIAMOND, Diamond

import ringfence as rf
from adapters.contract import comes_back, inside
from problems import SPACES, Problem, region
from processes import ringfence
from ringfence.regions.region import Body

PAGE = Path(__file__).parents[1] / "CONTRIBUTING.md"


def recipe(name: str) -> str:
    """The section 'How to add NAME'."""
    return PAGE.read_text().split(f"### How to add {name}\n")[1].split("\n### ")[0]


def files(text: str) -> dict[str, str]:
    """The files that a recipe shows: blocks whose first line is a path in the package."""
    blocks = re.findall(r"```python\n(# src/ringfence/(\S+)\n.*?)```", text, flags=re.DOTALL)
    return {path: block for block, path in blocks}


@pytest.fixture
def followed(tmp_path, monkeypatch):
    """Follow a recipe: write its files, and let the packages they belong to find them."""
    modules = set(sys.modules)

    def follow(name: str) -> Path:
        for path, block in files(recipe(name)).items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(block)
            if path.endswith(".py"):
                folder = Path(path).parent
                package = import_module(".".join(("ringfence", *folder.parts)))
                monkeypatch.setattr(
                    package, "__path__", [*package.__path__, str(tmp_path / folder)]
                )
        return tmp_path

    yield follow
    for name in set(sys.modules) - modules:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.mark.parametrize("name", ["a reader", "an optimizer", "an adapter", "a shape"])
def test_the_paths_of_a_recipe_exist(name):
    """Those with NAME in them as folders, the others as they are."""
    for path in re.findall(r"`((?:src|tests|docs|examples)/[^`\s]+)`", recipe(name)):
        target = PAGE.parent / (path.rsplit("/", 1)[0] if "NAME" in path else path)
        assert target.exists(), path


@pytest.fixture
def trialbook(tmp_path):
    """The file of the recipe, with more tasks."""
    (content,) = re.findall(r"```json\n(.*?)```", recipe("a reader"), flags=re.DOTALL)
    book = json.loads(content)
    rng = np.random.default_rng(0)
    for name in ("digits", "wine", "iris"):
        params = [{"lr": 10 ** rng.uniform(-3, 0), "depth": int(d)} for d in rng.integers(1, 9, 6)]
        book["tasks"][name] = [
            {"params": p, "result": rng.random(), "state": "done"} for p in params
        ]
    path = tmp_path / "runs.trialbook"
    path.write_text(json.dumps(book))
    return path


def test_a_reader(followed, trialbook):
    followed("a reader")
    history = rf.read_history(trialbook)
    again = rf.read_history(str(trialbook), format="trialbook")
    assert history.digest() == again.digest()
    assert history.tasks == ("adult", "covertype", "digits", "wine", "iris")
    assert history.source == "runs.trialbook" and history.roles.objective == "loss"
    assert history.frame.height == 21
    learned = rf.learn(history)
    assert [len(task.incumbent) for task in learned.tasks] == [2] * 5
    ((rows, reason),) = [(drop.rows, drop.reason) for drop in learned.provenance.dropped]
    assert rows == 1 and "failed" in reason
    assert rf.read_history(trialbook, parameters="lr").roles.parameters == ("lr",)


def test_a_reader_has_its_options_and_names_what_is_wrong(followed, trialbook):
    with pytest.raises(rf.HistoryError, match="format"):
        rf.read_history(trialbook)
    followed("a reader")
    assert rf.read_history(trialbook, only=["wine", "iris"]).tasks == ("wine", "iris")
    finished = ringfence("learn", trialbook, "--option", "only=wine,iris", real=False)
    assert "all 2 tasks" in finished.stdout, finished.stderr
    with pytest.raises(rf.HistoryError, match="has no option 'tasks'; its options are only"):
        rf.read_history(trialbook, tasks=["wine"])
    with pytest.raises(rf.HistoryError, match="has no objective 'los'; did you mean 'loss'"):
        rf.read_history(trialbook, objective="los")
    trialbook.write_text('{"tasks": {}}')
    with pytest.raises(rf.HistoryError, match="is not as Trialbook writes it: 'metric' is missing"):
        rf.read_history(trialbook)


@pytest.mark.parametrize("kind", SPACES)
@pytest.mark.parametrize("name", ["full", "box", "ellipsoid", "boxes"])
def test_an_optimizer(followed, tmp_path, kind, name):
    followed("an optimizer")
    learned, objective = region(kind, name), Problem(SPACES[kind], 0.5)
    outcome = rf.minimize(objective, learned, "nearby", n_trials=12, seed=3)
    configs = [trial.config for trial in outcome.trials]
    for config in configs:
        inside(learned, config)
    assert len({str(config) for config in configs}) == 12

    engine = rf.optimizer("nearby", learned, seed=3, draws=16)
    for number in range(12):
        if number == 6:
            engine.save(tmp_path / "run.json")
            engine = rf.load_optimizer(tmp_path / "run.json")
        trial = engine.ask()
        assert trial.config == configs[number]
        engine.tell(trial, objective(trial.config))


def test_an_optimizer_is_one_of_the_names_and_better_than_chance(followed):
    """With 30 or more of 40 seeds: if it were random search, one false alarm in 900."""
    with pytest.raises(rf.SettingError, match="no optimizer 'nearby'"):
        rf.optimizer("nearby", SPACES["numeric"])
    followed("an optimizer")
    with pytest.raises(rf.SettingError, match="draws"):
        rf.optimizer("nearby", SPACES["numeric"], draws=0)
    objective, space = Problem(SPACES["numeric"], 0.3), SPACES["numeric"]
    wins = 0
    for seed in range(40):
        near, random = (
            rf.minimize(objective, space, name, n_trials=20, seed=seed).value
            for name in ("nearby", "random")
        )
        wins += near < random
    assert wins >= 30


def test_an_optimizer_ends_when_a_finite_space_does(followed):
    followed("an optimizer")
    space = rf.Space({"depth": rf.Int(1, 3), "loss": rf.Categorical(["a", "b"])})
    outcome = rf.minimize(lambda config: config["depth"], space, "nearby", n_trials=20)
    assert len(outcome.trials) == 6 and outcome.value == 1


@pytest.mark.parametrize("kind", SPACES)
@pytest.mark.parametrize("name", ["full", "box", "ellipsoid", "ellipsoids"])
def test_an_adapter(followed, kind, name):
    from scipy.optimize import differential_evolution

    followed("an adapter")
    bounds = import_module("ringfence.adapters.scipy").bounds
    learned, objective = region(kind, name), Problem(SPACES[kind], 0.5)
    translated, tried = bounds(learned), []

    def value(vector):
        tried.append(translated.decode(vector))
        return objective(tried[-1])

    answer = differential_evolution(value, translated.space, maxiter=2, popsize=3, polish=False)
    for config in tried:
        inside(learned, config)
    assert objective(translated.decode(answer.x)) == min(map(objective, tried))
    comes_back(learned, translated.encode, translated.decode)


def test_an_adapter_is_exported_once_it_is_named(followed, monkeypatch, capsys):
    from ringfence.adapters import export

    folder = followed("an adapter")
    learned = region("mixed", "ellipsoid")
    learned.save(folder / "learned.json")
    with pytest.raises(rf.SettingError, match="no export to 'scipy'"):
        export.snippet(learned, "learned.json", "scipy")
    monkeypatch.setattr(export, "TOOLS", (*export.TOOLS, "scipy"))
    monkeypatch.setattr(export, "files", lambda package: folder / "adapters")
    monkeypatch.chdir(folder)
    exec(export.snippet(learned, "learned.json", "scipy"), {})
    inside(learned, eval(capsys.readouterr().out))


def test_a_shape_has_what_the_recipe_lists():
    """The skeleton names all that a body is asked for, the example has it, and its entry of the
    table is the one that tests/test_shapes.py registers."""
    text = recipe("a shape")
    listed = re.findall(r"^    # [\w ]+: (.+)$", text, flags=re.MULTILINE)
    names = {name for line in listed for name in line.split(", ")}
    asked = {name for name in vars(Body) if not name.startswith("_")} - {"center"}
    assert names == asked
    assert all(hasattr(Diamond, name) for name in names)
    entry = re.search(r"SHAPES\.append\(\n +(Shape\(.+?\))\n\)", text).group(1)
    assert eval(entry, {"Shape": type(DIAMOND)}) == DIAMOND
