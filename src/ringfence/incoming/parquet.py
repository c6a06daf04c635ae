"""What a Parquet file says of its own sizes, held against the file and the limits.

polars trusts these numbers: a count below zero in one of them ends the whole process, and no error
can be caught. So the footer and the headers of the pages are read here first; they are structs in
Thrift's compact encoding.
"""

from __future__ import annotations

from collections.abc import Iterator
from mmap import mmap
from typing import Any, TypeAlias

from ringfence.incoming.limits import BYTES, CELL, CELLS, COLUMNS, DEPTH
from ringfence.incoming.parsing import guarded

Content: TypeAlias = bytes | mmap
MAGIC = b"PAR1"
FOOTER = 8
"""Bytes of the footer's length and of the last magic."""
DEEPEST = 16
"""Structs within structs; the format itself has five."""
SCHEMA, ROWS, ROW_GROUPS = 2, 3, 4
"""Fields of the footer."""
TYPE, LENGTH, CHILDREN = 1, 2, 5
FIXED = 7
"""Fields of an element of the schema; the type of texts that all have one length."""
COLUMN_CHUNKS, META_DATA = 1, 3
PATH, N_VALUES, UNPACKED, PACKED, DATA_PAGE, DICTIONARY_PAGE = 3, 5, 6, 7, 9, 11
"""Fields of a column chunk's meta-data, by the numbers that the format gives them."""
PREFIXED = 7
"""The encoding of texts that leaves out what a text has in common with the one before."""
PAGE_UNPACKED, PAGE_PACKED, DATA, DICTIONARY, DATA_V2 = 2, 3, 5, 7, 8
"""Fields of the header of a page; the last three are headers of their own, each with a count in its
first field."""


def require_sound(content: Content, where: object) -> int:
    """The number of rows; FileError for sizes that cannot be, or are beyond the limits."""
    with guarded(where, "parquet"):
        if len(content) < 2 * FOOTER or content[-4:] != MAGIC or content[:4] != MAGIC:
            raise ValueError("it is cut off, or another kind of file")
        length = int.from_bytes(content[-FOOTER:-4], "little")
        footer = _Reader(content, max(len(content) - FOOTER - length, 0)).struct()
        groups = [group[COLUMN_CHUNKS] for group in footer.get(ROW_GROUPS, ())]
        chunks = [chunk[META_DATA] for columns in groups for chunk in columns]
        COLUMNS.allow(max(map(len, groups), default=0), where)
        DEPTH.allow(max((len(chunk[PATH]) for chunk in chunks), default=0), where)
        values = [_natural(chunk[N_VALUES], "values") for chunk in chunks]
        unpacked = [_natural(chunk[UNPACKED], "bytes") for chunk in chunks]
        BYTES.allow(max(CELL * sum(values), sum(unpacked)), where)
        rows, lengths = _natural(footer.get(ROWS, 0), "rows"), _lengths(footer.get(SCHEMA, ()))
        CELLS.allow(max(sum(values), rows * max(map(len, groups), default=1)), where)
        fixed = (zip(columns, lengths) for columns in groups)
        texts = sum(length * c[META_DATA][N_VALUES] for pairs in fixed for c, length in pairs)
        BYTES.allow(texts, where)
        if sum(_natural(chunk[PACKED], "bytes") for chunk in chunks) > len(content):
            raise ValueError("its columns overlap")  # so that no page is looked at twice
        for chunk in chunks:
            for packed, size, count, is_prefixed in _pages(content, chunk):
                texts += count * size if is_prefixed else 0  # each may begin as long as the page is
                BYTES.allow(max(size, packed, texts), where)
                if count > chunk[N_VALUES]:
                    raise ValueError(f"a page of {count} values in a column of {chunk[N_VALUES]}")
        return rows


def _lengths(schema: Any) -> list[int]:
    """Bytes of each value of the columns whose texts all have one length; 0 for other columns."""
    leaves = [element for element in schema if not element.get(CHILDREN)]
    return [
        _natural(leaf.get(LENGTH, 0), "bytes") if leaf.get(TYPE) == FIXED else 0 for leaf in leaves
    ]


def _pages(content: Content, chunk: dict[int, Any]) -> Iterator[tuple[int, int, int, bool]]:
    """Of each page of a column: packed size, unpacked size, number of values, and whether texts
    leave out what they have in common."""
    starts = [chunk[field] for field in (DATA_PAGE, DICTIONARY_PAGE) if chunk.get(field)]
    place = _natural(min(starts), "bytes before its pages")
    end = place + _natural(chunk[PACKED], "bytes")
    if end > len(content):
        raise ValueError("a column reaches beyond the end of the file")
    while place < end:
        reader = _Reader(content, place)
        header = reader.struct()
        packed = _natural(header[PAGE_PACKED], "bytes")
        unpacked = _natural(header[PAGE_UNPACKED], "bytes")
        kinds = [header[kind] for kind in (DATA, DICTIONARY, DATA_V2) if kind in header]
        for field in (1, 2, 3) if DATA_V2 in header else (1,):  # values, nulls, rows
            for kind in kinds:
                _natural(kind[field], "values")
        encodings = (header.get(DATA, {}).get(2), header.get(DATA_V2, {}).get(4))
        count = max((kind[1] for kind in kinds), default=0)
        yield packed, unpacked, count, PREFIXED in encodings
        place = reader.place + packed


def _natural(number: Any, what: str) -> int:
    if not isinstance(number, int) or number < 0:
        raise ValueError(f"it says that there are {number} {what}")
    return number


class _Reader:
    """A reader of structs: fields by their numbers."""

    def __init__(self, content: Content, place: int) -> None:
        self.content = content
        self.place = place

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """The fields of a struct."""
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            step, kind = head >> 4, head & 15
            number = number + step if step else self._integer()
            fields[number] = kind == 1 if kind in (1, 2) else self._value(kind, depth + 1)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth > DEEPEST:
            raise ValueError("its structs are nested too deep")
        if kind in (1, 2, 3):
            return self._byte()
        if kind in (4, 5, 6):
            return self._integer()
        if kind in (7, 8):
            length = 8 if kind == 7 else self._varint()
            self.place += length
            if self.place > len(self.content):
                raise ValueError("a text reaches beyond the end of the file")
            return None
        if kind in (9, 10):
            head = self._byte()
            count = head >> 4 if head >> 4 < 15 else self._varint()
            return [self._value(head & 15, depth + 1) for _ in range(count)]
        if kind == 12:
            return self.struct(depth)
        raise ValueError(f"a field of the unknown type {kind}")

    def _integer(self) -> int:
        number = self._varint()
        return (number >> 1) ^ -(number & 1)

    def _varint(self) -> int:
        number = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
        raise ValueError("a number without an end")

    def _byte(self) -> int:
        self.place += 1
        return self.content[self.place - 1]
