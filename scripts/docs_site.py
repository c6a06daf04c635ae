"""A hook of mkdocs: what the site has beside the files of docs/.

Pages link to files of the repository, as Markdown on its own does. On the site the pages at the top
of the repository are pages as well, and every other file that a page links to is shown on a page of
its own, so that the site is complete in a folder and without a network.
"""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files, InclusionLevel

ROOT = Path(__file__).parents[1]
AT_THE_TOP = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
"""Shown under their own names; the README's place is taken by docs/index.md."""
LINK = re.compile(r"(\]\()([^)#:\s]+)((?:#[^)\s]*)?\))")
LANGUAGES = {".py": "python", ".toml": "toml", ".json": "json", ".yml": "yaml", ".cff": "yaml"}


def on_files(files: Files, config: Any) -> Files:
    """Add the pages at the top, and one for each file that a page links to."""
    pages = {file.src_uri: Path(file.abs_src_path) for file in files.documentation_pages()}
    pages |= {name: ROOT / name for name in AT_THE_TOP}
    for name in AT_THE_TOP:
        files.append(File.generated(config, name, content=(ROOT / name).read_text()))
    for path in sorted({p for page in pages.values() for p in linked_files(page)}):
        shown = File.generated(config, page_of(path), content=_listing(path))
        shown.inclusion = InclusionLevel.NOT_IN_NAV
        files.append(shown)
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let links lead to where their files are on the site."""
    uri = page.file.src_uri
    home = ROOT if uri in AT_THE_TOP else (ROOT / "docs" / uri).parent
    folder = posixpath.dirname(uri)

    def lead(match: re.Match[str]) -> str:
        path = Path(os.path.normpath(home / match[2]))
        if uri.startswith("files/") or not path.exists():
            return match[0]  # mkdocs says what is wrong
        return match[1] + posixpath.relpath(place_of(path), folder or ".") + match[3]

    return LINK.sub(lead, markdown)


def linked_files(page: Path) -> list[Path]:
    """The files outside docs/ that a page links to, those at the top aside."""
    targets = [match[2] for match in LINK.finditer(page.read_text())]
    paths = [Path(os.path.normpath(page.parent / target)) for target in targets]
    return [path for path in paths if path.exists() and place_of(path).startswith("files/")]


def place_of(path: Path) -> str:
    """Where a file of the repository is on the site."""
    name = path.relative_to(ROOT).as_posix()
    if name.startswith("docs/"):
        return name.removeprefix("docs/")
    if name == "README.md":
        return "index.md"
    return name if name in AT_THE_TOP else page_of(path)


def page_of(path: Path) -> str:
    """The page that shows a file."""
    return f"files/{path.relative_to(ROOT).as_posix()}.md"


def _listing(path: Path) -> str:
    """A file as a page; of a folder the names in it."""
    title = f"# {path.relative_to(ROOT).as_posix()}\n\n"
    if path.is_dir():
        return title + "".join(f"- `{entry.name}`\n" for entry in sorted(path.iterdir()))
    if path.suffix == ".md":
        return path.read_text()
    language = LANGUAGES.get(path.suffix, "text")
    return f"{title}````{language}\n{path.read_text().rstrip()}\n````\n"
