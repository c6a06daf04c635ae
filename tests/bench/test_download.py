"""A published file, downloaded from a server on this machine that breaks off, lies or has none."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from ringfence.bench.fetch.download import HPOB, Published, check_file, download, source_of
from ringfence.cli.bench.fetch import hpob_source
from ringfence.errors import FileError

CONTENT = np.random.default_rng(0).bytes(3_000_000)
POINTER = (
    f"version https://git-lfs.github.com/spec/v1\noid sha256:{HPOB.sha256}\nsize {HPOB.size}\n"
).encode()


@dataclass
class Server:
    """What it gives, and what it was asked for."""

    content: bytes = CONTENT
    parts: bool = True
    """Whether it can continue in the middle."""
    breaks_after: int | None = None
    ranges: list[str | None] = field(default_factory=list)
    port: int = 0

    @property
    def published(self):
        digest = hashlib.sha256(CONTENT).hexdigest()
        return Published(f"http://127.0.0.1:{self.port}/x.zip", "a page", len(CONTENT), digest)


@pytest.fixture
def server(monkeypatch):
    made = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked = self.headers.get("Range")
            made.ranges.append(asked)
            first = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
            first = first if made.parts else 0
            if first >= len(made.content):
                self.send_error(416)
                return
            body = made.content[first:]
            self.send_response(206 if first else 200)
            self.send_header("Content-Length", str(len(body)))
            if first:
                last = len(made.content) - 1
                self.send_header("Content-Range", f"bytes {first}-{last}/{last + 1}")
            self.end_headers()
            self.wfile.write(body[: made.breaks_after])

        def log_message(self, *_):
            pass

    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.port = running.server_address[1]
    threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
    yield made
    running.shutdown()
    running.server_close()


def test_a_file_is_downloaded_once(server, tmp_path):
    path, seen = tmp_path / "x.zip", []
    download(path, server.published, lambda *step: seen.append(step))
    assert path.read_bytes() == CONTENT and [*tmp_path.iterdir()] == [path]
    assert seen[-1] == (len(CONTENT), len(CONTENT)) and len(seen) > 1
    download(path, server.published)
    assert server.ranges == [None]


def test_a_download_that_breaks_off_is_continued(server, tmp_path):
    path = tmp_path / "x.zip"
    server.breaks_after = 1_700_000
    with pytest.raises(FileError, match=r"cannot download .*; run the command again to continue"):
        download(path, server.published)
    kept = (tmp_path / "x.zip.part").stat().st_size
    assert 0 < kept <= 1_700_000 and not path.exists()
    server.breaks_after = None
    download(path, server.published)
    assert server.ranges == [None, f"bytes={kept}-"]
    assert path.read_bytes() == CONTENT and [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("kept", [1000, len(CONTENT) + 5])
def test_without_parts_or_with_too_much_kept_it_begins_anew(server, tmp_path, kept):
    server.parts = kept > len(CONTENT)
    path = tmp_path / "x.zip"
    (tmp_path / "x.zip.part").write_bytes(bytes(kept))
    download(path, server.published)
    assert path.read_bytes() == CONTENT


def test_a_complete_part_is_not_asked_for(server, tmp_path):
    (tmp_path / "x.zip.part").write_bytes(CONTENT)
    download(tmp_path / "x.zip", server.published)
    assert not server.ranges and (tmp_path / "x.zip").read_bytes() == CONTENT


def test_another_file_in_its_place_is_not_taken(server, tmp_path):
    server.content = POINTER
    with pytest.raises(FileError, match=r"the server has 134 bytes, not 3,000,000"):
        download(tmp_path / "x.zip", server.published)
    assert not [*tmp_path.iterdir()]
    server.content = CONTENT[:-1] + b"?"
    with pytest.raises(FileError, match="is not the published file and was deleted"):
        download(tmp_path / "x.zip", server.published)
    assert not [*tmp_path.iterdir()]


def test_no_server_is_one_clear_error(tmp_path):
    nowhere = Published("http://127.0.0.1:9/x.zip", "a page", 5, "")
    with pytest.raises(FileError, match=r"cannot download .*refused.* from a page by other means"):
        download(tmp_path / "x.zip", nowhere)
    assert not [*tmp_path.iterdir()]


def test_what_is_wrong_with_a_file_is_said_with_what_to_do(server, tmp_path):
    path, what = tmp_path / "hpob-data.zip", server.published
    with pytest.raises(FileError, match=r"there is no file .*; get it with --download, or hpob-d"):
        check_file(path, what)
    path.write_bytes(POINTER)
    with pytest.raises(FileError, match=r"is a pointer of Git LFS, not the data: .*git lfs pull"):
        check_file(path, what)
    path.write_bytes(CONTENT[:-1])
    with pytest.raises(FileError, match=r"has 2,999,999 bytes, not the 3,000,000 of the published"):
        check_file(path, what)
    path.write_bytes(CONTENT[:-1] + b"?")
    with pytest.raises(FileError, match=r"is damaged, or another version: its SHA-256 is not"):
        check_file(path, what)
    assert source_of(path, what, get=False, checked=False) == path
    path.write_bytes(CONTENT)
    check_file(path, what)
    assert source_of(path, what, get=True, checked=True) == path and not server.ranges
    assert source_of(tmp_path, what, get=True, checked=True) == tmp_path
    with pytest.raises(FileError, match="there is no file"):
        source_of(tmp_path / "other.zip", what, get=False, checked=False)


def test_the_commands_download_and_check_what_they_are_told_to(server, tmp_path, monkeypatch):
    monkeypatch.setattr("ringfence.bench.fetch.download.HPOB", server.published)
    path = tmp_path / "hpob-data.zip"
    with pytest.raises(FileError, match="get it with --download"):
        hpob_source(path, download=False, unchecked=False)
    assert hpob_source(path, download=True, unchecked=False).read_bytes() == CONTENT
    path.write_bytes(b"PK")
    with pytest.raises(FileError, match="has 2 bytes, not the 3,000,000"):
        hpob_source(path, download=True, unchecked=False)
    assert hpob_source(path, download=False, unchecked=True) == path


def test_the_address_of_hpob_is_the_one_that_works():
    """The one at Freiburg is gone; the pointer in the repository has this size and checksum."""
    assert HPOB.address.startswith(HPOB.page) and "freiburg" not in HPOB.address
    assert f"oid sha256:{HPOB.sha256}\nsize {HPOB.size}\n".encode() in POINTER
    assert len(POINTER) == 134
