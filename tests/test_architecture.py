"""Who may import whom, and where things live (ARCHITECTURE.md), read off the source; and what an
import costs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import ringfence

SOURCE = Path(ringfence.__file__).parent
DOCUMENT = Path(__file__).parents[1] / "ARCHITECTURE.md"

MOST_LAYERS = 12
MOST_AT_THE_TOP = 10
MOST_IN_A_FOLDER = 16

FOREIGN = {
    "numpy", "msgspec", "polars", "scipy", "yaml", "typer", "rich", "matplotlib",
    "jinja2", "markupsafe", "threadpoolctl",
}  # fmt: skip

AT_HOME = {
    "smac": ("optimize/methods/smac.py", "adapters/smac.py"),
    "ConfigSpace": ("optimize/methods/smac.py", "adapters/smac.py", "adapters/configspace.py"),
    "joblib": ("bench/parallel.py", "bench/ray_backend.py", "adapters/sklearn/search.py"),
    "sklearn": ("adapters/sklearn/search.py",),
    "ray": ("adapters/raytune.py", "bench/ray_backend.py"),
    "torch": ("adapters/botorch.py",),
    "ax": ("adapters/ax.py",),
    "syne_tune": ("adapters/synetune.py",),
    "neps": ("adapters/neps.py",),
    "hyperopt": ("adapters/hyperopt.py",),
    "ibis": ("history/readers/ibis/",),
    "openpyxl": ("history/readers/shared/excel.py",),
    "mlflow": ("history/readers/mlflow/store.py",),
    "openml": ("history/readers/openml/server.py",),
    "optuna": ("adapters/optuna/", "history/readers/optuna/objects.py"),
    "sqlalchemy": ("history/readers/shared/server.py",),
}
"""Packages that only these modules may import."""


@cache
def modules() -> dict[str, Path]:
    """Every module of the package but its front, by its dotted name."""
    paths = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")
    parts = {path: ("ringfence", *path.relative_to(SOURCE).with_suffix("").parts) for path in paths}
    return {".".join(names).removesuffix(".__init__"): path for path, names in parts.items()}


@cache
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text()) for path in modules().values()}


def relative(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def at_run_time(tree: ast.Module):
    """Every node that is ever executed, in functions too; what only a type checker sees is not."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        yield node
        for child in ast.iter_child_nodes(node):
            typing_only = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
            if not typing_only:
                todo.append(child)


def imports(tree: ast.Module) -> set[str]:
    """The dotted names that a module imports when it runs, sooner or later."""
    names: set[str] = set()
    for node in at_run_time(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            full = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= full & set(modules()) or {node.module or ""}
    return names


def layers() -> list[set[str]]:
    """The layers of the document, low to high."""
    table = DOCUMENT.read_text().split("## Layers")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (\d+) \| ([^|]+) \|", table, flags=re.MULTILINE)
    assert [int(number) for number, _ in rows] == [*range(1, len(rows) + 1)]
    return [set(re.findall(r"`(\w+)/?`", names)) for _, names in rows]


def test_imports_go_downwards():
    level = {name: number for number, names in enumerate(layers()) for name in names}
    on_disk = {relative(path).split("/")[0].removesuffix(".py") for path in modules().values()}
    assert set(level) == on_disk
    upward = []
    for path, tree in trees().items():
        own = relative(path).split("/")[0].removesuffix(".py")
        for name in imports(tree):
            top, _, rest = name.partition(".")
            other = rest.split(".")[0]
            if top == "ringfence" and other not in ("", own) and level.get(other, 0) >= level[own]:
                upward.append(f"{relative(path)} imports {name}")
    assert not upward, upward
    assert len(layers()) <= MOST_LAYERS


def test_no_module_imports_itself_on_the_way():
    """Deferred imports count: whoever reads a module can read it before those that use it."""
    known, parsed = modules(), trees()
    left = {name: imports(parsed[path]) & set(known) - {name} for name, path in known.items()}
    while left:
        free = {name for name, needs in left.items() if not needs & set(left)}
        assert free, f"a cycle among {sorted(left)}"
        left = {name: needs for name, needs in left.items() if name not in free}


def test_the_tree_of_the_document_is_the_tree_on_disk():
    table = DOCUMENT.read_text().split("## The tree")[1].split("\n## ")[0]
    told = {}
    for folder, files in re.findall(r"^\| `([\w/]+)/` \| ([^|]*) \|", table, flags=re.MULTILINE):
        told[folder] = set(re.findall(r"`(\w+)`", files))
    on_disk: dict[str, set[str]] = {}
    for path in modules().values():
        folder = f"ringfence/{path.parent.relative_to(SOURCE).as_posix()}".removesuffix("/.")
        on_disk.setdefault(folder, set()).add(path.stem)
    on_disk = {folder: stems - {"__init__", "__main__"} for folder, stems in on_disk.items()}
    assert told == {folder: stems for folder, stems in on_disk.items() if stems}


def test_no_folder_is_crowded():
    sizes = Counter(path.parent for path in modules().values() if path.stem != "__init__")
    assert sizes[SOURCE] - 1 <= MOST_AT_THE_TOP  # __main__ does not count
    assert max(sizes.values()) <= MOST_IN_A_FOLDER, sizes.most_common(1)


def test_nothing_but_a_region_asks_for_the_kind_of_a_region():
    kinds = re.compile(r"\b(Box|Ellipsoid|Clipped|Union)\b")
    asking = [
        relative(path)
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "isinstance"
        and kinds.search(ast.unparse(node.args[1]))
    ]
    assert set(asking) <= {"regions/union.py"}  # the volume of overlapping boxes is exact


def test_foreign_packages_are_the_declared_ones():
    strangers = []
    for path, tree in trees().items():
        at_home = {name for name, places in AT_HOME.items() if relative(path).startswith(places)}
        known = FOREIGN | at_home | {"ringfence", ""} | set(sys.stdlib_module_names)
        strangers += [(relative(path), n) for n in imports(tree) if n.split(".")[0] not in known]
    assert not strangers, strangers


def test_only_the_command_line_prints():
    printing = [
        relative(path)
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print"
    ]
    assert not printing  # typer.echo is the command line's


def test_every_public_name_is_there():
    for name in ringfence.__all__:
        assert getattr(ringfence, name) is not None
    assert set(ringfence.__all__) <= set(dir(ringfence))
    with pytest.raises(AttributeError, match="no attribute 'lern'"):
        ringfence.lern  # noqa: B018


def test_editors_and_programs_see_the_same_public_names():
    tree = ast.parse((SOURCE / "__init__.py").read_text())
    typed = {
        (node.module, alias.name)
        for branch in ast.walk(tree)
        if isinstance(branch, ast.If) and ast.unparse(branch.test) == "TYPE_CHECKING"
        for node in ast.walk(branch)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    homes = ringfence.HOMES.items()
    assert typed == {(f"ringfence.{home}", n) for home, names in homes for n in names.split()}


def test_learn_stays_a_function_whatever_is_imported():
    import ringfence.learning

    assert callable(ringfence.learn) and callable(ringfence.load)


@pytest.mark.parametrize("code", ["import ringfence", "from ringfence.cli.app import app"])
def test_a_plain_import_loads_nothing_heavy(code):
    heavy = "{'numpy', 'polars', 'pandas', 'scipy', 'matplotlib', 'torch', 'sklearn'}"
    check = f"{code}; import sys; loaded = {heavy} & set(sys.modules); assert not loaded, loaded"
    subprocess.run([sys.executable, "-c", check], check=True)
