"""The commands of `scripts/make_tables.py`."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.own_tables import bundle
from benchmarks.own_tables.learners import LEARNERS
from benchmarks.own_tables.pieces import BLOCKS, Folder, Piece, all_pieces
from benchmarks.own_tables.pool import Pool, load_libraries
from benchmarks.own_tables.prepare import MOST_ROWS
from benchmarks.own_tables.progress import EVERY, Progress

LIMIT = 2.0
"""Seconds for one fold: 10 s for a configuration, and a hopeless one costs 2 s."""


def main(arguments: Sequence[str] | None = None) -> int:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="make_tables.py")
    commands = parser.add_subparsers(required=True)
    for name, function, about in (
        ("prepare", _prepare, "data sets of installed packages -> small files"),
        ("describe", _describe, "meta-features of prepared data sets; needs ringfence"),
        ("run", _run, "run what is missing"),
        ("unbundle", _unbundle, "add the pieces of a tar from another machine"),
        ("restore", _restore, "add the pieces of which tables were made"),
        ("earlier", _earlier, "write what another machine must know of"),
        ("collect", _collect, "pieces -> one Parquet file a learner"),
    ):
        command = commands.add_parser(name, help=about)
        command.set_defaults(function=function)
        _arguments(name, command)
    chosen = parser.parse_args(arguments)
    return int(chosen.function(chosen) or 0)


def _arguments(name: str, command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    if name in ("prepare", "describe", "run", "collect"):
        add("--data", type=Path, required=True, help="folder of the prepared data sets")
    if name in ("prepare", "run"):
        add("--tasks", nargs="+", help="only these")
    if name == "prepare":
        add("--rows", type=int, default=MOST_ROWS, help="rows of a data set at most")
    if name in ("prepare", "describe"):
        return
    add("--pieces", type=Path, required=True, help="folder of the pieces; machines may share it")
    if name == "run":
        add("--learners", nargs="+", choices=sorted(LEARNERS), default=list(LEARNERS))
        add("--blocks", type=int, default=BLOCKS, help="blocks of each learner and task")
        add("--jobs", type=int, default=1, help="processes")
        add("--minutes", type=float, default=1e6, help="then everything is kept, and we end")
        add("--limit", type=float, default=LIMIT, help="seconds for one fold")
        add("--bundle", type=Path, help="a tar of all pieces of this folder, renewed as we go")
        add("--earlier", type=Path, help="what other machines have finished, see 'earlier'")
    elif name == "unbundle":
        add("tars", nargs="+", type=Path)
    elif name == "earlier":
        add("to", type=Path)
    elif name == "restore":
        add("tables", type=Path)
    else:
        add("--out", type=Path, required=True)


def _prepare(chosen: argparse.Namespace) -> None:
    from benchmarks.own_tables.datasets import BUNDLED_ONLY, sources
    from benchmarks.own_tables.prepare import prepare

    known = {source.name: source for source in sources()}
    wanted = chosen.tasks or [name for name in known if name not in BUNDLED_ONLY]
    for name in wanted:
        if name not in known:
            raise SystemExit(f"no data set {name!r}; there are {', '.join(known)}")
    prepare([known[n] for n in wanted], chosen.data, chosen.rows)


def _describe(chosen: argparse.Namespace) -> None:
    from benchmarks.own_tables.prepare import describe

    describe(chosen.data)


def listed(data: Path, wanted: Sequence[str] | None) -> list[dict[str, Any]]:
    """The prepared tasks."""
    tasks: list[dict[str, Any]] = json.loads((data / "tasks.json").read_text())["tasks"]
    return [t for t in tasks if wanted is None or t["task"] in wanted]


def _run(chosen: argparse.Namespace) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal; all work is kept"))
    until = time.monotonic() + 60 * chosen.minutes
    folder = Folder(chosen.pieces)
    elsewhere = bundle.take_earlier(chosen.earlier, folder) if chosen.earlier else frozenset()
    known = frozenset(f"{name}{bundle.DONE}" for name in elsewhere)
    pieces = all_pieces(listed(chosen.data, chosen.tasks), chosen.learners, chosen.blocks)
    done = folder.finished() | elsewhere
    missing = [piece for piece in pieces if piece.name not in done]
    print(f"{len(pieces)} pieces, {len(missing)} missing", flush=True)
    if missing:
        load_libraries(chosen.learners)
    progress = Progress(missing, chosen.jobs)
    pool = Pool(chosen.data, folder, chosen.jobs, chosen.limit)
    packed = time.monotonic()
    try:
        for piece, content in pool.run(_claimed(missing, folder), until):
            progress.add(piece, content)
            if chosen.bundle and time.monotonic() - packed > EVERY:
                bundle.pack(folder, chosen.bundle, known)
                packed = time.monotonic()
    finally:
        if chosen.bundle:
            bundle.pack(folder, chosen.bundle, known)
        print(progress.summary(), flush=True)


def _claimed(pieces: Sequence[Piece], folder: Folder) -> Iterator[Piece]:
    """Pieces that nobody else works on or has finished meanwhile."""
    for piece in pieces:
        if folder.claim(piece):
            if folder.has(piece):
                folder.release(piece)
            else:
                yield piece


def _unbundle(chosen: argparse.Namespace) -> None:
    folder = Folder(chosen.pieces)
    for path in chosen.tars:
        print(f"{path}: {bundle.unpack(path, folder)} pieces added")
    print(f"{len(folder.finished())} pieces are finished")


def _restore(chosen: argparse.Namespace) -> None:
    from benchmarks.own_tables.restore import restore

    folder = Folder(chosen.pieces)
    print(f"{restore(chosen.tables, folder)} pieces added; {len(folder.finished())} are finished")


def _earlier(chosen: argparse.Namespace) -> None:
    bundle.write_earlier(Folder(chosen.pieces), chosen.to)


def _collect(chosen: argparse.Namespace) -> None:
    from benchmarks.own_tables.collect import collect

    collect(Folder(chosen.pieces), chosen.data, chosen.out)
