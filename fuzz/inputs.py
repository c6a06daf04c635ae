"""Input number n of a target: always the same one, on any machine."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Any

from fuzz.case import Case
from fuzz.corpus import corpus
from fuzz.hostile import NUMBERS, TOKEN, WORDS, word
from fuzz.mutations import damaged

DEVICES = ("/dev/zero", "/dev/null")
"""The only absolute paths that a command line may name; what it writes stays in its folder."""
ODD = (*":/@?#%&=;+-.,\\[]{}()'\"<>|*$ \t\né", "%40", "%00", "//", "::", "@@", "%zz")
"""What means something in an address."""
ADDRESSES = (
    f"postgresql://me:{TOKEN}@localhost:1/db", f"postgres//me:{TOKEN}:localhost/db",
    f"https://localhost:1/x?token={TOKEN}", f"--seed=mysql:/me:{TOKEN}/db",
    f"storage=postgresql://a b' {TOKEN}@localhost:1/db", f"\x1b[31mhttp//me:{TOKEN}/x\n",
)  # fmt: skip
"""Words of a command line that must not be repeated."""
FORBIDDEN = ("--ray", "--install-completion", "--show-completion")
"""Starts a cluster, or changes the developer's shell."""


def make(target: str, number: int) -> Case:
    """First the corpus as it is, then one of its cases with damage."""
    cases = corpus(target)
    rng = random.Random(f"{target} {number}")
    case = rng.choice(cases)
    if number < len(cases):
        return cases[number]
    if not case.files and case.source:
        return replace(case, source=_address(rng, case.source))
    if case.arguments and (not case.files or rng.random() < 0.6):
        return replace(case, arguments=_arguments(rng, case.arguments, tuple(case.files)))
    if case.options and rng.random() < 0.1:
        return replace(case, options=_options(rng, dict(case.options)))
    return _files(rng, case)


def _address(rng: random.Random, address: str) -> str:
    """The address with an odd letter or word in it, but not within its secret or its host."""
    parts = re.split(f"({TOKEN}|localhost:1)", address)
    at = rng.randrange(0, len(parts), 2)
    for _ in range(rng.choice((1, 1, 2))):
        text, place = parts[at], rng.randrange(len(parts[at]) + 1)
        odd = rng.choice(ODD) if rng.random() < 0.8 else word(rng)[:300]
        parts[at] = text[:place] + odd + text[place + rng.choice((0, 1)) :]
    return "".join(parts)


def _files(rng: random.Random, case: Case) -> Case:
    """One file damaged; now and then missing, renamed, or in another's place."""
    files = dict(case.files)
    name = rng.choice(list(files))
    kind = rng.randrange(30)
    if kind == 0:
        del files[name]
    elif kind == 1:
        files[name] = rng.choice(list(files.values()))
    elif kind == 2 and "/" in name:
        home, _, last = name.rpartition("/")
        files[f"{home}/{_file_name(rng) or last}"] = files.pop(name)
    elif kind == 3 and "/" in name:
        files[f"{name}/inside"] = files.pop(name)
    else:
        files[name] = damaged(rng, name, files[name], list(files.values()))
    return replace(case, files=files)


def _file_name(rng: random.Random) -> str:
    """A name that a file system takes, with odd letters."""
    name = word(rng).replace("/", "_").replace("\0", "")
    return name.encode("utf-8", "replace")[:200].decode("utf-8", "ignore").strip(".")


def _options(rng: random.Random, options: dict[str, Any]) -> dict[str, Any]:
    """One keyword argument with another value, missing, or one that nobody knows."""
    name = rng.choice(sorted(options))
    kind = rng.randrange(5)
    if kind == 0:
        del options[name]
    elif kind == 1:
        options[rng.choice(("task", "status", "budget", "parameters", "at", "sheet", "odd"))] = "C"
    elif isinstance(options[name], list):
        options[name] = [*options[name][1:], word(rng)]
    else:
        options[name] = word(rng)
    return options


def _arguments(
    rng: random.Random, arguments: tuple[str, ...], names: tuple[str, ...]
) -> tuple[str, ...]:
    """A command line with one word changed, left out, repeated or added."""
    words = list(arguments)
    at = rng.randrange(1, len(words)) if len(words) > 1 else 0
    kind = rng.randrange(8)
    if kind == 0:
        del words[at]
    elif kind == 1:
        words.insert(at, rng.choice(words))
    elif kind == 2:
        words.insert(at, _word(rng))
    elif kind == 3:
        words[at] = rng.choice((*names, *DEVICES, "-", ".", "nowhere.csv"))
    elif kind == 4:
        other = rng.choice(corpus("commands")).arguments
        words += other[len(other) // 2 :]
    else:
        words[at] = _word(rng)
    return tuple(safe(word) for word in words if word not in FORBIDDEN)


def _word(rng: random.Random) -> str:
    """A word for a command line: no zero byte, and no lone surrogate, which no shell can pass."""
    if rng.random() < 0.1:
        return rng.choice(ADDRESSES)
    chosen = rng.choice(WORDS) if rng.random() < 0.6 else repr(rng.choice(NUMBERS))
    return chosen.replace("\0", "").encode("utf-8", "replace").decode()


def safe(word: str) -> str:
    """The word, unless it would lead out of the folder."""
    if word in DEVICES:
        return word
    flat = word.replace("=/", "=").lstrip("/~") or "."
    return flat if flat.count("..") <= 1 else flat.replace("..", ".")
