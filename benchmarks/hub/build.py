"""Entries of the hub as files of the package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import msgspec
import polars as pl

from benchmarks.hub.compact import compact
from benchmarks.hub.edges import clipped, ends
from benchmarks.hub.judging import COVERED, VOLUME, judged, learn
from benchmarks.hub.runs import ANY, KINDS, HubRuns, part_of
from benchmarks.hub.sizes import FEWEST, sizes_differ
from benchmarks.hub.starting import Bench, start_evidence
from ringfence.learned.file_format import encode
from ringfence.learned.hub.past import ROWS, TASK
from ringfence.learned.hub.records import (
    FORMAT,
    VERSION,
    Edge,
    EntryRecord,
    Evidence,
    ModelRecord,
    PartRecord,
)

FOLDER = Path(__file__).parents[2] / "src/ringfence/data/hub"
STARTS = 10
"""Starting points of an entry, as many as rf.learn finds unasked where tasks have many rows."""


def build(runs: HubRuns, folder: Path = FOLDER) -> EntryRecord:
    """Write an entry: its spaces and their evidence, and the rows that it keeps."""
    parts = tuple(_parts(runs))
    rows = compact(runs)
    names = dict.fromkeys(name for space in runs.spaces.values() for name in space)
    record = EntryRecord(
        FORMAT, VERSION, runs.name, runs.learner, runs.about, runs.source, runs.licence,
        runs.dense, tuple(names), parts, runs.needs,
        models=_models(runs, rows) if runs.dense else {},
    )  # fmt: skip
    if record.data_sets != len(runs.data_sets):
        record = msgspec.structs.replace(record, sets=len(runs.data_sets))
    folder.mkdir(parents=True, exist_ok=True)
    content = msgspec.json.format(msgspec.json.encode(record), indent=0)
    (folder / f"{runs.name}.json").write_bytes(content + b"\n")
    rows.write_parquet(
        folder / f"{runs.name}.parquet", compression="zstd", compression_level=19, statistics=False
    )
    return record


def _models(runs: HubRuns, rows: pl.DataFrame) -> dict[str, ModelRecord]:
    """The hyperparameters of the models of all tasks over the rows that are kept."""
    kept, found = replace(runs, frame=rows), {}
    for kind in runs.spaces:
        for name, model in Bench(part_of(kept, kind, None, None), kind).models.items():
            scales = (float(f"{scale:.4g}") for scale in model.hyperparameters.length_scales)
            noise = float(f"{model.hyperparameters.noise:.4g}")
            found[name] = ModelRecord(tuple(scales), noise)
    return found


def _parts(runs: HubRuns) -> Iterator[PartRecord]:
    """The spaces of an entry: of all tasks, of each kind of them, and of small and large data where
    these differ."""
    kinds = [ANY] if ANY in runs.spaces else []
    benches = {kind: Bench(part_of(runs, kind, None, None), kind) for kind in runs.spaces}
    for kind in (*kinds, *KINDS):
        of_kind = part_of(runs, kind, None, None)
        if len(of_kind.data_sets) < FEWEST:
            continue
        yield _part(runs, kind, None, None, benches)
        if kind != ANY and sizes_differ(of_kind, kind):
            yield _part(runs, kind, None, runs.size_bound, benches)
            yield _part(runs, kind, runs.size_bound, None, benches)


def _edges(runs: HubRuns, kind: str) -> Iterator[Edge]:
    """Where the declared range clips the optima. Dense tables have the same configurations for many
    tasks, so that their optima say nothing about an end: they are not asked."""
    for end in clipped(list(ends(runs, runs.space(kind), runs.name))):
        yield end.edge()


def _part(
    runs: HubRuns,
    kind: str,
    above: int | None,
    up_to: int | None,
    benches: Mapping[str, Bench],
) -> PartRecord:
    some = part_of(runs, kind, above, up_to)
    answer = judged(some, kind)
    learned = learn(some, kind, answer.settings, starts=STARTS)
    share = learned.volume_fraction
    bench = benches[kind if kind in benches else ANY]
    tasks = dict.fromkeys(some.frame[TASK])
    found = start_evidence(bench, tasks, answer.settings) if runs.dense else {}
    evidence = Evidence(
        round(answer.covered, 4),
        round(share, 4),
        not (answer.covered >= COVERED and share <= VOLUME),
        **found,
    )
    rows = some.frame[ROWS]
    part = PartRecord(
        kind,  # type: ignore[arg-type]
        len(some.data_sets),
        some.frame[TASK].n_unique(),
        (int(rows.min()), int(rows.max())),  # type: ignore[arg-type]
        evidence,
        msgspec.Raw(b""),
        above,
        up_to,
        () if runs.dense else tuple(_edges(some, kind)),
    )
    learned = replace(learned, hub=f"{runs.name}/{part.key}")
    print(f"{runs.name} {part.key}: {part.data_sets} data sets, {answer.settings}, "
          f"{evidence}", flush=True)  # fmt: skip
    return msgspec.structs.replace(part, space=msgspec.Raw(encode(learned)))
