"""Values as code: a literal of Python, a word of a shell, text in a file of settings.

What is quoted is never obeyed, neither by who reads it nor by the terminal that it is shown in.
"""

from __future__ import annotations

import json
import math
import shlex

ENDING = "\\'\"`$"
"""What may end or escape a quote in one shell or another."""


def literal(value: object) -> str:
    """The value as Python writes it, in ASCII on one line. Subclasses are written as what they are
    a kind of, numbers of numpy as plain ones, and whatever else as the text it shows."""
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        value = value.tolist()
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        number = float.__repr__(value)
        return number if math.isfinite(value) else f'float("{number}")'
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(literal, value))}]"
    return ascii(str.__str__(value) if isinstance(value, str) else str(value))


def quoted(content: object) -> str:
    """Texts, numbers and lists of them on one line as both YAML and TOML read them: JSON, but for
    what is not printable, which they forbid, and spell in eight digits where it needs more."""
    return "".join(map(_escaped, json.dumps(content, ensure_ascii=False)))


def _escaped(letter: str) -> str:
    if letter.isprintable():
        return letter
    return f"\\u{ord(letter):04x}" if letter <= "\uffff" else f"\\U{ord(letter):08x}"


def shell_word(text: str) -> str:
    """The text as one word of a shell, on one line; what is not printable in the way of bash and
    zsh, since a terminal may obey what is pasted into it. To other shells, which do not know that
    way, it is a harmless word, too: nothing in it can end the quotes."""
    if text.isprintable():
        return shlex.quote(text)
    return f"$'{''.join(map(_spelled, text))}'"


def _spelled(letter: str) -> str:
    if letter.isprintable() and letter not in ENDING:
        return letter
    # Python has bytes of a file's name that are no text as the last of the surrogates.
    how = "surrogateescape" if "\udc80" <= letter <= "\udcff" else "surrogatepass"
    return "".join(f"\\x{byte:02x}" for byte in letter.encode("utf-8", how))
