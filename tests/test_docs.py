"""What the README and the docs show is run: Python blocks, command lines, links; and what they, the
citation and the workflows name is there."""

from __future__ import annotations

import pkgutil
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
import yaml

import ringfence as rf
from processes import ringfence

ROOT = Path(__file__).parent.parent
COMMANDS = (
    "learn", "check", "report", "refresh", "show", "sample", "starts", "export", "infer", "match",
    "demo", "example", "hub list", "hub show", "hub export",
)  # fmt: skip
BENCH = ("run", "status", "table", "plot", "fetch openml", "fetch hpob")
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/**/*.md")])
GENERATED = {"results.md", "transfer-results.md"}
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
WIDTH = 120


def page_id(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), flags=re.DOTALL)


def test_the_spaces_in_the_docs_are_spaces(tmp_path):
    (shown,) = blocks(ROOT / "docs" / "history.md", "yaml")
    (tmp_path / "space.yaml").write_text(shown)
    assert len(rf.read_space(tmp_path / "space.yaml")) == 6


def tools(kind: str) -> set[str]:
    """The readers of other tools, or the adapters, by the modules that are there."""
    home = {"adapters": "ringfence.adapters", "readers": "ringfence.history.readers"}[kind]
    modules = {module.name for module in pkgutil.iter_modules(import_module(home).__path__)}
    shared = {"export", "values", "vectors", "view", "dispatch", "shared", "table"}
    return modules - shared


@pytest.mark.parametrize("kind", ["adapters", "readers"])
def test_every_tool_has_its_page_and_its_test_and_is_named_where_people_look(kind):
    readme, choose = (ROOT / "README.md").read_text(), (ROOT / "docs/how-to-choose.md").read_text()
    home = {"adapters": "tests/adapters", "readers": "tests/history/readers"}[kind]
    pages = list((ROOT / "docs" / kind).glob("*.md"))
    assert {page.stem for page in pages} == tools(kind)
    for page in pages:
        assert f"](docs/{kind}/{page.name})" in readme
        assert f"]({kind}/{page.name})" in choose
        assert (ROOT / home / f"test_{page.stem}.py").exists()


def test_the_readme_has_at_most_900_words():
    assert len((ROOT / "README.md").read_text().split()) <= 900


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_lead_somewhere_and_nothing_is_left_open(page):
    text = page.read_text()
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert target.startswith("https://") or (page.parent / target).exists(), target
    for word in ("TODO", "FIXME", "DEMO", "BENCHTABLE", "FEWTABLE"):
        assert word not in text


def test_every_option_of_every_command_is_on_its_page():
    page = (ROOT / "docs" / "cli.md").read_text()
    for command in (*COMMANDS, *(f"bench {name}" for name in BENCH)):
        shown = ringfence(*command.split(), "--help").stdout
        assert "--help" in shown
        section = page.split(f"# ringfence {command}\n")[1].split("\n## ")[0].split("\n### ")[0]
        for option in set(re.findall(r"--[a-z][a-z-]+", shown)) - {"--help"}:
            assert option in section, (command, option)


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_modules_and_files_that_a_page_names_are_there(page):
    text = page.read_text()
    text = re.sub(r"```python.*?```", "", text, flags=re.DOTALL)  # these are run
    text = re.sub(r"#ringfence\.[\w.]+|^::: .*$", "", text, flags=re.MULTILINE)  # the site's build
    for name in set(re.findall(r"\bringfence(?:\.[a-z_]+)+(?:\.[A-Z]\w+)?", text)):
        if not name.endswith((".json", ".toml")) and page.name != "CHANGELOG.md":
            assert _exists(name), name
    for path in set(re.findall(r"`((?:src|tests|docs|examples|benchmarks|plans)/[\w./-]+)`", text)):
        assert "NAME" in path or (ROOT / path).exists(), path


def _exists(name: str) -> bool:
    """Whether a dotted name is a module, or something in one."""
    parts, rest = name.split("."), []
    while parts:
        try:
            value = import_module(".".join(parts))
        except ModuleNotFoundError:
            rest.insert(0, parts.pop())
            continue
        for part in rest:
            if not hasattr(value, part):
                return False
            value = getattr(value, part)
        return True
    return False


@pytest.mark.parametrize("page", [p for p in PAGES if p.name not in GENERATED], ids=page_id)
def test_lines_are_at_most_120_characters_long(page):
    """But for tables, for a single word such as a URL, and for what a program has printed."""
    fence = None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("```"):
            fence = line if fence is None else None
        free = fence == "```" or line.lstrip().startswith("|") or len(line.split()) == 1
        assert free or len(line) <= WIDTH, f"{page.name}, line {number}"


def test_the_citation_is_of_this_version_and_of_the_paper():
    content = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= content.keys()
    assert content["version"] == rf.__version__
    (paper,) = content["references"]
    assert paper["title"].startswith("Learning search spaces for Bayesian optimization: Another")
    names = [author["family-names"] for author in paper["authors"]]
    assert names == ["Perrone", "Shen", "Seeger", "Archambeau", "Jenatton"]


def test_the_changelog_begins_with_what_is_unreleased_and_then_this_version():
    sections = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    released = yaml.safe_load((ROOT / "CITATION.cff").read_text())["date-released"]
    assert sections[:2] == ["[Unreleased]", f"[{rf.__version__}] - {released}"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_names_what_is_there(path):
    """Make targets, test files and major versions of actions; and it holds no secret."""
    text = path.read_text()
    assert "secrets." not in text and "password:" not in text
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    jobs = yaml.safe_load(text)["jobs"].values()
    steps = [step for job in jobs for step in job["steps"]]
    assert all(job["timeout-minutes"] <= 120 for job in jobs)
    for step in steps:
        if "uses" in step:
            assert re.fullmatch(r"[\w-]+/[\w-]+@(v\d+|release/v\d+)", step["uses"])
            continue
        for target in re.findall(r"^make ([\w-]+)", step["run"], flags=re.MULTILINE):
            assert target in targets, target
        for name in re.findall(r"tests/\S+", step["run"]):
            assert (ROOT / name).exists(), name


def test_windows_runs_what_make_quick_runs():
    makefile = (ROOT / "Makefile").read_text()
    pytest_of = re.search(r"^PYTEST := \$\(ONE_THREAD\) (.*)$", makefile, flags=re.MULTILINE)[1]
    commands = []
    for name in ("lint", "quick"):
        rule = re.search(rf"^{name}:.*\n((?:\t.*\n)+)", makefile, flags=re.MULTILINE)[1]
        commands += rule.replace("$(PYTEST)", pytest_of).replace("$(BIN)/", "").split("\n\t")
    jobs = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text())["jobs"]
    steps = [step["run"] for step in jobs["windows"]["steps"] if "run" in step]
    assert steps[1:] == [command.strip() for command in commands]  # after the installation


def test_the_workflows_run_every_python_that_the_package_is_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    versions = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))
    jobs = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text())["jobs"]
    assert jobs["linux"]["strategy"]["matrix"]["python"] == versions
    assert project["requires-python"] == f">={versions[0]}"
