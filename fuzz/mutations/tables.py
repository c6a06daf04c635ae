"""Damage to tables: cells, columns and rows of text, and tables with columns of other types."""

from __future__ import annotations

import io
import random
from datetime import date, datetime, timedelta
from decimal import Decimal

import polars as pl

from fuzz.hostile import value, word
from fuzz.mutations.raw import damaged_bytes

LONGEST_FIELD = 131_073  # one more than Python's csv module takes


def damaged_table(rng: random.Random, content: bytes) -> bytes:
    """A delimited text with one cell, row, column or habit changed."""
    text = content.decode("utf-8", "replace")
    separator = max(",;\t|", key=text.count)
    rows = [line.split(separator) for line in text.split("\n")]
    row = rng.choice(rows)
    at = rng.randrange(len(row))
    kind = rng.randrange(16)
    if kind == 0:
        return text.replace("\n", rng.choice(("\r", "\r\n", "\n\n", "\u2028"))).encode()
    if kind == 1:
        return text.replace(separator, rng.choice(",;\t| :")).encode()
    if kind == 2:
        return text.encode(rng.choice(("utf-16", "utf-16-be", "utf-8-sig", "cp1252")), "replace")
    if kind == 3:
        rows.insert(rng.randrange(len(rows)), rng.choice(rows))
    elif kind == 4:
        rows = [cells[:at] + cells[at + 1 :] for cells in rows]
    elif kind == 5:
        said = word(rng)
        rows = [[*cells[:at], cells[at] if at < len(cells) else "", *cells[at:]] for cells in rows]
        rows[0][at] = said
    elif kind == 6:
        rows[0][at % len(rows[0])] = word(rng)
    elif kind == 7:
        rows = [[*cells[:at], word(rng), *cells[at + 1 :]] for cells in rows[:1]] + [
            [*cells[:at], word(rng), *cells[at + 1 :]] for cells in rows[1:]
        ]
    elif kind == 8 and rng.random() < 0.05:
        row[at] = "y" * LONGEST_FIELD
    elif kind == 9:
        row[at] = '"' + row[at]
    elif kind == 10:
        rows = [list(cells) for cells in zip(*rows)] if rng.random() < 0.5 else rows[::-1]
    elif kind == 11:
        row[at : at + 1] = [row[at]] * rng.choice((0, 2, 9))
    elif kind == 12 and rng.random() < 0.05:
        rows[0] += [f"p{i}" for i in range(rng.choice((50, 500, 12_000)))]
        rows += [rows[-2][:2]] * rng.choice((0, 20, 10_000))  # short rows, for the columns of all
    else:
        row[at] = word(rng)
    return "\n".join(separator.join(cells) for cells in rows).encode("utf-8", "replace")


SERIES = (
    lambda n: pl.Series([[1, 2]] * n),
    lambda n: pl.Series([{"a": 1, "b": "x"}] * n),
    lambda n: pl.Series([b"\xff\x00"] * n),
    lambda n: pl.Series([Decimal("1.5")] * n),
    lambda n: pl.Series([date(2026, 1, 1)] * n),
    lambda n: pl.Series([datetime(2026, 1, 1)] * n),
    lambda n: pl.Series([timedelta(seconds=5)] * n),
    lambda n: pl.Series(["a", "b"] * n, dtype=pl.Categorical)[:n],
    lambda n: pl.Series([None] * n),
    lambda n: pl.Series([True, None] * n)[:n],
    lambda n: pl.Series([2**64 - 1] * n, dtype=pl.UInt64),
    lambda n: pl.Series([float("nan")] * n),
    lambda n: pl.Series([1e308, -1e308] * n)[:n],
    lambda n: pl.Series([5e-324, 0.0] * n)[:n],
    lambda n: pl.Series(["a" * 9000] * n),
    lambda n: pl.Series([[[]]] * n),
    lambda n: pl.Series([None] * n, dtype=pl.Array(pl.Float64, 3000)),
    lambda n: pl.Series([[None] * 50] * n, dtype=pl.List(pl.String)),
    lambda n: pl.Series([{f"p{i}": None for i in range(200)}] * n),
    lambda n: pl.Series([[{"a": "b" * 300}] * 20] * n),
)
"""Columns that a table of runs does not usually have."""

WRITTEN: dict[bytes, pl.DataFrame] = {}
"""Files and what is in them: polars reads no damaged file safely, so none is read here."""


def damaged_parquet(rng: random.Random, content: bytes) -> bytes:
    """A Parquet file with one column changed; mostly its bytes, since that is quick."""
    frame = WRITTEN.get(content)
    if frame is None or rng.random() < 0.7:
        return damaged_bytes(rng, content)
    columns = {name: frame[name] for name in frame.columns}
    name = rng.choice(frame.columns)
    kind = rng.randrange(5)
    if kind == 0:
        columns[word(rng).encode("utf-8", "replace").decode()] = columns.pop(name)
    elif kind == 1:
        columns[name] = pl.Series([_leaf(rng) for _ in range(frame.height)], strict=False)
    elif kind == 2:
        columns = {key: column[: rng.choice((0, 1, 2))] for key, column in columns.items()}
    else:
        columns[name] = rng.choice(SERIES)(frame.height)
    return _bytes(pl.DataFrame(columns))


def parquet(frame: pl.DataFrame) -> bytes:
    """The frame as a file that `damaged_parquet` knows how to damage."""
    content = _bytes(frame)
    WRITTEN[content] = frame
    return content


def _bytes(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="uncompressed", statistics=False)
    return buffer.getvalue()


def _leaf(rng: random.Random) -> object:
    chosen = value(rng)
    if isinstance(chosen, (int, float)):
        return float(chosen) if abs(chosen) < 1e300 else None
    return None
