"""A tar of pieces from another machine: only pieces are taken from it, and each of them whole."""

from __future__ import annotations

import gzip
import io
import json
import tarfile

import pytest
from benchmarks.own_tables.bundle import unpack
from benchmarks.own_tables.pieces import Folder, read_piece

NAME = "knn--wine--00.json.gz"
PART = "knn--wine--00.part.json.gz"


def piece(rows: int) -> bytes:
    return gzip.compress(json.dumps({"rows": [{}] * rows}).encode(), mtime=0)


def tar(path, members, mode="w"):
    with tarfile.open(path, mode) as archive:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "here" / "pieces")


@pytest.mark.parametrize(
    "name",
    [
        f"../{NAME}", f"/tmp/{NAME}", f"claims/{NAME}", f"..\\{NAME}", f".{NAME}", ".json.gz",
        "C:x.json.gz", "x\x1b[31m.json.gz", "x.json", "x" * 300 + ".json.gz", "x\n.json.gz",
    ],
)  # fmt: skip
def test_no_name_leads_out_or_is_obeyed(folder, tmp_path, name):
    path = tar(tmp_path / "odd.tar", [(name, piece(3))])
    with pytest.raises(SystemExit, match="no tar of pieces") as caught:
        unpack(path, folder)
    assert str(caught.value).isprintable()
    assert not folder.finished()
    assert [p.name for p in tmp_path.rglob("*json*")] == []


# A packed file holds the time: made in the test, so that its name is the same in all processes.
NO_PIECE = {
    "nothing": lambda: b"",
    "not packed": lambda: b"{}",
    "a list": lambda: gzip.compress(b"[]"),
    "half of the text": lambda: gzip.compress(b"{"),
    "half of the file": lambda: piece(9)[:20],
    "too long": lambda: gzip.compress(b" " * (2**26 + 1)),
}


@pytest.mark.parametrize("content", NO_PIECE.values(), ids=NO_PIECE)
def test_what_is_no_piece_is_not_taken_for_a_finished_one(folder, tmp_path, content):
    path = tar(tmp_path / "odd.tar", [(NAME, content())])
    with pytest.raises(SystemExit, match="which is none"):
        unpack(path, folder)
    assert not folder.finished()


def test_links_packed_tars_and_other_files_are_refused(folder, tmp_path):
    link = tarfile.TarInfo(NAME)
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    with tarfile.open(tmp_path / "link.tar", "w") as archive:
        archive.addfile(link)
    tar(tmp_path / "packed.tar", [(NAME, piece(3))], "w:gz")
    (tmp_path / "text.tar").write_text("no tar")
    for name in ("link", "packed", "text", "missing"):
        with pytest.raises(SystemExit, match="no tar of pieces"):
            unpack(tmp_path / f"{name}.tar", folder)
    assert not folder.finished()


def test_of_two_interrupted_pieces_the_longer_one_is_kept(folder, tmp_path):
    folder.put(PART, piece(5))
    assert unpack(tar(tmp_path / "a.tar", [(PART, piece(3))]), folder) == 0
    assert len(read_piece(folder.path / PART)["rows"]) == 5
    assert unpack(tar(tmp_path / "b.tar", [(PART, piece(7))]), folder) == 1
    assert len(read_piece(folder.path / PART)["rows"]) == 7
    assert unpack(tar(tmp_path / "c.tar", [(NAME, piece(8))]), folder) == 1
    assert folder.finished() and not (folder.path / PART).exists()
