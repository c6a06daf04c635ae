"""Curves as pictures, one for each figure of the paper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from ringfence.bench.metrics import METRICS, curves
from ringfence.bench.text import heading
from ringfence.errors import MissingExtraError, SettingError
from ringfence.files import write_atomically
from ringfence.rendering.fitting import label, words

LABELS = {
    "normalized": "loss relative to what Random reached",
    "regret": "normalized regret (0 best known, 1 median)",
    "distance": "mean regret relative to Random",
    "rank": "average rank",
}
COLORS = ("tab:gray", "tab:blue", "tab:orange", "tab:green", "tab:red", "tab:purple", "tab:brown",
          "tab:pink", "tab:olive", "tab:cyan")  # fmt: skip
LONGEST = 60  # characters of a method's name, half of the width
METADATA: dict[str, dict[str, Any]] = {".png": {"Software": None}, ".svg": {"Date": None}}
"""Formats, and the metadata that would differ from one machine or day to the next."""


def write_figures(results: pl.DataFrame, metric: str, folder: Path) -> Iterator[Path]:
    """Draw every figure of the results into `folder`; the paths, as they are written."""
    if metric not in METRICS:
        raise SettingError(f"metric must be one of {', '.join(METRICS)}, not {metric!r}")
    points = curves(results).filter(pl.col("metric") == metric)
    for (figure,), group in results.group_by("figure", maintain_order=True):
        picture = curve_figure(points.filter(pl.col("figure") == figure), metric, heading(group))
        yield from write_figure(picture, folder / file_name(str(figure)))


def curve_figure(points: pl.DataFrame, metric: str, title: str) -> Any:
    """A line for each method with a band of one standard error; a figure without a window."""
    picture, axes = new_figure(title)
    for number, ((method,), line) in enumerate(
        points.sort("order", "trial").group_by("method", maintain_order=True)
    ):
        trial, mean = line["trial"].to_numpy(), line["mean"].to_numpy()
        error = line["error"].fill_null(0.0).to_numpy()
        color, style = COLORS[number % len(COLORS)], "-" if number < len(COLORS) else "--"
        axes.plot(trial, mean, style, color=color, label=label(str(method), LONGEST))
        axes.fill_between(trial, mean - error, mean + error, color=color, alpha=0.15, lw=0)
    if metric in ("regret", "normalized") and (points["mean"] > 0).all():
        axes.set_yscale("log")
    axes.set_xlabel("full evaluations")
    axes.set_ylabel(LABELS[metric])
    axes.legend(fontsize=7, frameon=False)
    return picture


def new_figure(title: str, **subplot: Any) -> tuple[Any, Any]:
    """An empty figure with its heading, and its axes."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "bench") from error
    picture: Any = Figure(figsize=(7, 5), layout="constrained")
    FigureCanvasAgg(picture)
    picture.suptitle(words(title), fontsize=8, wrap=True)
    return picture, picture.subplots(**subplot)


def write_figure(picture: Any, stem: Path) -> Iterator[Path]:
    """Write a figure as PNG and SVG."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    for suffix in METADATA:
        path = stem.with_name(stem.name + suffix)
        write_picture(picture, path)
        yield path


def write_picture(picture: Any, path: Path, dpi: int = 150) -> None:
    """Write a figure in the format that the path ends in, the same bytes every time."""
    from matplotlib import rc_context

    from ringfence.rendering.figure import encoded

    with rc_context({"svg.hashsalt": "ringfence"}):
        content = encoded(picture, path, dpi, metadata=METADATA[path.suffix])
    write_atomically(path, content)


def file_name(figure: str) -> str:
    """'1a' as 'figure-1a', anything else likewise without odd characters."""
    return "figure-" + "".join(c if c.isalnum() or c in "-_" else "-" for c in figure)
