"""A full disk and a folder that cannot be written to: one line, and the old file stays."""

from __future__ import annotations

import os
import random
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chaos.commands import WRITERS, Writer
from chaos.kills import OLD
from chaos.tally import Tally

LONGEST = 400
"""Characters of the line that says what is wrong; paths here are short."""
PAGE = 4096
"""Bytes in which disks count."""
ROOM = 16 * PAGE
"""What a small disk has beyond the inputs."""
PROGRAM = (
    "import sys, chaos.commands as c; next(w for w in c.WRITERS if w.name == sys.argv[1]).run()"
)


def fill_disks(inputs: Path, home: Path, rng: random.Random, tally: Tally) -> None:
    """Every command with a disk that holds its input and a few kilobytes more, and with a limit on
    the size of a file, which needs no rights."""
    for writer in WRITERS:
        if writer.again:
            continue
        with mounted(home / "disk", inputs, writer.outputs) as folder:
            if folder is None:
                tally.count("disks that could not be mounted")
            else:
                _fill(folder)
                _refused(writer, folder, f"{writer.name} on a full disk", tally)
        folder = home / "limited"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(inputs, folder)
        _plant(folder, writer.outputs)
        _refused(writer, folder, f"{writer.name} with a limit", tally, limit=rng.choice((0, 64)))


def close_folders(inputs: Path, home: Path, tally: Tally) -> None:
    """Every command in a folder that is read-only: by its permissions, or as a mount for root, whom
    permissions do not stop."""
    for writer in WRITERS:
        if writer.again:
            continue
        if os.geteuid() == 0:
            with mounted(home / "disk", inputs, writer.outputs) as folder:
                if folder is None or not _remount(folder):
                    tally.count("disks that could not be mounted")
                    continue
                _refused(writer, folder, f"{writer.name} in a read-only folder", tally)
        else:
            folder = home / "closed"
            shutil.copytree(inputs, folder)
            _plant(folder, writer.outputs)
            closed = {folder, *((folder / name).parent for name in writer.outputs)}
            for path in closed:
                path.chmod(0o555)
            _refused(writer, folder, f"{writer.name} in a read-only folder", tally)
            for path in closed:
                path.chmod(0o755)
            shutil.rmtree(folder)


@contextmanager
def mounted(place: Path, inputs: Path, outputs: tuple[str, ...]) -> Iterator[Path | None]:
    """A small disk that holds the inputs and old outputs; None if mounting is not allowed."""
    place.mkdir(exist_ok=True)
    size = sum(path.stat().st_size + PAGE for path in inputs.iterdir()) + ROOM
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "ringfence-chaos", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        yield None
        return
    try:
        for path in inputs.iterdir():
            shutil.copy(path, place / path.name)
        _plant(place, outputs)
        yield place
    finally:
        subprocess.run(["umount", str(place)], capture_output=True, check=True)


def _plant(folder: Path, outputs: tuple[str, ...]) -> None:
    for name in outputs:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(OLD)


def _remount(place: Path) -> bool:
    command = ["mount", "-o", "remount,ro", str(place)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _refused(
    writer: Writer, folder: Path, what: str, tally: Tally, *, limit: int | None = None
) -> None:
    """Run the command, which cannot write, and see what it says and leaves."""
    before = sorted(path.name for path in folder.rglob("*"))

    def limited() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    made = subprocess.run(
        [sys.executable, "-B", "-c", PROGRAM, writer.name],
        cwd=folder, preexec_fn=limited, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )  # fmt: skip
    tally.count(what)
    said = made.stderr.strip()
    tally.require(made.returncode == 1, f"{what}: ends with {made.returncode}: {said[-300:]!r}")
    one_line = re.fullmatch(rf"((?s:.*)\n)?ringfence: .{{1,{LONGEST}}}", said)
    fine = one_line and said.count("ringfence: ") == 1 and "Traceback" not in said
    tally.require(bool(fine), f"{what}: says {said[-300:]!r}")
    for name in writer.outputs:
        same = (folder / name).exists() and (folder / name).read_bytes() == OLD
        tally.require(same, f"{what}: {name} is not as it was")
    after = sorted(path.name for path in folder.rglob("*") if path.suffix != ".parts")
    left = [name for name in after if name not in before and name.startswith(".")]
    tally.require(not left, f"{what}: leaves {left}")


def _fill(folder: Path) -> None:
    """Take all that is left of a disk."""
    with (folder / "filler").open("wb", buffering=0) as file:
        while True:
            try:
                file.write(bytes(PAGE))
            except OSError:
                return
