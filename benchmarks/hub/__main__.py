"""The hub: its entries, what they rest on, and their page.

    python -m benchmarks.hub build --published FOLDER --tables FOLDER [--only NAME]
    python -m benchmarks.hub studies --published FOLDER --tables FOLDER
    python -m benchmarks.hub write [--check]

`build` writes entries into the package, `studies` asks what the choices within the hub rest on, and
`write` fills docs/hub.md from both.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.hub import page
from benchmarks.hub.build import build
from benchmarks.hub.published import published
from benchmarks.hub.runs import HubRuns
from benchmarks.hub.studies import as_frame, studies


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hub")
    parser.add_argument("command", choices=["build", "studies", "write"])
    parser.add_argument("--published", type=Path, help="folder of hub_*.parquet")
    parser.add_argument("--tables", type=Path, help="folder of tables of our own")
    parser.add_argument("--only", nargs="+", help="these entries alone")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if arguments.command == "write":
        return page.write(check=arguments.check)
    chosen = [runs for runs in sources(arguments) if runs.name in (arguments.only or [runs.name])]
    if arguments.command == "build":
        for runs in chosen:
            build(runs)
        return 0
    rows = []
    for runs in chosen:
        for kind in runs.spaces if runs.dense else ():
            rows += list(studies(runs, kind))
            print(runs.name, kind, len(rows), flush=True)
    page.STUDIES.parent.mkdir(parents=True, exist_ok=True)
    as_frame(rows).write_parquet(page.STUDIES, compression="zstd")
    return 0


def sources(arguments: argparse.Namespace) -> Iterator[HubRuns]:
    """All that entries are learned from."""
    if arguments.published is not None:
        yield from published(arguments.published)
    if arguments.tables is not None:
        from benchmarks.hub.dense import dense

        yield from dense(arguments.tables)


if __name__ == "__main__":
    sys.exit(main())
