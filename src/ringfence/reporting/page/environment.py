"""The templates of the page, and the rules by which data becomes markup in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ringfence.rendering.markup import escape, name
from ringfence.words import percent, value

if TYPE_CHECKING:
    from jinja2 import Environment


def environment() -> Environment:
    """Jinja2 with the templates beside this file. Whatever a template shows goes through `shown`,
    and one that names what is not there fails."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # when first used

    templates = Environment(
        loader=PackageLoader("ringfence.reporting.page"),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.filters |= {
        "digits": digits,
        "extent": extent,
        "name": name,
        "numbered": numbered,
        "percent": percent,
        "value": value,
    }
    return templates


def shown(item: object) -> object:
    """Markup as it is; everything else as text, by the same rule as in a notebook."""
    return item if hasattr(item, "__html__") else escape(str(item))


def digits(number: float, specification: str) -> str:
    """The number as Python's `format` writes it, minus zero as zero."""
    return format(number or 0, specification)


def extent(interval: tuple[float, float]) -> tuple[str, str]:
    """Where a bar for an interval of [0, 1] begins and how wide it is, wide enough to be seen."""
    start, stop = (100 * end for end in interval)
    return f"{min(start, 99.0):.1f}%", f"{max(stop - start, 1.0):.1f}%"


def numbered(rows: Sequence[object]) -> Iterator[tuple[int, object]]:
    """The rows with their numbers, from 1."""
    return enumerate(rows, start=1)
