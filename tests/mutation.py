"""Damaged copies of a JSON document: every leaf replaced, every key dropped or doubled, every list
cut short or out of order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

MARK = "\0here\0"  # stands for text that is no JSON value of Python's
STRANGE = (
    "null",
    "-1",
    "1e308",
    "1e-320",
    '""',
    "[]",
    "{}",
    "true",
    str(10**400),
    "NaN",
    "1e999",
    "0",
    '"\\u0000\\ud800"',
    "1.5",
    "9007199254740993",
    '"x"',
)
"""What a leaf is replaced by, as JSON, or what looks like it."""

Path = tuple[str | int, ...]


def places(document: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value of a document with the way to it, from the outside in."""
    yield path, document
    if isinstance(document, dict):
        for key, value in document.items():
            yield from places(value, (*path, key))
    elif isinstance(document, list):
        for number, value in enumerate(document):
            yield from places(value, (*path, number))


def mutants(document: Any, strange: tuple[str, ...] = STRANGE) -> Iterator[tuple[str, str]]:
    """What was done, and the damaged text."""
    for path, value in places(document):
        name = "/".join(map(str, path)) or "all"
        text = replaced(document, path)
        for other in strange:
            yield f"{name} = {other[:12]}", text.replace(json.dumps(MARK), other)
        if isinstance(value, dict):
            for key in value:
                rest = {k: v for k, v in value.items() if k != key}
                yield f"{name} without {key}", _with(text, json.dumps(rest))
                twice = json.dumps(value)[:-1] + f", {json.dumps(key)}: {json.dumps(value[key])}}}"
                yield f"{name} with {key} twice", _with(text, twice)
            unknown = json.dumps({**value, "unknown": 1})
            yield f"{name} with an unknown key", _with(text, unknown)
        if isinstance(value, list) and value:
            for label, other_list in (
                ("without its last", value[:-1]),
                ("without its first", value[1:]),
                ("with its last twice", [*value, value[-1]]),
                ("turned around", value[::-1]),
            ):
                yield f"{name} {label}", _with(text, json.dumps(other_list))


def replaced(document: Any, path: Path) -> str:
    """The document as text, with MARK in place of one value."""
    return json.dumps(_replaced(document, path))


def _replaced(document: Any, path: Path) -> Any:
    if not path:
        return MARK
    copy = document.copy()
    copy[path[0]] = _replaced(document[path[0]], path[1:])
    return copy


def _with(text: str, content: str) -> str:
    return text.replace(json.dumps(MARK), content)
