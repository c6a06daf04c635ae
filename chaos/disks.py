"""A full disk and a folder that cannot be written to: one line, and the old file stays."""

from __future__ import annotations

import os
import random
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
PROGRAM = "import sys, chaos.commands as c; next(w for w in c.WRITERS if w.name == sys.argv[1]).run()"


def fill_disks(inputs: Path, home: Path, rng: random.Random, tally: Tally) -> None:
    """Every command with a disk that holds its input and a few kilobytes more, and with a limit on
    the size of a file, which needs no rights."""
    for writer in WRITERS:
        if writer.again:
            continue
        free = rng.choice((0, 4096))
        with mounted(home / "disk", inputs, free) as folder:
            if folder is None:
                tally.count("disks that could not be mounted")
            else:
                _refused(writer, folder, f"{writer.name} on a full disk", tally)
        folder = home / "limited"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(inputs, folder)
        _refused(writer, folder, f"{writer.name} with a limit", tally, limit=rng.choice((0, 64)))


def close_folders(inputs: Path, home: Path, tally: Tally) -> None:
    """Every command in a folder that is read-only: by its permissions, or as a mount for root, whom
    permissions do not stop."""
    for writer in WRITERS:
        if writer.again:
            continue
        if os.geteuid() == 0:
            with mounted(home / "disk", inputs, 1 << 20, old=writer.outputs) as folder:
                if folder is None or not _remount(folder):
                    tally.count("disks that could not be mounted")
                    continue
                _refused(writer, folder, f"{writer.name} in a read-only folder", tally, planted=True)
        else:
            folder = home / "closed"
            shutil.copytree(inputs, folder, dirs_exist_ok=True)
            folder.chmod(0o555)
            _refused(writer, folder, f"{writer.name} in a read-only folder", tally, planted=True)
            folder.chmod(0o755)
            shutil.rmtree(folder)


@contextmanager
def mounted(
    place: Path, inputs: Path, free: int, old: tuple[str, ...] = ()
) -> Iterator[Path | None]:
    """A disk of its own that holds the inputs and `free` bytes more; None if that is not allowed."""
    place.mkdir(exist_ok=True)
    page = 4096
    used = sum(-(-path.stat().st_size // page) * page for path in inputs.iterdir())
    size = used + free + len(WRITERS) * page
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "ringfence-chaos", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        yield None
        return
    try:
        for path in inputs.iterdir():
            shutil.copy(path, place / path.name)
        for name in old:
            (place / name).parent.mkdir(exist_ok=True)
            (place / name).write_bytes(OLD)
        yield place
    finally:
        subprocess.run(["umount", str(place)], capture_output=True, check=True)


def _remount(place: Path) -> bool:
    command = ["mount", "-o", "remount,ro", str(place)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _refused(
    writer: Writer, folder: Path, what: str, tally: Tally, *, limit: int | None = None, planted: bool = False
) -> None:
    if not planted:
        for name in writer.outputs:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(OLD)
        _fill(folder) if limit is None else None
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
    tally.require(said.count("\n") == 0 and len(said) <= LONGEST, f"{what}: says {said[-300:]!r}")
    for name in writer.outputs:
        same = (folder / name).exists() and (folder / name).read_bytes() == OLD
        tally.require(same, f"{what}: {name} is not as it was")
    after = sorted(path.name for path in folder.rglob("*") if path.suffix != ".parts")
    left = [name for name in after if name not in before and name.startswith(".")]
    tally.require(not left, f"{what}: leaves {left}")


def _fill(folder: Path) -> None:
    """Take what is free."""
    with (folder / "filler").open("wb") as file:
        try:
            while True:
                file.write(b"\0" * 4096)
                file.flush()
        except OSError:
            return
