"""A learned space that somebody sent: either it keeps its promises, or it is refused in a line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from benchmarks.torture.promises import broken_promise

import ringfence as rf
from mutation import mutants
from problems import REGIONS, SPACES, region
from ringfence.learned.file import decode
from ringfence.learned.file_format import encode

SAMPLE, MANY = 12, 500  # damages of each file that `make test` and `make test-all` try


def document(kind: str, where: str) -> dict:
    """A file with two of its tasks, and one of those left outside."""
    tree = json.loads(encode(region(kind, where)))
    left = [task for task in tree["tasks"][2:] if task["outside"]]
    return {**tree, "tasks": tree["tasks"][:2] + left[:1]}


def judge(what: str, text: str) -> None:
    try:
        learned = decode(text.encode(errors="surrogatepass"))
    except rf.FileError as error:
        assert "\n" not in str(error) and len(str(error)) < 500, what
        return
    fault = broken_promise(learned)
    assert fault is None, f"{what}: {fault}"


@pytest.mark.parametrize("where", REGIONS)
@pytest.mark.parametrize("kind", SPACES)
def test_what_is_read_keeps_its_promises(kind, where):
    every = list(mutants(document(kind, where)))
    for i in np.random.default_rng(0).choice(len(every), SAMPLE, replace=False):
        judge(*every[i])


@pytest.mark.slow
@pytest.mark.parametrize("where", REGIONS)
@pytest.mark.parametrize("kind", SPACES)
def test_much_of_what_is_read_keeps_its_promises(kind, where):
    every = list(mutants(document(kind, where)))
    for what, text in every[:: max(len(every) // MANY, 1)]:
        judge(what, text)


def flat(tree):
    factor = tree["blocks"][0]["region"]["factor"]
    for i, row in enumerate(factor):
        row[:] = [1e6] * i + [1.1e-12]


def no_integer(tree):
    """The box of depth, 1 to 12, lies between the middles of two cells."""
    block = tree["blocks"][0]
    place = block["parameters"].index("depth")
    block["region"]["lower"][place], block["region"]["upper"][place] = 0.51, 0.53
    tree["tasks"] = []


def nested(depth: int) -> list:
    deep: list = []
    for _ in range(depth):
        deep = [deep]
    return deep


@pytest.mark.parametrize(
    ("kind", "where", "change", "says"),
    [
        ("numeric", "ellipsoid", flat, "flat"),
        ("numeric", "ellipsoid", lambda b: b["blocks"][0]["region"]["factor"].pop(), "3 coord"),
        ("numeric", "ellipsoid", lambda b: b["blocks"][0]["region"]["center"].pop(), "3 coord"),
        ("numeric", "ellipsoid", lambda b: b["tasks"][0].update(outside=True), "not outside"),
        ("numeric", "box", lambda b: b["blocks"][0]["parameters"].reverse(), "not inside"),
        ("numeric", "box", lambda b: b["tasks"][0]["incumbent"].update(lr=1e-4), "not inside"),
        ("numeric", "box", lambda b: b["tasks"].append(b["tasks"][0]), "same name"),
        ("numeric", "box", lambda b: b["settings"].update(shape="ellipsoid"), "the shape"),
        ("numeric", "box", lambda b: b["settings"].update(shape="full"), "the shape"),
        ("numeric", "boxes", lambda b: b["settings"].update(shape="box"), "the shape"),
        ("numeric", "box", lambda b: b["blocks"][0].update(widened=4), "keeps room"),
        ("numeric", "box", lambda b: b["tasks"][0].update(stands_for=9), "stand for more tasks"),
        ("mixed", "box", no_integer, "no integer"),
        ("numeric", "box", lambda b: b["blocks"][0].update(region=nested(200)), "damaged"),
    ],
)
def test_contradictions_are_named(kind, where, change, says):
    tree = document(kind, where)
    change(tree)
    with pytest.raises(rf.FileError, match=says):
        decode(json.dumps(tree).encode())


@pytest.mark.parametrize("depth", [200, 100_000])
def test_deep_nesting_anywhere_is_refused(depth):
    text = json.dumps(document("numeric", "box"))
    deep = "[" * depth + "]" * depth
    for place in ('"region": ', '"lower": ', '"incumbent": ', '"settings": ', '"format": '):
        start = text.index(place) + len(place)
        with pytest.raises(rf.FileError):
            decode((text[:start] + deep + ", " + text[start:]).encode())
        with pytest.raises(rf.FileError):
            decode((text[:start] + '{"a": ' * depth + text[start:]).encode())


def test_a_long_reason_is_cut():
    tree = document("numeric", "box")
    tree["blocks"][0]["parameters"] = [f"{'x' * 1000}{i}" for i in range(1000)]
    with pytest.raises(rf.FileError) as caught:
        decode(json.dumps(tree).encode())
    assert len(str(caught.value)) < 500
