"""Tables that open when asked for, on the site and on GitHub alike."""

from __future__ import annotations


def folded(summary: str, *parts: str, is_open: bool = False) -> str:
    """Markdown behind one line, `summary`; without a browser it reads as it is."""
    begin = f'<details markdown="1"{" open" if is_open else ""}>\n<summary>{summary}</summary>'
    return "\n\n".join([begin, *filter(None, parts), "</details>"])
