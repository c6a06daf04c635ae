"""Who may import whom (ARCHITECTURE.md), read off the source; and what an import costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import ringfence

SOURCE = Path(ringfence.__file__).parent

LAYERS = [
    {"errors", "arrays"},
    {"files", "numbers"},
    {"space", "regions"},
    {"history", "fit"},
    {"blocks"},
    {"learned_records"},
    {"learned", "region_records"},
    {"learned_parts"},
    {"learned_file", "learned_text", "gauge"},
    {"learned_diff", "block_fit", "settings"},
    {"whole"},
    {"optimize"},
    {"starting"},
    {"checking"},
    {"learning"},
    {"adapters"},
    {"reporting", "bench"},
    {"cli"},
    {"__main__"},
]
"""Low to high. A module imports from lower layers and from its own package only."""

LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}

LATE = {"learned": ("learned_file", "learned_text", "reporting"), "checking": ("reporting",)}

FOREIGN = {
    "numpy", "msgspec", "polars", "scipy", "yaml", "typer", "rich", "matplotlib", "plotly",
}  # fmt: skip

AT_HOME = {
    "smac": {"smac"},
    "ConfigSpace": {"smac", "configspace"},
    "joblib": {"runner", "ray_backend"},
    "ray": {"raytune", "ray_backend"},
    "torch": {"botorch"},
    "ax": {"ax"},
    "syne_tune": {"synetune"},
    "neps": {"neps"},
    "hyperopt": {"hyperopt"},
    "ibis": {"ibis", "ibis_best", "ibis_numbers", "ibis_rows"},
    "mlflow": {"mlflow_store"},
    "openml": {"openml_server"},
    "optuna": {
        "optuna",
        "optuna_cube",
        "optuna_grid",
        "optuna_guard",
        "optuna_trials",
        "optuna_objects",
        "optuna_sampler",
        "optuna_transfer",
        "optuna_values",
    },
    "sqlalchemy": {"connection", "mlflow_sql", "optuna_sql", "optuna_tables"},
}
"""Packages that only the modules of these names may import."""


def modules():
    return sorted(p for p in SOURCE.rglob("*.py") if p != SOURCE / "__init__.py")


def package(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path: Path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            if node.module == "ringfence":
                yield from (f"ringfence.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_go_downwards(path):
    own = package(path)
    for name in imports(path):
        parts = name.split(".")
        if parts[0] != "ringfence" or len(parts) == 1 or parts[1] not in LEVEL:
            continue
        # A learned space saves, prints and draws itself, a check draws itself: late calls upwards.
        late = parts[1] in LATE.get(own, ())
        assert parts[1] == own or LEVEL[parts[1]] < LEVEL[own] or late, f"{own} imports {name}"


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_foreign_packages_are_the_declared_ones(path):
    found = {name.split(".")[0] for name in imports(path)}
    own = {package for package, homes in AT_HOME.items() if path.stem in homes}
    assert found - FOREIGN - own - {"ringfence"} <= set(sys.stdlib_module_names)


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_only_the_command_line_prints(path):
    calls = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call)]
    named = {c.func.id for c in calls if isinstance(c.func, ast.Name)}
    assert "print" not in named


def test_every_public_name_is_there():
    for name in ringfence.__all__:
        assert getattr(ringfence, name) is not None
    assert set(ringfence.__all__) <= set(dir(ringfence))
    with pytest.raises(AttributeError, match="no attribute 'lern'"):
        ringfence.lern  # noqa: B018


def test_learn_stays_a_function_whatever_is_imported():
    import ringfence.learning

    assert callable(ringfence.learn) and callable(ringfence.load)


@pytest.mark.parametrize("code", ["import ringfence", "from ringfence.cli.app import app"])
def test_a_plain_import_loads_nothing_heavy(code):
    heavy = "{'polars', 'pandas', 'scipy', 'matplotlib', 'plotly', 'torch', 'sklearn', 'joblib'}"
    check = f"{code}; import sys; found = {heavy} & set(sys.modules); assert not found, found"
    subprocess.run([sys.executable, "-c", check], check=True)
