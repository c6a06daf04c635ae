"""Damage to JSON: what stands at a place of the tree is replaced, renamed, moved or buried."""

from __future__ import annotations

import json
import random
from typing import Any

from fuzz.hostile import MANY_DIGITS, NESTED, value, word
from fuzz.mutations.raw import damaged_bytes

DEEP, DIGITS = "@deep@", "@digits@"
"""Stand in for what Python itself cannot write."""


def damaged_json(rng: random.Random, content: bytes) -> bytes:
    """The document with one node changed."""
    tree = json.loads(content)
    return _text(rng, _changed(rng, tree))


def damaged_lines(rng: random.Random, content: bytes) -> bytes:
    """JSON lines with one line changed, left out, repeated or moved."""
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    kind = rng.randrange(10)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(rng.randrange(len(lines)), lines[at])
    elif kind == 2:
        lines[at] = damaged_bytes(rng, lines[at])
    elif kind == 3:
        lines.insert(at, word(rng).encode("utf-8", "replace"))
    elif kind == 4 and rng.random() < 0.02:  # rows that have a key each
        place = lines[at].rfind(b"}")
        many = range(rng.choice((300, 3000, 12_000)))
        lines[at:at] = [b'%s, "p%d": 1%s' % (lines[at][:place], i, lines[at][place:]) for i in many]
    elif lines[at].strip():
        lines[at] = damaged_json(rng, lines[at])
    return b"\n".join(lines)


def _text(rng: random.Random, tree: Any) -> bytes:
    """The tree as JSON, with NaN where Python writes it, raw surrogates now and then."""
    text = json.dumps(tree, ensure_ascii=rng.random() < 0.7)
    if DEEP in text:
        left, right = rng.choice((("[", "]"), ('{"a":', "}")))
        depth = rng.choice(NESTED)
        text = text.replace(f'"{DEEP}"', left * depth + "1" + right * depth)
    text = text.replace(f'"{DIGITS}"', MANY_DIGITS)
    return text.encode("utf-8", "surrogatepass")


def _changed(rng: random.Random, tree: Any) -> Any:
    """The tree with one node changed; all nodes are equally likely."""
    places: list[tuple[Any, Any]] = []
    _collect(tree, places)
    if not places:
        return value(rng)
    home, key = rng.choice(places)
    kind = rng.randrange(14)
    if kind == 0:
        del home[key]
    elif kind == 1 and isinstance(home, dict):
        home[word(rng)] = home.pop(key)
    elif kind == 2:
        other, its_key = rng.choice(places)
        home[key] = json.loads(json.dumps(other[its_key]))
    elif kind == 3 and isinstance(home, list):
        home.extend([home[key]] * rng.choice((1, 2, 50)))
    elif kind == 4 and isinstance(home, dict):
        home[word(rng)] = home[key]
    elif kind == 5:
        home[key] = [home[key]] if rng.random() < 0.5 else {"a": home[key]}
    elif kind == 6:
        home[key] = str(home[key])
    elif kind == 7 and rng.random() < 0.2:
        home[key] = rng.choice((DEEP, DIGITS))
    elif kind == 8 and isinstance(home[key], str) and home[key][:1] in "{[":
        home[key] = _inner(rng, home[key])
    elif kind == 9 and _is_number(home[key]):
        home[key] = rng.choice((-home[key], home[key] * 1e6, home[key] / 3, int(home[key]), 0))
    else:
        home[key] = value(rng)
    return tree


def _inner(rng: random.Random, text: str) -> str:
    """JSON within JSON, damaged."""
    try:
        return damaged_json(rng, text.encode()).decode("utf-8", "replace")
    except ValueError:
        return text[: len(text) // 2]


def _collect(tree: Any, places: list[tuple[Any, Any]]) -> None:
    keys = tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    for key in keys:
        places.append((tree, key))
        _collect(tree[key], places)


def _is_number(leaf: Any) -> bool:
    return isinstance(leaf, (int, float)) and abs(leaf) < 1e200
