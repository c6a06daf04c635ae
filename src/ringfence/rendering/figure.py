"""A matplotlib figure that a notebook shows by itself, whatever its settings.

The only module here that needs matplotlib; it is imported when something is drawn.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from ringfence.errors import FileError, MissingExtraError

try:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
except ImportError as error:
    raise MissingExtraError("matplotlib", "plot") from error

DPI = 110  # a picture of 9 inches is as wide as a notebook's column


class NotebookFigure(Figure):
    """A figure of no window that pyplot does not know: as the last line of a cell it is shown once,
    and it is gone when nobody holds it."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", dpi=DPI)
        return buffer.getvalue()


def new_figure(width: float, height: float) -> NotebookFigure:
    """An empty figure of this size in inches."""
    figure = NotebookFigure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def encoded(
    figure: Figure, path: Path, dpi: int = 150, metadata: dict[str, Any] | None = None
) -> bytes:
    """The content of a picture's file; the ending of its name tells the format."""
    if not path.suffix:
        raise FileError(f"cannot write {path}: name it .png, .svg or .pdf")
    buffer = io.BytesIO()
    try:
        figure.savefig(buffer, format=path.suffix[1:].lower(), dpi=dpi, metadata=metadata)
    except (OSError, ValueError, RuntimeError) as error:  # no such format, or its program is gone
        raise FileError(f"cannot write {path}: {error}") from error
    return buffer.getvalue()
