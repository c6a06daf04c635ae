"""Addresses that are fit to be shown and kept: scheme, host and database, nothing else.

Anything else in an address may be a secret: a token stands before the host, in the path or in the
query, and an address with a slip of the pen has its password anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from ringfence.errors import MissingExtraError, RingfenceError

SCHEME = re.compile(r"(?P<scheme>(?:jdbc:)?[A-Za-z][\w+.-]+):(?P<rest>.*)", re.DOTALL)
"""At least two letters: `C:` is a disk."""
PLACE = re.compile(
    r"/*(?:[^/?#]*@)?(?P<host>\[[\da-fA-F:.]+\]|[\w.-]+)(?::\d*)?(?:/(?P<path>[^?#;@]*))?"
    r"(?:[?#;][^@]*)?",
    re.DOTALL,
)
"""What follows the scheme of an address that leaves no doubt where its host is."""
MISTYPED = re.compile(r"(?::|//)[^@]*@|..://|//[\w.-]+:\d|(?::|//).*\?[^/]*=", re.DOTALL)
"""What only addresses have, whatever has become of their scheme: a login, a host, a query."""
LOCAL = ("file", "sqlite")
DATABASES = (
    "bigquery", "clickhouse", "cockroachdb", "databricks", "duckdb", "jdbc", "mariadb", "mssql",
    "mysql", "oracle", "postgres", "postgresql", "redshift", "snowflake", "trino",
)  # fmt: skip
"""Schemes whose path begins with the name of a database; a web server's may begin with a token."""
WORD = 4
"""A secret of fewer letters is hidden only where it stands alone: it may be part of a word."""


def is_address(source: Any) -> bool:
    """Whether this is an address, or looks like one that was mistyped, and no file of that name is
    there."""
    if not isinstance(source, (str, PathLike)):
        return False
    text = str(fspath(source))
    match = SCHEME.match(text)
    leads_away = match is not None and match["rest"].startswith("/")
    if not leads_away and not text.startswith("jdbc:") and not MISTYPED.search(text):
        return False
    try:
        return not Path(text).exists()
    except (OSError, ValueError):  # too long for a name, or no name at all
        return True


def shown(source: str | PathLike[str]) -> str:
    """An address as scheme, host and database; anything else as it is. Of one that leaves a doubt
    where its host is, the scheme; of a file's, all but what follows the question mark."""
    text = str(fspath(source))
    if not is_address(text):
        return text
    match = SCHEME.match(text)
    if match is None:
        return "…"
    kind = re.split(r"[+:]", match["scheme"].lower())[0]
    has_host = re.match("//[^/]", match["rest"])
    if kind in LOCAL and "@" not in text and not has_host:
        return text.partition("?")[0]
    place = PLACE.fullmatch(match["rest"])
    if place is None:
        return f"{match['scheme']}://…"
    database = (place["path"] or "").partition("/")[0] if kind in DATABASES else ""
    return f"{match['scheme']}://{place['host']}{f'/{database}' * bool(database)}"


def hidden(text: str, source: str | PathLike[str]) -> str:
    """The text without what the address keeps secret, as written there or decoded."""
    address = str(fspath(source))
    if not is_address(address):
        return text
    safe = shown(address)
    text = text.replace(address, safe)
    for secret in sorted(_secrets(address) - set(re.split(r"[/:]+", safe)), key=len, reverse=True):
        if len(secret) >= WORD:
            text = text.replace(secret, "***")
        else:
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "***", text)
    return text


def _secrets(address: str) -> set[str]:
    """Every part of the address but the keys of its options and its port, and what stands before
    the last @, which may hold any mark; as written, decoded and encoded."""
    before = address.rpartition("@")[0].partition(":")[2].lstrip("/")
    pieces = [before, before.partition(":")[2]]
    without_port = re.sub(r":\d+(?=[/?#;:]|$)", "/", address)
    for part in re.split(r"[/?#&;@:\s]+", without_port):
        pieces += part.split("=")[1:] or [part]
    decoded = {form for piece in pieces for form in (piece, unquote(piece)) if form}
    return decoded | {quote(form, safe="", errors="replace") for form in decoded}


@contextmanager
def kept_quiet(source: Any) -> Iterator[None]:
    """Errors of ours without what the address keeps secret, and without the errors behind them."""
    try:
        yield
    except MissingExtraError:  # names a package, and no source
        raise
    except RingfenceError as error:
        if not is_address(source):
            raise
        error.args = (hidden(str(error), source),)
        raise error from None
