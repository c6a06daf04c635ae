"""Addresses that are fit to be shown and kept: scheme, host and database, nothing else.

Anything else in an address may be a secret: a token stands before the host, in the path or in the
query, and an address with a slip of the pen has its password anywhere. Every message of ours passes
`without_secrets`; one that is about a source that is known passes `hidden` as well.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from os import PathLike, fspath
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

LOCAL = ("file", "sqlite", "duckdb")
DATABASES = (
    "bigquery", "clickhouse", "cockroachdb", "databricks", "jdbc", "mariadb", "mongodb", "mssql",
    "mysql", "odbc", "oracle", "postgres", "postgresql", "redis", "redshift", "snowflake",
    "sqlserver", "trino",
)  # fmt: skip
"""Schemes whose path begins with the name of a database; a web server's may begin with a token."""
SERVERS = ("http", "https", "ftp", "ftps", "sftp", "ssh", "s3", "gs", "gcs", "azure", "abfss")
KNOWN = rf"(?:{'|'.join((*DATABASES, *SERVERS))})(?:\+\w*)?"

BEGINNING = re.compile(
    r"(?P<scheme>(?:jdbc:)?[a-z][\w+.-]+):/"  # any scheme; `C:/` is a disk
    rf"|(?P<known>(?:jdbc:)?{KNOWN})[;.]?(?::|//|/[^/\s]*:)"  # a known one with a slip
    r"|(?P<driver>[a-z]\w*\+\w+):"  # a database and its driver
    r"|(?P<jdbc>jdbc):"
    r"|[\w+.-]*[a-z][\w+.-]//[^/\s]*:|//[^/\s]*:",  # a login where a host should be
    re.IGNORECASE,
)
"""How addresses begin, well written or not."""
NEAR = re.compile(r"(?P<near>[a-z]{3,12}(?:\+\w*)?)(?::|//)(?=\S)", re.IGNORECASE)
"""A word that may be a known scheme with a slip in it."""
ALIKE = 0.8
"""Of difflib: one letter too few, too many or another in words of five and more."""
MARK = re.compile(":|//")
PORT = re.compile(r"//[\w.-]+:\d")
PASTED = re.compile(r"(?:\x1b\[[\d;]*[a-z]|[\s'\"<(\[{\x00-\x1f\x7f-\x9f\u200b-\u206f\ufeff])*")
"""What is not part of an address before it."""
FILE = re.compile(r":/*(?:[a-z]:[/\\])?[^:@?]*(?:\?.*)?", re.IGNORECASE | re.DOTALL)
"""What follows the scheme of a file's address."""
OPTION = re.compile(
    r"(?<![\w-])(?P<name>(?P<dashes>--)?[\w-]*(?:password|passwd|passphrase|pwd|token|secret|"
    r"credentials?|signature|sig|(?:api|access|account|shared|private|secret)[_-]?key))"
    r"(?P<is>\s*=\s*|:(?![\s/])|(?(dashes)\s+|(?!)))"
    r"(?P<value>\"[^\"]*\"?|'[^']*'?|\{[^}]*\}?|[^\s;&,'\"]+)",
    re.IGNORECASE,
)
"""A secret by its name, as in the settings of a driver, `host=h;uid=u;pwd=…`, in `api_key:…` and in
`--password …`."""
HEADER = re.compile(
    r"(?<![\w-])(?P<name>authorization\s*:\s*\w+|bearer)(?P<is>\s+|\s*:\s*)(?P<value>[^\s;&,'\"]+)",
    re.IGNORECASE,
)
"""A secret as programs send it to a server: `Authorization: Bearer …`."""
TICKET = re.compile(r"[\w$#.-]+/[^\s/@]+@(?://.*|[\w.-]+:\d.*|[\w-]+)")
"""`user/password@name`, as Oracle has it; what ends like a file's name is none."""
PLACE = re.compile(
    r"(?P<login>(?:[^/?#]*[^/?#@])?@)?(?P<host>\[[\da-fA-F:.]+\]|[\w.-]+)(?::\d*)?(?:/(?P<path>[^?#;@]*))?"
    r"(?:[?#;][^@]*)?",
    re.DOTALL,
)
"""What follows the scheme of an address that leaves no doubt where its host is; @@ leaves one."""
EXAMPLE = "postgresql://user:password@host:5432/database"
"""What our own messages show as a model."""
WITHIN = re.compile(
    rf"(?<![\w+./\\-])(?:{BEGINNING.pattern}|{NEAR.pattern})[^\s'\"]*", re.IGNORECASE
)
"""An address within a text, up to a blank or a quote."""
WORD = 4
"""A secret of fewer letters is hidden only where it stands alone: it may be part of a word."""


def is_address(source: Any) -> bool:
    """Whether this is an address, or looks like one that was mistyped, and no file of that name is
    there."""
    if not isinstance(source, (str, PathLike)):
        return False
    text = str(fspath(source))
    looks = (_begins, _is_mistyped, OPTION.search, HEADER.search, TICKET.fullmatch)
    if not any(look(text) for look in looks):
        return False
    try:
        return not Path(text).exists()
    except (OSError, ValueError):  # too long for a name, or no name at all
        return True


def _is_mistyped(text: str) -> bool:
    """Whether there is what only addresses have, whatever has become of their beginning: a login, a
    host, a query."""
    mark = MARK.search(text)
    if mark is None:
        return False
    if "@" in text[mark.end() :] or "://" in text[2:] or PORT.search(text):
        return True
    parts = text[mark.end() :].split("/")
    return any("=" in part.partition("?")[2] for part in parts)


def shown(source: str | PathLike[str]) -> str:
    """An address as scheme, host and database; anything else as it is. Of one that leaves a doubt
    where its host is, the scheme; of a file's, all but what follows the question mark."""
    text = str(fspath(source))
    return _shown(text) if is_address(text) else text


def _shown(address: str) -> str:
    match = _begins(address)
    if match is None or match.lastgroup is None:
        return "…"
    scheme, rest = match[match.lastgroup], address[match.end(match.lastgroup) :]
    kind = re.split(r"[+:]", scheme.lower())[0]
    if kind in LOCAL and FILE.fullmatch(rest) and not re.match("://[^/]", rest):
        return address.partition("?")[0]
    marks = re.match(":?/*", rest)
    place = PLACE.fullmatch(rest, marks.end()) if marks else None
    if marks is None or place is None or not (marks[0] == "://" or place["login"]):
        return f"{scheme}://…"
    database = (place["path"] or "").partition("/")[0] if kind in DATABASES else ""
    return f"{scheme}://{place['host']}{f'/{database}' * bool(database)}"


def _begins(text: str) -> re.Match[str] | None:
    """The match of the beginning, behind quotes and colors that were pasted with it."""
    pasted = PASTED.match(text)
    place = pasted.end() if pasted else 0
    match = BEGINNING.match(text, place)
    if match is None and (near := NEAR.match(text, place)):
        word = near["near"].partition("+")[0].lower()
        return near if get_close_matches(word, (*DATABASES, *SERVERS), 1, ALIKE) else None
    return match


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
    the last @, which may hold any mark; as written, decoded, encoded and as Python quotes it."""
    before = address.rpartition("@")[0].partition(":")[2].lstrip("/")
    pieces = [before, before.partition(":")[2]]
    without_port = re.sub(r":\d+(?=[/?#;:]|$)", "/", address)
    for part in re.split(r"[/?#&;@:\s]+", without_port):
        pieces += part.split("=")[1:] or [part]
    decoded = {form for piece in pieces for form in (piece, unquote(piece)) if form}
    encoded = {quote(form, safe="", errors="replace") for form in decoded}
    return decoded | encoded | {repr(form)[1:-1] for form in decoded}


def without_secrets(message: str) -> str:
    """A message in which whatever looks like an address is `shown`, and secrets that have a name
    are stars. It knows no source, so that it leaves alone what may be a file or a column."""
    if EXAMPLE in message:
        return EXAMPLE.join(map(without_secrets, message.split(EXAMPLE)))
    message = WITHIN.sub(_safe, message)
    for secret in (HEADER, OPTION):
        message = secret.sub(r"\g<name>\g<is>***", message)
    return message


def _safe(match: re.Match[str]) -> str:
    """The address with the marks that end the sentence around it."""
    end = re.search(r"[\])}>:;,.]*$", match[0])
    cut = len(match[0]) if end is None else end.start()
    address = match[0][:cut]
    return (shown(address) if _begins(address) else address) + match[0][cut:]
