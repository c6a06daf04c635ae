"""Damage to zip files, Excel's among them: members, names, and what is said of them."""

from __future__ import annotations

import io
import random
import re
import struct
import zipfile
from collections.abc import Sequence

from fuzz.hostile import word
from fuzz.mutations.tables import damaged_table
from fuzz.mutations.tokens import damaged_tokens
from fuzz.mutations.trees import damaged_json

ENTRY = b"PK\x01\x02"
"""How an entry of the archive's list begins."""
FIELDS = (6, 8, 10, 16, 20, 24, 28, 42)
"""Where in it stand: version, flags (encrypted), method, checksum, sizes, name's length, place."""
MEMBERS = {".json": damaged_json, ".csv": damaged_table}


def zipped(members: Sequence[tuple[str, bytes]]) -> bytes:
    """A zip that is the same each time."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def damaged_zip(rng: random.Random, content: bytes) -> bytes:
    """The archive with one member or one field of its list changed; ValueError if it is none."""
    if rng.random() < 0.2:
        return _misdescribed(rng, content)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [(name, archive.read(name)) for name in archive.namelist()]
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError) as error:
        raise ValueError(str(error)) from error
    except zipfile.zlib.error as error:
        raise ValueError(str(error)) from error
    at = rng.randrange(len(members)) if members else 0
    kind = rng.randrange(12)
    if kind == 0 and members:
        del members[at]
    elif kind == 1 and members:
        members[at] = (word(rng).replace("\ud800", "?"), members[at][1])
    elif kind == 2 and members:
        members.insert(0, ("other.txt", b"\x00" * rng.choice((0, 10, 100_000))))
    elif members:
        name, data = members[at]
        ending = next((ending for ending in MEMBERS if name.endswith(ending)), "")
        members[at] = (name, MEMBERS.get(ending, damaged_tokens)(rng, data))
    return zipped(members)


def _misdescribed(rng: random.Random, content: bytes) -> bytes:
    """One field of one entry says something else."""
    places = [match.start() for match in re.finditer(ENTRY, content)]
    if not places:
        return content[: len(content) // 2]
    at = rng.choice(places) + rng.choice(FIELDS)
    patch = struct.pack("<H", rng.choice((0, 1, 9, 99, 0x7FFF, 0xFFFF)))
    return content[:at] + patch + content[at + 2 :]
