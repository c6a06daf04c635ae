"""HTML from data: what a name says is shown, never obeyed."""

from __future__ import annotations

import html
import unicodedata

# They would turn the direction of the text around them, or hide what follows.
DIRECTION_MARKS = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)


class Html(str):
    """Text that is markup already. Everything else is escaped where it is shown, and so is what
    comes of joining or changing markup, unless it is called Html again."""

    __slots__ = ()

    def __html__(self) -> str:
        """The text itself: by this method Jinja2 knows markup."""
        return str(self)


def escape(text: str) -> Html:
    """The text as it is, with nothing that a browser would obey; markup stays what it is."""
    return text if isinstance(text, Html) else Html(html.escape(visible(text)))


def visible(text: str) -> str:
    """The text with control characters, but for line ends, direction marks and what is no text
    spelled out."""
    return "".join(repr(c)[1:-1] if _is_obeyed(c) else c for c in text)


def _is_obeyed(character: str) -> bool:
    """Whether the character does something other than show itself or end a line."""
    control = unicodedata.category(character) in ("Cc", "Cs") and character != "\n"
    return control or character in DIRECTION_MARKS


def name(text: str) -> Html:
    """A name from the data, kept apart from the direction of the text around it; one that shows
    nothing is called blank."""
    return Html(f"<bdi>{escape(text)}</bdi>" if text.strip() else "(blank)")
