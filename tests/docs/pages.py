"""The pages of the documentation: their fenced blocks, and what running them prints."""

from __future__ import annotations

import re
import shlex
import textwrap
import tomllib
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

from processes import python, ringfence

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(r"^( *)```([\w-]*)([^\n]*)\n(.*?)^\1```[ ]*$", flags=re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    language: str
    note: str
    text: str
    line: int
    gap: str
    """What stands between the block before and this one."""

    @property
    def skipped(self) -> bool:
        """Whether its title says that it is not run, and why."""
        return 'title="not run: ' in self.note

    @property
    def is_output(self) -> bool:
        """Whether it shows what the block before printed: no language, and nothing in between."""
        return self.language == "" and not self.gap.strip()


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    """All fenced blocks of a page, in order."""
    text, end, found = page.read_text(), 0, []
    for match in FENCE.finditer(text):
        _, language, note, content = match.groups()
        line = text.count("\n", 0, match.start()) + 1
        gap = text[end : match.start()] if found else "the beginning"
        found.append(Block(language, note.strip(), textwrap.dedent(content), line, gap))
        end = match.end()
    return found


def runnable(page: Path) -> list[Block]:
    """The blocks that a reader would paste."""
    return [block for block in blocks(page) if block.language in ("python", "sh")]


def run(page: Path, folder: Path) -> list[tuple[Block, str]]:
    """Run the blocks of a page in order, as one program in a fresh folder: each with what it
    printed. Names that a block defines are known to the blocks after it, nothing else is."""
    names: dict[str, object] = {"__name__": "__main__"}
    return [(block, _printed(page, block, names, folder)) for block in runnable(page)]


def run_apart(page: Path, folder: Path) -> None:
    """The same in a process of its own, for tools whose servers would outlive the program."""
    program = "\n".join(b.text for b in runnable(page) if b.language == "python" and not b.skipped)
    (folder / "page.py").write_text(program)
    finished = python(folder / "page.py", cwd=folder, env={"HOME": str(folder)}, real=True)
    assert finished.returncode == 0, finished.stderr


def _printed(page: Path, block: Block, names: dict[str, object], folder: Path) -> str:
    if block.skipped:
        return ""
    if block.language == "sh":
        return "".join(_command(line, folder) for line in _lines(block.text))
    with redirect_stdout(StringIO()) as out:
        place = "\n" * block.line + block.text  # errors name the line of the page
        exec(compile(place, str(page), "exec"), names)
    return out.getvalue()


def _lines(text: str) -> list[str]:
    lines = text.replace("\\\n", " ").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def _command(line: str, folder: Path) -> str:
    """What a command prints. Ours is run, if need be more than once; of others it is asked only
    whether there is such a thing."""
    words = shlex.split(line, comments=True)
    if words[0] == "ringfence":
        finished = ringfence(*words[1:], cwd=folder, env={"COLUMNS": "120"})
        assert finished.returncode == 0, f"{line}: {finished.stderr}"
        return finished.stdout
    known = {"pip": _extras_exist, "make": _targets_exist, "python": _program_exists}
    assert words[0] in known, f'{line}: what is this? Mark it title="not run: …"'
    assert known[words[0]](words[1:]), line
    return ""


def _extras_exist(words: list[str]) -> bool:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = re.findall(r"\[([\w,]+)\]", " ".join(words))
    named = {name for group in extras for name in group.split(",")}
    return words[0] == "install" and named <= set(project["optional-dependencies"])


def _targets_exist(words: list[str]) -> bool:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    return all(word in targets for word in words if "=" not in word)


def _program_exists(words: list[str]) -> bool:
    if words[0] == "-m":
        return find_spec(words[1]) is not None
    return (ROOT / words[0]).exists()
