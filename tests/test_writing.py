"""Files are complete or not there at all, and as private as they were."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ringfence.errors import FileError
from ringfence.files import ABANDONED, PREFIX, SUFFIX, write_atomically

FULL = Path("/dev/full")
NOBODY = 65534  # who that is everywhere
posix = pytest.mark.skipif(os.name != "posix", reason="permissions and links as POSIX has them")


def test_a_file_is_there_with_all_of_its_content_and_alone(tmp_path):
    write_atomically(tmp_path / "a", b"one")
    write_atomically(tmp_path / "a", b"two")
    assert (tmp_path / "a").read_bytes() == b"two"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@posix
def test_a_private_file_stays_private_and_a_new_one_is_as_usual(tmp_path):
    private, usual, new = tmp_path / "private", tmp_path / "usual", tmp_path / "new"
    for path, mode in ((private, 0o600), (usual, 0o664)):
        path.write_bytes(b"")
        path.chmod(mode)
    for path in (private, usual, new):
        write_atomically(path, b"secret")
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (private, usual, new)]
    umask = os.umask(0)
    os.umask(umask)
    assert modes == [0o600, 0o664, 0o666 & ~umask]


@posix
def test_what_is_being_written_is_never_public(tmp_path, monkeypatch):
    seen = []
    fsync = os.fsync

    def watched(handle):
        seen.append(stat.S_IMODE(os.fstat(handle).st_mode))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", watched)
    write_atomically(tmp_path / "a", b"secret")
    assert seen == [0o600]


@pytest.mark.parametrize("name", ["x" * 250, "x" * 255, "ß" * 127])
def test_a_name_may_be_as_long_as_the_disk_allows(name, tmp_path):
    write_atomically(tmp_path / name, b"one")
    assert (tmp_path / name).read_bytes() == b"one"


def test_what_killed_writers_left_is_removed_and_nothing_else(tmp_path):
    old, young = tmp_path / f"{PREFIX}old{SUFFIX}", tmp_path / f"{PREFIX}young{SUFFIX}"
    others = [tmp_path / ".ringfence-notes", tmp_path / ".learned.json.abcd", tmp_path / "x.tmp"]
    for path in (old, young, *others):
        path.write_bytes(b"")
    now = young.stat().st_mtime
    for path in (old, *others):
        os.utime(path, (now, now - ABANDONED - 10))
    write_atomically(tmp_path / "a", b"one")
    assert {path.name for path in tmp_path.iterdir()} == {
        "a",
        young.name,
        *(p.name for p in others),
    }


@posix
def test_links_are_followed_and_stay_links(tmp_path):
    (tmp_path / "folder").mkdir()
    link, dangling = tmp_path / "link", tmp_path / "dangling"
    (tmp_path / "folder" / "target").write_bytes(b"")
    (tmp_path / "folder" / "target").chmod(0o600)
    link.symlink_to("folder/target")
    dangling.symlink_to("folder/new")
    for path in (link, dangling):
        write_atomically(path, b"one")
        assert path.is_symlink() and path.read_bytes() == b"one"
    assert stat.S_IMODE(link.stat().st_mode) == 0o600


@posix
def test_links_in_a_circle_are_one_line(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(FileError, match=r"cannot write .*a: ") as caught:
        write_atomically(tmp_path / "a", b"one")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_a_disk_that_fails_leaves_what_was_there(call, code, tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(b"before")

    def fails(*_, **__):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, call, fails)
    with pytest.raises(FileError, match=f"cannot write .*a: {os.strerror(code)}$"):
        write_atomically(tmp_path / "a", b"after")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"before"


@pytest.fixture
def own_folder(monkeypatch):
    """A folder of somebody who is not root, since root may write anywhere."""
    with TemporaryDirectory() as folder:
        monkeypatch.chdir(folder)
        if os.geteuid() != 0:
            yield
            return
        os.chown(folder, NOBODY, -1)
        os.seteuid(NOBODY)
        yield
        os.seteuid(0)
        monkeypatch.undo()


@posix
def test_a_folder_and_a_file_that_are_read_only_are_one_line(own_folder):
    Path("a").write_bytes(b"before")
    Path("a").chmod(0o400)
    with pytest.raises(FileError, match=r"^cannot write a: Permission denied$"):
        write_atomically(Path("a"), b"after")
    Path().chmod(0o500)
    with pytest.raises(FileError, match=r"^cannot write b: Permission denied$"):
        write_atomically(Path("b"), b"after")
    Path().chmod(0o700)
    assert [*Path().iterdir()] == [Path("a")] and Path("a").read_bytes() == b"before"


@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
def test_a_full_device_is_one_line():
    with pytest.raises(FileError, match="cannot write /dev/full: No space left on device"):
        write_atomically(FULL, b"x" * 100_000)
    assert FULL.is_char_device()
