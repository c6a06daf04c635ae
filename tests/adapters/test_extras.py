"""A missing package is one line with the command that installs it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEEDS = {
    "configspace": ("ConfigSpace", "configspace"),
    "smac": ("ConfigSpace", "configspace"),
    "raytune": ("ray", "ray"),
    "botorch": ("torch", "botorch"),
    "ax": ("ax", "ax"),
    "synetune": ("syne_tune", "synetune"),
    "hyperopt": ("hyperopt", "hyperopt"),
    "sklearn.search": ("sklearn", "sklearn"),
}
"""By adapter, the package that it imports and the extra that brings it."""


@pytest.mark.parametrize("adapter", NEEDS)
def test_a_missing_package_names_the_command(adapter):
    package, extra = NEEDS[adapter]
    code = f"import sys; sys.modules[{package!r}] = None; import ringfence.adapters.{adapter}"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    last = result.stderr.splitlines()[-1]
    assert last.startswith("ringfence.errors.MissingExtraError: this needs the package")
    assert f"pip install 'ringfence[{extra}]'" in last


def test_every_extra_that_a_message_names_exists():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    assert {extra for _, extra in NEEDS.values()} | {"smac", "neps", "cmaes", "sklearn"} <= {
        *extras
    }


def test_adapters_that_need_no_package_import_none():
    code = (
        "import sys; from importlib import import_module\n"
        "heavy = {'torch', 'ray', 'sklearn', 'neps', 'cmaes', 'ConfigSpace', 'optuna'}\n"
        "for name in ('cmaes', 'sklearn', 'neps', 'view', 'export'):\n"
        "    import_module(f'ringfence.adapters.{name}')\n"
        "    assert not heavy & {*sys.modules}, name"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
