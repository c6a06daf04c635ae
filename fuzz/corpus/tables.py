"""Tables: CSV, TSV, JSON lines, Parquet, Excel, Weights & Biases' export, and a warehouse's."""

from __future__ import annotations

import base64
import gzip
import io
import json
from typing import Any

import polars as pl

from fuzz.case import Case
from fuzz.corpus.runs import config, delimited, rows
from fuzz.mutations.archives import zipped
from fuzz.mutations.tables import parquet

SHARED = """
UEFSMRUEFQoVHEwVAhUAEgAAKLUv/SAFKQAAAQAAAGEVABUaFSwsFcC7ARUQFQYVBhwAAAAotS/9IA1pAAAEAAAAwL
sBAQHAuwEAFQQViOowFUpMFQIVABIAACi1L/2ghBoGAGwAACiAGgYAegEA+P850AICABB6AgAQeiPUAHoVABUaFSws
FcC7ARUQFQYVBhwAAAAotS/9IA1pAAAEAAAAwLsBAQHAuwEAFQQVEBUiTBUCFQASAAAotS/9IAhBAAAAAAAAAADwPx
UAFRoVLCwVwLsBFRAVBhUGHAAAACi1L/0gDWkAAAQAAADAuwEBAcC7AQAVBBlMNQAYBnNjaGVtYRUGABUMJQIYBHRh
c2slAEwcAAAAFQwlAhgBQyUATBwAAAAVCiUCGARsb3NzABbAuwEZHBk8JgAcFQwZNQAGEBkYBHRhc2sVDBbAuwEWah
aOASZAJggpLBUEFQAVAgAVABUQFQIAPBbAuwEZBhkmAMC7AQAAACYAHBUMGTUABhAZGAFDFQwWwLsBFuzqMBbAASaA
AiaWASksFQQVABUCABUAFRAVAgA8FoDA0eEjGQYZJgDAuwEAAAAmABwVChk1AAYQGRgEbG9zcxUMFsC7ARZwFpQBJp
QDJtYCKSwVBBUAFQIAFQAVEBUCADwpBhkmAMC7AQAAABbG7DAWwLsBJggW4gMAKCBwYXJxdWV0LWNwcC1hcnJvdyB2
ZXJzaW9uIDI2LjAuMRk8HAAAHAAAHAAAAEABAABQQVIx
"""
"""A Parquet file of 12,000 runs with columns task, C and loss. Each C is one text of 400,000
letters, of which the file has one. In base64, since it takes gigabytes to write it with polars."""
NAMED = {"task": "task", "objective": "loss"}
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def _csv() -> list[Case]:
    plain, more = delimited(), {**NAMED, "status": "status", "parameters": ["C", "depth"]}
    german = delimited(";", ",")
    dirty = b"Results of spring\n\n" + plain.replace(b"0.", b".") + b"mean,,,,,0.5,,\n"
    clocks = b"task,x,seconds,status,loss\n" + b"".join(
        f"t{i % 2},{i},{time},{status},{i / 7}\n".encode()
        for i, (time, status) in enumerate(
            [("1h 20m", "ok"), ("0:01:23", "ok"), ("-1", "timeout"), ("90", "diverged"),
             ("PT5M", "ok"), ("1 day, 0:00:01", "pruned"), ("", "crashed"), ("2 min", "ok")]
        )
    )  # fmt: skip
    few = b"dataset,lr,error\na,1,2\na,2,3\nb,3,1\n"
    return [
        Case("csv", {"runs.csv": plain}, "runs.csv"),
        Case("csv", {"runs.csv": plain}, "runs.csv", NAMED),
        Case("csv", {"runs.csv": plain}, "runs.csv", {**more, "missing": "choice"}),
        Case("csv", {"runs.csv": german}, "runs.csv", {**NAMED, "decimal": "comma"}),
        Case("csv", {"runs.csv": dirty}, "runs.csv", {**NAMED, "ignore": ["status"]}),
        Case("csv", {"runs.csv": few}, "runs.csv", {"direction": "minimize"}),
        Case("csv", {"runs.csv": clocks}, "runs.csv"),
        Case("csv", {"runs.csv": clocks}, "runs.csv", {"cost": "seconds", "failures": "ignore"}),
        Case("csv", {"runs.tsv": delimited("\t")}, "runs.tsv", {"budget": "depth"}),
        Case("csv", {"a.csv": plain, "b.csv": few + plain}, "*.csv", NAMED),
        Case("csv", {"runs.csv.gz": gzip.compress(plain, 1, mtime=0)}, "runs.csv.gz", NAMED),
    ]


def _jsonl() -> list[Case]:
    text = b"".join(json.dumps(row).encode() + b"\n" for row in rows())
    nested = b'{"task": "a", "p": {"x": 1}, "loss": 1}\n{"task": "b", "p": {"x": 2}, "loss": 2}\n'
    return [
        Case("jsonl", {"runs.jsonl": text}, "runs.jsonl", NAMED),
        Case("jsonl", {"runs.jsonl": text}, "runs.jsonl", {**NAMED, "missing": "drop"}),
        Case("jsonl", {"runs.jsonl": nested}, "runs.jsonl"),
    ]


def _parquet() -> list[Case]:
    frame = pl.DataFrame(rows())
    plain = {"runs.parquet": parquet(frame)}
    packed = io.BytesIO()
    frame.with_columns(pl.col("kernel").cast(pl.Categorical)).write_parquet(packed)
    return [
        Case("parquet", {"runs.parquet": base64.b64decode(SHARED)}, "runs.parquet", NAMED),
        Case("parquet", plain, "runs.parquet", NAMED),
        Case("parquet", plain, "runs.parquet", {"status": "status"}),
        Case("parquet", {"runs.parquet": packed.getvalue()}, "runs.parquet", NAMED),
    ]


def workbook(table: list[dict[str, Any]]) -> bytes:
    """The least that is an Excel file: one sheet, texts within their cells."""
    lines = [list(table[0]), *(list(row.values()) for row in table)]
    body = "".join(
        f'<row r="{i}">{"".join(_xml(f"{chr(65 + j)}{i}", c) for j, c in enumerate(line))}</row>'
        for i, line in enumerate(lines, 1)
    )
    sheet = f'<worksheet xmlns="{SHEET}"><sheetData>{body}</sheetData></worksheet>'
    book = (
        f'<workbook xmlns="{SHEET}" xmlns:r="{LINKS}"><sheets>'
        '<sheet name="runs" sheetId="1" r:id="rId1"/></sheets></workbook>'
    )
    types = (
        f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{TYPES}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{TYPES}.worksheet+xml"/>'
        "</Types>"
    )
    members = {
        "[Content_Types].xml": types,
        "_rels/.rels": _links("officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": book,
        "xl/_rels/workbook.xml.rels": _links("worksheet", "worksheets/sheet1.xml"),
        "xl/worksheets/sheet1.xml": sheet,
    }
    return zipped([(name, text.encode()) for name, text in members.items()])


def _xml(place: str, cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{cell}</t></is></c>'
    return f'<c r="{place}"><v>{cell}</v></c>'


def _links(kind: str, target: str) -> str:
    return (
        f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{LINKS}/{kind}" Target="{target}"/></Relationships>'
    )


def _xlsx() -> list[Case]:
    content = workbook(rows())
    return [
        Case("xlsx", {"runs.xlsx": content}, "runs.xlsx", NAMED),
        Case("xlsx", {"runs.xlsx": content}, "runs.xlsx", {"sheet": 1}),
    ]


def _wandb() -> list[Case]:
    head = (
        "Name,State,Runtime,Created,Sweep,config.lr,config.depth,config.opt,summary.val_loss,_step"
    )
    lines = [
        f"r{i},{'crashed' if i == 2 else 'finished'},{i}m 5s,-,s{i % 3},{i / 7},{i},adam,{i / 3},9"
        for i in range(9)
    ]
    text = "\n".join([head, *lines]).encode()
    bare = text.replace(b"config.", b"").replace(b"summary.", b"")
    named = {"format": "wandb", "objective": "val_loss"}
    return [
        Case("wandb", {"runs.csv": text}, "runs.csv", named),
        Case("wandb", {"runs.csv": text}, "runs.csv", {"format": "wandb", "task": "opt"}),
        Case("wandb", {"runs.csv": bare}, "runs.csv", named),
    ]


LONG = {"long": ["run", "key", "value"], "task": "task", "objective": "loss"}


def _long() -> list[Case]:
    """Runs whose parameters are rows of their own, or keys in a map, for a warehouse."""
    made = []
    for texts in (True, False):
        pairs = [
            {"run": n, "key": key, "value": str(value) if texts else value}
            | {"task": run["task"], "loss": run["loss"]}
            for n, run in enumerate(rows())
            for key, value in (config(run).items() if texts else (("C", run["C"]), ("d", n % 5)))
        ]
        content = "\n".join(map(json.dumps, pairs)).encode()
        for more in ({}, {"sample": 2}, {"best": None}):
            made.append(Case("long", {"runs.jsonl": content}, "runs.jsonl", {**LONG, **more}))
    maps = [
        {"task": run["task"], "loss": run["loss"], "keys": [*config(run)]}
        | {"values": [str(value) for value in config(run).values()]}
        for run in rows()
    ]
    content = "\n".join(map(json.dumps, maps)).encode()
    named = {"task": "task", "objective": "loss"}
    made.append(Case("long", {"runs.jsonl": content}, "runs.jsonl", {**named, "best": 3}))
    return made


CORPORA = {
    "csv": _csv,
    "jsonl": _jsonl,
    "parquet": _parquet,
    "xlsx": _xlsx,
    "wandb": _wandb,
    "long": _long,
}
