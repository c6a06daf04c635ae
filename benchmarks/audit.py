"""An audit of published search spaces against the optima that were found in them.

python -m benchmarks.audit --published FOLDER     test all spaces; the results are committed
python -m benchmarks.audit --write [--check]      write docs/audit.md from the results
python -m benchmarks.audit --picture --published FOLDER    draw docs/pictures/audit.png
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

import ringfence as rf
from benchmarks import audit_page, audit_tests
from benchmarks.hub.edges import ends, scaled, stepped
from benchmarks.hub.published import SIZE_BOUND, declared_spaces, space_of, steps_of, tidy
from benchmarks.hub.runs import ANY, HubRuns

FEWEST = 10
"""Data sets below which a space is not tested."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.audit")
    parser.add_argument("--published", type=Path, help="folder of hub_*.parquet")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--picture", action="store_true")
    arguments = parser.parse_args()
    if arguments.write:
        return audit_page.write(check=arguments.check)
    if arguments.published is None:
        parser.error("--published FOLDER says where the tunings are")
    spaces = list(audited(arguments.published))
    if arguments.picture:
        audit_page.draw(spaces)
        return 0
    audit_page.take(pl.concat([results(runs) for runs in spaces], how="diagonal_relaxed"),
                    declared_spaces(arguments.published))  # fmt: skip
    return 0


def audited(folder: Path) -> Iterator[HubRuns]:
    """The tunings in each declared space that has enough data sets."""
    for key, record in declared_spaces(folder).items():
        path = folder / f"hub_{record['learner']}_{record['source']}.parquet"
        if not path.exists():
            continue
        table = pl.read_parquet(path).filter(pl.col("space") == key)
        frame = tidy(table, list(record["parameters"]))
        runs = HubRuns(key, record["learner"], "", "", record["licence"], False,
                       {ANY: space_of(record)}, frame, SIZE_BOUND,
                       steps=steps_of(record))  # fmt: skip
        if len(runs.data_sets) >= FEWEST:
            yield runs


def results(runs: HubRuns) -> pl.DataFrame:
    """Every test of every parameter of one space, a row each."""
    print(runs.name, runs.frame.height, len(runs.data_sets), flush=True)
    space = runs.space(ANY)
    rows: list[dict[str, Any]] = []
    for end in ends(runs, space, runs.name):
        rows.append({"test": "end", "parameter": end.parameter, "end": end.end, "p": end.p,
                     "value": end.value, "count": end.count, "data_sets": end.data_sets,
                     "chance": end.chance, "share": end.share})  # fmt: skip
    for name, parameter in space.parameters.items():
        if isinstance(parameter, (rf.Float, rf.Int)):
            known = runs.frame.filter(pl.col(name).is_not_null())
            rows += _tests(known, name, parameter, runs.steps.get(name, 1))
    return pl.DataFrame([{"space": runs.name, **row} for row in rows], infer_schema_length=None)


def _tests(
    frame: pl.DataFrame, name: str, parameter: rf.Float | rf.Int, step: int
) -> list[dict[str, Any]]:
    first = audit_tests.first_splits(frame)
    u = at = audit_tests.places(first, name, parameter)
    spaced = parameter
    if step > 1:
        spaced, values = stepped(parameter, first[name].cast(float).to_numpy(), step)
        at = scaled(spaced, values)
    small = isinstance(spaced, rf.Int) and spaced.high - spaced.low < 100
    cells = int(spaced.high - spaced.low + 1) if small else None
    about = {"parameter": name, "data_sets": first.height}
    rows: list[dict[str, Any]] = []
    if len(u) >= FEWEST:
        p, share = audit_tests.concentration_test(at, cells), audit_tests.distance(at, cells)
        rows.append({"test": "concentration", **about, "p": p, "share": share})
        scale = audit_tests.scale_test(u, parameter)
        if scale is not None:
            rows.append({"test": "scale", **about, "p": scale[0], "share": scale[1],
                         "end": "log" if parameter.log else "linear"})  # fmt: skip
    agreement = audit_tests.agreement_test(frame, name, parameter)
    if agreement is not None:
        rows.append({"test": "agreement", **about, "p": agreement})
    if parameter.off is not None:
        k, n, p = audit_tests.off_test(first, name, parameter)
        rows.append({"test": "off", **about, "p": p, "count": k, "data_sets": n, "share": k / n})
    return rows


if __name__ == "__main__":
    sys.exit(main())
