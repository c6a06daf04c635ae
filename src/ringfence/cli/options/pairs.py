"""Options of the form NAME=VALUE, which can be given again."""

from __future__ import annotations

from collections.abc import Sequence

WORDS = {"true": True, "false": False, "none": None}


def pairs(texts: Sequence[str], option: str, example: str) -> list[tuple[str, str]]:
    """The names and values of an option, or SettingError."""
    from ringfence.errors import SettingError

    split = [text.partition("=") for text in texts]
    for text, (name, equals, _) in zip(texts, split):
        if not equals or not name:
            raise SettingError(f"{option} must be NAME=VALUE, such as {example}, not {text!r}")
    return [(name, value) for name, _, value in split]


def once(named: Sequence[tuple[str, str]], option: str) -> dict[str, str]:
    """The values by name; SettingError for a name with two."""
    from ringfence.errors import SettingError

    values: dict[str, str] = {}
    for name, value in named:
        if values.setdefault(name, value) != value:
            raise SettingError(f"{option} says {name}={values[name]} and {name}={value}; which?")
    return values


def as_value(text: str) -> bool | int | float | str | None:
    """A value as people type it: a number, true, false, none, else text."""
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text
