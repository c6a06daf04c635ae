"""Build the wheel and the sdist into dist/, and run the demo from the wheel alone.

    python scripts/dist.py

The wheel is made from the sdist, so both are complete or neither is. It is installed without extras
into a fresh environment, and `ringfence demo` runs there in an empty folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "ringfence"
DIST = ROOT / "dist"
BIN = "Scripts" if os.name == "nt" else "bin"
NOT_CODE = (
    "py.typed",
    "data/*.parquet",
    "data/*.json",
    "adapters/snippets/*.txt",
    "**/*.css",
    "**/*.js",
    "**/templates/*",
)
"""Files that are not modules; the package has at least one of each kind."""


def main() -> None:
    shutil.rmtree(DIST, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder) / "build")
        (wheel,) = DIST.glob("*.whl")
        (sdist,) = DIST.glob("*.tar.gz")
        check_contents(wheel)
        run_demo(wheel, Path(folder))
    for path in (wheel, sdist):
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1e3:,.0f} kB")


def build(folder: Path) -> None:
    """Both archives, by `python -m build` in an environment of its own."""
    python = fresh_environment(folder, "build")
    run(python, "-m", "build", "--outdir", DIST, ROOT, quiet=True)


def check_contents(wheel: Path) -> None:
    """Every file of the package is in the wheel, data, snippets and styles included."""
    source = {
        path.relative_to(SOURCE.parent).as_posix()
        for path in SOURCE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    for pattern in NOT_CODE:
        if not any(SOURCE.glob(pattern)):
            sys.exit(f"src/ringfence has no {pattern}: correct NOT_CODE in {Path(__file__).name}")
    with zipfile.ZipFile(wheel) as archive:
        missing = sorted(source - set(archive.namelist()))
    if missing:
        sys.exit(f"{wheel.name} lacks {', '.join(missing)}")
    print(f"{wheel.name}: all {len(source)} files of the package")


def run_demo(wheel: Path, folder: Path) -> None:
    """Install the wheel without extras and run the demo in an empty folder."""
    python = fresh_environment(folder / "alone", str(wheel))
    empty = folder / "empty"
    empty.mkdir()
    run(python.with_name("ringfence"), "demo", cwd=empty)
    written = sorted(path.name for path in (empty / "demo").iterdir())
    if written != ["learned.json"]:
        sys.exit(f"without extras the demo should write learned.json alone, not {written}")


def fresh_environment(folder: Path, *packages: str) -> Path:
    """The Python of a new virtual environment with these packages."""
    venv.create(folder, with_pip=True)
    python = folder / BIN / "python"
    run(python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", *packages)
    return python


def run(*command: object, cwd: Path = ROOT, quiet: bool = False) -> None:
    """Run a command; if it fails, show what it said and stop."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    finished = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE if quiet else None,
        stderr=subprocess.STDOUT if quiet else None,
        text=True,
    )
    if finished.returncode:
        sys.exit(f"{finished.stdout or ''}failed: {' '.join(str(part) for part in command)}")


if __name__ == "__main__":
    main()
