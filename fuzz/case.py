"""A case: files in a folder, what is called with them, and how. One JSON file when it is kept."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LOSSLESS = "surrogateescape"  # any bytes ↔ text that a person can read where it is text


@dataclass(frozen=True)
class Case:
    """What one input consists of."""

    target: str
    files: Mapping[str, bytes]
    """Content by path, below the folder in which the target is called."""
    source: str = ""
    """The file or folder that is read; for commands nothing."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Keyword arguments of the call."""
    arguments: tuple[str, ...] = ()
    """Words of the command line."""

    def lay_out(self, folder: Path) -> None:
        """Write the files into an empty `folder`; what the file system refuses is left out."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name, content in self.files.items():
            path = folder / name
            try:
                if "/" in name:
                    path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            except (OSError, ValueError):  # a name that is too long, or taken by a folder
                continue

    def to_text(self) -> str:
        """As JSON in ASCII, whatever the files hold."""
        content = {
            "target": self.target,
            "source": self.source,
            "options": self.options,
            "arguments": self.arguments,
            "files": {name: data.decode("utf-8", LOSSLESS) for name, data in self.files.items()},
        }
        return json.dumps(content, indent=1) + "\n"

    @classmethod
    def from_text(cls, text: str) -> Case:
        """The case that `to_text` wrote."""
        content = json.loads(text)
        files = {name: data.encode("utf-8", LOSSLESS) for name, data in content["files"].items()}
        return cls(
            content["target"],
            files,
            content["source"],
            content["options"],
            tuple(content["arguments"]),
        )
