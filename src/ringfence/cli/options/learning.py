"""How a space is learned, checked and reported."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from ringfence.fit.shapes import shape_choices

if TYPE_CHECKING:
    from ringfence.space import Space

# mypy wants the names of an enum written out; they are those of the table of shapes.
Shape = StrEnum("Shape", {name: name for name in shape_choices()})  # type: ignore[misc]
BOX, AUTO = Shape("box"), Shape("auto")


class Categories(StrEnum):
    """Which choices of a categorical parameter stay."""

    all = "all"
    observed = "observed"


class SearchBy(StrEnum):
    """What a search is to be short in."""

    auto = "auto"
    cost = "cost"
    trials = "trials"


By: TypeAlias = Annotated[
    SearchBy,
    typer.Option(
        help="Starting points that bring most for what they cost, or in so many trials; auto goes "
        "by cost if the past runs have costs."
    ),
]
Compare: TypeAlias = Annotated[
    bool, typer.Option("--compare", help="Try several shapes and settings, recommend one.")
]
STARTS_UNASKED = "10 for 3 tasks of 32 rows or more"
"""What learned/settings.wanted_starts does, in a few words."""
FoundStarts: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--starts",
        min=0,
        help="Also find this many starting points (ringfence starts).",
        show_default=STARTS_UNASKED,
    ),
]
EvaluatedStarts: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--starts",
        min=0,
        help="Also evaluate this many starting points.",
        show_default=STARTS_UNASKED,
    ),
]


@dataclass(frozen=True)
class LearnOptions:
    """How a space is learned."""

    space: Annotated[
        Path | None,
        typer.Option(
            help="The full space (.json, .yaml, .toml), or latest for that of the task that ran "
            "last; else inferred."
        ),
    ] = None
    shape: Annotated[
        Shape,
        typer.Option(
            help="Shape of the region; boxes and ellipsoids are as many as the data call for, "
            "full keeps all of it, auto takes what `check --compare` recommends."
        ),
    ] = BOX
    outliers: Annotated[
        str, typer.Option(help="Least share of tasks to leave outside, or 'paper'.")
    ] = "0"
    refit: Annotated[
        bool, typer.Option("--refit", help="Redraw the exact region around the tasks inside.")
    ] = False
    literal: Annotated[
        bool, typer.Option("--literal", help="The paper's equations as printed.")
    ] = False
    one_cloud: Annotated[
        bool,
        typer.Option("--one-cloud", help="One region for parameters active only sometimes, too."),
    ] = False
    top: Annotated[
        float, typer.Option(help="Share of each task's best rows to draw around; 0: only its best.")
    ] = 0.0
    tolerance: Annotated[
        float,
        typer.Option(help="Draw around one row of each task of at most this regret; 0: its best."),
    ] = 0.0
    categories: Annotated[
        Categories, typer.Option(help="Keep all choices, or those of the best configurations.")
    ] = Categories.all
    average_repeats: Annotated[
        bool, typer.Option("--average-repeats", help="Average rows of the same configuration.")
    ] = False

    n_evaluations: Annotated[
        int | None, typer.Option(help="Use only this many rows of each task.")
    ] = None
    seed: Annotated[int | None, typer.Option(help="Take those rows at random, not the first.")] = (
        None
    )

    def read_space(self) -> Space | Literal["latest"] | None:
        """The full space, if it was named."""
        from ringfence.space import read_space

        if str(self.space) == "latest":
            return "latest"
        return read_space(self.space) if self.space else None

    def settings(self) -> dict[str, Any]:
        """The keyword arguments of `learn`, `check` and `report`."""
        return {
            "shape": self.shape.value,
            "outliers": _share(self.outliers),
            "refit": self.refit,
            "literal": self.literal,
            "one_cloud": self.one_cloud,
            "categories": self.categories.value,
            "top": self.top,
            "tolerance": self.tolerance,
            "average_repeats": self.average_repeats,
            "n_evaluations": self.n_evaluations,
            "seed": self.seed,
        }


def n_starts(starts: int | None) -> int | Literal["auto"]:
    """The value of --starts."""
    return "auto" if starts is None else starts


def _share(text: str) -> float | Literal["paper"]:
    """The value of --outliers."""
    from ringfence.errors import SettingError

    if text == "paper":
        return "paper"
    try:
        return float(text)
    except ValueError:
        raise SettingError(
            f"--outliers must be a share such as 0.1, or 'paper', not {text!r}"
        ) from None
