"""A plain space as a learned one that keeps everything."""

from __future__ import annotations

import numpy as np
import polars as pl

from ringfence.history import TASK
from ringfence.learned.fitting import clouds, fit_blocks
from ringfence.learned.records import Provenance, Settings
from ringfence.learned.space import LearnedSpace
from ringfence.space import Space
from ringfence.version import __version__


def full_space(space: Space) -> LearnedSpace:
    """The full space, learned from nothing."""
    settings = Settings(shape="full", outliers=0.0)
    nothing = pl.DataFrame({name: pl.Series([], dtype=pl.Float64) for name in (TASK, *space)})
    blocks = fit_blocks(clouds(space, nothing), settings, np.arange(0)).blocks
    provenance = Provenance(
        ringfence=__version__,
        source="no history",
        digest="",
        objective="",
        direction="minimize",
        rows=0,
        rows_used=0,
    )
    return LearnedSpace(space, blocks, space.unordered_choices(), (), settings, provenance)
