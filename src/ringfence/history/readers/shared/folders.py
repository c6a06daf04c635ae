"""Files and folders that other tools leave behind: finding them, naming them, reading them."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ringfence.errors import HistoryError, RingfenceError
from ringfence.errors.addresses import is_address, shown
from ringfence.incoming.content import read_text, readable
from ringfence.incoming.parsing import json_of, reason


def local_name(source: str | PathLike[str], what: str, place: str = "file") -> str:
    """The name of the file or folder that `what` is read from. An address is refused."""
    if not isinstance(source, (str, PathLike)):
        raise HistoryError(f"{what} are read from a {place}, not from a {type(source).__name__}")
    text = fspath(source)
    if is_address(text):
        raise HistoryError(f"{what} are read from a {place}, not from the address {shown(text)}")
    if not text or "\0" in text:
        raise HistoryError(
            f"{what} are read from a {place}, and {text!r} cannot be the name of one"
        )
    return text


def holds(source: Any, *patterns: str) -> bool:
    """Whether the source is a folder with a file like one of the patterns."""
    if not isinstance(source, (str, PathLike)) or not Path(source).is_dir():
        return False
    return any(any(Path(source).glob(pattern)) for pattern in patterns)


def find_folders(source: str | PathLike[str], marker: str, what: str) -> list[Path]:
    """The folders that hold a file like `marker`: `source` itself, those below it, or those that a
    glob matches. `what` they are called goes into the message."""
    text = local_name(source, what, "folder")
    bases = [Path(text)]
    if glob.has_magic(text) and not bases[0].exists():
        bases = sorted(Path(match) for match in glob.glob(text, recursive=True))  # noqa: PTH207
        if not bases:
            raise HistoryError(f"no folder matches {text}")
    elif not bases[0].is_dir():
        raise HistoryError(f"there is no folder {text}")
    folders = [
        folder
        for base in bases
        for folder in ([base] if any(base.glob(marker)) else _below(base, marker))
    ]
    if not folders:
        raise HistoryError(f"{text} holds no {what}: no file {marker} in it or below")
    return folders


def _below(base: Path, marker: str) -> list[Path]:
    return sorted({match.parent for match in base.rglob(marker)})


def task_names(folders: Sequence[Path]) -> list[str]:
    """A name for each folder: its own, or as much of its path as tells the folders apart."""
    names = [readable(folder.resolve().name) for folder in folders]
    if len({*folders}) == len({*names}):
        return names
    common = os.path.commonpath([folder.resolve() for folder in folders])
    return [readable(folder.resolve().relative_to(common).as_posix()) for folder in folders]


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file, Python's NaN and Infinity allowed."""
    content = json_of(read_text(path), path)
    if not isinstance(content, dict):
        raise HistoryError(f"{path} should hold a JSON object, not a {type(content).__name__}")
    return content


@contextmanager
def written_by(tool: str, path: Path) -> Iterator[None]:
    """HistoryError for content that is not of the form that the tool gives it."""
    try:
        yield
    except RingfenceError:
        raise
    except KeyError as error:
        raise HistoryError(f"{path} is not as {tool} writes it: {error} is missing") from error
    except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError) as error:
        raise HistoryError(f"{path} is not as {tool} writes it: {reason(error)}") from error
