"""Foreign parsers behind one guard: whatever they raise becomes an error of ours with the file and
the reason. And JSON, YAML and TOML, no deeper than the limit."""

from __future__ import annotations

import json
import os
import re
import tempfile
import threading
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from ringfence.errors import FileError, RingfenceError
from ringfence.incoming.limits import DEPTH, VALUES
from ringfence.words import plain, shortened

LONGEST = 300
"""Letters of another package's reason that are repeated; some quote the whole file."""
SURROGATE = re.compile(r"\\[uU](?:0000)?[dD][89a-fA-F]")
"""How JSON and YAML write half a character."""
TOML_TOKEN = re.compile(
    r"#[^\n]*"
    r"|(?P<word>[A-Za-z0-9_-]+"
    r'|"""(?:[^"\\]|\\.|""?(?!"))*+(?:"{3,5})?|"(?:[^"\\\n]|\\.)*+"?'
    r"|'''(?:[^']|''?(?!'))*+(?:'{3,5})?|'[^'\n]*'?)"
    r"|(?P<dot>\.)|(?P<end>[^\s])",
    re.DOTALL,
)
"""Comments, words and texts of TOML, and the marks between them."""
DIGITS = 4300
"""Of an integer, as many as Python reads in base 10; the time goes with their square."""
MERGE = "tag:yaml.org,2002:merge"
STDERR = 2
NESTING = (dict, list, tuple, set)
"""What holds other values; YAML makes tuples of pairs, and sets."""
_one_at_a_time = threading.RLock()


class _UnfoldedError(Exception):
    """More values than the limit, while they are still being put together."""


@contextmanager
def guarded(where: object, form: str) -> Iterator[None]:
    """FileError for whatever goes wrong within: errors of any kind, and the panics of polars, which
    are no errors to Python and which it also prints."""
    try:
        with _without_panics():
            yield
    except RingfenceError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and not is_panic(error):
            raise
        raise FileError(f"{where} cannot be read as {form}: {reason(error)}") from error


def is_panic(error: BaseException) -> bool:
    """Whether this is a panic of a package in Rust."""
    return type(error).__name__ == "PanicException"


def reason(error: BaseException) -> str:
    """What another package says, in one line."""
    if isinstance(error, RecursionError):
        return f"it is nested too deep, for more than {DEPTH.most:,} levels or for Python"
    if isinstance(error, MemoryError):
        return "it does not fit into memory"
    if is_panic(error):
        return "it is damaged"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return shortened(plain(" ".join(lines[:3])), LONGEST) or type(error).__name__


def json_of(text: str | bytes, where: object) -> Any:
    """The content of a JSON text, Python's NaN and Infinity allowed."""
    return _checked(json.loads, text, where, "JSON")


def toml_of(text: str, where: object) -> dict[str, Any]:
    """The content of a TOML text."""
    content: dict[str, Any] = _checked(_load_toml, text, where, "TOML")
    return content


def _load_toml(text: str) -> dict[str, Any]:
    """Keys such as `a.b.c` are counted first: of one with thousands of parts, the standard library
    keeps the square of them."""
    most, parts = DEPTH.most, 0
    if text.count(".") >= most:
        is_after_dot = False
        for token in TOML_TOKEN.finditer(text):
            if token["word"]:
                parts = parts + 1 if is_after_dot else 1
                if parts > most:
                    raise RecursionError
            is_after_dot = token["dot"] is not None
    return tomllib.loads(text)


def yaml_of(text: str, where: object, *, version: str = "1.1") -> Any:
    """The content of a YAML text; in version 1.2, 1e-5 is a number and `on` a word."""

    def load(text: str) -> Any:
        import yaml

        loader = _yaml_loader(version)
        try:
            return yaml.load(text, Loader=loader)
        except yaml.YAMLError as error:
            raise ValueError(" ".join(str(error).split())) from error

    return _checked(load, text, where, "YAML")


def _checked(load: Callable[[Any], Any], text: str | bytes, where: object, form: str) -> Any:
    try:
        content = load(text)
        _require_shallow(content, where, can_repeat=form == "YAML")
        marks = text if isinstance(text, str) else text.decode("utf-8", "replace")
        if SURROGATE.search(marks):
            json.dumps(content, ensure_ascii=False, default=str).encode()
    except RingfenceError:
        raise
    except UnicodeEncodeError as error:
        raise FileError(f"{where} holds half a character, {error.object[error.start]!r}") from error
    except RecursionError as error:
        raise DEPTH.exceeded(where) from error
    except _UnfoldedError as error:
        raise VALUES.exceeded(where) from error
    except Exception as error:  # dates of month 13, integers of 5,000 digits, tags of no type
        raise FileError(f"{where} is cut off or not {form}: {reason(error)}") from error
    return content


def _require_shallow(content: Any, where: object, *, can_repeat: bool) -> None:
    """FileError if tables and lists are nested beyond the limit, as those that hold themselves are;
    or, if one may stand in many places, for more values than the limit."""
    most, count = VALUES.most, 0
    level = [content] if isinstance(content, NESTING) else []
    for _ in range(DEPTH.most):
        if can_repeat:
            count += sum(map(len, level))
            if count > most:
                raise VALUES.exceeded(where)
        level = [
            part
            for node in level
            for part in (node.values() if isinstance(node, dict) else node)
            if isinstance(part, NESTING)
        ]
        if not level:
            return
    raise DEPTH.exceeded(where)


@cache
def _yaml_loader(version: str) -> Any:
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        def construct_yaml_int(self, node: Any) -> int:
            """Refuse `1:0:0:…`, a number to the base of 60, before it is put together."""
            if len(node.value) > DIGITS:
                raise ValueError(f"an integer of more than {DIGITS:,} digits")
            number: int = super().construct_yaml_int(node)
            return number

        merged = 0
        """Values that merges have copied so far, into whatever mapping."""

        def flatten_mapping(self, node: Any) -> None:
            """Merge what `<<` names, which may repeat itself without end; so it is counted before
            anything is copied."""
            for key, value in node.value:
                if key.tag == MERGE:
                    parts = value.value if isinstance(value, yaml.SequenceNode) else [value]
                    for part in parts:
                        if isinstance(part, yaml.MappingNode):
                            self.flatten_mapping(part)
                            self.merged += len(part.value)
                            if self.merged > VALUES.most:
                                raise _UnfoldedError
            super().flatten_mapping(node)

    Loader.add_constructor("tag:yaml.org,2002:int", Loader.construct_yaml_int)
    if version == "1.1":
        return Loader
    Loader.yaml_implicit_resolvers = {
        first: [(tag, regexp) for tag, regexp in pairs if not tag.endswith((":bool", ":float"))]
        for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    number = re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$")
    Loader.add_implicit_resolver("tag:yaml.org,2002:float", number, list("-+.0123456789"))
    boolean = re.compile(r"^(true|True|TRUE|false|False|FALSE)$")
    Loader.add_implicit_resolver("tag:yaml.org,2002:bool", boolean, list("tTfF"))
    return Loader


@contextmanager
def _without_panics() -> Iterator[None]:
    """What is written to the standard error stream meanwhile appears there afterwards, except after
    a panic, whose pages of addresses help nobody."""
    with _one_at_a_time:
        try:
            stderr = os.dup(STDERR)
        except OSError:  # there is none
            yield
            return
        with tempfile.TemporaryFile() as kept:
            os.dup2(kept.fileno(), STDERR)
            panicked = False
            try:
                yield
            except BaseException as error:
                panicked = is_panic(error)
                raise
            finally:
                os.dup2(stderr, STDERR)
                os.close(stderr)
                kept.seek(0)
                if not panicked and (text := kept.read()):
                    os.write(STDERR, text)
